import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaValues

/// The render tree at a time: a row for every layer that may be seen, parents before children and
/// siblings back to front.
package struct EvaluatedTree {
  /// A layer's instance in the tree.
  struct Row {
    /// The layer's slot in the render tree; −1 in an old picture.
    var slot: Int
    var kind: LayerKind
    /// Where in `frozenSubtrees` the layer stands still, and its place there; −1 for one of the tree.
    var frozen = -1
    var place = -1
    /// Where in `transitions` is what makes one picture of two: the row stands for both, which are
    /// the rows below it, and paints nothing itself. −1 for a layer.
    var transition = -1
    /// Where in `contentsMixes` its contents are; −1 where they are what the values say.
    var contentsMix = -1
    /// −1 for the root.
    var parent: Int
    /// One past the row's last descendant, its mask's rows included.
    var end: Int = 0
    /// The mask's row; it follows the row's own sublayers.
    var mask: Int = -1
    /// Where in `clocks` the layer's own time is.
    var clock: Int
    /// Where in `animatedValues` the row's values are; −1 for the committed ones.
    var animated: Int = -1
    /// From the layer's own space, whose bounds these are, to the surface's pixels.
    var toSurface: CATransform3D
    /// From its sublayers' space in three dimensions: the sublayer transform, then onto the layer's
    /// plane, then `toSurface`. Of a transition, its superlayer's.
    var sublayersToSurface: CATransform3D
    /// Whether an odd number of geometryFlipped layers lies on the way to the root, this one
    /// included.
    var isFlipped: Bool
    /// Whether an odd number of transforms on the way mirrors space, which turns no layer's back.
    var isMirrored: Bool
    /// Whether its depth counts among its siblings: its transform takes it out of its superlayer's
    /// plane, or it shares the space of that one.
    var leavesPlane = false
  }

  /// Two frozenSubtrees of a layer, of which one takes the other's place.
  struct Transition {
    var values: AnimationDescription.TransitionValues
    var progress: Double
    /// Where in `frozenSubtrees` the old one is; −1 for one of nothing.
    var frozen: Int
    /// How far both are moved, in the layer's own units, by a transition that interrupted this one.
    var shift: CGVector
    /// The rows of both; −1 for one that shows nothing.
    var old = -1
    var new = -1
  }

  /// Contents on the way from one image to another; nil is none.
  struct ContentsMix: Equatable {
    var from: ImageID?
    var to: ImageID?
    /// Between 0 and 1.
    var fraction: Double
  }

  /// A time that layers share: the session's, or that of a layer with a timing of its own and of
  /// all below it.
  struct Clock {
    /// In its parent's time; nil for one that is given.
    var timing: MediaTiming?
    /// −1 for none.
    var parent: Int
    var time: Double
  }

  package let session: SessionID
  package internal(set) var time: Double
  package let size: PixelSize
  /// Which pixels are seen: the surface's, or those of a rasterized layer's picture.
  var area: PixelRect
  /// Pixels a point at the root.
  let scale: Double
  /// How many rows of other trees the root lies in.
  var levelsAbove = 0
  /// Parents before children, the session's own first.
  var clocks: [Clock]
  var rows: [Row] = []
  var animatedValues = AnimatedValues()
  var transitions: [Transition] = []
  var contentsMixes: [ContentsMix] = []
  var frozenSubtrees: [FrozenSubtree] = []
  /// When, not before `time`, the tree next changes by itself.
  package var nextChange = Double.infinity
  /// The version of the render tree that was evaluated.
  let version: UInt64
  /// Whether at another time there would be the same rows in the same order, as long as no commit
  /// comes.
  var keepsRows = true
  /// What animations change where rows are kept; nil until that is first needed.
  var animatedRows: [AnimatedRow]?

  var rootTransform: CATransform3D { CATransform3D(scaleX: scale, y: scale) }

  func time(of row: Row) -> Double { clocks[row.clock].time }

  /// How many rows a row lies in, itself and those of other trees included.
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
  /// `last`, what it was evaluated to before, is used up: where no commit came since, only what
  /// animations change is evaluated; else its memory is taken over. That changes nothing of the
  /// outcome.
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

  /// One layer that waits for its row.
  struct PendingRow {
    /// In the tree, or the place in an old picture.
    var slot: Int
    var frozen: Int
    var parent: Int
    /// How many rows it lies in, itself included.
    var level: Int
    var role: Role
    /// Set once the row exists and its descendants were pushed above: then the row is closed.
    var row = -1
  }

  enum Role: Equatable {
    case sublayer, mask
    /// What a transition, which is the parent, shows.
    case old, new
    /// The root of a rasterized layer's picture. Its values are in their place already.
    case bitmap(isFlipped: Bool)
  }

  /// Walks the tree with a stack of its own, so that depth costs memory and not the thread's stack.
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
      // Pushed last is popped first: back to front, then the mask.
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

  /// The new picture lies over the old one, but where that uncovers it.
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

  /// A layer's node: the tree's own, or the one that an old picture has in that place.
  subscript(slot: Int, in frozen: FrozenSubtree?) -> Node {
    _read {
      if let frozen { yield frozen.nodes[slot] } else { yield nodes[slot] }
    }
  }

  /// Sublayers by zPosition, tree order where it is equal.
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
  /// Brings a copy of the node's values to a time of the layer: in the order of adding, what adds
  /// to others last.
  func animate(_ values: inout LayerValues, at time: Double) {
    withUnsafePointer(to: self) { Self.animate($0, &values, at: time) }
  }

  /// The same for a node where it lies, which is not copied for it.
  static func animate(
    _ node: UnsafePointer<Self>, _ values: inout LayerValues, at time: Double
  ) {
    if let onlyLeaf = node.pointee.onlyLeaf {
      values.apply(onlyLeaf.leaf, of: onlyLeaf.property, at: time)
      return
    }
    // By pointers: an animation's copy costs more than what it does here.
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
