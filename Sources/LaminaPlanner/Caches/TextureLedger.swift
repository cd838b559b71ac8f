import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

/// A frame's use of the textures that are kept: images, path masks, ramps and canvases.
package struct TextureCounts: Hashable, Sendable {
  /// Textures that the frame draws and that were there, up to date.
  package var hits = 0
  /// Those that it had to make or to bring up to date.
  package var misses = 0
  /// Those that were freed for a budget, and not because nothing needed them.
  package var evictions = 0
}

/// The books of the textures on the device: which exist, what each holds, and which the next plan
/// releases.
struct TextureLedger {
  let profile: DeviceProfile
  /// Largest number of bytes that everything on the device takes, and the tree's copies of pixels.
  var budget: Int
  /// Bytes of that which the sessions' surfaces and the driver take.
  var surfaceByteCount = 0
  var imageTextures: [ImageID: ImageTextures] = [:]
  /// Textures of images that only frozen subtrees draw, by the stamps of their pixels.
  var keptTextures: [UInt64: ImageTextures] = [:]
  var masks = TextureCache<PathMask, Void>()
  var ramps = TextureCache<GradientRamp, Void>()
  /// Those of rasterized layers and of groups.
  var canvases = TextureCache<CanvasKey, Void>()
  /// Number of pixels in this frame's canvases that are kept for the next frame: of rasterized
  /// layers, and of groups.
  var keptBitmapPixels = 0
  var keptGroupPixels = 0
  /// Whether the last frame had to free what others had drawn.
  var isShort = false
  /// Bytes that the last frame needed besides textures.
  var otherByteCount = 0
  /// What the frame found, did not find, and freed.
  var counts = TextureCounts()
  /// Bytes of the images' textures.
  var imageByteCount = 0
  /// Counts the frames of all sessions.
  private(set) var frame: UInt64 = 0
  private var nextTexture: UInt32 = 1
  private var releases: [TextureID] = []

  init(profile: DeviceProfile, budget: Int) { (self.profile, self.budget) = (profile, budget) }

  /// Largest number of pixels in rasterized layers' canvases that are kept from frame to frame: two
  /// and a half times the number on the surface, as on Apple's systems, but at least four million.
  /// Further ones are painted for each frame. Groups have as many, but no more than an eighth of
  /// the budget.
  static func canvasPixelLimit(of surface: PixelSize) -> Int {
    max(surface.width * surface.height * 5 / 2, 1 << 22)
  }

  /// Budget of the path masks and of the ramps, in bytes for each. Textures that a frame draws are
  /// kept even beyond it.
  private static let maskBudget = 64 << 20

  /// Those of the kind that a canvas is of.
  subscript(keptPixelsOf key: CanvasKey) -> Int {
    get {
      switch key {
      case .bitmap: keptBitmapPixels
      case .group: keptGroupPixels
      }
    }
    set {
      switch key {
      case .bitmap: keptBitmapPixels = newValue
      case .group: keptGroupPixels = newValue
      }
    }
  }

  mutating func beginFrame() {
    frame += 1
    (keptBitmapPixels, keptGroupPixels) = (0, 0)
    counts = TextureCounts()
    masks.beginFrame()
    ramps.beginFrame()
    canvases.beginFrame()
  }

  /// Begins in the place of a frame that failed, without the canvases that it was to paint.
  mutating func beginFrameAgain(without failed: [FramePlan.Canvas]) {
    let counts = counts
    beginFrame()
    (self.counts.misses, self.counts.evictions) = (counts.misses, counts.evictions)
    canvases.remove(Set(failed.map(\.texture)))
  }

  /// Ends a session's frame. Canvases may keep `canvasBudget` bytes. `otherByteCount` is what the
  /// frame needs besides textures. Returns the textures that no later plan names: those that their
  /// owners gave up, those beyond a budget, and those of released images, destroyed layers and
  /// closed sessions.
  ///
  /// Throws if the frame alone is beyond the budget. The ledger then names textures that no device
  /// has, and is of no use but to begin again.
  mutating func endFrame(
    of session: SessionID, canvasBudget: Int, besides otherByteCount: Int
  ) throws(CommitError) -> [TextureID] {
    releases += masks.endFrame(of: session, budget: Self.maskBudget)
    releases += ramps.endFrame(of: session, budget: Self.maskBudget)
    releases += canvases.endFrame(of: session, budget: canvasBudget)
    counts.evictions += masks.evictions + ramps.evictions + canvases.evictions
    self.otherByteCount = otherByteCount
    try keepToBudget(besides: otherByteCount)
    defer { releases.removeAll() }
    return releases
  }

  mutating func closeSession(_ session: SessionID) {
    releases += masks.removeAll(of: session) + ramps.removeAll(of: session)
    releases += canvases.removeAll(of: session)
  }

  mutating func makeTexture() -> TextureID {
    defer { nextTexture &+= 1 }
    return TextureID(rawValue: nextTexture)
  }

  mutating func release(_ texture: TextureID) { releases.append(texture) }

  mutating func release(_ keys: [CanvasKey]) {
    releases += keys.compactMap { canvases.remove($0) }.sorted { $0.rawValue < $1.rawValue }
  }

  mutating func note(_ event: RenderTree.Event) {
    switch event {
    case .destroyed(let layer):
      releases += masks.remove(layer) + ramps.remove(layer) + canvases.remove(layer)
    case .kept(let image, let stamp):
      guard var textures = imageTextures[image], textures.stamp == stamp else { return }
      imageTextures[image] = nil
      // The client takes the store back. Of shared ones, the tree has a copy.
      if textures.sharesStore {
        release(textures)
      } else {
        textures.isOnlyCopy = true
        keptTextures[stamp] = textures
      }
    case .released(let image): release(imageTextures.removeValue(forKey: image))
    case .dropped(let stamp): release(keptTextures.removeValue(forKey: stamp))
    }
  }

  mutating func release(_ textures: ImageTextures?) {
    guard let textures else { return }
    imageByteCount -= textures.byteCount + textures.mipmapByteCount
    for tile in textures.tiles { release(tile.texture) }
  }
}
