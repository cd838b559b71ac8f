import LaminaCommit
import LaminaRenderTree
import LaminaValues

/// An evaluated tree with the bitmaps and extents that composing it needs, kept from frame to frame.
struct MeasuredTree {
  private(set) var evaluated: EvaluatedTree
  /// The outermost layer bitmaps, by row.
  private(set) var bitmaps: [Int: LayerBitmap] = [:]
  private(set) var extents = Extents()
  private(set) var bearings: [Bearing] = []
  /// The rows of layers that are to be rasterized.
  private var rasterized: Set<Int> = []
  /// The update of the evaluated tree that was measured last.
  private var update = -1
  /// Number of bitmaps that enclose the tree.
  private let depth: Int

  /// How deep layer bitmaps may nest. Rasterized layers that lie deeper are painted like any other
  /// layer.
  private static let bitmapDepthLimit = 8

  init(_ evaluated: EvaluatedTree) { self.init(evaluated, depth: 0) }

  private init(_ evaluated: EvaluatedTree, depth: Int) {
    (self.evaluated, self.depth) = (evaluated, depth)
  }

  /// A tree in a bitmap.
  init(_ evaluated: EvaluatedTree, _ search: LayerBitmapSearch, depth: Int) {
    self.init(evaluated, depth: depth)
    _ = measure(search)
    // A layer bitmap is visible as a whole.
    if evaluated.root >= 0 {
      let limits = evaluated.area
      self.evaluated.area = PixelRect(
        covering: extents.rows[evaluated.root].cgRect, within: limits)
    }
  }

  /// Brings the rows to another time.
  mutating func update(_ tree: RenderTree, to time: Double) throws(CommitError) {
    try tree.update(&evaluated, to: time)
  }

  /// Measures what the last update of the rows changed. Returns what that changes on the surface.
  ///
  /// `known` are the layer bitmaps on the device. `maxTextureSize` is the longest side, in pixels,
  /// that the device allows them.
  mutating func measure(
    _ tree: RenderTree, known: TextureCache<LayerBitmapKey, PixelRect>, maxTextureSize: Int
  ) -> Damage {
    measure(LayerBitmapSearch(tree: tree, known: known, maxTextureSize: maxTextureSize))
  }

  private mutating func measure(_ search: LayerBitmapSearch) -> Damage {
    let changes = evaluated.changes
    let isAll = changes.isAll || update != evaluated.update - 1
    if isAll { (extents, bearings, rasterized, bitmaps) = (Extents(), [], [], [:]) }
    update = evaluated.update
    extents.grow(to: evaluated.rows.count)
    while bearings.count < evaluated.rows.count { bearings.append(Bearing()) }
    let touched = isAll ? evaluated.rows.indices.map(\.self) : changes.touched
    let difference = isAll ? nil : DamageSearch(changes, extents, bearings, in: evaluated)
    for row in touched where evaluated.rows[row].isLive {
      bearings[row] = Bearing(of: row, of: search.tree, in: evaluated)
      noteRasterized(row, search.tree)
    }
    for row in changes.allRemoved { rasterized.remove(row) }
    for row in difference?.rowsAbove ?? [] where evaluated.rows[row].isLive {
      bearings[row] = Bearing(of: row, of: search.tree, in: evaluated)
    }
    let redrawn = isAll || !rasterized.isEmpty || !bitmaps.isEmpty ? findBitmaps(search) : []
    extents.repair(
      touched: touched + redrawn, relinked: isAll ? [] : changes.relinked, bitmaps,
      of: search.tree, in: evaluated)
    let damage = difference?.damage(extents, bearings, of: evaluated.area)
    for row in changes.allRemoved {
      extents.forget(row)
      bearings[row] = Bearing()
    }
    return damage ?? Damage(all: evaluated.area)
  }

  private mutating func noteRasterized(_ row: Int, _ tree: RenderTree) {
    let isRasterized = evaluated.rows.withUnsafeBufferPointer { rows in
      let place = rows.baseAddress! + row
      return place.pointee.transition < 0 && place.pointee.kind != .transform
        && tree.withValues(of: place, in: evaluated) {
          LayerValues.hasEffects(at: $0) && $0.pointee.effects.shouldRasterize
        }
    }
    if isRasterized {
      rasterized.insert(row)
    } else if !rasterized.isEmpty {
      rasterized.remove(row)
    }
  }

  /// Finds the outermost bitmaps. Returns the rows that have others than before.
  private mutating func findBitmaps(_ search: LayerBitmapSearch) -> [Int] {
    guard depth < Self.bitmapDepthLimit else { return [] }
    var found: [Int: LayerBitmap] = [:]
    let outermostFirst = rasterized.sorted {
      (evaluated.rows[$0].level, $0) < (evaluated.rows[$1].level, $1)
    }
    var insides: Set<Int> = []
    var outsides: Set<Int> = []
    for row in outermostFirst {
      var path: [Int] = []
      var above = row
      while above >= 0, !insides.contains(above), !outsides.contains(above) {
        path.append(above)
        above = evaluated.rows[above].parent
      }
      guard above < 0 || outsides.contains(above) else {
        insides.formUnion(path)
        continue
      }
      found[row] = search.bitmap(of: row, in: evaluated, depth: depth)
      outsides.formUnion(path.dropFirst())
      if found[row] == nil { outsides.insert(row) } else { insides.insert(row) }
    }
    let old = bitmaps
    bitmaps = found
    return Set(old.keys).union(found.keys).sorted().filter {
      old[$0]?.rect != found[$0]?.rect && evaluated.rows[$0].isLive
    }
  }
}
