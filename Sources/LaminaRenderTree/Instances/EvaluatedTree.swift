import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaValues

/// The render tree at a time: a row for every layer that may be visible.
///
/// A row keeps its index for as long as the layer is shown. Painting order is that of the links.
@usableFromInline package struct EvaluatedTree {
  /// A layer's instance in the tree.
  @usableFromInline package struct Row {
    // A frame that moves many layers takes as long as their rows take to be read. So a number takes
    // 32 bits, and those of most rows lie close together. What they mean is said below, at their
    // names without the 32.

    fileprivate var slot32: Int32
    fileprivate var animated32: Int32 = -1
    package var kind: LayerKind
    /// False for a row that has been removed, or whose place waits for another.
    package internal(set) var isLive = true
    /// Whether it is its parent's mask.
    package var isMask = false
    /// Whether its sublayers lie in the space of its own siblings, and only they are drawn: it is a
    /// CATransformLayer, or a replicator that preserves depth.
    package var isSpace = false
    /// Whether the number of geometryFlipped layers from the root to this one is odd.
    package var isFlipped: Bool
    /// Whether an odd number of transforms and flips from the root to this layer mirror space.
    /// Mirroring reverses a layer's winding but does not turn its back to the viewer.
    package var isMirrored: Bool
    /// Whether its depth matters among its siblings: its transform takes it out of its superlayer's
    /// plane, or it is a space. A copy's also matters if that of one of its sublayers does.
    package var leavesPlane = false
    /// Whether it may intersect its siblings: its depth varies, or it is a space. As above for a
    /// copy.
    var isTilted = false
    /// For a copy, the two as far as they depend on its own transform.
    var leavesPlaneItself = false
    var isTiltedItself = false
    var sublayerSpace = SublayerSpace.plane
    fileprivate var parent32: Int32
    fileprivate var level32: Int32
    fileprivate var mask32: Int32 = -1
    fileprivate var space32: Int32 = -1
    fileprivate var inside32: Int32 = -1
    fileprivate var transition32: Int32 = -1
    fileprivate var contentsMix32: Int32 = -1
    fileprivate var copy32: Int32 = -1
    fileprivate var spatialSublayers32: Int32 = 0
    fileprivate var tiltedSublayers32: Int32 = 0

    fileprivate var clock32: Int32
    var generation: UInt32
    fileprivate var frozen32: Int32 = -1
    fileprivate var place32: Int32 = -1
    /// Tells the rows of a layer that replicators copy apart: the numbers of the copies that it
    /// lies in. 0 outside all copies.
    package var path: UInt64
    /// The neighbours among the rows of a layer that replicators copy; −1 for none.
    var nextOfSlot: Int32 = -1
    var previousOfSlot: Int32 = -1
    /// How far a transition moves it in its own space.
    var shift = CGVector.zero
    /// The number of the update that queued it last.
    var queued = 0
    fileprivate var order32: Int32 = 0

    /// Whether it is in a transition, or its contents are mixed.
    var isBetweenPictures: Bool { transition >= 0 || contentsMix >= 0 }

    /// The row of a layer, linked to nothing and in no transition.
    init(
      slot: Int, generation: UInt32, kind: LayerKind, frozen: Int, place: Int, path: UInt64,
      parent: Int, isMask: Bool, space: Int, level: Int
    ) {
      (slot32, frozen32, place32) = (Int32(slot), Int32(frozen), Int32(place))
      (parent32, space32, level32, clock32) = (Int32(parent), Int32(space), Int32(level), 0)
      (self.generation, self.kind, self.path, self.isMask) = (generation, kind, path, isMask)
      (isFlipped, isMirrored) = (false, false)
    }
  }

  /// The space that the sublayers of a row lie in.
  enum SublayerSpace: UInt8 {
    /// The layer's own plane, onto which they are projected.
    case plane
    /// The layer's own space, in three dimensions.
    case own
    /// That of a sublayer transform, projected onto the layer's plane unless the row is a space.
    /// For a transition's row, that in which its layer is placed.
    case other
  }

  /// Where a row lies among others: its sublayers and its siblings, back to front. −1 for none.
  package struct Links {
    package internal(set) var first: Int32 = -1
    package internal(set) var last: Int32 = -1
    package internal(set) var next: Int32 = -1
    package internal(set) var previous: Int32 = -1
  }

  /// What an update did to the rows, for those who keep something for each of them.
  package struct Changes {
    /// Whether there was no tree before, so that all rows are new.
    package var isAll = true
    /// The rows that look otherwise, lie elsewhere, or are new. A row stands for all below it.
    package var changed: [Int] = []
    /// The rows that are new or whose values are others, each once or more often.
    package var touched: [Int] = []
    /// Whether each of those is there once.
    package internal(set) var touchesOnce = false
    /// The others whose transforms are others.
    package var moved: [Int] = []
    /// The topmost of the rows that were removed. Their indices are not used again, and they keep
    /// their parents, until the next update.
    package var removed: [Int] = []
    /// All rows that were removed.
    package var allRemoved: [Int] = []
    /// The rows whose sublayers are others, or in another order, or whose mask is another.
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

  /// One of the copies that a replicator makes of its sublayers.
  package struct Copy {
    /// From 0.
    package var number: Int
    /// Maps the replicator's sublayers, as they are placed in it, to where the copy shows them.
    package var toReplicator: CATransform3D
    /// Multiplies the premultiplied colours of everything in the copy.
    package var tint: SIMD4<Double>
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
  /// The surface's pixels.
  @usableFromInline package var area: PixelRect { PixelRect(size) }
  /// Pixels per point at the root.
  let scale: Double
  /// Whether hidden layers have rows too, and none is drawn as a bitmap, so that all rows lie in
  /// the surface's pixels. Such a tree is looked at, and never composed.
  let isForInspection: Bool
  /// The root's row; −1 if nothing is shown.
  package internal(set) var root = -1
  package internal(set) var rows: [Row] = []
  package internal(set) var links: [Links] = []
  /// By row: maps the layer's own space, in which its bounds are given, to the pixels of the row's
  /// space. Apart from the rows, since both are large and few that go through the rows need them.
  package internal(set) var toPixels: [CATransform3D] = []
  /// By row: the spaces of sublayers that `toPixels` does not tell.
  var otherSublayerSpaces: [Int: CATransform3D] = [:]
  /// The indices of rows that were removed before the last update.
  var freeRows: [Int] = []
  /// By slot, a row that stands for a layer of the tree; −1 for none. Only layers that replicators
  /// copy have further ones, which follow in a chain.
  var rowsOfSlots: [Int32] = []
  var clocks = Slots<Clock>()
  /// Parents before children; the session's clock is the first.
  var clockOrder: [Int] = []
  package var animatedValues = AnimatedValues()
  package internal(set) var transitions = Slots<Transition>()
  package internal(set) var contentsMixes = Slots<ContentsMix>()
  package internal(set) var copies = Slots<Copy>()
  /// Number of rasterized layers, each of which has a space of its own.
  var spaceCount = 0
  package var hasSpaces: Bool { spaceCount > 0 }
  /// Number of rows of copies and of the layers in them.
  var copiedRowCount = 0
  /// Largest number of them.
  var copiedRowLimit: Int
  /// The number of such rows that were asked for, if it exceeds the limit. Then rows are missing.
  var excess: Int?
  /// The number of particles at which evaluating emitters was given up, since there are certainly
  /// more than the tree's limit.
  var particleExcess: Int?
  package internal(set) var frozenSubtrees = Slots<FrozenSubtree>()
  /// Layers that are painted like any other though they ask to be rasterized, since their bitmaps
  /// would fit into no texture.
  package internal(set) var refusals: Set<RefusedBitmap> = []
  /// Hidden layers that their animations may show, with the time before which they do not.
  var sleepers: [Sleeper: Double] = [:]
  /// The earliest time, not before `time`, at which the tree changes without a commit; infinite if
  /// it does not.
  package var nextChange = Double.infinity
  /// How far it has read the render tree's journal.
  var journalPlace: Int
  /// Number of updates.
  package internal(set) var update = 0
  package var changes = Changes()

  init(
    of tree: RenderTree, session: SessionID, time: Double, size: PixelSize, scale: Double,
    isForInspection: Bool = false
  ) {
    self.isForInspection = isForInspection
    (self.session, self.time, self.size, self.scale) = (session, time, size, scale)
    (journalPlace, copiedRowLimit) = (tree.journal.end, tree.copiedLayerLimit)
    clockOrder = [clocks.add(Clock(timing: nil, parent: -1, time: time))]
  }

  var rootTransform: CATransform3D { CATransform3D(scaleX: scale, y: scale) }

  package func time(of row: Row) -> Double { clocks[row.clock].time }

  /// The same without a copy of the row, which is large. A call would copy the tree.
  @inline(__always)
  func time(ofRow row: Int) -> Double { clocks[rows[row].clock].time }
}

extension EvaluatedTree.Row {
  /// The layer's slot in the render tree; −1 in a frozen subtree.
  @usableFromInline package var slot: Int {
    get { Int(slot32) }
    set { slot32 = Int32(newValue) }
  }

  /// Index in `animatedValues`; −1 if the row has the committed values.
  @usableFromInline package var animated: Int {
    get { Int(animated32) }
    set { animated32 = Int32(newValue) }
  }

  /// −1 for the root.
  @usableFromInline package var parent: Int {
    get { Int(parent32) }
    set { parent32 = Int32(newValue) }
  }

  /// Number of rows that enclose it, itself included.
  @usableFromInline package var level: Int {
    get { Int(level32) }
    set { level32 = Int32(newValue) }
  }

  /// The mask's row; −1 for none.
  @usableFromInline package var mask: Int {
    get { Int(mask32) }
    set { mask32 = Int32(newValue) }
  }

  /// The row of the nearest rasterized layer around it, in whose bitmap's pixels it lies; −1 if
  /// it lies in the surface's pixels.
  @usableFromInline package var space: Int {
    get { Int(space32) }
    set { space32 = Int32(newValue) }
  }

  /// For a rasterized layer, the row of what its bitmap shows: the layer alone, with everything
  /// below it. −1 for any other.
  @usableFromInline package var inside: Int {
    get { Int(inside32) }
    set { inside32 = Int32(newValue) }
  }

  /// Index in `transitions`; −1 for a layer. A transition's row stands for its old and its new
  /// side, which are its child rows, and paints nothing itself.
  @usableFromInline package var transition: Int {
    get { Int(transition32) }
    set { transition32 = Int32(newValue) }
  }

  /// Index in `contentsMixes`; −1 if the contents are those in the layer's values.
  @usableFromInline package var contentsMix: Int {
    get { Int(contentsMix32) }
    set { contentsMix32 = Int32(newValue) }
  }

  /// Index in `copies`; −1 for a layer. A copy's row stands for all sublayers of a replicator,
  /// whose row is its parent, and paints nothing itself.
  @usableFromInline package var copy: Int {
    get { Int(copy32) }
    set { copy32 = Int32(newValue) }
  }

  /// Number of sublayers whose depth matters, and of those that may intersect others.
  @usableFromInline package internal(set) var spatialSublayers: Int {
    get { Int(spatialSublayers32) }
    set { spatialSublayers32 = Int32(newValue) }
  }

  @usableFromInline package internal(set) var tiltedSublayers: Int {
    get { Int(tiltedSublayers32) }
    set { tiltedSublayers32 = Int32(newValue) }
  }

  /// Index in `clocks` of the layer's own time.
  var clock: Int {
    get { Int(clock32) }
    set { clock32 = Int32(newValue) }
  }

  /// Index in `frozenSubtrees` of the layer's frozen subtree, and of the node in it; −1 for a
  /// layer of the tree.
  @usableFromInline package var frozen: Int {
    get { Int(frozen32) }
    set { frozen32 = Int32(newValue) }
  }

  @usableFromInline package var place: Int {
    get { Int(place32) }
    set { place32 = Int32(newValue) }
  }

  /// Its place among its siblings before they were put in order last.
  var order: Int {
    get { Int(order32) }
    set { order32 = Int32(newValue) }
  }
}

extension RenderTree {
  /// Evaluates what a session shows at a time.
  package func evaluate(
    session id: SessionID, at time: Double, refusing refusals: Set<RefusedBitmap> = [],
    isForInspection: Bool = false
  ) throws(CommitError) -> EvaluatedTree {
    guard let session = sessions[id] else { throw .unknownSession(id) }
    var tree = EvaluatedTree(
      of: self, session: id, time: time, size: session.options.size, scale: session.options.scale,
      isForInspection: isForInspection)
    tree.refusals = refusals
    if let slot = session.root.flatMap({ slot(of: $0) }) {
      tree.root = makeRows(
        from: PendingRow(slot: slot, frozen: -1, parent: -1, level: 1, role: .sublayer), in: &tree)
    }
    try refuseExcess(in: tree)
    noteNextChange(in: &tree)
    return tree
  }
}
