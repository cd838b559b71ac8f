import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaValues

extension RenderTree {
  /// Adds the row of a layer and returns its index; nil if the layer is hidden and not in a
  /// transition. The subtree of a hidden layer is not evaluated.
  func makeRow(
    _ pending: PendingRow, in tree: inout EvaluatedTree, rootTransform: CATransform3D
  ) -> Int? {
    let frozen = pending.frozen < 0 ? nil : tree.frozenSubtrees[pending.frozen]
    return withNode(pending.slot, in: frozen) { node in
      makeRow(of: node, pending, in: frozen, &tree, rootTransform)
    }
  }

  /// Passes a layer's node to `body` in place. A node is large: copying it would cost more than
  /// most uses of it.
  @inline(__always)
  package func withNode<Result>(
    _ slot: Int, in frozen: FrozenSubtree?, _ body: (UnsafePointer<Node>) -> Result
  ) -> Result {
    if let frozen { return frozen.nodes.withUnsafeBufferPointer { body($0.baseAddress! + slot) } }
    return nodes.withUnsafeBufferPointer { body($0.baseAddress! + slot) }
  }

  private func makeRow(
    of node: UnsafePointer<Node>, _ pending: PendingRow, in frozen: FrozenSubtree?,
    _ tree: inout EvaluatedTree, _ rootTransform: CATransform3D
  ) -> Int? {
    let parent = pending.parent
    let index = tree.rows.count
    tree.rows.append(
      EvaluatedTree.Row(
        slot: frozen == nil ? pending.slot : -1, kind: node.pointee.kind, frozen: pending.frozen,
        place: frozen == nil ? -1 : pending.slot, parent: parent, clock: 0,
        toSurface: .identity, sublayersToSurface: .identity, isFlipped: false, isMirrored: false))
    var shift = CGVector.zero
    if parent >= 0, tree.rows[parent].transition >= 0 {
      let layer = values(of: tree.rows[parent], in: tree)
      let transition = tree.transitions[tree.rows[parent].transition]
      if pending.role == .old, let frozen {
        tree.rows[index].clock = tree.clocks.count
        tree.clocks.append(EvaluatedTree.Clock(timing: nil, parent: -1, time: frozen.time))
        animate(index, node, in: frozen, &tree)
        tree.animatedValues[tree.rows[index].animated].takePlace(of: layer)
        shift = transition.shiftOfOld(in: layer.bounds)
      } else {
        // The new side takes these from the transition's row, which stands for the same layer.
        tree.rows[index].clock = tree.rows[parent].clock
        tree.rows[index].animated = tree.rows[parent].animated
        tree.rows[index].contentsMix = tree.rows[parent].contentsMix
        shift = transition.shiftOfNew(in: layer.bounds)
      }
    } else if case .bitmap = pending.role {
      tree.rows[index].animated = 0
      mixContents(of: index, node, &tree)
    } else {
      tree.rows[index].clock = tree.clock(of: node, below: parent < 0 ? 0 : tree.rows[parent].clock)
      animate(index, node, in: frozen, &tree)
    }
    // A mask lies in its layer's own plane, which the sublayer transform does not move.
    var outer = rootTransform
    if parent >= 0 {
      outer =
        pending.role == .mask
        ? tree.rows[parent].toSurface : tree.rows[parent].sublayersToSurface
    }
    let (animated, clock) = (tree.rows[index].animated, tree.rows[index].clock)
    let isVisible =
      animated >= 0
      ? tree.animatedValues.read(animated) { place(index, $0, shift, outer, &tree.rows) }
      : place(index, Node.values(at: node), shift, outer, &tree.rows)
    if frozen == nil, isVisible || node.pointee.animationsInvalidate.contains(.structure) {
      noteNextChange(of: node, on: clock, in: &tree)
    }
    if pending.role.mayBeTransition, node.pointee.hasPictureAnimations,
      let transition = transition(
        of: node, at: tree.time(of: tree.rows[index]), level: pending.level, shift, &tree)
    {
      tree.rows[index].transition = transition
      tree.rows[index].sublayersToSurface = outer
      tree.rows[index].isFlipped = parent >= 0 && tree.rows[parent].isFlipped
      tree.rows[index].isMirrored = parent >= 0 && tree.rows[parent].isMirrored
    } else if !isVisible {
      tree.rows.removeLast()
      return nil
    }
    switch pending.role {
    case .old: tree.transitions[tree.rows[parent].transition].old = index
    case .new: tree.transitions[tree.rows[parent].transition].new = index
    case .mask: tree.rows[parent].mask = index
    case .bitmap(let isFlipped): tree.rows[index].isFlipped = isFlipped
    case .sublayer: break
    }
    return index
  }

  /// Evaluates the values of a row's layer at the row's time.
  private func animate(
    _ row: Int, _ node: UnsafePointer<Node>, in frozen: FrozenSubtree?, _ tree: inout EvaluatedTree
  ) {
    let time = tree.time(of: tree.rows[row])
    if frozen != nil {
      let animated = tree.animatedValues.add(node.pointee.values)
      tree.rows[row].animated = animated
      Node.animate(node, &tree.animatedValues[animated], at: time)
    } else {
      guard !node.pointee.animations.isEmpty else { return }
      tree.rows[row].animated = tree.animatedValues.add(node, tree.rows[row].slot, at: time)
      if node.pointee.hasPictureAnimations
        || !node.pointee.animationsInvalidate.isDisjoint(with: [.order, .structure, .timing])
      {
        tree.keepsRows = false
      }
    }
    mixContents(of: row, node, &tree)
  }

  /// Records the two images between which a row's contents are.
  private func mixContents(
    of row: Int, _ node: UnsafePointer<Node>, _ tree: inout EvaluatedTree
  ) {
    let time = tree.time(of: tree.rows[row])
    guard node.pointee.hasPictureAnimations, let mix = node.pointee.contentsMix(at: time) else {
      return
    }
    tree.rows[row].contentsMix = tree.contentsMixes.count
    tree.contentsMixes.append(mix)
  }

  /// Sets a row's transforms, moved by `shift` in the layer's own space. Returns whether the layer
  /// is visible.
  @discardableResult
  func place(
    _ row: Int, _ values: UnsafePointer<LayerValues>, _ shift: CGVector, _ outer: CATransform3D,
    _ rows: UnsafeMutablePointer<EvaluatedTree.Row>
  ) -> Bool {
    let parent = rows[row].parent
    let isFlipped = values.pointee.isGeometryFlipped
    var toSurface: CATransform3D
    var mirrors = false
    let isSpace = rows[row].kind == .transform
    if values.pointee.transform.isIdentity, !isFlipped {
      let translation = LayerGeometry.translation(values)
      toSurface = outer.translated(by: translation)
      rows[row].leavesPlane = isSpace || translation.z != 0
    } else {
      let toParent = LayerGeometry.toSuperlayer(values)
      let placed =
        isFlipped ? LayerGeometry.flip(values.pointee).concatenating(toParent) : toParent
      toSurface = placed.concatenating(outer)
      mirrors = LayerGeometry.mirrors(toParent)
      rows[row].leavesPlane = isSpace || !toParent.keepsPlane
    }
    if shift != .zero {
      toSurface = CATransform3D(translationX: shift.dx, y: shift.dy).concatenating(toSurface)
    }
    rows[row].toSurface = toSurface
    rows[row].isFlipped = (parent >= 0 && rows[parent].isFlipped) != isFlipped
    rows[row].isMirrored = (parent >= 0 && rows[parent].isMirrored) != (mirrors != isFlipped)
    // A CATransformLayer does not flatten its sublayers: they lie in its own 3D space.
    rows[row].sublayersToSurface = isSpace ? toSurface : toSurface.flatteningBefore
    if LayerValues.hasEffects(at: values) {
      let sublayers = LayerGeometry.sublayerTransform(values.pointee)
      if !sublayers.isIdentity {
        rows[row].sublayersToSurface =
          (isSpace ? sublayers : sublayers.flattened).concatenating(toSurface)
      }
    }
    return !values.pointee.isHidden
  }

  /// Adds the transition that the layer is in and returns its index. Returns nil if there is none,
  /// or if the layer has since moved so deep that the frozen subtree would exceed `rowLevelLimit`.
  private func transition(
    of node: UnsafePointer<Node>, at time: Double, level: Int, _ shift: CGVector,
    _ tree: inout EvaluatedTree
  ) -> Int? {
    guard let (values, progress, origin) = node.pointee.transition(at: time) else { return nil }
    if case .subtree(let old) = origin, level + old.levels > Self.rowLevelLimit { return nil }
    var transition = EvaluatedTree.Transition(
      values: values, progress: progress, frozen: -1, shift: shift)
    if case .subtree(let old) = origin {
      transition.frozen = tree.frozenSubtrees.count
      tree.frozenSubtrees.append(old)
    }
    tree.transitions.append(transition)
    return tree.transitions.count - 1
  }

  /// Takes a layer's animations into account in `nextChange`, which is in the session's time.
  func noteNextChange(
    of node: UnsafePointer<Node>, on clock: Int, in tree: inout EvaluatedTree
  ) {
    // Once something is running, nothing can come earlier.
    guard !node.pointee.animations.isEmpty, tree.nextChange > tree.time else { return }
    let time = tree.clocks[clock].time
    // The timings from the layer's up to the session's, innermost first.
    var clocks: [MediaTiming] = []
    var next = clock
    while next >= 0 {
      if let timing = tree.clocks[next].timing { clocks.append(timing) }
      next = tree.clocks[next].parent
    }
    // Under a stopped clock nothing changes by itself.
    guard clocks.allSatisfy({ $0.speed != 0 }) else { return }
    let isBackwards = clocks.count { $0.speed < 0 } % 2 == 1
    for place in node.pointee.animations.indices {
      let change = node.pointee.animations[place].track.nextChange(
        after: time, runningBackwards: isBackwards)
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

extension RenderTree.Role {
  /// Whether the row may stand for a transition of its layer. The new side of a transition and the
  /// root of a layer bitmap may not: the transition's row already lies above them.
  fileprivate var mayBeTransition: Bool {
    switch self {
    case .new, .bitmap: false
    case .sublayer, .mask, .old: true
    }
  }
}

extension EvaluatedTree {
  /// The clock of a layer: a new one if the layer has its own timing, otherwise `parent`, which is
  /// its superlayer's.
  fileprivate mutating func clock(of node: UnsafePointer<RenderTree.Node>, below parent: Int) -> Int
  {
    guard LayerValues.hasOwnTiming(at: RenderTree.Node.values(at: node)) else { return parent }
    let timing = node.pointee.values.timing.mediaTiming
    clocks.append(
      Clock(timing: timing, parent: parent, time: timing.localTime(at: clocks[parent].time)))
    return clocks.count - 1
  }
}

extension EvaluatedTree.Transition {
  /// The direction in which the two sides move, in widths and heights of the layer.
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

  /// How far the frozen subtree has moved, in the layer's own units.
  fileprivate func shiftOfOld(in bounds: CGRect) -> CGVector {
    switch values.style {
    case .fade, .moveIn: shift
    case .push, .reveal: shift(by: progress, in: bounds)
    }
  }

  /// How far the new side is from its final place, in the layer's own units.
  fileprivate func shiftOfNew(in bounds: CGRect) -> CGVector {
    switch values.style {
    case .fade, .reveal: shift
    case .push, .moveIn: shift(by: progress - 1, in: bounds)
    }
  }
}

extension LayerValues {
  /// Adopts the layer's current position and transform, since a frozen subtree is drawn where its
  /// layer is now.
  fileprivate mutating func takePlace(of now: LayerValues) {
    position = now.position
    zPosition = now.zPosition
    anchorPoint = now.anchorPoint
    anchorPointZ = now.anchorPointZ
    transform = now.transform
  }
}
