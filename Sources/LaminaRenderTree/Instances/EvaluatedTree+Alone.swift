import LaminaCommit
import LaminaValues

extension RenderTree {
  /// Evaluates the rasterized layer of a row as the root of a tree of its own.
  package func evaluate(
    _ index: Int, _ alone: LayerValues, scale: Double, within limit: Int,
    in evaluated: EvaluatedTree
  ) -> EvaluatedTree {
    let row = evaluated.rows[index]
    var tree = EvaluatedTree(
      session: evaluated.session, time: evaluated.time, size: evaluated.size,
      area: PixelRect(minX: -limit, minY: -limit, maxX: limit, maxY: limit), scale: scale,
      clocks: [EvaluatedTree.Clock(timing: nil, parent: -1, time: evaluated.time(of: row))],
      version: evaluated.version)
    tree.frozenSubtrees = evaluated.frozenSubtrees
    _ = tree.animatedValues.add(alone)
    tree.levelsAbove = evaluated.level(of: index) - 1
    let root = PendingRow(
      slot: row.frozen < 0 ? row.slot : row.place, frozen: row.frozen, parent: -1,
      level: tree.levelsAbove + 1, role: .bitmap(isFlipped: row.isFlipped))
    evaluate(into: &tree, root: root, rootTransform: tree.rootTransform)
    return tree
  }
}
