import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

/// Plans frames for a device profile: the uploads, the offscreen passes, and the programs that draw
/// the pieces of the frame. It never queries the device.
///
/// One planner serves all sessions of a connection, which share textures. What it remembers from
/// frame to frame affects cost only, never pixels.
package struct FramePlanner {
  private var ledger: TextureLedger
  /// The last frames of the sessions whose updates are marked.
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
    let measured = MeasuredTree(
      evaluated, of: tree, known: ledger.bitmaps, maxTextureSize: ledger.profile.maxTextureSize)
    // The compositor takes the ledger and gives it back, so that changing the ledger copies
    // nothing.
    var taken = TextureLedger(profile: ledger.profile)
    swap(&taken, &ledger)
    var compositor = Compositor(ledger: consume taken, tree: tree, measured)
    if compositor.overlay == .updates {
      let record = FrameRecord(measured, of: tree)
      let last = records.updateValue(record, forKey: evaluated.session)
      compositor.markUpdates(since: last, to: record)
    }
    compositor.paint()
    swap(&compositor.ledger, &ledger)
    var plan = compositor.plan
    plan.releases = ledger.endFrame(
      of: evaluated.session,
      bitmapBudget: compositor.bitmapPixelLimit * (compositor.isEightBit ? 4 : 8))
    plan.nextFrameTime = compositor.flashes ? evaluated.time : evaluated.nextChange
    return plan
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
  }
}
