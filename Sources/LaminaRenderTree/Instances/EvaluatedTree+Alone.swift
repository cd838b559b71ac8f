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
      clockTime: evaluated.time(of: row), journalPlace: journal.end)
    tree.frozenSubtrees = evaluated.frozenSubtrees
    _ = tree.animatedValues.add(alone)
    tree.root = makeRows(
      from: PendingRow(
        slot: row.frozen < 0 ? row.slot : row.place, frozen: row.frozen, parent: -1,
        level: row.level, role: .bitmap(isFlipped: row.isFlipped)),
      in: &tree)
    return tree
  }
}
