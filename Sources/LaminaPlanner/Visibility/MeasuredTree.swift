import LaminaCommit
import LaminaRenderTree
import LaminaValues

/// An evaluated tree with the bitmaps and extents that composing it needs, kept from frame to
/// frame.
struct MeasuredTree {
  private(set) var evaluated: EvaluatedTree
  /// The bitmaps of rasterized layers, by the rows that draw them.
  private(set) var bitmaps: [Int: LayerBitmap] = [:]
  private(set) var extents = Extents()
  /// The groups that are, or may be, kept.
  var groupCanvases = GroupCanvases()
  /// How rows on the surface pass on what changes below them.
  private(set) var bearings: [Bearing] = []
  /// The update of the evaluated tree that was measured last.
  private var update = -1

  init(_ evaluated: EvaluatedTree) { self.evaluated = evaluated }

  /// Brings the rows to another time.
  mutating func update(
    _ tree: RenderTree, to time: Double, sharing: LoopSharing? = nil
  ) throws(CommitError) {
    try tree.update(&evaluated, to: time, sharing: sharing)
  }

  /// Measures what the last update of the rows changed. Returns what that changes on the surface.
  ///
  /// `maxTextureSize` is the longest side, in pixels, that the device allows textures.
  mutating func measure(
    _ tree: RenderTree, maxTextureSize: Int, sharing: LoopSharing? = nil
  ) -> Damage {
    var damage = measure(tree, maxTextureSize, sharing)
    // A layer whose bitmap fits into no texture opens no space, so its rows are others. Whether the
    // bitmaps around it fit is known only then.
    while case let refused = rowsWithoutFit(maxTextureSize), !refused.isEmpty,
      let other = tree.evaluate(evaluated, refusing: refused)
    {
      evaluated = other
      damage = measure(tree, maxTextureSize, sharing)
    }
    return damage
  }

  /// The rows that may show in what is painted again.
  func rows(in damage: Damage, sharing: LoopSharing? = nil) -> PaintedRows {
    PaintedRows(in: damage, extents, bearings, evaluated, sharing)
  }

  /// Finds the canvases of rasterized layers among those on the device.
  mutating func findBitmaps(in known: TextureCache<CanvasKey, Void>) {
    for (row, bitmap) in bitmaps {
      bitmaps[row]!.cached = bitmap.key.flatMap { known[.bitmap($0)]?.texture }
    }
  }

  private mutating func measure(
    _ tree: RenderTree, _ maxTextureSize: Int, _ sharing: LoopSharing?
  ) -> Damage {
    let changes = evaluated.changes
    let isAll = changes.isAll || update != evaluated.update - 1
    if isAll {
      (extents, bearings, bitmaps) = (Extents(), [], [:])
      groupCanvases.removeAll()
    }
    update = evaluated.update
    extents.grow(to: evaluated.rows.count)
    while bearings.count < evaluated.rows.count { bearings.append(Bearing()) }
    let touched = isAll ? evaluated.rows.indices.map(\.self) : changes.touched
    let repainted = rowsOfRepaintedBitmaps(touched, changes)
    groupCanvases.forgetChanged(changes, repainted, in: evaluated)
    let shared = isAll || changes.touchesOnce ? sharing : nil
    let difference =
      isAll ? nil : DamageSearch(changes, repainted, extents, bearings, in: evaluated)
    let above = difference?.rowsAbove ?? []
    if !evaluated.rows.isEmpty {
      for rows in [touched, above] { findBearings(of: rows, tree, shared) }
    }
    extents.repair(
      touched: touched, moved: isAll ? [] : changes.moved,
      relinked: isAll ? [] : changes.relinked,
      bitmapLimits: LayerBitmap.limits(maxTextureSize), of: tree, in: evaluated,
      sharing: shared)
    if !bitmaps.isEmpty { for row in changes.allRemoved { bitmaps[row] = nil } }
    for row in repainted { bitmaps[row] = bitmap(of: row, tree, maxTextureSize) }
    let damage = difference?.damage(extents, bearings, in: evaluated)
    for row in changes.allRemoved {
      extents.forget(row)
      bearings[row] = Bearing()
    }
    return damage ?? Damage(all: evaluated.area)
  }

  /// With `sharing`, the rows are distinct.
  private mutating func findBearings(
    of touched: [Int], _ tree: RenderTree, _ sharing: LoopSharing?
  ) {
    let isShared = sharing?.isWorth(touched.count) == true
    bearings.withUnsafeMutableBufferPointer { bearings in
      touched.withUnsafeBufferPointer { touched in
        RowTables.read(tree, evaluated) { tables in
          func find(_ places: Range<Int>) {
            for place in places {
              if let next = touched.soon(after: place) { tables.prefetch(next) }
              let row = touched[place]
              guard tables[row].pointee.isLive, tables[row].pointee.space < 0 else { continue }
              bearings[row] = Bearing(of: row, in: tables)
            }
          }
          if isShared, let sharing {
            sharing.share(touched.count) { places, _, _ in find(places) }
          } else {
            find(touched.indices)
          }
        }
      }
    }
  }

  // MARK: Layer bitmaps

  /// The rows that draw bitmaps in which something is other than before, each once.
  private func rowsOfRepaintedBitmaps(
    _ touched: [Int], _ changes: EvaluatedTree.Changes
  ) -> [Int] {
    guard evaluated.hasSpaces else { return [] }
    var found: [Int] = []
    var isFound: Set<Int> = []
    func find(_ row: Int) {
      guard evaluated.rows[row].isLive else { return }
      var space = evaluated.rows[row].space
      while space >= 0, isFound.insert(space).inserted {
        found.append(space)
        space = evaluated.rows[space].space
      }
    }
    for row in touched { find(row) }
    for row in changes.moved { find(row) }
    for row in changes.relinked { find(row) }
    return found
  }

  private func bitmap(of row: Int, _ tree: RenderTree, _ maxTextureSize: Int) -> LayerBitmap {
    let inside = evaluated.rows[row].inside
    let region = LayerBitmap.region(of: extents.rows[inside], maxTextureSize)
    let alone = tree.values(of: evaluated.rows[inside], in: evaluated)
    return LayerBitmap(
      key: LayerBitmapKey(of: row, of: tree, in: evaluated), region: region,
      rect: LayerBitmap.rect(of: region, alone))
  }

  /// The rows that ask for bitmaps which fit into no texture.
  private func rowsWithoutFit(_ maxTextureSize: Int) -> [Int] {
    bitmaps.filter { !LayerBitmap.fits($0.value.region, maxTextureSize) }.keys.sorted()
  }
}
