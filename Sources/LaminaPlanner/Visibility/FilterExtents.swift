import Foundation
import LaminaRenderTree
import LaminaValues

/// The effect of filters on extents, for the few rows that have filters.
struct FilterExtents {
  /// Extents without the blur, of rows that have one.
  private(set) var unfiltered: [Int: CGRect] = [:]
  /// By row: how many pixels beyond the visible area the backdrop filters in it read.
  private(set) var backdropReaches: [Int: Int] = [:]
  /// How far rows with background filters read beyond their pixels, if they do or if they share a
  /// capture with others.
  private(set) var backdropReads: [Int: Int] = [:]
  /// The names of the backdrops that share captures, by row.
  private(set) var backdropGroups: [Int: String] = [:]
  /// Rows with a layer below that reads the backdrop and lies in no group below the row.
  private(set) var readsBackdrop: Set<Int> = []
  /// Rows that read the backdrop of their superlayer's.
  private var readers: Set<Int> = []

  private var hasNoReaders: Bool {
    backdropReaches.isEmpty && readers.isEmpty && readsBackdrop.isEmpty
  }

  /// Whether a row, or one below it, reads what lies behind it.
  func readsAnything(_ row: Int) -> Bool {
    backdropReaches[row] != nil || backdropReads[row] != nil || readers.contains(row)
      || readsBackdrop.contains(row)
  }

  /// Whether no row has filters, as far as is known.
  var isEmpty: Bool { hasNoReaders && unfiltered.isEmpty }

  /// What the rows of each group of backdrops cover and read, on the surface.
  func backdropGroupReads(
    _ edges: [BoxEdges], in evaluated: EvaluatedTree
  ) -> [String: [PixelRect]] {
    var reads: [String: [PixelRect]] = [:]
    for (row, name) in backdropGroups.sorted(by: { $0.key < $1.key })
    where evaluated.rows[row].space < 0 {
      reads[name, default: []].append(edges[row].rect.outset(by: backdropReads[row] ?? 0))
    }
    return reads
  }

  mutating func forget(_ row: Int) {
    if !unfiltered.isEmpty { unfiltered[row] = nil }
    guard !hasNoReaders else { return }
    (backdropReaches[row], backdropReads[row], backdropGroups[row]) = (nil, nil, nil)
    readsBackdrop.remove(row)
    readers.remove(row)
  }

  mutating func set(unfiltered extent: CGRect?, of row: Int) {
    if extent != nil || !unfiltered.isEmpty { unfiltered[row] = extent }
  }

  /// Sets what is known of a row, given the same for its sublayers. Returns whether it affects its
  /// superlayer.
  mutating func set(
    _ new: LayerExtent, of row: Int, _ tree: RenderTree, _ evaluated: EvaluatedTree
  ) -> Bool {
    guard new.hasEffects || !hasNoReaders else { return false }
    var (reach, isReadThrough) = (new.reach, false)
    // What is in a layer bitmap has no backdrop but what the bitmap shows.
    for sublayer in evaluated.rows[row].inside < 0 ? evaluated.sublayers(of: row) : [] {
      reach += backdropReaches[sublayer] ?? 0
      isReadThrough = isReadThrough || readers.contains(sublayer)
    }
    let isReader = tree.readsBackdrop(row, isReadThrough: isReadThrough, in: evaluated)
    let isOther = (backdropReaches[row] ?? 0) != reach || readers.contains(row) != isReader
    backdropReaches[row] = reach > 0 ? reach : nil
    backdropReads[row] = new.reach > 0 || new.group != nil ? new.reach : nil
    if new.group != nil || !backdropGroups.isEmpty { backdropGroups[row] = new.group }
    if isReadThrough { readsBackdrop.insert(row) } else { readsBackdrop.remove(row) }
    if isReader { readers.insert(row) } else { readers.remove(row) }
    return isOther
  }
}
