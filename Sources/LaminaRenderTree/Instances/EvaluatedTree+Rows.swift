import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaValues

extension RenderTree {
  /// Adds the row of a layer and returns its index; −1 if the layer is hidden and not in a
  /// transition. The subtree of a hidden layer is not evaluated.
  func makeRow(_ pending: PendingRow, in tree: inout EvaluatedTree) -> Int {
    let frozen = pending.frozen < 0 ? nil : tree.frozenSubtrees[pending.frozen]
    return withNode(pending.slot, in: frozen) { node in
      makeRow(of: node, pending, in: frozen, &tree)
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
    _ tree: inout EvaluatedTree
  ) -> Int {
    let parent = pending.parent
    let row = tree.add(
      EvaluatedTree.Row(
        slot: frozen == nil ? pending.slot : -1, generation: node.pointee.generation,
        kind: node.pointee.kind, frozen: pending.frozen, place: frozen == nil ? -1 : pending.slot,
        parent: parent, isMask: pending.role == .mask, level: pending.level, clock: 0,
        toSurface: .identity, sublayersToSurface: .identity, isFlipped: false, isMirrored: false))
    var shift = CGVector.zero
    switch pending.role {
    case .old:
      let transition = tree[parent].transition
      let layer = values(of: tree[parent], in: tree)
      tree[row].clock = tree.addClock(nil, below: -1, at: frozen?.time ?? 0)
      animate(row, node, in: frozen, &tree)
      tree.animatedValues[tree[row].animated].takePlace(of: layer)
      shift = tree.transitions[transition].shiftOfOld(in: layer.bounds)
    case .new:
      // Takes these from the transition's row, which stands for the same layer.
      let transition = tree[parent].transition
      tree[row].clock = tree[parent].clock
      tree[row].animated = tree[parent].animated
      tree[row].contentsMix = tree[parent].contentsMix
      shift = tree.transitions[transition].shiftOfNew(
        in: values(of: tree[parent], in: tree).bounds)
    case .bitmap:
      tree[row].clock = tree.clockOrder[0]
      tree[row].animated = 0
      mixContents(of: row, node, &tree)
    case .sublayer, .mask:
      tree[row].clock = tree.clock(
        of: node, below: parent < 0 ? tree.clockOrder[0] : tree[parent].clock)
      animate(row, node, in: frozen, &tree)
    }
    tree[row].shift = shift
    let isShown = !isHidden(row, node, in: tree)
    if pending.role.mayBeTransition, node.pointee.hasPictureAnimations,
      let transition = transition(
        of: node, at: tree.time(of: tree[row]), level: pending.level, shift, &tree)
    {
      tree[row].transition = transition
    } else if !isShown {
      if frozen == nil, node.pointee.animationsInvalidate.contains(.structure) {
        tree.sleepers[pending.slot] = nextChange(of: node, on: tree[row].clock, in: tree)
      }
      tree.takeBack(row)
      return -1
    }
    place(row, in: &tree)
    switch pending.role {
    case .old: tree.transitions[tree[parent].transition].old = row
    case .new: tree.transitions[tree[parent].transition].new = row
    case .bitmap(let isFlipped): tree[row].isFlipped = isFlipped
    case .sublayer, .mask: if frozen == nil { tree.show(slot: pending.slot, by: row) }
    }
    tree.changes.touched.append(row)
    return row
  }

  private func isHidden(
    _ row: Int, _ node: UnsafePointer<Node>, in tree: EvaluatedTree
  ) -> Bool {
    tree[row].animated < 0
      ? node.pointee.values.isHidden : tree.animatedValues[tree[row].animated].isHidden
  }

  /// Evaluates the values of a row's layer at the row's time.
  func animate(
    _ row: Int, _ node: UnsafePointer<Node>, in frozen: FrozenSubtree?, _ tree: inout EvaluatedTree
  ) {
    let time = tree.time(of: tree[row])
    if frozen != nil {
      let animated = tree.animatedValues.add(node.pointee.values)
      tree[row].animated = animated
      Node.animate(node, &tree.animatedValues[animated], at: time)
    } else if node.pointee.animations.isEmpty {
      if tree[row].animated >= 0 { tree.animatedValues.remove(tree[row].animated) }
      tree[row].animated = -1
    } else {
      if tree[row].animated < 0 { tree[row].animated = tree.animatedValues.addRow(row) }
      let animated = tree[row].animated
      tree.animatedValues.move(animated, to: time, node)
      if tree.animatedValues.runs(animated, at: time) {
        tree.animatedValues.setNextChange(of: animated, tree.time)
      } else {
        let next = nextChange(of: node, on: tree[row].clock, in: tree)
        tree.animatedValues.setNextChange(of: animated, next)
        if next == tree.time {
          tree.animatedValues.setRunning(animated, from: time, to: runningEnd(of: node, at: time))
        }
      }
    }
    mixContents(of: row, node, &tree)
  }

  /// Records the two images between which a row's contents are.
  private func mixContents(
    of row: Int, _ node: UnsafePointer<Node>, _ tree: inout EvaluatedTree
  ) {
    let time = tree.time(of: tree[row])
    guard node.pointee.hasPictureAnimations, let mix = node.pointee.contentsMix(at: time) else {
      return
    }
    tree[row].contentsMix = tree.contentsMixes.add(mix)
  }

  /// Sets a row's transforms by its values and its parent's transforms. Returns whether any of them
  /// changed.
  @discardableResult
  func place(_ row: Int, in tree: inout EvaluatedTree) -> Bool {
    let place = tree[row]
    let parent = place.parent
    var outer = tree.rootTransform
    // A mask lies in its layer's own plane, which the sublayer transform does not move.
    if parent >= 0 {
      outer = place.isMask ? tree[parent].toSurface : tree[parent].sublayersToSurface
    }
    var placement = withValues(of: place, in: tree) {
      Placement(of: $0, isSpace: place.kind == .transform, shift: place.shift, in: outer)
    }
    let (isFlippedAbove, isMirroredAbove) =
      parent >= 0 ? (tree[parent].isFlipped, tree[parent].isMirrored) : (false, false)
    if place.transition >= 0 {
      placement.sublayersToSurface = outer
      (placement.isFlipped, placement.isMirrored) = (isFlippedAbove, isMirroredAbove)
    } else {
      placement.isFlipped = placement.isFlipped != isFlippedAbove
      placement.isMirrored = placement.isMirrored != isMirroredAbove
    }
    tree.setDepth(of: row, leavesPlane: placement.leavesPlane, isTilted: placement.isTilted)
    guard placement.differs(from: place) else { return false }
    tree[row].toSurface = placement.toSurface
    tree[row].sublayersToSurface = placement.sublayersToSurface
    tree[row].isFlipped = placement.isFlipped
    tree[row].isMirrored = placement.isMirrored
    return true
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
      transition.frozen = tree.frozenSubtrees.add(old)
    }
    return tree.transitions.add(transition)
  }

  /// The earliest time of the session, not before the tree's, at which a layer's animations change
  /// it; infinite if they do not.
  func nextChange(
    of node: UnsafePointer<Node>, on clock: Int, in tree: EvaluatedTree
  ) -> Double {
    let time = tree.clocks[clock].time
    // The timings from the layer's up to the session's, innermost first.
    var clocks: [MediaTiming] = []
    var next = clock
    while next >= 0 {
      if let timing = tree.clocks[next].timing { clocks.append(timing) }
      next = tree.clocks[next].parent
    }
    // Under a stopped clock nothing changes by itself.
    guard clocks.allSatisfy({ $0.speed != 0 }) else { return .infinity }
    let isBackwards = clocks.count { $0.speed < 0 } % 2 == 1
    var nextChange = Double.infinity
    // By pointer, since copying an animation costs more than asking it.
    node.pointee.animations.withUnsafeBufferPointer { animations in
      for place in animations.indices {
        let change = AnimationTrack.nextChange(
          of: KeyedAnimation.track(at: animations.baseAddress! + place), after: time,
          runningBackwards: isBackwards)
        guard change.isFinite else { continue }
        if change == time {
          nextChange = tree.time
          return
        }
        let atRoot = clocks.reduce(change) { $1.parentTime(at: $0) }
        if atRoot.isFinite { nextChange = min(nextChange, max(atRoot, tree.time)) }
      }
    }
    return nextChange
  }

  /// A time of a layer until which some of its animations run, since `time`.
  private func runningEnd(of node: UnsafePointer<Node>, at time: Double) -> Double {
    node.pointee.animations.withUnsafeBufferPointer { animations in
      animations.indices.reduce(time) { end, place in
        let track = KeyedAnimation.track(at: animations.baseAddress! + place)
        return max(end, AnimationTrack.runningEnd(of: track, at: time))
      }
    }
  }

  /// Sets `nextChange` by what the layers' animations do.
  func noteNextChange(in tree: inout EvaluatedTree) {
    var next = tree.animatedValues.nextChange
    for (slot, time) in tree.sleepers {
      if isAsleep(slot, in: tree) { next = min(next, time) } else { tree.sleepers[slot] = nil }
    }
    tree.nextChange = max(next, tree.time)
  }

  /// Whether a layer is hidden in a layer that is shown.
  private func isAsleep(_ slot: Int, in tree: EvaluatedTree) -> Bool {
    guard nodes[slot].isAlive, tree.row(ofSlot: slot) < 0 else { return false }
    guard nodes[slot].parent >= 0 else { return tree.root < 0 }
    return tree.sublayersRow(ofSlot: Int(nodes[slot].parent)) >= 0
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
    return addClock(timing, below: parent, at: timing.localTime(at: clocks[parent].time))
  }

  fileprivate mutating func addClock(
    _ timing: MediaTiming?, below parent: Int, at time: Double
  ) -> Int {
    let clock = clocks.add(Clock(timing: timing, parent: parent, time: time))
    clockOrder.append(clock)
    return clock
  }
}

/// A layer's transforms, and the turns of its own that they contain.
private struct Placement {
  var toSurface: CATransform3D
  var sublayersToSurface: CATransform3D
  var isFlipped: Bool
  var isMirrored: Bool
  var leavesPlane: Bool
  var isTilted: Bool

  /// `shift` moves the layer in its own space.
  init(
    of values: UnsafePointer<LayerValues>, isSpace: Bool, shift: CGVector, in outer: CATransform3D
  ) {
    isFlipped = values.pointee.isGeometryFlipped
    var mirrors = false
    if values.pointee.transform.isIdentity, !isFlipped {
      let translation = LayerGeometry.translation(values)
      toSurface = outer.translated(by: translation)
      leavesPlane = isSpace || translation.z != 0
      isTilted = isSpace
    } else {
      let toParent = LayerGeometry.toSuperlayer(values)
      let placed =
        isFlipped ? LayerGeometry.flip(values.pointee).concatenating(toParent) : toParent
      toSurface = placed.concatenating(outer)
      mirrors = LayerGeometry.mirrors(toParent)
      leavesPlane = isSpace || !toParent.keepsPlane
      isTilted = isSpace || !toParent.isLevel
    }
    if shift != .zero {
      toSurface = CATransform3D(translationX: shift.dx, y: shift.dy).concatenating(toSurface)
    }
    isMirrored = mirrors != isFlipped
    // A CATransformLayer does not flatten its sublayers: they lie in its own 3D space.
    sublayersToSurface = isSpace ? toSurface : toSurface.flatteningBefore
    if LayerValues.hasEffects(at: values) {
      let sublayers = LayerGeometry.sublayerTransform(values.pointee)
      if !sublayers.isIdentity {
        sublayersToSurface =
          (isSpace ? sublayers : sublayers.flattened).concatenating(toSurface)
      }
    }
  }

  func differs(from row: EvaluatedTree.Row) -> Bool {
    toSurface != row.toSurface || sublayersToSurface != row.sublayersToSurface
      || isFlipped != row.isFlipped || isMirrored != row.isMirrored
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
