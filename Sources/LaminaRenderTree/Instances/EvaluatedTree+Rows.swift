import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaValues

extension RenderTree {
  /// A layer that waits for its row.
  struct PendingRow {
    /// The slot in the tree, or the node's index in a frozen subtree.
    var slot: Int
    var frozen: Int
    var parent: Int
    /// Number of rows that enclose it, itself included.
    var level: Int
    var role: Role
  }

  enum Role: Equatable {
    case sublayer, mask
    /// A copy of the sublayers of a replicator, whose row is the parent, with its number.
    case copy(Int)
    /// A side of a transition, whose row is the parent.
    case old, new
    /// What the bitmap of a rasterized layer shows, whose row is the parent.
    case inside
  }

  /// Makes the rows of a layer and of all below it, and returns the topmost, which is not linked
  /// yet; −1 if the layer is hidden and not in a transition.
  ///
  /// An explicit stack takes heap memory for depth, and not the thread's stack.
  func makeRows(from top: PendingRow, in tree: inout EvaluatedTree) -> Int {
    var first = -1
    var stack = [top]
    while let pending = stack.popLast() {
      guard tree.excess == nil else { break }
      let row = makeRow(pending, in: &tree)
      guard row >= 0 else { continue }
      if first < 0 { first = row } else { tree.linkInFront(row) }
      // The last pushed is popped first: layers back to front, then the mask.
      if tree.rows[row].transition >= 0 {
        push(sidesOf: row, pending, tree, onto: &stack)
      } else if isRasterized(row, in: tree) {
        stack.append(
          PendingRow(
            slot: pending.slot, frozen: pending.frozen, parent: row, level: pending.level + 1,
            role: .inside))
      } else if tree.replicates(row) {
        push(maskOf: row, pending, tree, onto: &stack)
        push(copiesBelow: row, pending, &tree, onto: &stack)
      } else {
        if tree.rows[row].copy < 0 { push(maskOf: row, pending, tree, onto: &stack) }
        push(sublayersOf: row, pending, tree, onto: &stack)
      }
    }
    return first
  }

  private func push(
    maskOf row: Int, _ pending: PendingRow, _ tree: EvaluatedTree, onto stack: inout [PendingRow]
  ) {
    let frozen = pending.frozen < 0 ? nil : tree.frozenSubtrees[pending.frozen]
    guard let mask = withNode(pending.slot, in: frozen, { $0.pointee.mask }) else { return }
    stack.append(
      PendingRow(
        slot: Int(mask), frozen: pending.frozen, parent: row, level: pending.level + 1, role: .mask)
    )
  }

  private func push(
    sublayersOf row: Int, _ pending: PendingRow, _ tree: EvaluatedTree,
    onto stack: inout [PendingRow]
  ) {
    let frozen = pending.frozen < 0 ? nil : tree.frozenSubtrees[pending.frozen]
    let sublayers = sublayersBackToFront(
      of: pending.slot, in: frozen, time: tree.time(ofRow: row))
    for child in sublayers.reversed() {
      stack.append(
        PendingRow(
          slot: child, frozen: pending.frozen, parent: row, level: pending.level + 1,
          role: .sublayer))
    }
  }

  private func push(
    copiesBelow row: Int, _ pending: PendingRow, _ tree: inout EvaluatedTree,
    onto stack: inout [PendingRow]
  ) {
    let count = copyCount(of: row, in: tree)
    guard tree.reserveCopies(count) else { return }
    for number in (0..<count).reversed() {
      stack.append(
        PendingRow(
          slot: pending.slot, frozen: pending.frozen, parent: row, level: pending.level + 1,
          role: .copy(number)))
    }
  }

  /// The new side lies above the frozen subtree, except in a reveal, which uncovers the new side.
  private func push(
    sidesOf row: Int, _ pending: PendingRow, _ tree: EvaluatedTree,
    onto stack: inout [PendingRow]
  ) {
    let transition = tree.transitions[tree.rows[row].transition]
    var sides: [PendingRow] = []
    if transition.frozen >= 0 {
      sides.append(
        PendingRow(
          slot: 0, frozen: transition.frozen, parent: row, level: pending.level + 1, role: .old))
    }
    if transition.progress > 0 {
      sides.append(
        PendingRow(
          slot: pending.slot, frozen: pending.frozen, parent: row, level: pending.level + 1,
          role: .new))
    }
    if transition.values.style != .reveal { sides.reverse() }
    stack += sides
  }

  /// A layer's node: the tree's own, or the frozen subtree's at that index.
  subscript(slot: Int, in frozen: FrozenSubtree?) -> Node {
    _read {
      if let frozen { yield frozen.nodes[slot] } else { yield nodes[slot] }
    }
  }

  /// Sublayers sorted by zPosition, behind them the parts of the contents; equal ones are in tree
  /// order.
  func sublayersBackToFront(
    of slot: Int, in frozen: FrozenSubtree?, time: Double
  ) -> [Int] {
    let children = withNode(slot, in: frozen) { $0.pointee.children }
    guard children.count > 1 else { return children.map(Int.init) }
    var depths: [Double] = []
    depths.reserveCapacity(children.count)
    var isFlat = true
    for child in children {
      let depth = withNode(Int(child), in: frozen) { zPosition(of: $0, parentTime: time) }
      isFlat = isFlat && depth == (depths.first ?? depth)
      depths.append(depth)
    }
    if isFlat { return children.map(Int.init) }
    return children.indices.sorted { (depths[$0], $0) < (depths[$1], $1) }
      .map { Int(children[$0]) }
  }

  private func zPosition(of node: UnsafePointer<Node>, parentTime: Double) -> Double {
    if node.pointee.kind == .tile { return -.infinity }
    guard node.pointee.animatedProperties.contains(.zPosition) else {
      return node.pointee.values.zPosition
    }
    var values = node.pointee.values
    let time =
      values.hasOwnTiming ? values.timing.mediaTiming.localTime(at: parentTime) : parentTime
    Node.animate(node, &values, at: time)
    return values.zPosition
  }

  func localTime(of slot: Int, in frozen: FrozenSubtree?, parentTime: Double) -> Double {
    self[slot, in: frozen].values.hasOwnTiming
      ? self[slot, in: frozen].values.timing.mediaTiming.localTime(at: parentTime) : parentTime
  }
}

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
        path: tree.path(below: parent, pending.role), parent: parent,
        isMask: pending.role == .mask,
        space: tree.space(below: parent, pending.role),
        level: pending.level))
    tree.countCopied(row, pending.role)
    var shift = CGVector.zero
    switch pending.role {
    case .old:
      let transition = tree.rows[parent].transition
      let layer = values(of: tree.rows[parent], in: tree)
      tree.rows[row].clock = tree.addClock(nil, below: -1, at: frozen?.time ?? 0)
      animate(row, node, in: frozen, &tree)
      tree.animatedValues[tree.rows[row].animated].takePlace(of: layer)
      shift = tree.transitions[transition].shiftOfOld(in: layer.bounds)
    case .new:
      // Takes these from the transition's row, which stands for the same layer.
      let transition = tree.rows[parent].transition
      tree.rows[row].clock = tree.rows[parent].clock
      tree.rows[row].animated = tree.rows[parent].animated
      tree.rows[row].contentsMix = tree.rows[parent].contentsMix
      shift = tree.transitions[transition].shiftOfNew(
        in: values(of: tree.rows[parent], in: tree).bounds)
    case .inside:
      tree.rows[parent].inside = row
      tree.spaceCount += 1
      tree.rows[row].clock = tree.rows[parent].clock
      tree.rows[row].animated = tree.animatedValues.add(
        values(of: tree.rows[parent], in: tree).alone)
      mixContents(of: row, node, &tree)
      if node.pointee.kind == .emitter { emit(row, node, in: frozen, &tree) }
    case .copy(let number):
      add(copy: number, as: row, to: &tree)
    case .sublayer, .mask:
      tree.rows[row].clock = tree.clock(
        of: node, below: parent < 0 ? tree.clockOrder[0] : tree.rows[parent].clock)
      animate(row, node, in: frozen, &tree)
    }
    tree.rows[row].shift = shift
    let isShown = tree.isForInspection || !isHidden(row, node, in: tree)
    if pending.role.mayBeTransition, node.pointee.hasPictureAnimations,
      let transition = transition(
        of: node, at: tree.time(ofRow: row), level: pending.level, shift, &tree)
    {
      tree.rows[row].transition = transition
    } else if !isShown {
      if frozen == nil, node.pointee.animationsInvalidate.contains(.structure) {
        tree.sleepers[EvaluatedTree.Sleeper(slot: pending.slot, parent: parent)] = nextChange(
          of: node, on: tree.rows[row].clock, in: tree)
      }
      tree.takeBack(row)
      return -1
    }
    place(row, in: &tree)
    switch pending.role {
    case .old: tree.transitions[tree.rows[parent].transition].old = row
    case .new: tree.transitions[tree.rows[parent].transition].new = row
    case .inside, .copy: break
    case .sublayer, .mask: if frozen == nil { tree.show(slot: pending.slot, by: row) }
    }
    tree.changes.touched.append(row)
    return row
  }

  private func isHidden(
    _ row: Int, _ node: UnsafePointer<Node>, in tree: EvaluatedTree
  ) -> Bool {
    let animated = tree.rows[row].animated
    return animated < 0
      ? Node.values(at: node).pointee.isHidden
      : tree.animatedValues.read(animated) { $0.pointee.isHidden }
  }

  /// Evaluates the values of a row's layer at the row's time.
  func animate(
    _ row: Int, _ node: UnsafePointer<Node>, in frozen: FrozenSubtree?, _ tree: inout EvaluatedTree
  ) {
    if frozen == nil, node.pointee.animations.isEmpty, node.pointee.kind != .emitter {
      // Most layers have none, and had none before.
      guard tree.rows[row].animated >= 0 else { return }
      tree.animatedValues.remove(tree.rows[row].animated)
      tree.rows[row].animated = -1
      return
    }
    let time = tree.time(ofRow: row)
    if frozen != nil {
      let animated = tree.animatedValues.add(node.pointee.values)
      tree.rows[row].animated = animated
      Node.animate(node, &tree.animatedValues[animated], at: time)
    } else {
      if tree.rows[row].animated < 0 { tree.rows[row].animated = tree.animatedValues.addRow(row) }
      let animated = tree.rows[row].animated
      tree.animatedValues.move(animated, to: time, node)
      if tree.animatedValues.runs(animated, at: time) {
        tree.animatedValues.setNextChange(of: animated, tree.time)
      } else {
        let next = nextChange(of: node, on: tree.rows[row].clock, in: tree)
        tree.animatedValues.setNextChange(of: animated, next)
        if next == tree.time {
          tree.animatedValues.setRunning(animated, from: time, to: runningEnd(of: node, at: time))
        }
      }
    }
    mixContents(of: row, node, &tree)
    if node.pointee.kind == .emitter { emit(row, node, in: frozen, &tree) }
  }

  /// Records the two images between which a row's contents are.
  private func mixContents(
    of row: Int, _ node: UnsafePointer<Node>, _ tree: inout EvaluatedTree
  ) {
    guard node.pointee.hasPictureAnimations,
      let mix = node.pointee.contentsMix(at: tree.time(ofRow: row))
    else { return }
    tree.rows[row].contentsMix = tree.contentsMixes.add(mix)
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
}

extension RenderTree.Role {
  /// Whether the row may stand for a transition of its layer. The new side of a transition, what a
  /// bitmap shows and copies may not: the transition's row already lies above them.
  fileprivate var mayBeTransition: Bool {
    switch self {
    case .new, .inside, .copy: false
    case .sublayer, .mask, .old: true
    }
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
