import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaValues

/// The render tree at a time: a row for every layer that may be visible.
///
/// A row keeps its index for as long as the layer is shown. Painting order is that of the links.
package struct EvaluatedTree {
  /// A layer's instance in the tree.
  package struct Row {
    /// The layer's slot in the render tree; −1 in a frozen subtree.
    package var slot: Int
    var generation: UInt32
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
    /// The mask's row; −1 for none.
    package var mask: Int = -1
    /// Whether it is its parent's mask.
    package var isMask = false
    /// Number of rows that enclose it, itself and those of other trees included.
    package var level: Int
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
    /// Whether it may intersect its siblings: its depth varies, or it is a CATransformLayer.
    var isTilted = false
    /// Whether it is in a transition, or its contents are mixed.
    var isBetweenPictures: Bool { transition >= 0 || contentsMix >= 0 }
    /// How far a transition moves it in its own space.
    var shift = CGVector.zero
    /// Number of sublayers whose depth matters, and of those that may intersect others.
    var spatialSublayers = 0
    var tiltedSublayers = 0
    /// Its place among its siblings before they were put in order last.
    var order = 0
    /// The number of the update that queued it last.
    var queued = 0
    /// False for a row that has been removed, or whose place waits for another.
    package fileprivate(set) var isLive = true
  }

  /// Where a row lies among others: its sublayers and its siblings, back to front. −1 for none.
  package struct Links {
    package fileprivate(set) var first: Int32 = -1
    package fileprivate(set) var last: Int32 = -1
    package fileprivate(set) var next: Int32 = -1
    package fileprivate(set) var previous: Int32 = -1
  }

  /// What an update did to the rows, for those who keep something for each of them.
  package struct Changes {
    /// Whether there was no tree before, so that all rows are new.
    package var isAll = true
    /// The rows that look otherwise, lie elsewhere, or are new. A row stands for all below it.
    package var changed: [Int] = []
    /// The rows whose values or transforms are others, each once or more often.
    package var touched: [Int] = []
    /// The topmost of the rows that were removed. Their indices are not used again, and they keep
    /// their parents, until the next update.
    package var removed: [Int] = []
    /// All rows that were removed.
    package var allRemoved: [Int] = []
    /// The rows whose sublayers are others, or in another order.
    package var relinked: [Int] = []
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
  /// The root's row; −1 if nothing is shown.
  package internal(set) var root = -1
  package private(set) var rows: [Row] = []
  package private(set) var links: [Links] = []
  /// The indices of rows that were removed before the last update.
  private var freeRows: [Int] = []
  /// By slot, the row that stands for a layer of the tree; −1 for none.
  private var rowsOfSlots: [Int32] = []
  var clocks = Slots<Clock>()
  /// Parents before children; the session's clock is the first.
  var clockOrder: [Int] = []
  package var animatedValues = AnimatedValues()
  package internal(set) var transitions = Slots<Transition>()
  package internal(set) var contentsMixes = Slots<ContentsMix>()
  package internal(set) var frozenSubtrees = Slots<FrozenSubtree>()
  /// Hidden layers that their animations may show, with the time before which they do not.
  var sleepers: [Int: Double] = [:]
  /// The earliest time, not before `time`, at which the tree changes without a commit; infinite if
  /// it does not.
  package var nextChange = Double.infinity
  /// How far it has read the render tree's journal.
  var journalPlace: Int
  /// Number of updates.
  package private(set) var update = 0
  package var changes = Changes()

  /// Its only clock shows `time`.
  init(
    session: SessionID, time: Double, size: PixelSize, area: PixelRect, scale: Double,
    clockTime: Double, journalPlace: Int
  ) {
    (self.session, self.time, self.size, self.area) = (session, time, size, area)
    (self.scale, self.journalPlace) = (scale, journalPlace)
    clockOrder = [clocks.add(Clock(timing: nil, parent: -1, time: clockTime))]
  }

  var rootTransform: CATransform3D { CATransform3D(scaleX: scale, y: scale) }

  package func time(of row: Row) -> Double { clocks[row.clock].time }

  /// Number of rows that are shown.
  package var liveCount: Int { rows.count { $0.isLive } }
}

// MARK: Rows

extension EvaluatedTree {
  /// The row that stands for a layer of the tree: for one in a transition, the transition's. −1 for
  /// none.
  func row(ofSlot slot: Int) -> Int {
    slot < rowsOfSlots.count ? Int(rowsOfSlots[slot]) : -1
  }

  /// The row that a layer's sublayers hang on; −1 for none.
  func sublayersRow(ofSlot slot: Int) -> Int {
    let row = row(ofSlot: slot)
    guard row >= 0, rows[row].transition >= 0 else { return row }
    return transitions[rows[row].transition].new
  }

  /// Passes a row to `body`, which may change all of it but its place among the others.
  subscript(row: Int) -> Row {
    _read { yield rows[row] }
    _modify { yield &rows[row] }
  }

  /// Passes all rows in place, to be changed except for their places among each other.
  mutating func withRows<Result>(_ body: (UnsafeMutablePointer<Row>) -> Result) -> Result {
    rows.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
  }

  /// Adds a row that is linked to nothing yet.
  mutating func add(_ row: Row) -> Int {
    guard let index = freeRows.popLast() else {
      rows.append(row)
      links.append(Links())
      return rows.count - 1
    }
    rows[index] = row
    links[index] = Links()
    return index
  }

  /// Has a row stand for a layer of the tree.
  mutating func show(slot: Int, by row: Int) {
    while rowsOfSlots.count <= slot { rowsOfSlots.append(-1) }
    rowsOfSlots[slot] = Int32(row)
  }

  /// Takes back the row that was added last, before it was linked.
  mutating func takeBack(_ row: Int) {
    release(row)
    if row == rows.count - 1 {
      rows.removeLast()
      links.removeLast()
    } else {
      rows[row].isLive = false
      freeRows.append(row)
    }
  }

  /// Frees what a row has to itself.
  private mutating func release(_ row: Int) {
    let place = rows[row]
    if place.transition >= 0 {
      let frozen = transitions[place.transition].frozen
      if frozen >= 0 { frozenSubtrees.remove(frozen) }
      transitions.remove(place.transition)
    }
    // The new side of a transition shares these with the transition's row.
    let isShared =
      place.parent >= 0 && rows[place.parent].transition >= 0
      && rows[place.parent].frozen == place.frozen
    if !isShared {
      if place.contentsMix >= 0 { contentsMixes.remove(place.contentsMix) }
      if place.animated >= 0 { animatedValues.remove(place.animated) }
    }
    let above = place.parent >= 0 ? rows[place.parent].clock : clockOrder[0]
    if place.clock != above {
      clocks.remove(place.clock)
      clockOrder.removeAll { $0 == place.clock }
    }
  }

  /// Removes a row and all below it.
  mutating func remove(_ top: Int) {
    let parent = rows[top].parent
    unlink(top)
    changes.removed.append(top)
    if parent >= 0 { changes.relinked.append(parent) }
    var below = [top]
    // Parents are freed after what shares with them.
    var place = 0
    while place < below.count {
      forEachBelow(below[place]) { below.append($0) }
      place += 1
    }
    for row in below.reversed() {
      let slot = rows[row].slot
      release(row)
      if slot >= 0, self.row(ofSlot: slot) == row { rowsOfSlots[slot] = -1 }
      rows[row].isLive = false
    }
    changes.allRemoved += below
  }

  /// Calls `body` with each sublayer's row, and with the mask's.
  func forEachBelow(_ row: Int, _ body: (Int) -> Void) {
    var child = links[row].first
    while child >= 0 {
      body(Int(child))
      child = links[Int(child)].next
    }
    if rows[row].mask >= 0 { body(rows[row].mask) }
  }

  // MARK: Links

  /// Links a row as its parent's sublayer, in front of `previous`, or behind all if that is −1.
  mutating func link(_ row: Int, after previous: Int) {
    let parent = rows[row].parent
    let next = previous < 0 ? links[parent].first : links[previous].next
    links[row].previous = Int32(previous)
    links[row].next = next
    if previous < 0 { links[parent].first = Int32(row) } else { links[previous].next = Int32(row) }
    if next < 0 {
      links[parent].last = Int32(row)
    } else {
      links[Int(next)].previous = Int32(row)
    }
    countDepth(of: row, 1)
  }

  /// Links a row in front of its siblings, or as its parent's mask.
  mutating func linkInFront(_ row: Int) {
    if rows[row].isMask {
      rows[rows[row].parent].mask = row
    } else {
      link(row, after: Int(links[rows[row].parent].last))
    }
  }

  mutating func unlink(_ row: Int) {
    let parent = rows[row].parent
    guard parent >= 0 else { return }
    if rows[row].isMask {
      rows[parent].mask = -1
      return
    }
    let (next, previous) = (links[row].next, links[row].previous)
    if previous < 0 { links[parent].first = next } else { links[Int(previous)].next = next }
    if next < 0 { links[parent].last = previous } else { links[Int(next)].previous = previous }
    (links[row].next, links[row].previous) = (-1, -1)
    countDepth(of: row, -1)
  }

  /// Notes whether a row's depth matters, and whether it may intersect others.
  mutating func setDepth(of row: Int, leavesPlane: Bool, isTilted: Bool) {
    guard leavesPlane != rows[row].leavesPlane || isTilted != rows[row].isTilted else { return }
    let parent = rows[row].parent
    let isLinked = parent >= 0 && (links[row].previous >= 0 || links[parent].first == Int32(row))
    if isLinked { countDepth(of: row, -1) }
    (rows[row].leavesPlane, rows[row].isTilted) = (leavesPlane, isTilted)
    if isLinked { countDepth(of: row, 1) }
  }

  /// Adds a sublayer to its parent's counts, `count` times.
  private mutating func countDepth(of row: Int, _ count: Int) {
    let parent = rows[row].parent
    if rows[row].leavesPlane { rows[parent].spatialSublayers += count }
    if rows[row].isTilted { rows[parent].tiltedSublayers += count }
  }

  // MARK: Updates

  /// Starts an update to a time. The indices of rows that the last one removed are free from now.
  mutating func startUpdate(to time: Double) {
    update += 1
    freeRows += changes.allRemoved.reversed()
    changes = Changes()
    changes.isAll = false
    guard time != self.time else { return }
    self.time = time
    clocks[clockOrder[0]].time = time
    for clock in clockOrder.dropFirst() {
      guard let timing = clocks[clock].timing else { continue }
      clocks[clock].time = timing.localTime(at: clocks[clocks[clock].parent].time)
    }
  }

  func isQueued(_ row: Int) -> Bool { rows[row].queued == update }

  /// Whether a row is met for the first time in this update.
  mutating func queue(_ row: Int) -> Bool {
    guard rows[row].queued != update else { return false }
    rows[row].queued = update
    return true
  }
}

extension RenderTree {
  /// Evaluates what a session shows at a time.
  package func evaluate(
    session id: SessionID, at time: Double
  ) throws(CommitError) -> EvaluatedTree {
    guard let session = sessions[id] else { throw .unknownSession(id) }
    let size = session.options.size
    var tree = EvaluatedTree(
      session: id, time: time, size: size, area: PixelRect(size), scale: session.options.scale,
      clockTime: time, journalPlace: journal.end)
    if let slot = session.root.flatMap({ slot(of: $0) }) {
      tree.root = makeRows(
        from: PendingRow(slot: slot, frozen: -1, parent: -1, level: 1, role: .sublayer), in: &tree)
    }
    noteNextChange(in: &tree)
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
  }

  enum Role: Equatable {
    case sublayer, mask
    /// A side of a transition, whose row is the parent.
    case old, new
    /// The root of a layer bitmap. Its values are already the first of `animatedValues`.
    case bitmap(isFlipped: Bool)
  }

  /// Makes the rows of a layer and of all below it, and returns the topmost, which is not linked
  /// yet; −1 if the layer is hidden and not in a transition.
  ///
  /// An explicit stack takes heap memory for depth, and not the thread's stack.
  func makeRows(from top: PendingRow, in tree: inout EvaluatedTree) -> Int {
    var first = -1
    var stack = [top]
    while let pending = stack.popLast() {
      let row = makeRow(pending, in: &tree)
      guard row >= 0 else { continue }
      if first < 0 { first = row } else { tree.linkInFront(row) }
      // The last pushed is popped first: layers back to front, then the mask.
      if tree[row].transition >= 0 {
        push(sidesOf: row, pending, tree, onto: &stack)
      } else {
        push(layersBelow: row, pending, tree, onto: &stack)
      }
    }
    return first
  }

  private func push(
    layersBelow row: Int, _ pending: PendingRow, _ tree: EvaluatedTree,
    onto stack: inout [PendingRow]
  ) {
    let frozen = pending.frozen < 0 ? nil : tree.frozenSubtrees[pending.frozen]
    func wait(_ slot: Int, _ role: Role) {
      stack.append(
        PendingRow(
          slot: slot, frozen: pending.frozen, parent: row, level: pending.level + 1, role: role))
    }
    if let mask = withNode(pending.slot, in: frozen, { $0.pointee.mask }) { wait(Int(mask), .mask) }
    let sublayers = sublayersBackToFront(
      of: pending.slot, in: frozen, time: tree.time(of: tree[row]))
    for child in sublayers.reversed() { wait(child, .sublayer) }
  }

  /// The new side lies above the frozen subtree, except in a reveal, which uncovers the new side.
  private func push(
    sidesOf row: Int, _ pending: PendingRow, _ tree: EvaluatedTree,
    onto stack: inout [PendingRow]
  ) {
    let transition = tree.transitions[tree[row].transition]
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

  /// Sublayers sorted by zPosition; equal ones are in tree order.
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
