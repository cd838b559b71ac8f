import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaValues

/// The render tree at a time: a row for every layer that may be visible, parents before children
/// and siblings back to front.
package struct EvaluatedTree {
  /// A layer's instance in the tree.
  package struct Row {
    /// The layer's slot in the render tree; −1 in a frozen subtree.
    package var slot: Int
    package var kind: LayerKind
    /// Index in `frozenSubtrees` of the layer's frozen subtree, and of the node in it; −1 for a
    /// layer of the tree.
    package var frozen = -1
    package var place = -1
    /// Index in `transitions`; −1 for a layer. A transition's row stands for its old and its new
    /// side, which are its child rows, and paints nothing itself.
    package var transition = -1
    /// Index in `contentsMixes`; −1 if the contents are those in the layer's values.
    package var contentsMix = -1
    /// −1 for the root.
    package var parent: Int
    /// One past the row of the last descendant, including those of the mask.
    package var end: Int = 0
    /// The mask's row, which follows those of the sublayers; −1 for none.
    package var mask: Int = -1
    /// Index in `clocks` of the layer's own time.
    var clock: Int
    /// Index in `animatedValues`; −1 if the row has the committed values.
    package var animated: Int = -1
    /// Maps the layer's own space, in which its bounds are given, to the surface's pixels.
    package var toSurface: CATransform3D
    /// Maps the sublayers' 3D space to the surface's pixels: the sublayer transform, the projection
    /// onto the layer's plane, then `toSurface`. For a transition's row, the transform under which
    /// its layer is placed.
    var sublayersToSurface: CATransform3D
    /// Whether the number of geometryFlipped layers from the root to this one is odd.
    package var isFlipped: Bool
    /// Whether an odd number of transforms and flips from the root to this layer mirror space.
    /// Mirroring reverses a layer's winding but does not turn its back to the viewer.
    package var isMirrored: Bool
    /// Whether its depth matters among its siblings: its transform takes it out of its superlayer's
    /// plane, or it is a CATransformLayer.
    package var leavesPlane = false
  }

  /// The two sides of a layer's transition: the new one takes the place of the old.
  package struct Transition {
    package var values: AnimationDescription.TransitionValues
    package var progress: Double
    /// Index in `frozenSubtrees` of the old side; −1 if the transition starts from nothing.
    var frozen: Int
    /// How far a transition that interrupted this one moves both sides, in the layer's own units.
    var shift: CGVector
    /// Rows of the two sides; −1 for a side that shows nothing.
    package var old = -1
    package var new = -1
  }

  /// Contents on the way from one image to another; nil for no image.
  package struct ContentsMix: Equatable {
    package var from: ImageID?
    package var to: ImageID?
    /// Between 0 and 1.
    package var fraction: Double
  }

  /// A time that layers share: the session's, or that of a layer with its own timing and of all
  /// layers below it.
  struct Clock {
    /// Relative to the parent's time; nil for a clock whose time is given.
    var timing: MediaTiming?
    /// −1 for none.
    var parent: Int
    var time: Double
  }

  package let session: SessionID
  package internal(set) var time: Double
  package let size: PixelSize
  /// The pixels that are seen: those of the surface or of a layer bitmap.
  package var area: PixelRect
  /// Pixels per point at the root.
  let scale: Double
  /// Number of rows in other trees that enclose the root.
  var levelsAbove = 0
  /// Parents before children; the session's clock is the first.
  var clocks: [Clock]
  package var rows: [Row] = []
  package var animatedValues = AnimatedValues()
  package var transitions: [Transition] = []
  package var contentsMixes: [ContentsMix] = []
  package var frozenSubtrees: [FrozenSubtree] = []
  /// The earliest time, not before `time`, at which the tree changes without a commit; infinite if
  /// it does not.
  package var nextChange = Double.infinity
  /// The version of the render tree that was evaluated.
  let version: UInt64
  /// Whether the same commits, evaluated at another time, give the same rows in the same order.
  var keepsRows = true
  /// The rows that animations change; nil until first needed. Used only with `keepsRows`.
  var animatedRows: [AnimatedRow]?

  var rootTransform: CATransform3D { CATransform3D(scaleX: scale, y: scale) }

  package func time(of row: Row) -> Double { clocks[row.clock].time }

  /// Number of rows that enclose a row, including itself and those of other trees.
  func level(of row: Int) -> Int {
    var (level, next) = (levelsAbove, row)
    while next >= 0 {
      level += 1
      next = rows[next].parent
    }
    return level
  }
}

extension RenderTree {
  /// Evaluates what a session shows at a time.
  ///
  /// `last`, the result of an earlier evaluation, is consumed. If there was no commit since, only
  /// animated values are evaluated; otherwise its memory is reused. The result is the same either
  /// way.
  package func evaluate(
    session id: SessionID, at time: Double, reusing last: consuming EvaluatedTree? = nil
  ) throws(CommitError) -> EvaluatedTree {
    guard let session = sessions[id] else { throw .unknownSession(id) }
    let scale = session.options.scale
    var tree = EvaluatedTree(
      session: id, time: time, size: session.options.size,
      area: PixelRect(session.options.size), scale: scale,
      clocks: [EvaluatedTree.Clock(timing: nil, parent: -1, time: time)], version: version)
    if var last = consume last {
      if last.session == id, last.size == tree.size, last.scale == scale, last.version == version,
        last.keepsRows
      {
        move(&last, to: time)
        return last
      }
      swap(&tree.rows, &last.rows)
      tree.rows.removeAll(keepingCapacity: true)
      swap(&tree.animatedValues, &last.animatedValues)
      tree.animatedValues.startAgain()
    }
    guard let root = session.root, let slot = slot(of: root) else { return tree }
    evaluate(
      into: &tree, root: PendingRow(slot: slot, frozen: -1, parent: -1, level: 1, role: .sublayer),
      rootTransform: tree.rootTransform)
    return tree
  }

  /// A layer that waits for its row.
  struct PendingRow {
    /// The slot in the tree, or the node's index in a frozen subtree.
    var slot: Int
    var frozen: Int
    var parent: Int
    /// Number of rows that enclose it, itself included.
    var level: Int
    var role: Role
    /// −1 until the row exists. Its descendants then lie above this entry on the stack, so popping
    /// the entry closes the row.
    var row = -1
  }

  enum Role: Equatable {
    case sublayer, mask
    /// A side of a transition, whose row is the parent.
    case old, new
    /// The root of a layer bitmap. Its values are already the first of `animatedValues`.
    case bitmap(isFlipped: Bool)
  }

  /// Walks the tree with an explicit stack, so that depth takes heap memory and not the thread's
  /// stack.
  func evaluate(
    into tree: inout EvaluatedTree, root: PendingRow, rootTransform: CATransform3D
  ) {
    var stack = [root]
    while let pending = stack.popLast() {
      if pending.row >= 0 {
        tree.rows[pending.row].end = tree.rows.count
        continue
      }
      guard let row = makeRow(pending, in: &tree, rootTransform: rootTransform) else { continue }
      let isLeaf =
        tree.rows[row].transition < 0
        && withNode(
          pending.slot, in: pending.frozen < 0 ? nil : tree.frozenSubtrees[pending.frozen]
        ) {
          $0.pointee.children.isEmpty && $0.pointee.mask == nil
        }
      if isLeaf {
        tree.rows[row].end = tree.rows.count
        continue
      }
      var closing = pending
      closing.row = row
      stack.append(closing)
      // The last pushed is popped first: layers back to front, then the mask.
      if tree.rows[row].transition >= 0 {
        push(imagesOf: row, pending, tree, onto: &stack)
      } else {
        push(layersBelow: row, pending, tree, onto: &stack)
      }
    }
  }

  private func push(
    layersBelow row: Int, _ pending: PendingRow, _ tree: EvaluatedTree,
    onto stack: inout [PendingRow]
  ) {
    let frozen = pending.frozen < 0 ? nil : tree.frozenSubtrees[pending.frozen]
    if let mask = withNode(pending.slot, in: frozen, { $0.pointee.mask }) {
      stack.append(
        PendingRow(
          slot: Int(mask), frozen: pending.frozen, parent: row, level: pending.level + 1,
          role: .mask))
    }
    let sublayers = sublayersBackToFront(
      of: pending.slot, in: frozen, time: tree.time(of: tree.rows[row]))
    for child in sublayers.reversed() {
      stack.append(
        PendingRow(
          slot: child, frozen: pending.frozen, parent: row, level: pending.level + 1,
          role: .sublayer))
    }
  }

  /// The new side lies above the frozen subtree, except in a reveal, which uncovers the new side.
  private func push(
    imagesOf row: Int, _ pending: PendingRow, _ tree: EvaluatedTree,
    onto stack: inout [PendingRow]
  ) {
    let transition = tree.transitions[tree.rows[row].transition]
    var frozenSubtrees: [PendingRow] = []
    if transition.frozen >= 0 {
      frozenSubtrees.append(
        PendingRow(
          slot: 0, frozen: transition.frozen, parent: row, level: pending.level + 1, role: .old))
    }
    if transition.progress > 0 {
      frozenSubtrees.append(
        PendingRow(
          slot: pending.slot, frozen: pending.frozen, parent: row, level: pending.level + 1,
          role: .new))
    }
    if transition.values.style != .reveal { frozenSubtrees.reverse() }
    stack += frozenSubtrees
  }

  /// A layer's node: the tree's own, or the frozen subtree's at that index.
  subscript(slot: Int, in frozen: FrozenSubtree?) -> Node {
    _read {
      if let frozen { yield frozen.nodes[slot] } else { yield nodes[slot] }
    }
  }

  /// Sublayers sorted by zPosition; equal ones are in tree order.
  private func sublayersBackToFront(
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

extension RenderTree.Node {
  /// Applies the node's animations at a time of its layer to a copy of its values: in the order in
  /// which they were added, additive ones last.
  func animate(_ values: inout LayerValues, at time: Double) {
    withUnsafePointer(to: self) { Self.animate($0, &values, at: time) }
  }

  /// Does the same for a node in place, without copying the node.
  static func animate(
    _ node: UnsafePointer<Self>, _ values: inout LayerValues, at time: Double
  ) {
    if let onlyLeaf = node.pointee.onlyLeaf {
      values.apply(onlyLeaf.leaf, of: onlyLeaf.property, at: time)
      return
    }
    // By pointer, since copying an animation costs more than applying it.
    node.pointee.animations.withUnsafeBufferPointer { animations in
      for place in animations.indices {
        let track = animations.baseAddress! + place
        values.apply(
          track.pointee.track.leaves, of: track.pointee.track.properties, isAdditive: false,
          at: time)
      }
      for place in animations.indices where animations[place].track.isAdditive {
        let track = animations.baseAddress! + place
        values.apply(
          track.pointee.track.leaves, of: track.pointee.track.properties, isAdditive: true,
          at: time)
      }
    }
  }
}
