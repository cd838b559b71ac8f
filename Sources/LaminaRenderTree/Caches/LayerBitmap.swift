import Foundation
import LaminaCommit
import LaminaValues

/// What the picture of a rasterized layer depends on: where two are equal, so are the pixels. Where
/// the layer lies and its opacity are no part of it.
struct LayerBitmapKey: SessionKey {
  /// A layer below.
  struct Member: Equatable {
    var layer: LayerID
    /// How many rows its superlayer lies before it.
    var parent: Int
    var isMask: Bool
    var version: UInt64
    /// What animations make of its values.
    var animated: LayerValues?
    var image: UInt64?
  }

  var session: SessionID
  var layer: LayerID
  /// As in the row of the layer.
  var isFlipped: Bool
  /// Those of the layer by itself.
  var values: LayerValues
  /// The stamp of its contents.
  var image: UInt64?
  var members: [Member]

  func hash(into hasher: inout Hasher) {
    hasher.combine(session)
    hasher.combine(layer)
  }
}

/// A rasterized layer's picture on the device.
struct LayerBitmapTexture: SessionTexture {
  var texture: TextureID
  var region: PixelRect
}

/// A layer with shouldRasterize: it and all below it are painted in pixels of their own, of which
/// there are rasterizationScale in a point of the layer's space, from the origin of its bounds on.
/// Filters, shadow and mask are in that picture; the opacity, the compositing filter and what is
/// behind the layer are not.
struct LayerBitmap {
  /// nil where the picture changes by itself, and is made anew for each frame.
  var key: LayerBitmapKey?
  /// In the picture's pixels.
  var region: PixelRect
  /// The same in the layer's own space.
  var rect: CGRect
  var state: State

  enum State {
    /// By an earlier frame.
    case cached(TextureID)
    /// The layer as the root of a tree of its own.
    case uncached(MeasuredTree)
  }
}

/// An evaluated tree with what painting asks about its rows.
struct MeasuredTree {
  private(set) var evaluated: EvaluatedTree
  /// The outermost rasterized layers, by their rows.
  let bitmaps: [Int: LayerBitmap]
  /// What each row and all below it may touch, in the target's pixels.
  let extents: [CGRect]
  let filterExtents: FilterExtents

  /// Rasterized layers further inside of others than this are painted as any other layer is.
  fileprivate static let bitmapDepthLimit = 8

  /// `known` are the frozenSubtrees of rasterized layers that the device has, and `maxTextureSize` is the
  /// longest side that it allows them.
  init(
    _ evaluated: EvaluatedTree, of tree: RenderTree,
    known: SessionTextures<LayerBitmapKey, LayerBitmapTexture>, maxTextureSize: Int
  ) {
    let search = LayerBitmapSearch(tree: tree, known: known, maxTextureSize: maxTextureSize)
    self.init(evaluated, search, depth: 0)
  }

  fileprivate init(_ evaluated: EvaluatedTree, _ search: LayerBitmapSearch, depth: Int) {
    self.evaluated = evaluated
    bitmaps = depth < Self.bitmapDepthLimit ? search.bitmaps(in: evaluated, depth: depth) : [:]
    (extents, filterExtents) = search.tree.extents(of: evaluated, bitmaps: bitmaps)
    // Of a rasterized layer's picture, all is seen.
    if depth > 0 { self.evaluated.area = PixelRect(covering: extents[0], within: evaluated.area) }
  }
}

/// Finds the rasterized layers of an evaluated tree.
private struct LayerBitmapSearch {
  let tree: RenderTree
  let known: SessionTextures<LayerBitmapKey, LayerBitmapTexture>
  let maxTextureSize: Int

  private static let pixelLimit = 1 << 25

  func bitmaps(in evaluated: EvaluatedTree, depth: Int) -> [Int: LayerBitmap] {
    var bitmaps: [Int: LayerBitmap] = [:]
    var row = 0
    while row < evaluated.rows.count {
      if let bitmap = bitmap(of: row, in: evaluated, depth: depth) {
        bitmaps[row] = bitmap
        row = evaluated.rows[row].end
      } else {
        row += 1
      }
    }
    return bitmaps
  }

  /// nil for a layer that is not rasterized, or whose picture no texture could hold.
  private func bitmap(of row: Int, in evaluated: EvaluatedTree, depth: Int) -> LayerBitmap? {
    let place = evaluated.rows[row]
    guard place.transition < 0, place.kind != .transform, tree.hasEffects(place, in: evaluated)
    else { return nil }
    let values = tree.values(of: place, in: evaluated)
    let scale = values.effects.rasterizationScale
    guard values.effects.shouldRasterize, scale > 0, scale.isFinite else { return nil }
    let alone = values.alone
    let key = key(of: row, alone, in: evaluated)
    func bitmap(_ region: PixelRect, _ state: LayerBitmap.State) -> LayerBitmap {
      let pixel = 1 / CGFloat(scale)
      let rect = region.cgRect.applying(CGAffineTransform(scaleX: pixel, y: pixel))
        .offsetBy(dx: values.bounds.minX, dy: values.bounds.minY)
      return LayerBitmap(key: key, region: region, rect: rect, state: state)
    }
    if let known = key.flatMap({ known[$0] }) {
      return bitmap(known.region, .cached(known.texture))
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
    let rows = evaluated.rows[row..<place.end]
    guard rows.allSatisfy({ $0.transition < 0 && $0.contentsMix < 0 && $0.frozen < 0 }) else {
      return nil
    }
    let members = rows.indices.dropFirst().map { index in
      let row = rows[index]
      let animated = row.animated >= 0 ? evaluated.animatedValues[row.animated] : nil
      let contents =
        animated.map(\.contents)
        ?? tree.withNode(row.slot, in: nil) { $0.pointee.values.contents }
      return LayerBitmapKey.Member(
        layer: tree.id(of: row.slot), parent: index - row.parent,
        isMask: evaluated.rows[row.parent].mask == index,
        version: tree.nodes[row.slot].version, animated: animated,
        image: contents.flatMap { tree.images[$0]?.stamp })
    }
    return LayerBitmapKey(
      session: evaluated.session, layer: tree.id(of: place.slot), isFlipped: place.isFlipped,
      values: alone, image: alone.contents.flatMap { tree.images[$0]?.stamp }, members: members)
  }
}

extension RenderTree {
  /// Evaluates a rasterized layer, by a row of a tree, as the root of a tree of its own.
  fileprivate func evaluate(
    _ index: Int, _ alone: LayerValues, scale: Double, within limit: Int,
    in evaluated: EvaluatedTree
  ) -> EvaluatedTree {
    let row = evaluated.rows[index]
    var tree = EvaluatedTree(
      session: evaluated.session, time: evaluated.time, size: evaluated.size,
      area: PixelRect(minX: -limit, minY: -limit, maxX: limit, maxY: limit), scale: scale,
      clocks: [EvaluatedTree.Clock(timing: nil, parent: -1, time: evaluated.time(of: row))],
      version: evaluated.version)
    tree.frozenSubtrees = evaluated.frozenSubtrees
    _ = tree.animatedValues.add(alone)
    tree.levelsAbove = evaluated.level(of: index) - 1
    let root = PendingRow(
      slot: row.frozen < 0 ? row.slot : row.place, frozen: row.frozen, parent: -1,
      level: tree.levelsAbove + 1, role: .bitmap(isFlipped: row.isFlipped))
    evaluate(into: &tree, root: root, rootTransform: tree.rootTransform)
    return tree
  }

  func hasEffects(_ row: EvaluatedTree.Row, in evaluated: EvaluatedTree) -> Bool {
    if row.animated >= 0 {
      return evaluated.animatedValues.read(row.animated) { LayerValues.hasEffects(at: $0) }
    }
    return withNode(row.slot, in: nil) { LayerValues.hasEffects(at: Node.values(at: $0)) }
  }
}

extension LayerValues {
  /// As they are in the layer's own picture: where it lies among others, and what brings it to what
  /// is behind it, is left out.
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
