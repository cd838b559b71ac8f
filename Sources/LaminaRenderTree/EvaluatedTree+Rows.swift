import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaValues

extension RenderTree {
  /// Adds the row of a layer; nil for one that is hidden, whose subtree is not evaluated.
  func makeRow(
    _ pending: PendingRow, in tree: inout EvaluatedTree, rootTransform: CATransform3D
  ) -> Int? {
    let parent = pending.parent >= 0 ? tree.rows[pending.parent] : nil
    let picture = pending.picture < 0 ? nil : tree.pictures[pending.picture]
    var row = EvaluatedTree.Row(
      slot: picture == nil ? pending.slot : -1, kind: self[pending.slot, in: picture].kind,
      picture: pending.picture, place: picture == nil ? -1 : pending.slot, parent: pending.parent,
      time: 0, toSurface: .identity, sublayersToSurface: .identity, isFlipped: false,
      isMirrored: false)
    var shift = CGVector.zero
    if let parent, parent.transition >= 0 {
      let layer = values(of: parent, in: tree)
      let transition = tree.transitions[parent.transition]
      if pending.role == .old, let picture {
        row.time = picture.time
        animate(&row, pending.slot, in: picture, &tree)
        tree.animatedValues[row.animated].takePlace(of: layer)
        shift = transition.shiftOfOld(in: layer.bounds)
      } else {
        // What the transition's row has, which is the same layer's.
        (row.time, row.animated) = (parent.time, parent.animated)
        row.contentsMix = parent.contentsMix
        shift = transition.shiftOfNew(in: layer.bounds)
      }
    } else {
      row.time = localTime(of: pending.slot, in: picture, parentTime: parent?.time ?? tree.time)
      animate(&row, pending.slot, in: picture, &tree)
    }
    // A mask lies in its layer's own plane, which the sublayer transform does not move.
    let outer =
      parent.map { pending.role == .mask ? $0.toSurface : $0.sublayersToSurface } ?? rootTransform
    let animated = row.animated
    let isVisible =
      animated >= 0
      ? place(&row, tree.animatedValues[animated], shift, in: parent, outer)
      : place(&row, nodes[pending.slot].values, shift, in: parent, outer)
    if pending.role != .new,
      let transition = transition(of: pending.slot, in: picture, at: row.time, shift, &tree)
    {
      row.transition = transition
      row.sublayersToSurface = outer
      row.isFlipped = parent?.isFlipped ?? false
      row.isMirrored = parent?.isMirrored ?? false
    } else if !isVisible {
      return nil
    }
    tree.rows.append(row)
    let index = tree.rows.count - 1
    switch pending.role {
    case .old: tree.transitions[tree.rows[pending.parent].transition].old = index
    case .new: tree.transitions[tree.rows[pending.parent].transition].new = index
    case .mask: tree.rows[pending.parent].mask = index
    case .sublayer: break
    }
    return index
  }

  /// Brings the layer's values to the row's time. A node is large: it is copied only where it is
  /// animated, or its values may be changed.
  private func animate(
    _ row: inout EvaluatedTree.Row, _ slot: Int, in picture: OldPicture?,
    _ tree: inout EvaluatedTree
  ) {
    guard picture != nil || !nodes[slot].animations.isEmpty else { return }
    let node = self[slot, in: picture]
    var values = node.values
    node.animate(&values, at: row.time)
    if picture == nil { noteNextChange(of: node, at: row.time, row: row.parent, in: &tree) }
    row.animated = tree.animatedValues.count
    tree.animatedValues.append(values)
    if let mix = node.contentsMix(at: row.time) {
      row.contentsMix = tree.contentsMixes.count
      tree.contentsMixes.append(mix)
    }
  }

  /// Sets the row's transforms, moved by `shift` in the layer's own space. Returns whether the layer
  /// is visible.
  private func place(
    _ row: inout EvaluatedTree.Row, _ values: borrowing LayerValues, _ shift: CGVector,
    in parent: EvaluatedTree.Row?, _ outer: CATransform3D
  ) -> Bool {
    let toParent = LayerGeometry.toSuperlayer(values)
    row.toSurface = LayerGeometry.flip(values).concatenating(toParent).concatenating(outer)
    if shift != .zero {
      row.toSurface = CATransform3D(translationX: shift.dx, y: shift.dy)
        .concatenating(row.toSurface)
    }
    row.isFlipped = (parent?.isFlipped ?? false) != values.isGeometryFlipped
    row.isMirrored =
      (parent?.isMirrored ?? false)
      != (LayerGeometry.mirrors(toParent) != values.isGeometryFlipped)
    row.sublayersToSurface = LayerGeometry.sublayerTransform(values)
      .flattened.concatenating(row.toSurface)
    return !values.isHidden
  }

  /// Notes the transition that the layer is in; nil where it shows one picture.
  private func transition(
    of slot: Int, in picture: OldPicture?, at time: Double, _ shift: CGVector,
    _ tree: inout EvaluatedTree
  ) -> Int? {
    guard !self[slot, in: picture].animations.isEmpty,
      let (values, progress, origin) = self[slot, in: picture].transition(at: time)
    else { return nil }
    var transition = EvaluatedTree.Transition(
      values: values, progress: progress, picture: -1, shift: shift)
    if case .picture(let old) = origin {
      transition.picture = tree.pictures.count
      tree.pictures.append(old)
    }
    tree.transitions.append(transition)
    return tree.transitions.count - 1
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
      let above = tree.rows[ancestor]
      // A transition has its layer's clock, whose own row comes first.
      if above.transition < 0, nodes[above.slot].values.hasOwnTiming {
        clocks.append(nodes[above.slot].values.timing.mediaTiming)
      }
      ancestor = above.parent
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

extension EvaluatedTree.Transition {
  /// Which way the pictures move, as a part of the layer's own width and height.
  private var direction: CGVector {
    switch values.side {
    case .fromLeft: CGVector(dx: 1, dy: 0)
    case .fromRight: CGVector(dx: -1, dy: 0)
    case .fromBottom: CGVector(dx: 0, dy: 1)
    case .fromTop: CGVector(dx: 0, dy: -1)
    }
  }

  private func shift(by part: Double, in bounds: CGRect) -> CGVector {
    let (width, height) = (Double(bounds.width), Double(bounds.height))
    guard width.isFinite, height.isFinite else { return shift }
    return CGVector(
      dx: Double(shift.dx) + Double(direction.dx) * part * width,
      dy: Double(shift.dy) + Double(direction.dy) * part * height)
  }

  /// How far the old picture has left, in the layer's own units.
  fileprivate func shiftOfOld(in bounds: CGRect) -> CGVector {
    switch values.style {
    case .fade, .moveIn: shift
    case .push, .reveal: shift(by: progress, in: bounds)
    }
  }

  /// How far the new picture still has to go.
  fileprivate func shiftOfNew(in bounds: CGRect) -> CGVector {
    switch values.style {
    case .fade, .reveal: shift
    case .push, .moveIn: shift(by: progress - 1, in: bounds)
    }
  }
}

extension LayerValues {
  /// An old picture lies where its layer is now.
  fileprivate mutating func takePlace(of now: LayerValues) {
    position = now.position
    zPosition = now.zPosition
    anchorPoint = now.anchorPoint
    anchorPointZ = now.anchorPointZ
    transform = now.transform
  }
}
