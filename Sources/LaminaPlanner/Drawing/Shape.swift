import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaValues

/// Everything that the pixels of a path's coverage depend on: equal masks mean equal coverage. The
/// whole pixels of the path's position are not part of it, so that a path that moves by whole
/// pixels, for example while scrolling, is drawn once.
struct PathMask: Hashable {
  var path: Path
  var ink: PathInk
  /// From the path's own space to pixels; its translation is the fraction of a pixel.
  var transform: CGAffineTransform
  /// In the pixels to which `transform` maps.
  var region: PixelRect
}

/// The place of a path on the surface: whole pixels, and the rest in steps of 2^-16 pixel. The rest
/// is rounded so that a path that moves by whole pixels has the same one, whatever floating point
/// makes of sums; the step is far below what Cairo, which counts in 2^-8, can tell.
private struct PathPlace {
  var x: Int
  var y: Int
  /// From the path's own space to pixels, relative to `x` and `y`.
  var transform: CGAffineTransform

  /// nil if the path is too far away for pixel coordinates.
  init?(_ transform: CGAffineTransform) {
    let far = CGFloat(1 << 40)
    guard abs(transform.tx) < far, abs(transform.ty) < far else { return nil }
    func split(_ v: CGFloat) -> (whole: Int, part: CGFloat) {
      let parts = Int((v * 65536).rounded())
      return (parts >> 16, CGFloat(parts & 65535) / 65536)
    }
    let (x, y) = (split(transform.tx), split(transform.ty))
    (self.x, self.y) = (x.whole, y.whole)
    self.transform = transform
    (self.transform.tx, self.transform.ty) = (x.part, y.part)
  }
}

extension DrawnItems {
  /// Adds the fill of the layer's path.
  mutating func addShapeFill(of layer: LayerDrawing) {
    let shape = layer.values.pointee.shape
    guard let path = shape.path, !path.isEmpty, let color = shape.fillColor, color.alpha > 0 else {
      return
    }
    add(path, ink: .fill(shape.fillRule), color, of: layer)
  }

  /// Adds the stroke of the layer's path.
  mutating func addShapeStroke(of layer: LayerDrawing) {
    let shape = layer.values.pointee.shape
    guard let path = shape.path, !path.isEmpty, let color = shape.strokeColor, color.alpha > 0,
      let style = shape.strokeStyle
    else { return }
    let stroked =
      shape.strokeStart <= 0 && shape.strokeEnd >= 1
      ? path : path.trimmed(from: shape.strokeStart, to: shape.strokeEnd)
    guard !stroked.isEmpty else { return }
    add(stroked, ink: .stroke(style), color, of: layer)
  }

  /// Adds a path of the layer's space.
  mutating func add(_ path: Path, ink: PathInk, _ color: CGColor, of layer: LayerDrawing) {
    let box = path.inkBounds(ink)
    guard !box.isNull, box.width.isFinite, box.height.isFinite else { return }
    var item = Item(
      .coverage, blend: layer.blend ?? .sourceOver,
      color: self.color(color, tint: layer.tint, layer.format))
    guard layer.projection.isAffine else {
      addTilted(path, ink: ink, item, box: box, of: layer)
      return
    }
    guard let place = PathPlace(layer.projection.affine) else { return }
    let whole = PixelRect(
      covering: box.applying(place.transform).insetBy(dx: -1, dy: -1), within: Self.everywhere)
    let longest = min(layer.format.maxTextureSize, 4096)
    let seen = whole.intersection(layer.visible.offset(x: -place.x, y: -place.y))
    for region in Self.maskRegions(of: whole, seen: seen, longest: longest) {
      let target = region.offset(x: place.x, y: place.y)
      item.sources.x = mask(
        PathMask(path: path, ink: ink, transform: place.transform, region: region), .nearest)
      item.parameters = list.map(CGAffineTransform(unitOf: target.cgRect))
      list.add(item, target.intersection(layer.visible), within: layer.visible)
    }
  }

  private mutating func mask(
    _ mask: PathMask, _ filter: FramePlan.TextureSource.Filter
  ) -> UInt32 {
    masks.append(mask)
    return source(.mask(masks.count - 1), filter)
  }

  private static let everywhere = PixelRect(
    minX: -1 << 42, minY: -1 << 42, maxX: 1 << 42, maxY: 1 << 42)

  /// Largest number of pixels in an undivided mask, and the side length of the tiles of larger
  /// masks.
  private static let (wholeMaskLimit, maskTile) = (1 << 22, 1024)

  /// The regions of the masks that cover `seen`, the visible part of a path: one for the whole
  /// path, or those of a grid of tiles.
  private static func maskRegions(
    of whole: PixelRect, seen: PixelRect, longest: Int
  ) -> [PixelRect] {
    guard !seen.isEmpty else { return [] }
    if whole.width <= longest, whole.height <= longest,
      whole.width * whole.height <= wholeMaskLimit
    {
      return [whole]
    }
    func places(_ low: Int, _ high: Int, from origin: Int) -> ClosedRange<Int> {
      (low - origin) / maskTile...(high - 1 - origin) / maskTile
    }
    var tiles: [PixelRect] = []
    for row in places(seen.minY, seen.maxY, from: whole.minY) {
      for column in places(seen.minX, seen.maxX, from: whole.minX) {
        let tile = PixelRect(PixelSize(width: maskTile, height: maskTile))
          .offset(x: whole.minX + column * maskTile, y: whole.minY + row * maskTile)
        tiles.append(tile.intersection(whole))
      }
    }
    return tiles
  }

  /// Adds a path in perspective: a flat mask is drawn at about the path's size on the screen, and
  /// then tilted.
  private mutating func addTilted(
    _ path: Path, ink: PathInk, _ coverage: Item, box: CGRect, of layer: LayerDrawing
  ) {
    let longest = max(box.width, box.height)
    let limit = CGFloat(min(layer.format.maxTextureSize, 4096) - 4)
    guard longest > 0 else { return }
    let scale = min(max(layer.projection.scale(at: box.center), 1e-3), limit / longest)
    let flat = CGAffineTransform(scaleX: scale, y: scale)
    let region = PixelRect(
      covering: box.applying(flat).insetBy(dx: -1, dy: -1), within: Self.everywhere)
    guard !region.isEmpty, region.width <= Int(limit) + 4, region.height <= Int(limit) + 4 else {
      return
    }
    let rect = region.cgRect.applying(CGAffineTransform(scaleX: 1 / scale, y: 1 / scale))
    var item = coverage
    item.sources.x = mask(
      PathMask(path: path, ink: ink, transform: flat, region: region), .linear)
    item.parameters = list.map(CGAffineTransform(unitOf: rect))
    add(item, rect, [], of: layer)
  }
}

extension Path {
  /// The area that the ink may touch, in the path's own space.
  func inkBounds(_ ink: PathInk) -> CGRect {
    let box = controlPointBounds
    guard case .stroke(let style) = ink, !box.isNull else { return box }
    return box.insetBy(dx: -style.reach, dy: -style.reach)
  }
}

extension ShapeValues {
  /// nil if the line has no width.
  var strokeStyle: StrokeStyle? {
    guard lineWidth > 0, lineWidth.isFinite else { return nil }
    return StrokeStyle(
      width: lineWidth, cap: lineCap, join: lineJoin, miterLimit: miterLimit,
      dashes: lineDashPattern ?? [], dashPhase: lineDashPhase)
  }
}
