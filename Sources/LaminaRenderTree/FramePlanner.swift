import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaValues

/// Makes frame plans: decides what is uploaded, which offscreen passes a frame takes and with which
/// programs its pieces are drawn, for a device's profile. Keeps the books of the textures on the
/// device; asks the device nothing.
///
/// One planner serves all sessions of a connection, which share textures. What it remembers never
/// changes a pixel: only whether something is made again.
package struct FramePlanner {
  let profile: DeviceProfile
  var imageTextures: [ImageID: ImageTextures] = [:]
  /// Of pixels that only old pictures draw, by their stamps.
  var keptTextures: [UInt64: ImageTextures] = [:]
  var masks = SessionTextures<MaskKey, TextureID>()
  var ramps = SessionTextures<RampKey, TextureID>()
  var rasters = SessionTextures<RasterKey, RasterTexture>()
  /// How many pixels the rasterized layers of this frame have that are kept for the next.
  var keptRasterPixels = 0
  /// The last frames of sessions in which updates are marked.
  private var shown: [SessionID: ShownRows] = [:]
  private var nextTexture: UInt32 = 1
  private var releases: [TextureID] = []

  package init(profile: DeviceProfile) { self.profile = profile }

  /// Plans the frame of a session at a time.
  package mutating func plan(
    _ tree: inout RenderTree, session: SessionID, time: Double
  ) throws(CommitError) -> FramePlan {
    plan(&tree, try tree.evaluate(session: session, at: time))
  }

  /// Plans the frame that shows the evaluated tree.
  package mutating func plan(_ tree: inout RenderTree, _ evaluated: EvaluatedTree) -> FramePlan {
    for event in tree.imageEvents { note(event) }
    tree.imageEvents.removeAll()
    // The painter takes the books and gives them back, so that writing in them copies nothing.
    var books = FramePlanner(profile: profile)
    swap(&books, &self)
    books.keptRasterPixels = 0
    let measured = MeasuredTree(
      evaluated, of: tree, known: books.rasters, maxTextureSize: profile.maxTextureSize)
    var painter = FramePainter(planner: consume books, tree: tree, measured)
    if painter.overlay == .updates {
      let rows = ShownRows(measured, of: tree)
      let last = painter.planner.shown.updateValue(rows, forKey: evaluated.session)
      painter.markUpdates(since: last, to: rows)
    }
    painter.paint()
    self = painter.planner
    let session = evaluated.session
    releases += masks.removeUnused(of: session) + ramps.removeUnused(of: session)
    releases += rasters.removeUnused(of: session)
    var plan = painter.plan
    plan.releases = releases
    plan.nextFrameTime = painter.flashes ? evaluated.time : evaluated.nextChange
    releases.removeAll()
    return plan
  }

  /// Forgets what was kept for a session; the next plan of any other releases it.
  package mutating func closeSession(_ session: SessionID) {
    releases += masks.removeAll(of: session) + ramps.removeAll(of: session)
    releases += rasters.removeAll(of: session)
    shown[session] = nil
  }

  mutating func makeTexture() -> TextureID {
    defer { nextTexture &+= 1 }
    return TextureID(rawValue: nextTexture)
  }

  mutating func release(_ texture: TextureID) { releases.append(texture) }

  private mutating func note(_ event: RenderTree.ImageEvent) {
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
