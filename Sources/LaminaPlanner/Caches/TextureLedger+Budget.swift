import LaminaCommit
import LaminaFramePlan
import LaminaValues

extension TextureLedger {
  /// Bytes of all textures, and of the surfaces.
  var byteCount: Int {
    surfaceByteCount + imageByteCount + masks.byteCount + ramps.byteCount + canvases.byteCount
  }

  /// Textures that the frame does not draw and that can be made again.
  private enum Idle {
    case image(ImageID)
    case kept(stamp: UInt64)
    case mask(PathMask)
    case ramp(GradientRamp)
    case canvas(CanvasKey)
  }

  /// Frees what was not drawn for longest if all that there is, and `otherByteCount` bytes, exceeds
  /// the budget. Then an eighth more is freed than must be, so that a frame in which a little is
  /// new does not look for the oldest textures each time. Throws if what the frame draws exceeds
  /// the budget.
  mutating func keepToBudget(besides otherByteCount: Int) throws(CommitError) {
    isShort = byteCount + otherByteCount > budget
    guard isShort else { return }
    let goal = budget - budget / 8
    for idle in idleTextures where byteCount + otherByteCount > goal {
      free(idle)
      counts.evictions += 1
    }
    let needed = byteCount + otherByteCount
    guard needed <= budget else {
      throw .tooMany("bytes of memory for one frame", count: needed, limit: budget)
    }
  }

  /// Those drawn last come last.
  private var idleTextures: [Idle] {
    typealias Aged = (lastFrame: UInt64, texture: TextureID, idle: Idle)
    func aged<Key>(_ cache: TextureCache<Key, Void>, _ idle: (Key) -> Idle) -> [Aged] {
      cache.idle.map { ($0.value.lastFrame, $0.value.texture, idle($0.key)) }
    }
    func aged(_ images: some Sequence<(Idle, ImageTextures)>) -> [Aged] {
      images.compactMap { idle, textures in
        guard textures.lastFrame != frame, !textures.isOnlyCopy,
          textures.byteCount + textures.mipmapByteCount > 0, let first = textures.tiles.first
        else { return nil }
        return (textures.lastFrame, first.texture, idle)
      }
    }
    var found = aged(imageTextures.lazy.map { (.image($0.key), $0.value) })
    found += aged(keptTextures.lazy.map { (.kept(stamp: $0.key), $0.value) })
    found += aged(masks) { .mask($0) } + aged(ramps) { .ramp($0) } + aged(canvases) { .canvas($0) }
    found.sort { ($0.lastFrame, $0.texture.rawValue) < ($1.lastFrame, $1.texture.rawValue) }
    return found.map(\.idle)
  }

  private mutating func free(_ idle: Idle) {
    let texture: TextureID?
    switch idle {
    case .image(let id): return release(imageTextures.removeValue(forKey: id))
    case .kept(let stamp): return release(keptTextures.removeValue(forKey: stamp))
    case .mask(let key): texture = masks.remove(key)
    case .ramp(let key): texture = ramps.remove(key)
    case .canvas(let key): texture = canvases.remove(key)
    }
    if let texture { release(texture) }
  }
}
