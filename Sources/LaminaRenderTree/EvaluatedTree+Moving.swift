import LaminaAnimation
import LaminaCommit
import LaminaValues

extension EvaluatedTree {
  /// A row whose values animations change.
  struct Mover {
    let row: Int
    /// Whether its transforms may change.
    let isPlaced: Bool
    /// The one property that is animated, and how; nil where all of the layer's animations must be
    /// asked, in their order.
    let only: (property: LayerProperty, motion: Motion)?
  }
}

extension RenderTree {
  /// Brings a tree that keeps its rows to another time: the outcome is that of evaluating it anew.
  func move(_ tree: inout EvaluatedTree, to time: Double) {
    tree.time = time
    tree.clocks[0].time = time
    for clock in tree.clocks.indices {
      guard let timing = tree.clocks[clock].timing else { continue }
      tree.clocks[clock].time = timing.localTime(at: tree.clocks[tree.clocks[clock].parent].time)
    }
    let movers = tree.movers ?? makeMovers(of: tree)
    let (clocks, rootTransform) = (tree.clocks, tree.rootTransform)
    tree.rows.withUnsafeMutableBufferPointer { rows in
      tree.animatedValues.withAll { values in
        guard let rows = rows.baseAddress, let values else { return }
        let stage = Stage(
          rows: rows, values: values, clocks: clocks, rootTransform: rootTransform)
        movers.withUnsafeBufferPointer { move($0, on: stage) }
      }
    }
    tree.nextChange = .infinity
    for mover in movers {
      guard tree.nextChange > time else { break }
      let row = tree.rows[mover.row]
      withNode(row.slot, in: nil) { noteNextChange(of: $0, on: row.clock, in: &tree) }
    }
    tree.movers = movers
  }

  private func makeMovers(of tree: EvaluatedTree) -> [EvaluatedTree.Mover] {
    tree.rows.indices.filter { tree.rows[$0].animated >= 0 }.map { row in
      withNode(tree.rows[row].slot, in: nil) { node in
        let isPlaced = node.pointee.animationsInvalidate.contains(.geometry)
        guard let (leaf, property) = node.pointee.onlyLeaf else {
          return EvaluatedTree.Mover(row: row, isPlaced: isPlaced, only: nil)
        }
        let committed = LayerValues.value(of: property, at: Node.values(at: node))
        return EvaluatedTree.Mover(
          row: row, isPlaced: isPlaced,
          only: Motion(leaf, over: committed).map { (property, $0) })
      }
    }
  }

  /// What rows are moved with.
  private struct Stage {
    let rows: UnsafeMutablePointer<EvaluatedTree.Row>
    let values: UnsafeMutablePointer<LayerValues>
    let clocks: [EvaluatedTree.Clock]
    let rootTransform: CATransform3D
  }

  private func move(_ movers: UnsafeBufferPointer<EvaluatedTree.Mover>, on stage: Stage) {
    var next = 0
    while next < movers.count {
      let row = movers[next].row
      animate(movers.baseAddress! + next, on: stage)
      let isPlaced = movers[next].isPlaced
      next += 1
      guard isPlaced else { continue }
      place(row, on: stage)
      // All below it goes with it.
      for below in row + 1..<max(stage.rows[row].end, row + 1) {
        if next < movers.count, movers[next].row == below {
          animate(movers.baseAddress! + next, on: stage)
          next += 1
        }
        place(below, on: stage)
      }
    }
  }

  private func animate(_ mover: UnsafePointer<EvaluatedTree.Mover>, on stage: Stage) {
    let row = stage.rows + mover.pointee.row
    let values = stage.values + row.pointee.animated
    let time = stage.clocks[row.pointee.clock].time
    guard let (property, motion) = mover.pointee.only else {
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

  private func place(_ row: Int, on stage: Stage) {
    let (parent, animated) = (stage.rows[row].parent, stage.rows[row].animated)
    let outer =
      parent < 0
      ? stage.rootTransform
      : stage.rows[parent].mask == row
        ? stage.rows[parent].toSurface : stage.rows[parent].sublayersToSurface
    if animated >= 0 {
      place(row, stage.values + animated, .zero, outer, stage.rows)
    } else {
      withNode(stage.rows[row].slot, in: nil) {
        _ = place(row, Node.values(at: $0), .zero, outer, stage.rows)
      }
    }
  }
}
