import LaminaCommit
import LaminaValues

extension EvaluatedTree {
  /// The rows of a row's sublayers, back to front.
  package func sublayers(of row: Int) -> [Int] {
    var children: [Int] = []
    var child = links[row].first
    while child >= 0 {
      children.append(Int(child))
      child = links[Int(child)].next
    }
    return children
  }

  /// Whether the depth of one of a row's sublayers matters, so that they share a space in three
  /// dimensions.
  package func isSpace(_ row: Int) -> Bool { rows[row].spatialSublayers > 0 }

  /// Whether some of a row's sublayers may intersect others.
  package func hasTiltedSublayers(_ row: Int) -> Bool { rows[row].tiltedSublayers > 0 }

  package func hasSublayers(_ row: Int) -> Bool { links[row].first >= 0 }

  /// A row and all below it, parents first, siblings back to front, masks after them.
  package func subtree(of top: Int) -> [Int] {
    var subtree: [Int] = []
    var stack = [top]
    while let row = stack.popLast() {
      subtree.append(row)
      if rows[row].mask >= 0 { stack.append(rows[row].mask) }
      var child = links[row].last
      while child >= 0 {
        stack.append(Int(child))
        child = links[Int(child)].previous
      }
    }
    return subtree
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
  func withValues<Result>(
    of row: UnsafePointer<EvaluatedTree.Row>, in evaluated: EvaluatedTree,
    _ body: (UnsafePointer<LayerValues>) -> Result
  ) -> Result {
    if row.pointee.animated >= 0 {
      return evaluated.animatedValues.read(row.pointee.animated, body)
    }
    return withNode(row.pointee.slot, in: nil) { body(Node.values(at: $0)) }
  }

  /// Passes a row's values in place.
  func withValues<Result>(
    of row: EvaluatedTree.Row, in evaluated: EvaluatedTree,
    _ body: (UnsafePointer<LayerValues>) -> Result
  ) -> Result {
    withUnsafePointer(to: row) { withValues(of: $0, in: evaluated, body) }
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
