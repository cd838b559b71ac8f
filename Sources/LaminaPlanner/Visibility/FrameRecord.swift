import Foundation
import LaminaCommit
import LaminaRenderTree
import LaminaValues

/// The rows of a frame, kept to find what the next one must paint again.
struct FrameRecord {
  /// What a row's own appearance and place depend on.
  private struct Row: Equatable {
    var identity: Identity
    var version: UInt64
    /// The time at which its animated values were taken; 0 if it has none.
    var time: Double
    var image: UInt64
    var mix: EvaluatedTree.ContentsMix?
    /// The progress of the transition that the row stands for; 0 for a layer.
    var progress: Double
    var toSurface: CATransform3D
    var isFlipped: Bool
    var isMirrored: Bool
  }

  private struct Identity: Hashable {
    enum Kind { case layer, transition, frozen }

    var kind: Kind
    /// The layer's ID; in a frozen subtree, which every transition has one of, the subtree's.
    var owner: UInt64
    /// The node's index in the frozen subtree.
    var place = 0
  }

  /// How a row passes on what changes below it.
  private enum Bearing: UInt8 {
    /// As it is.
    case plain
    /// As a group, which is painted anew in another target if its extent changes.
    case group
    /// All that the row and those below it touch: a filter or a shadow spreads the change, siblings
    /// in three dimensions may be cut or sorted in another way.
    case whole
  }

  private var rows: [Row]
  private var parents: [Int32]
  private var ends: [Int32]
  private var isMask: [Bool]
  private var bearings: [Bearing]
  /// In whole pixels, unclipped.
  private var extents: [PixelRect]
  /// What rows read of their backdrops beyond their own pixels.
  private let backdropReads: [PixelRect]
  /// How far they read beyond the surface at most.
  private let backdropMargin: Int
  private let area: PixelRect
  private let isOverlaid: Bool
  private let time: Double
  private let nextChange: Double
  /// Keeps the frozen subtrees alive, so that no other object takes over their identities.
  private let frozenSubtrees: [FrozenSubtree]

  /// `isOverlaid` tells whether marks lie over the frame that are none of the rows'.
  init(_ measured: MeasuredTree, of tree: RenderTree, isOverlaid: Bool) {
    let evaluated = measured.evaluated
    self.isOverlaid = isOverlaid
    (area, time, nextChange) = (evaluated.area, evaluated.time, evaluated.nextChange)
    frozenSubtrees = evaluated.frozenSubtrees
    extents = measured.extents.map { PixelRect(covering: $0, within: .everywhere) }
    backdropReads = measured.filterExtents.backdropReads.map { [extents] row, reach in
      extents[row].outset(by: reach)
    }
    backdropMargin = min(measured.filterExtents.backdropReads.reduce(0) { $0 + $1.reach }, 1 << 20)
    parents = evaluated.rows.map { Int32($0.parent) }
    ends = evaluated.rows.map { Int32($0.end) }
    isMask = [Bool](repeating: false, count: evaluated.rows.count)
    bearings = [Bearing](repeating: .plain, count: evaluated.rows.count)
    rows = []
    rows.reserveCapacity(evaluated.rows.count)
    for index in evaluated.rows.indices {
      let row = evaluated.rows[index]
      if row.mask >= 0 { isMask[row.mask] = true }
      if row.leavesPlane, row.parent >= 0 { bearings[row.parent] = .whole }
      rows.append(Self.row(row, of: tree, in: evaluated))
      if bearings[index] == .plain { bearings[index] = Self.bearing(row, of: tree, in: evaluated) }
    }
  }

  private static func row(
    _ row: EvaluatedTree.Row, of tree: RenderTree, in evaluated: EvaluatedTree
  ) -> Row {
    let identity: Identity
    if row.frozen >= 0 {
      let subtree = ObjectIdentifier(evaluated.frozenSubtrees[row.frozen])
      identity = Identity(
        kind: .frozen, owner: UInt64(UInt(bitPattern: subtree)), place: row.place)
    } else {
      let id = tree.id(of: row.slot)
      identity = Identity(
        kind: row.transition >= 0 ? .transition : .layer,
        owner: UInt64(id.generation) << 32 | UInt64(id.index))
    }
    let contents = withUnsafePointer(to: row) {
      tree.withValues(of: $0, in: evaluated) { $0.pointee.contents }
    }
    return Row(
      identity: identity, version: row.frozen < 0 ? tree.nodes[row.slot].version : 0,
      time: row.animated >= 0 ? evaluated.time(of: row) : 0,
      image: contents.flatMap { tree.images[$0]?.stamp } ?? 0,
      mix: row.contentsMix >= 0 ? evaluated.contentsMixes[row.contentsMix] : nil,
      progress: row.transition >= 0 ? evaluated.transitions[row.transition].progress : 0,
      toSurface: row.toSurface, isFlipped: row.isFlipped,
      isMirrored: row.isMirrored)
  }

  private static func bearing(
    _ row: EvaluatedTree.Row, of tree: RenderTree, in evaluated: EvaluatedTree
  ) -> Bearing {
    if row.transition >= 0 || row.contentsMix >= 0 || row.kind == .transform { return .whole }
    return withUnsafePointer(to: row) { place in
      tree.withValues(of: place, in: evaluated) { values in
        if LayerValues.hasEffects(at: values) { return .whole }
        let isGroup = row.mask >= 0 || values.pointee.opacity < 1 || values.pointee.masksToBounds
        return isGroup ? .group : .plain
      }
    }
  }

  // MARK: Differences

  /// What differs from an earlier frame of the same surface: the extents, then and now, of what
  /// changed, appeared, disappeared or changed its place in the order.
  func damage(since last: FrameRecord) -> Damage {
    guard area == last.area, isOverlaid == last.isOverlaid else { return Damage(all: area) }
    var difference = Difference(from: last, to: self)
    difference.find()
    var damage = difference.damage
    // What reads more of its backdrop than it covers needs all of that painted again up to there,
    // since the surface shows the finished frame.
    var hasGrown = !damage.isEmpty
    while hasGrown {
      hasGrown = false
      for read in backdropReads where damage.meets(read) && !damage.covers(read) {
        damage.add(read)
        hasGrown = true
      }
    }
    return damage
  }

  private struct Difference {
    let old: FrameRecord
    let new: FrameRecord
    var damage: Damage
    /// For each row its counterpart in the other frame, or −1.
    private var oldRows: [Int32]
    private var newRows: [Int32]
    /// The rows from which the way up has been gone already.
    private var oldPassed: [Bool]
    private var newPassed: [Bool]

    init(from old: FrameRecord, to new: FrameRecord) {
      (self.old, self.new) = (old, new)
      damage = Damage(of: new.area, margin: new.backdropMargin)
      oldRows = [Int32](repeating: -1, count: new.rows.count)
      newRows = [Int32](repeating: -1, count: old.rows.count)
      oldPassed = [Bool](repeating: false, count: old.rows.count)
      newPassed = [Bool](repeating: false, count: new.rows.count)
      match()
    }

    /// Pairs the rows of the same layers. Rows that keep their places need no table.
    private mutating func match() {
      var (first, oldEnd, newEnd) = (0, old.rows.count, new.rows.count)
      while first < min(oldEnd, newEnd), old.rows[first].identity == new.rows[first].identity {
        pair(first, first)
        first += 1
      }
      while oldEnd > first, newEnd > first,
        old.rows[oldEnd - 1].identity == new.rows[newEnd - 1].identity
      {
        (oldEnd, newEnd) = (oldEnd - 1, newEnd - 1)
        pair(oldEnd, newEnd)
      }
      guard first < oldEnd, first < newEnd else { return }
      var places: [Identity: Int] = [:]
      for place in first..<oldEnd { places[old.rows[place].identity] = place }
      for index in first..<newEnd {
        if let place = places.removeValue(forKey: new.rows[index].identity) { pair(place, index) }
      }
    }

    private mutating func pair(_ oldRow: Int, _ newRow: Int) {
      oldRows[newRow] = Int32(oldRow)
      newRows[oldRow] = Int32(newRow)
    }

    mutating func find() {
      // Nothing that animations change has changed if nothing was to change until now.
      let isStill = new.time >= old.time && new.time < old.nextChange
      var furthest: Int32 = -1
      // The last subtree whose extents, then and now, were added.
      var (covered, oldCovered) = (0..<0, 0 as Int32..<0)
      for index in new.rows.indices {
        if damage.isWhole { return }
        let place = oldRows[index]
        let isMoved = place >= 0 && place < furthest
        furthest = max(furthest, place)
        if covered.contains(index), place < 0 || oldCovered.contains(place) { continue }
        if place >= 0, !isMoved, isEqual(Int(place), index, isStill: isStill) { continue }
        add(place, Int32(index))
        covered = index..<Int(new.ends[index])
        oldCovered = place < 0 ? 0..<0 : place..<old.ends[Int(place)]
      }
      for place in old.rows.indices where newRows[place] < 0 {
        let parent = old.parents[place]
        if parent < 0 || newRows[Int(parent)] >= 0 { add(Int32(place), -1) }
      }
    }

    private func isEqual(_ place: Int, _ index: Int, isStill: Bool) -> Bool {
      let (a, b) = (old.rows[place], new.rows[index])
      if a == b { return counterpart(old.parents[place]) == new.parents[index] }
      guard isStill, a.time != b.time else { return false }
      var later = a
      later.time = b.time
      return later == b && counterpart(old.parents[place]) == new.parents[index]
    }

    private func counterpart(_ oldRow: Int32) -> Int32 { oldRow < 0 ? -1 : newRows[Int(oldRow)] }

    /// Adds a row's extents, then and now, and those of the rows above that pass on more than that.
    private mutating func add(_ oldRow: Int32, _ newRow: Int32) {
      addExtents(oldRow, newRow)
      var row = newRow
      while row >= 0, !newPassed[Int(row)] {
        newPassed[Int(row)] = true
        let isBelowMask = new.isMask[Int(row)]
        row = new.parents[Int(row)]
        if row >= 0 { pass(oldRows[Int(row)], row, isBelowMask: isBelowMask) }
      }
      row = oldRow
      while row >= 0, !oldPassed[Int(row)] {
        oldPassed[Int(row)] = true
        let isBelowMask = old.isMask[Int(row)]
        row = old.parents[Int(row)]
        if row >= 0 { pass(row, newRows[Int(row)], isBelowMask: isBelowMask) }
      }
    }

    private mutating func pass(_ oldRow: Int32, _ newRow: Int32, isBelowMask: Bool) {
      let (before, after) = (
        oldRow < 0 ? Bearing.plain : old.bearings[Int(oldRow)],
        newRow < 0 ? Bearing.plain : new.bearings[Int(newRow)]
      )
      if isBelowMask || before == .whole || after == .whole {
        addExtents(oldRow, newRow)
      } else if before == .group || after == .group,
        oldRow < 0 || newRow < 0 || old.extents[Int(oldRow)] != new.extents[Int(newRow)]
      {
        addExtents(oldRow, newRow)
      }
    }

    private mutating func addExtents(_ oldRow: Int32, _ newRow: Int32) {
      if oldRow >= 0 { damage.add(old.extents[Int(oldRow)]) }
      if newRow >= 0 { damage.add(new.extents[Int(newRow)]) }
    }
  }
}
