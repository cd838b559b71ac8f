import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

/// The account of the textures on the device: which exist, what each holds, and which the next plan
/// releases.
struct TextureLedger {
  let profile: DeviceProfile
  var imageTextures: [ImageID: ImageTextures] = [:]
  /// Textures of pixels that only frozen subtrees draw, by their stamps.
  var keptTextures: [UInt64: ImageTextures] = [:]
  var masks = SessionTextures<MaskKey, TextureID>()
  var ramps = SessionTextures<RampKey, TextureID>()
  var bitmaps = SessionTextures<LayerBitmapKey, LayerBitmapTexture>()
  /// Number of pixels in this frame's layer bitmaps that are kept for the next frame.
  var keptBitmapPixels = 0
  private var nextTexture: UInt32 = 1
  private var releases: [TextureID] = []

  init(profile: DeviceProfile) { self.profile = profile }

  mutating func beginFrame() { keptBitmapPixels = 0 }

  /// Ends a session's frame. Returns the textures that no later plan names: those that the frame
  /// did not draw, and those of released images and closed sessions.
  mutating func endFrame(of session: SessionID) -> [TextureID] {
    releases += masks.removeUnused(of: session) + ramps.removeUnused(of: session)
    releases += bitmaps.removeUnused(of: session)
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

  mutating func note(_ event: RenderTree.ImageEvent) {
    switch event {
    case .kept(let image, let stamp):
      guard imageTextures[image]?.stamp == stamp else { return }
      keptTextures[stamp] = imageTextures.removeValue(forKey: image)
    case .released(let image): release(imageTextures.removeValue(forKey: image))
    case .dropped(let stamp): release(keptTextures.removeValue(forKey: stamp))
    }
  }

  private mutating func release(_ textures: ImageTextures?) {
    for tile in textures?.tiles ?? [] { release(tile.texture) }
  }
}
