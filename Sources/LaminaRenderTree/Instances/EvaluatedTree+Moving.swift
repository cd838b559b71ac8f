import LaminaAnimation
import LaminaCommit
import LaminaValues

extension EvaluatedTree {
  /// A row whose values are animated.
  struct AnimatedRow {
    let row: Int
    /// Whether its transforms may change.
    let isPlaced: Bool
    /// The only animated property and its animation; nil if all of the layer's animations must be
    /// applied, in order.
    let only: (property: StoredProperty, motion: CompiledAnimation)?
  }
}

extension RenderTree {
  /// Brings a tree that keeps its rows to another time. The result equals that of a new evaluation.
  func move(_ tree: inout EvaluatedTree, to time: Double) {
    tree.time = time
    tree.clocks[0].time = time
    for clock in tree.clocks.indices {
      guard let timing = tree.clocks[clock].timing else { continue }
      tree.clocks[clock].time = timing.localTime(at: tree.clocks[tree.clocks[clock].parent].time)
    }
    let animatedRows = tree.animatedRows ?? makeAnimatedRows(of: tree)
    let (clocks, rootTransform) = (tree.clocks, tree.rootTransform)
    tree.rows.withUnsafeMutableBufferPointer { rows in
      tree.animatedValues.withAll { values in
        guard let rows = rows.baseAddress, let values else { return }
        let pointers = RowPointers(
          rows: rows, values: values, clocks: clocks, rootTransform: rootTransform)
        animatedRows.withUnsafeBufferPointer { move($0, through: pointers) }
      }
    }
    tree.nextChange = .infinity
    for animatedRow in animatedRows {
      guard tree.nextChange > time else { break }
      let row = tree.rows[animatedRow.row]
      withNode(row.slot, in: nil) { noteNextChange(of: $0, on: row.clock, in: &tree) }
    }
    tree.animatedRows = animatedRows
  }

  private func makeAnimatedRows(of tree: EvaluatedTree) -> [EvaluatedTree.AnimatedRow] {
    tree.rows.indices.filter { tree.rows[$0].animated >= 0 }.map { row in
      withNode(tree.rows[row].slot, in: nil) { node in
        let isPlaced = node.pointee.animationsInvalidate.contains(.geometry)
        guard let (leaf, property) = node.pointee.onlyLeaf else {
          return EvaluatedTree.AnimatedRow(row: row, isPlaced: isPlaced, only: nil)
        }
        let committed = LayerValues.value(of: property, at: Node.values(at: node))
        return EvaluatedTree.AnimatedRow(
          row: row, isPlaced: isPlaced,
          only: CompiledAnimation(leaf, over: committed).map { (property, $0) })
      }
    }
  }

  /// The data that moving rows reads and writes.
  private struct RowPointers {
    let rows: UnsafeMutablePointer<EvaluatedTree.Row>
    let values: UnsafeMutablePointer<LayerValues>
    let clocks: [EvaluatedTree.Clock]
    let rootTransform: CATransform3D
  }

  private func move(
    _ animatedRows: UnsafeBufferPointer<EvaluatedTree.AnimatedRow>, through pointers: RowPointers
  ) {
    var next = 0
    while next < animatedRows.count {
      let row = animatedRows[next].row
      animate(animatedRows.baseAddress! + next, through: pointers)
      let isPlaced = animatedRows[next].isPlaced
      next += 1
      guard isPlaced else { continue }
      place(row, through: pointers)
      // Everything below moves with it.
      for below in row + 1..<max(pointers.rows[row].end, row + 1) {
        if next < animatedRows.count, animatedRows[next].row == below {
          animate(animatedRows.baseAddress! + next, through: pointers)
          next += 1
        }
        place(below, through: pointers)
      }
    }
  }

  private func animate(
    _ animatedRow: UnsafePointer<EvaluatedTree.AnimatedRow>, through pointers: RowPointers
  ) {
    let row = pointers.rows + animatedRow.pointee.row
    let values = pointers.values + row.pointee.animated
    let time = pointers.clocks[row.pointee.clock].time
    guard let (property, motion) = animatedRow.pointee.only else {
      withNode(row.pointee.slot, in: nil) { node in
        Node.renew(node, &values.pointee)
        Node.animate(node, &values.pointee, at: time)
      }
      return
    }
    var isPossible = true
    motion.value(at: time) { transform in
      if property == .transform, transform.isFinite {
        values.pointee.transform = transform
      } else {
        isPossible = values.pointee.set(property, to: .transform(transform))
      }
    } other: { value in
      isPossible = values.pointee.set(property, to: value)
    }
    if !isPossible {
      withNode(row.pointee.slot, in: nil) { Node.renew($0, &values.pointee) }
    }
  }

  private func place(_ row: Int, through pointers: RowPointers) {
    let (parent, animated) = (pointers.rows[row].parent, pointers.rows[row].animated)
    let outer =
      parent < 0
      ? pointers.rootTransform
      : pointers.rows[parent].mask == row
        ? pointers.rows[parent].toSurface : pointers.rows[parent].sublayersToSurface
    if animated >= 0 {
      place(row, pointers.values + animated, .zero, outer, pointers.rows)
    } else {
      withNode(pointers.rows[row].slot, in: nil) {
        _ = place(row, Node.values(at: $0), .zero, outer, pointers.rows)
      }
    }
  }
}
