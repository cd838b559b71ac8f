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
    /// Of the layer; 0 for copies of the rasterized one, whose values are in the key.
    var version: UInt64
    /// Its values if animations change them; otherwise nil.
    var animated: LayerValues?
    var images: [UInt64]
  }

  var session: SessionID
  var layer: LayerID
  /// As in the layer's row.
  var isFlipped: Bool
  /// The layer's own values, without its place among other layers: see `alone`.
  var values: LayerValues
  /// The stamps of the images that the layer shows, or that its filters read.
  var images: [UInt64]
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
  /// nil if the bitmap shows a transition, mixed contents, a frozen subtree or an emitter. It is
  /// then painted again for each frame.
  var key: LayerBitmapKey?
  /// In the bitmap's pixels.
  var region: PixelRect
  /// The region in the layer's own space.
  var rect: CGRect
  /// The texture that an earlier frame painted; nil if there is none.
  var cached: TextureID?

  private static let pixelLimit = 1 << 25

  /// The region of a bitmap that shows `extent`. `maxTextureSize` is the longest side, in pixels,
  /// that the device allows it.
  static func region(of extent: Extent, _ maxTextureSize: Int) -> PixelRect {
    PixelRect(covering: extent.cgRect, within: limits(maxTextureSize))
  }

  /// The pixels that a bitmap can have at most.
  static func limits(_ maxTextureSize: Int) -> PixelRect {
    PixelRect(
      minX: -maxTextureSize, minY: -maxTextureSize, maxX: maxTextureSize, maxY: maxTextureSize)
  }

  /// Whether a region fits into a texture.
  static func fits(_ region: PixelRect, _ maxTextureSize: Int) -> Bool {
    !region.isEmpty && region.width <= maxTextureSize && region.height <= maxTextureSize
      && region.width * region.height <= pixelLimit
  }

  /// A region of a layer's bitmap, in the layer's own space.
  static func rect(of region: PixelRect, _ values: LayerValues) -> CGRect {
    let pixel = 1 / CGFloat(values.effects.rasterizationScale)
    return region.cgRect.applying(CGAffineTransform(scaleX: pixel, y: pixel))
      .offsetBy(dx: values.bounds.minX, dy: values.bounds.minY)
  }
}

extension LayerBitmapKey {
  /// The key of what the bitmap of a row shows; nil if it cannot be known by a key.
  init?(of outer: Int, of tree: RenderTree, in evaluated: EvaluatedTree) {
    let inside = evaluated.rows[outer].inside
    let (rows, slot) = (evaluated.subtree(of: inside), evaluated.rows[inside].slot)
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
      let images =
        animated.map { tree.stamps(ofImagesOf: $0) }
        ?? tree.withNode(row.slot, in: nil) { tree.stamps(ofImagesOf: $0.pointee.values) }
      return Member(
        layer: tree.id(of: row.slot), parent: number - (numbers[row.parent] ?? 0),
        isMask: row.isMask, version: row.slot == slot ? 0 : tree.nodes[row.slot].version,
        animated: animated, images: images)
    }
    let alone = tree.values(of: evaluated.rows[inside], in: evaluated)
    self.init(
      session: evaluated.session, layer: tree.id(of: slot),
      isFlipped: evaluated.rows[inside].isFlipped, values: alone,
      images: tree.stamps(ofImagesOf: alone), members: members)
  }
}
