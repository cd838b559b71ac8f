import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

/// The books of the textures on the device: which exist, what each holds, and which the next plan
/// releases.
struct TextureLedger {
  let profile: DeviceProfile
  var imageTextures: [ImageID: ImageTextures] = [:]
  /// Textures of images that only frozen subtrees draw, by the stamps of their pixels.
  var keptTextures: [UInt64: ImageTextures] = [:]
  var masks = TextureCache<PathMask, Void>()
  var ramps = TextureCache<GradientRamp, Void>()
  var bitmaps = TextureCache<LayerBitmapKey, Void>()
  /// Number of pixels in this frame's layer bitmaps that are kept for the next frame.
  var keptBitmapPixels = 0
  private var nextTexture: UInt32 = 1
  private var releases: [TextureID] = []

  init(profile: DeviceProfile) { self.profile = profile }

  /// Largest number of pixels in layer bitmaps that are kept from frame to frame: two and a half
  /// times the number on the surface, as on Apple's systems, but at least four million. Further
  /// bitmaps are painted for each frame.
  static func bitmapPixelLimit(of surface: PixelSize) -> Int {
    max(surface.width * surface.height * 5 / 2, 1 << 22)
  }

  /// Budget of the path masks and of the ramps, in bytes for each. Textures that a frame draws are
  /// kept even beyond it.
  private static let maskBudget = 64 << 20

  mutating func beginFrame() {
    keptBitmapPixels = 0
    masks.beginFrame()
    ramps.beginFrame()
    bitmaps.beginFrame()
  }

  /// Ends a session's frame. Layer bitmaps may keep `bitmapBudget` bytes. Returns the textures that
  /// no later plan names: those that their owners gave up, those beyond a budget, and those of
  /// released images, destroyed layers and closed sessions.
  mutating func endFrame(of session: SessionID, bitmapBudget: Int) -> [TextureID] {
    releases += masks.endFrame(of: session, budget: Self.maskBudget)
    releases += ramps.endFrame(of: session, budget: Self.maskBudget)
    releases += bitmaps.endFrame(of: session, budget: bitmapBudget)
    defer { releases.removeAll() }
    return releases
  }

  mutating func closeSession(_ session: SessionID) {
    releases += masks.removeAll(of: session) + ramps.removeAll(of: session)
    releases += bitmaps.removeAll(of: session)
  }

  mutating func makeTexture() -> TextureID {
    defer { nextTexture &+= 1 }
    return TextureID(rawValue: nextTexture)
  }

  mutating func release(_ texture: TextureID) { releases.append(texture) }

  mutating func note(_ event: RenderTree.Event) {
    switch event {
    case .destroyed(let layer):
      releases += masks.remove(layer) + ramps.remove(layer) + bitmaps.remove(layer)
    case .kept(let image, let stamp):
      guard let textures = imageTextures[image], textures.stamp == stamp else { return }
      imageTextures[image] = nil
      // The client takes the store back. The tree has a copy.
      if textures.sharesStore { release(textures) } else { keptTextures[stamp] = textures }
    case .released(let image): release(imageTextures.removeValue(forKey: image))
    case .dropped(let stamp): release(keptTextures.removeValue(forKey: stamp))
    }
  }

  private mutating func release(_ textures: ImageTextures?) {
    for tile in textures?.tiles ?? [] { release(tile.texture) }
  }
}
