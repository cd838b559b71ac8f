import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

/// Everything that the pixels of a layer bitmap depend on: equal keys mean equal pixels. The
/// layer's place and opacity are not part of it.
struct LayerBitmapKey: Hashable {
  /// A layer below the rasterized one.
  struct Member: Equatable {
    var layer: LayerID
    /// Number of rows from its superlayer's row to its own.
    var parent: Int
    var isMask: Bool
    var version: UInt64
    /// Its values if animations change them; otherwise nil.
    var animated: LayerValues?
    var image: UInt64?
  }

  var session: SessionID
  var layer: LayerID
  /// As in the layer's row.
  var isFlipped: Bool
  /// The layer's own values, without its place among other layers: see `alone`.
  var values: LayerValues
  /// The stamp of the layer's contents.
  var image: UInt64?
  var members: [Member]

  func hash(into hasher: inout Hasher) {
    hasher.combine(session)
    hasher.combine(layer)
  }
}

/// The bitmap of a layer with shouldRasterize: the layer and all layers below it, painted into
/// pixels of their own. The pixels start at the origin of the layer's bounds; there are
/// rasterizationScale of them per point of its space. The bitmap includes filters, shadow and mask.
/// It does not include the opacity, the compositing filter or what is behind the layer.
struct LayerBitmap {
  /// nil if the bitmap shows a transition, mixed contents or a frozen subtree. It is then painted
  /// again for each frame.
  var key: LayerBitmapKey?
  /// In the bitmap's pixels.
  var region: PixelRect
  /// The region in the layer's own space.
  var rect: CGRect
  var state: State

  enum State {
    /// Painted for an earlier frame.
    case cached(TextureID)
    /// Not painted yet: the layer as the root of a tree of its own.
    case uncached(MeasuredTree)
  }
}

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
  fileprivate init(_ evaluated: EvaluatedTree, _ search: LayerBitmapSearch, depth: Int) {
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
    let place = evaluated.rows[row]
    let isRasterized =
      place.transition < 0 && place.kind != .transform
      && withUnsafePointer(to: place) {
        tree.withValues(of: $0, in: evaluated) {
          LayerValues.hasEffects(at: $0) && $0.pointee.effects.shouldRasterize
        }
      }
    if isRasterized { rasterized.insert(row) } else { rasterized.remove(row) }
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

/// Makes the bitmaps of rasterized layers.
private struct LayerBitmapSearch {
  let tree: RenderTree
  let known: TextureCache<LayerBitmapKey, PixelRect>
  let maxTextureSize: Int

  private static let pixelLimit = 1 << 25

  /// nil for a layer whose bitmap fits into no texture.
  func bitmap(of row: Int, in evaluated: EvaluatedTree, depth: Int) -> LayerBitmap? {
    let place = evaluated.rows[row]
    let values = tree.values(of: place, in: evaluated)
    let scale = values.effects.rasterizationScale
    guard scale > 0, scale.isFinite else { return nil }
    let alone = values.alone
    let key = key(of: row, alone, in: evaluated)
    func bitmap(_ region: PixelRect, _ state: LayerBitmap.State) -> LayerBitmap {
      let pixel = 1 / CGFloat(scale)
      let rect = region.cgRect.applying(CGAffineTransform(scaleX: pixel, y: pixel))
        .offsetBy(dx: values.bounds.minX, dy: values.bounds.minY)
      return LayerBitmap(key: key, region: region, rect: rect, state: state)
    }
    if let known = key.flatMap({ known[$0] }) {
      return bitmap(known.value, .cached(known.texture))
    }
    let measured = MeasuredTree(
      tree.evaluate(row, alone, scale: scale, within: maxTextureSize, in: evaluated), self,
      depth: depth + 1)
    let region = measured.evaluated.area
    guard !region.isEmpty, region.width <= maxTextureSize, region.height <= maxTextureSize,
      region.width * region.height <= Self.pixelLimit
    else { return nil }
    return bitmap(region, .uncached(measured))
  }

  private func key(
    of row: Int, _ alone: LayerValues, in evaluated: EvaluatedTree
  ) -> LayerBitmapKey? {
    let place = evaluated.rows[row]
    let rows = evaluated.subtree(of: row)
    guard
      rows.allSatisfy({
        let row = evaluated.rows[$0]
        return row.transition < 0 && row.contentsMix < 0 && row.frozen < 0
      })
    else { return nil }
    var numbers: [Int: Int] = [:]
    for (number, row) in rows.enumerated() { numbers[row] = number }
    let members = rows.enumerated().dropFirst().map { number, index in
      let row = evaluated.rows[index]
      let animated = row.animated >= 0 ? evaluated.animatedValues[row.animated] : nil
      let contents =
        animated.map(\.contents)
        ?? tree.withNode(row.slot, in: nil) { $0.pointee.values.contents }
      return LayerBitmapKey.Member(
        layer: tree.id(of: row.slot), parent: number - (numbers[row.parent] ?? 0),
        isMask: row.isMask, version: tree.nodes[row.slot].version, animated: animated,
        image: contents.flatMap { tree.images[$0]?.stamp })
    }
    return LayerBitmapKey(
      session: evaluated.session, layer: tree.id(of: place.slot), isFlipped: place.isFlipped,
      values: alone, image: alone.contents.flatMap { tree.images[$0]?.stamp }, members: members)
  }
}

extension LayerValues {
  /// The values that the layer's own bitmap uses: without its place among other layers, and without
  /// the values that combine it with what is behind it.
  fileprivate var alone: LayerValues {
    var values = self
    values.position = CGPoint(
      x: anchorPoint.x * bounds.width, y: anchorPoint.y * bounds.height)
    values.zPosition = anchorPointZ
    values.transform = .identity
    values.isGeometryFlipped = false
    values.isDoubleSided = true
    values.opacity = 1
    values.effects.backgroundFilters = nil
    values.effects.compositingFilter = nil
    values.effects.shouldRasterize = false
    return values
  }
}
