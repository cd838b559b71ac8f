import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

/// Plans frames for a device profile: the uploads, the passes, and the items that they draw. It
/// never queries the device.
///
/// One planner serves all sessions of a connection, which share textures. What it remembers from
/// frame to frame affects cost only, never pixels.
///
/// A plan paints what differs from the session's last plan, and relies on that having been executed.
package struct FramePlanner {
  private var ledger: TextureLedger
  /// The last frame's items and those of its plan, whose memory the next frame takes over: large
  /// arrays that come and go cost the system more than planning does.
  private var spareItems = DrawnItems()
  private var sparePlan: [Item] = []
  /// The frames that the sessions' surfaces show.
  private var records: [SessionID: FrameRecord] = [:]

  package init(profile: DeviceProfile) { ledger = TextureLedger(profile: profile) }

  /// Plans a session's frame at `time`.
  package mutating func plan(
    _ tree: RenderTree, session: SessionID, time: Double
  ) throws(CommitError) -> FramePlan {
    plan(tree, try tree.evaluate(session: session, at: time))
  }

  /// Plans the frame that shows the evaluated tree.
  package mutating func plan(_ tree: RenderTree, _ evaluated: EvaluatedTree) -> FramePlan {
    ledger.beginFrame()
    let compositor = compose(tree, evaluated)
    let format = compositor.format
    // The builder takes the ledger and gives it back, so that changing the ledger copies nothing.
    var taken = TextureLedger(profile: ledger.profile)
    var memory: [Item] = []
    swap(&taken, &ledger)
    swap(&memory, &sparePlan)
    var builder = PassBuilder(
      compositor.graph, size: evaluated.size, format: format, memory: consume memory,
      ledger: consume taken)
    builder.build()
    swap(&builder.ledger, &ledger)
    var plan = builder.plan
    (spareItems, sparePlan) = (compositor.graph.drawn, plan.items.items)
    (spareItems.masks, spareItems.ramps) = ([], [])
    plan.releases = ledger.endFrame(
      of: evaluated.session,
      bitmapBudget: TextureLedger.bitmapPixelLimit(of: evaluated.size) * format.bytesPerPixel)
    plan.nextFrameTime = compositor.flashes ? evaluated.time : evaluated.nextChange
    return plan
  }

  /// Draws what the evaluated tree shows, and nests it into groups.
  private mutating func compose(_ tree: RenderTree, _ evaluated: EvaluatedTree) -> Compositor {
    let maxTextureSize = ledger.profile.maxTextureSize
    let measured = MeasuredTree(
      evaluated, of: tree, known: ledger.bitmaps, maxTextureSize: maxTextureSize)
    let overlay = tree.options(of: evaluated.session)?.overlay
    let difference = damage(of: measured, of: tree, isOverlaid: overlay != nil)
    // Marks may lie anywhere, so a frame with marks is painted whole.
    let painted = overlay == nil && !difference.isWhole ? difference : nil
    var graph = CompositingGraph()
    swap(&graph.drawn, &spareItems)
    graph.drawn.startAgain()
    var compositor = Compositor(
      measured, of: tree, maxTextureSize: maxTextureSize, into: consume graph, damage: painted)
    if overlay == .updates { compositor.mark(difference) }
    if painted?.isEmpty != true { compositor.compose() }
    return compositor
  }

  /// What differs from the session's last frame. Takes the last frame's place.
  private mutating func damage(
    of measured: MeasuredTree, of tree: RenderTree, isOverlaid: Bool
  ) -> Damage {
    let (session, area) = (measured.evaluated.session, measured.evaluated.area)
    // Marks show the damage even where frames are painted whole.
    guard ledger.profile.drawsPartsExactly || isOverlaid else { return Damage(all: area) }
    let record = FrameRecord(measured, of: tree, isOverlaid: isOverlaid)
    let last = records.updateValue(record, forKey: session)
    return last.map { record.damage(since: $0) } ?? Damage(all: area)
  }

  /// What a session's layers draw at `time`, in its groups, as text.
  package func describeItems(
    _ tree: RenderTree, session: SessionID, time: Double
  ) throws(CommitError) -> String {
    var planner = self
    planner.records = [:]
    return planner.compose(tree, try tree.evaluate(session: session, at: time)).graph.description
  }

  /// Plans a session's whole frame at `time`, which is not executed, as if there had been none.
  package func planAfresh(
    _ tree: RenderTree, session: SessionID, time: Double
  ) throws(CommitError) -> FramePlan {
    var planner = self
    planner.records = [:]
    return try planner.plan(tree, session: session, time: time)
  }

  /// Records the effects of a commit on images and layers, in order.
  package mutating func note(_ events: [RenderTree.Event]) {
    for event in events { ledger.note(event) }
  }

  /// Whether an image's pixels are on the device.
  package func holds(_ id: ImageID, _ image: RenderTree.Image) -> Bool { ledger.holds(id, image) }

  /// Forgets everything kept for a session. The next plan of any other session releases its
  /// textures.
  package mutating func closeSession(_ session: SessionID) {
    ledger.closeSession(session)
    records[session] = nil
    (spareItems, sparePlan) = (DrawnItems(), [])
  }
}
