import LaminaCommit
import LaminaValues

extension EvaluatedTree {
  /// The rows of a row's sublayers, back to front, its mask left out.
  package func sublayers(of row: Int) -> [Int] {
    var children: [Int] = []
    var child = row + 1
    while child < rows[row].end {
      if child != rows[row].mask { children.append(child) }
      child = rows[child].end
    }
    return children
  }

  /// Whether the depth of one of a row's sublayers matters, so that they share a space in three
  /// dimensions.
  package func isSpace(_ row: Int) -> Bool {
    let (end, mask) = (rows[row].end, rows[row].mask)
    var child = row + 1
    while child < end {
      if child != mask, rows[child].leavesPlane { return true }
      child = rows[child].end
    }
    return false
  }

  package func hasSublayers(_ row: Int) -> Bool {
    let first = row + 1
    guard first < rows[row].end else { return false }
    return first != rows[row].mask
  }
}

extension EvaluatedTree {
  /// The images that a layer's contents show, one or two of them.
  package func contents(of row: Row, _ own: ImageID?) -> [ImageID] {
    guard row.contentsMix >= 0 else { return own.map { [$0] } ?? [] }
    let mix = contentsMixes[row.contentsMix]
    return [mix.from, mix.to].compactMap(\.self)
  }
}

extension RenderTree {
  /// Passes a row's values in place, since a copy of them takes longer than most uses.
  package func withValues<Result>(
    of row: UnsafePointer<EvaluatedTree.Row>, in evaluated: EvaluatedTree,
    _ body: (UnsafePointer<LayerValues>) -> Result
  ) -> Result {
    if row.pointee.animated >= 0 {
      return evaluated.animatedValues.read(row.pointee.animated, body)
    }
    return withNode(row.pointee.slot, in: nil) { body(Node.values(at: $0)) }
  }

  package func hasEffects(_ row: EvaluatedTree.Row, in evaluated: EvaluatedTree) -> Bool {
    withUnsafePointer(to: row) {
      withValues(of: $0, in: evaluated) { LayerValues.hasEffects(at: $0) }
    }
  }

  /// The values of a living layer; nil for one that is gone or never was.
  package func values(of id: LayerID) -> LayerValues? { slot(of: id).map { nodes[$0].values } }

  package func values(of row: EvaluatedTree.Row, in evaluated: EvaluatedTree) -> LayerValues {
    row.animated >= 0 ? evaluated.animatedValues[row.animated] : nodes[row.slot].values
  }
}
