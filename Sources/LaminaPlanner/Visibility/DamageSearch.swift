import Foundation
import LaminaCommit
import LaminaRenderTree
import LaminaValues

/// How a row passes on what changes below it.
struct Bearing: Equatable {
  enum Kind {
    /// As it is.
    case plain
    /// As a group, which is painted anew in another target if its extent changes, or how far
    /// backdrops in it read, and in another way if something in it begins to read what lies behind
    /// it, or ceases to.
    case group
    /// All that the row and those below it touch: a filter or a shadow spreads the change, siblings
    /// that may intersect may be cut or sorted in another way.
    case whole
  }

  var kind = Kind.plain
  /// A layer alone need not be a group.
  var hasSublayers = false
  /// Whether a row paints nothing but its sublayers, as if they were in its place.
  var isContainer = false

  init() {}

  init(of row: Int, in tables: RowTables) {
    hasSublayers = tables.hasSublayers(row)
    kind = Self.kind(of: row, in: tables)
    // Most rows have nothing below them.
    isContainer =
      hasSublayers && kind == .plain && tables[row].pointee.copy < 0
      && tables[row].pointee.inside < 0 && tables.paintsNothing(row, tables.values(of: row))
  }

  private static func kind(of index: Int, in tables: RowTables) -> Kind {
    let row = tables[index]
    if row.pointee.tiltedSublayers > 0 || row.pointee.transition >= 0
      || row.pointee.contentsMix >= 0 || row.pointee.isSpace
    {
      return .whole
    }
    if row.pointee.copy >= 0 { return .plain }
    let values = tables.values(of: index)
    if LayerValues.hasEffects(at: values) { return .whole }
    let isGroup =
      row.pointee.mask >= 0 || values.pointee.opacity < 1 || values.pointee.masksToBounds
    return isGroup ? .group : .plain
  }
}

/// The search for what an update of rows changes on the surface. It begins with the extents of the
/// last frame and ends with those of this one.
struct DamageSearch {
  /// A row, with what it was in the last frame.
  private struct Past {
    var row: Int
    var extent: PixelRect
    var bearing: Bearing
    /// How far beyond its pixels filtered backdrops in it read.
    var reach: Int?
    /// Whether layers below it read what lies behind it.
    var isReadThrough: Bool
  }

  /// The rows that changed, with their extents in the last frame.
  private var changed: [(row: Int32, edges: BoxEdges)] = []
  /// The rows above those that changed, each once.
  private var above: [Past] = []
  /// Those of them whose mask, or something below that, changed.
  private var otherMasks: Set<Int> = []
  /// What the backdrops that share captures covered and read in the last frame, by their name.
  private var groupReads: [String: [PixelRect]]

  /// `repainted` are the rows whose bitmaps show something else. `bearings` are those of the last
  /// frame, by row.
  init(
    _ changes: EvaluatedTree.Changes, _ repainted: [Int], _ extents: Extents,
    _ bearings: [Bearing], in evaluated: EvaluatedTree
  ) {
    groupReads = extents.filters.backdropGroupReads(extents.edges, in: evaluated)
    func past(_ row: Int) -> Past {
      Past(
        row: row, extent: extents.box(of: row), bearing: bearings[row],
        reach: extents.filters.backdropReaches[row],
        isReadThrough: extents.filters.readsBackdrop.contains(row))
    }
    // By row: whether the way up from it has been gone, and whether it is in `above`.
    var isPassed = [Bool](repeating: false, count: evaluated.rows.count)
    var isAbove = isPassed
    let lists = [changes.removed, changes.changed, repainted]
    changed.reserveCapacity(lists.reduce(0) { $0 + $1.count })
    for list in lists {
      // What changed in a bitmap is on the surface where the bitmap is.
      for row in list where evaluated.rows[row].space < 0 {
        changed.append((Int32(row), extents.edges[row]))
        var row = row
        while !isPassed[row] {
          isPassed[row] = true
          let isMask = evaluated.rows[row].isMask
          row = evaluated.rows[row].parent
          guard row >= 0 else { break }
          if isMask { otherMasks.insert(row) }
          if !isAbove[row] {
            isAbove[row] = true
            above.append(past(row))
          }
        }
      }
    }
  }

  /// The rows above those that changed.
  var rowsAbove: [Int] { above.map(\.row) }

  /// The extents, then and now, of what changed, and of the rows above that pass on more than that.
  func damage(
    _ extents: Extents, _ bearings: [Bearing], in evaluated: EvaluatedTree
  ) -> Damage {
    let readers = extents.filters.backdropReads.filter { evaluated.rows[$0.key].space < 0 }
      .sorted { $0.key < $1.key }
    let reads = readers.map { row, reach in extents.box(of: row).outset(by: reach) }
    let groups = extents.filters.backdropGroupReads(extents.edges, in: evaluated)
      .sorted { $0.key < $1.key }
    let margin = readers.reduce(0) { $0 + $1.value }
    var damage = Damage(of: evaluated.area, margin: min(margin, 1 << 20))
    for past in changed where !damage.isWhole {
      damage.add(past.edges.rect)
      damage.add(extents.box(of: Int(past.row)))
    }
    for past in above where !damage.isWhole {
      let (before, after) = (past.bearing, bearings[past.row])
      let now = extents.box(of: past.row)
      let isWhole = otherMasks.contains(past.row) || before.kind == .whole || after.kind == .whole
      let isGroup = before.kind == .group || after.kind == .group
      let isOtherTarget =
        past.extent != now || before.hasSublayers != after.hasSublayers
        || past.reach != extents.filters.backdropReaches[past.row]
        || past.isReadThrough != extents.filters.readsBackdrop.contains(past.row)
      if isWhole || isGroup && isOtherTarget {
        damage.add(past.extent)
        damage.add(now)
      }
    }
    // What reads more of its backdrop than it covers needs all of that painted again up to there,
    // since the surface shows the finished frame.
    var hasGrown = !damage.isEmpty
    while hasGrown {
      hasGrown = false
      for read in reads where damage.meets(read) && !damage.covers(read) {
        damage.add(read)
        hasGrown = true
      }
      // Which of the backdrops of a group comes first decides what all of them show.
      for (name, reads) in groups
      where (reads + (groupReads[name] ?? [])).contains(where: damage.meets) {
        for read in reads where !damage.covers(read) {
          damage.add(read)
          hasGrown = true
        }
      }
    }
    return damage
  }
}
