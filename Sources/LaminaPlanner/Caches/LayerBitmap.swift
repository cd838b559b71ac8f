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
  /// nil if the bitmap shows a transition, mixed contents, a frozen subtree or an emitter. It is then
  /// painted again for each frame.
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

/// Makes the bitmaps of rasterized layers.
struct LayerBitmapSearch {
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
        return row.transition < 0 && row.contentsMix < 0 && row.frozen < 0 && row.kind != .emitter
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
