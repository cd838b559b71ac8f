import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaValues

/// The render tree at a time: a row for every layer that may be seen, parents before children and
/// siblings back to front.
package struct EvaluatedTree {
  /// A layer's instance in the tree.
  struct Row {
    /// The layer's slot in the render tree.
    var slot: Int
    /// −1 for the root.
    var parent: Int
    /// One past the row's last descendant, its mask's rows included.
    var end: Int = 0
    /// The mask's row; it follows the row's own sublayers.
    var mask: Int = -1
    /// The layer's own time.
    var time: Double
    /// Where in `animatedValues` the row's values are; −1 for the committed ones.
    var animated: Int = -1
    /// From the layer's own space, whose bounds these are, to the surface's pixels.
    var toSurface: CATransform3D
    /// From its sublayers' space in three dimensions: the sublayer transform, then onto the layer's
    /// plane, then `toSurface`.
    var sublayersToSurface: CATransform3D
    /// Whether an odd number of geometryFlipped layers lies on the way to the root, this one
    /// included.
    var isFlipped: Bool
    /// Whether an odd number of transforms on the way mirrors space, which turns no layer's back.
    var isMirrored: Bool
  }

  package let session: SessionID
  package let time: Double
  package let size: PixelSize
  /// Pixels a point at the root.
  let scale: Double
  var rows: [Row] = []
  var animatedValues: [LayerValues] = []
  /// When, not before `time`, the tree next changes by itself.
  package var nextChange = Double.infinity
}

extension RenderTree {
  /// Evaluates what a session shows at a time.
  package func evaluate(
    session id: SessionID, at time: Double
  ) throws(CommitError) -> EvaluatedTree {
    guard let session = sessions[id] else { throw .unknownSession(id) }
    let scale = session.options.scale
    var tree = EvaluatedTree(
      session: id, time: time, size: session.options.size, scale: scale)
    guard let root = session.root, let slot = slot(of: root) else { return tree }
    evaluate(into: &tree, root: slot, rootTransform: CATransform3D(scaleX: scale, y: scale))
    return tree
  }

  /// One layer that waits for its row.
  private struct Pending {
    var slot: Int
    var parent: Int
    var isMask: Bool
    /// Set once the row exists and its descendants were pushed above: then the row is closed.
    var row = -1
  }

  /// Walks the tree with a stack of its own, so that depth costs memory and not the thread's stack.
  private func evaluate(
    into tree: inout EvaluatedTree, root: Int, rootTransform: CATransform3D
  ) {
    var stack = [Pending(slot: root, parent: -1, isMask: false)]
    while let pending = stack.popLast() {
      if pending.row >= 0 {
        tree.rows[pending.row].end = tree.rows.count
        continue
      }
      guard let row = makeRow(pending, in: &tree, rootTransform: rootTransform) else { continue }
      if pending.isMask { tree.rows[pending.parent].mask = row }
      stack.append(Pending(slot: pending.slot, parent: pending.parent, isMask: false, row: row))
      // Pushed last is popped first: sublayers back to front, then the mask.
      if let mask = nodes[pending.slot].mask {
        stack.append(Pending(slot: Int(mask), parent: row, isMask: true))
      }
      for child in sublayersBackToFront(of: pending.slot, time: tree.rows[row].time).reversed() {
        stack.append(Pending(slot: child, parent: row, isMask: false))
      }
    }
  }

  /// Sublayers by zPosition, tree order where it is equal.
  private func sublayersBackToFront(of slot: Int, time: Double) -> [Int] {
    let children = nodes[slot].children
    var depths: [Double] = []
    depths.reserveCapacity(children.count)
    var isFlat = true
    for child in children {
      let depth = zPosition(of: Int(child), parentTime: time)
      isFlat = isFlat && depth == (depths.first ?? depth)
      depths.append(depth)
    }
    if isFlat { return children.map(Int.init) }
    return children.indices.sorted { (depths[$0], $0) < (depths[$1], $1) }
      .map { Int(children[$0]) }
  }

  private func zPosition(of slot: Int, parentTime: Double) -> Double {
    guard !nodes[slot].animations.isEmpty else { return nodes[slot].values.zPosition }
    var values = nodes[slot].values
    nodes[slot].animate(&values, at: localTime(of: slot, parentTime: parentTime))
    return values.zPosition
  }

  private func localTime(of slot: Int, parentTime: Double) -> Double {
    nodes[slot].values.hasOwnTiming
      ? nodes[slot].values.timing.mediaTiming.localTime(at: parentTime) : parentTime
  }

  /// Adds the row of a layer; nil for one that is hidden, whose subtree is not evaluated.
  private func makeRow(
    _ pending: Pending, in tree: inout EvaluatedTree, rootTransform: CATransform3D
  ) -> Int? {
    let parentRow = pending.parent >= 0 ? tree.rows[pending.parent] : nil
    let time = localTime(of: pending.slot, parentTime: parentRow?.time ?? tree.time)
    var row = EvaluatedTree.Row(
      slot: pending.slot, parent: pending.parent, time: time, toSurface: .identity,
      sublayersToSurface: .identity, isFlipped: false, isMirrored: false)
    // A node is large: it is copied only where it is animated.
    if !nodes[pending.slot].animations.isEmpty {
      let node = nodes[pending.slot]
      var values = node.values
      node.animate(&values, at: time)
      noteNextChange(of: node, at: time, row: pending.parent, in: &tree)
      row.animated = tree.animatedValues.count
      tree.animatedValues.append(values)
    }
    let place = { (values: borrowing LayerValues) -> Bool in
      guard !values.isHidden else { return false }
      // A mask lies in its layer's own plane, which the sublayer transform does not move.
      let outer =
        parentRow.map { pending.isMask ? $0.toSurface : $0.sublayersToSurface } ?? rootTransform
      let toParent = LayerGeometry.toSuperlayer(values)
      row.toSurface = LayerGeometry.flip(values).concatenating(toParent).concatenating(outer)
      row.isFlipped = (parentRow?.isFlipped ?? false) != values.isGeometryFlipped
      row.isMirrored =
        (parentRow?.isMirrored ?? false)
        != (LayerGeometry.mirrors(toParent) != values.isGeometryFlipped)
      row.sublayersToSurface = LayerGeometry.sublayerTransform(values)
        .flattened.concatenating(row.toSurface)
      return true
    }
    let isVisible =
      row.animated >= 0
      ? place(tree.animatedValues[row.animated]) : place(nodes[pending.slot].values)
    guard isVisible else { return nil }
    tree.rows.append(row)
    return tree.rows.count - 1
  }

  /// Brings the next change of a layer's animations into the tree's time.
  private func noteNextChange(
    of node: Node, at time: Double, row: Int, in tree: inout EvaluatedTree
  ) {
    // The clocks of the layer and all above it, innermost first.
    var clocks: [MediaTiming] = []
    if node.values.hasOwnTiming { clocks.append(node.values.timing.mediaTiming) }
    var ancestor = row
    while ancestor >= 0 {
      let above = nodes[tree.rows[ancestor].slot].values
      if above.hasOwnTiming { clocks.append(above.timing.mediaTiming) }
      ancestor = tree.rows[ancestor].parent
    }
    // Under a stopped clock nothing changes by itself.
    guard clocks.allSatisfy({ $0.speed != 0 }) else { return }
    let isBackwards = clocks.count { $0.speed < 0 } % 2 == 1
    for animation in node.animations {
      let change = animation.track.nextChange(after: time, runningBackwards: isBackwards)
      guard change.isFinite else { continue }
      if change == time {
        tree.nextChange = tree.time
        return
      }
      let atRoot = clocks.reduce(change) { $1.parentTime(at: $0) }
      guard atRoot.isFinite else { continue }
      tree.nextChange = min(tree.nextChange, max(atRoot, tree.time))
    }
  }
}

extension RenderTree.Node {
  /// Brings a copy of the node's values to a time of the layer: in the order of adding, what adds
  /// to others last.
  func animate(_ values: inout LayerValues, at time: Double) {
    for animation in animations { animation.track.apply(.replacing, at: time, to: &values) }
    for animation in animations where animation.track.isAdditive {
      animation.track.apply(.additive, at: time, to: &values)
    }
  }
}
