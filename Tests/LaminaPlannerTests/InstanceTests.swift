import Foundation
import LaminaCommit
import LaminaRenderTree
import LaminaValues
import TestSupport
import Testing
import TreeSupport

@testable import LaminaPlanner

@Suite("Rows and extents that are kept from frame to frame")
struct InstanceTests {
  /// 200 scenes, and two in which a replicator gets a mask, which few random scenes do.
  static let seeds: [UInt64] = Array(0..<200) + [626, 840]

  @Test("are those of a new evaluation, to the bit, whatever changes", arguments: seeds)
  func equalNew(seed: UInt64) throws {
    var scene = try RandomScene(seed: seed &* 31 &+ 7)
    _ = try scene.apply()
    let session = TestTree.session
    var kept = MeasuredTree(try scene.tree.evaluate(session: session, at: scene.time))
    var edits: [RandomScene.Edit] = []
    for step in 0..<16 {
      _ = kept.measure(scene.tree, maxTextureSize: 8192)
      var new = MeasuredTree(try scene.tree.evaluate(session: session, at: scene.time))
      _ = new.measure(scene.tree, maxTextureSize: 8192)
      if let difference = difference(kept, new, of: scene.tree) {
        Issue.record("step \(step), after \(edits): \(difference)")
        return
      }
      edits.append(scene.edit())
      _ = try scene.apply()
      try kept.update(scene.tree, to: scene.time)
    }
  }

  private func difference(
    _ kept: MeasuredTree, _ new: MeasuredTree, of tree: RenderTree
  ) -> String? {
    if let difference = kept.evaluated.difference(from: new.evaluated, of: tree) {
      return difference
    }
    for (a, b) in zip(kept.evaluated.rowsInOrder, new.evaluated.rowsInOrder) {
      let name = "slot \(new.evaluated.rows[b].slot)"
      let (old, now) = (kept.extents, new.extents)
      if old.rows[a] != now.rows[b] { return "\(name): extent \(old.rows[a]), \(now.rows[b])" }
      if old.edges[a] != now.edges[b] { return "\(name): box" }
      if old.below[a] != now.below[b] { return "\(name): \(old.below[a]), \(now.below[b]) below" }
      if old.filters.unfiltered[a] != now.filters.unfiltered[b] { return "\(name): unfiltered" }
      if old.filters.backdropReaches[a] != now.filters.backdropReaches[b] {
        return "\(name): reach"
      }
      if old.filters.backdropReads[a] != now.filters.backdropReads[b] { return "\(name): read" }
      if old.filters.backdropGroups[a] != now.filters.backdropGroups[b] { return "\(name): group" }
      if old.filters.readsBackdrop.contains(a) != now.filters.readsBackdrop.contains(b) {
        return "\(name): backdrop"
      }
      if kept.bitmaps[a]?.rect != new.bitmaps[b]?.rect { return "\(name): bitmap" }
      if kept.bitmaps[a]?.key != new.bitmaps[b]?.key { return "\(name): key of the bitmap" }
      if kept.bearings[a] != new.bearings[b] { return "\(name): bearing" }
    }
    return nil
  }
}
