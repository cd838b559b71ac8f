import Foundation
import LaminaFramePlan
import LaminaValues

extension Compositor {
  /// Draws the bitmap of a rasterized layer as contents are drawn: stretched, with linear
  /// filtering.
  mutating func draw(_ bitmap: LayerBitmap, of row: Int, in context: Context) {
    let projection = Projection(evaluated.rows[row].toSurface, origin: context.region)
    let rect = bitmap.rect
    guard let quad = ProjectedQuad(rect, through: projection, antialiased: []) else { return }
    mark(bitmap, of: row, in: context)
    let source = FramePlan.TextureSource(texture: painted(bitmap, of: row), filter: .linear)
    let tint = SIMD4(repeating: channel(context.opacity))
    let isWhole = tint == [1, 1, 1, 1]
    add(isWhole ? .plainImage : .image, sources: [source], quad: quad, in: context) {
      vertex, out in
      if !isWhole { out.append(tint) }
      out.append(Float((vertex.local.x - rect.minX) / rect.width))
      out.append(Float((vertex.local.y - rect.minY) / rect.height))
    }
  }

  /// The texture of a layer bitmap, painted now unless this frame or an earlier one has painted it.
  private mutating func painted(
    _ bitmap: LayerBitmap, of row: Int
  ) -> FramePlan.TextureSource.Texture {
    if let known = paintedBitmaps[row] { return known }
    let texture = paint(bitmap, of: row)
    paintedBitmaps[row] = texture
    return texture
  }

  private mutating func paint(
    _ bitmap: LayerBitmap, of row: Int
  ) -> FramePlan.TextureSource.Texture {
    let size = bitmap.region.size
    let owner = owner(row, .bitmap)
    switch bitmap.state {
    case .cached(let texture):
      if let key = bitmap.key {
        _ = ledger.bitmaps.take(key, for: owner)
      }
      ledger.keptBitmapPixels += size.width * size.height
      return .canvas(texture)
    case .uncached(let tree):
      if let key = bitmap.key, let texture = ledger.bitmaps.take(key, for: owner) {
        return .canvas(texture)
      }
      if let key = bitmap.key,
        ledger.keptBitmapPixels + size.width * size.height <= bitmapPixelLimit
      {
        ledger.keptBitmapPixels += size.width * size.height
        let texture = ledger.makeTexture()
        ledger.bitmaps.keep(
          texture, bitmap.region, byteCount: size.width * size.height * (isEightBit ? 4 : 8),
          for: key, of: owner)
        plan.canvases.append(FramePlan.Canvas(texture: texture, size: size))
        paint(tree, into: .canvas(texture))
        return .canvas(texture)
      }
      let index = plan.offscreens.count
      plan.offscreens.append(size)
      paint(tree, into: .offscreen(index))
      return .offscreen(index)
    }
  }

  /// The owner of the textures that a part of the row's layer makes.
  func owner(_ row: Int, _ part: TextureOwner.Part) -> TextureOwner {
    let place = evaluated.rows[row]
    guard place.frozen >= 0 else {
      return TextureOwner(
        session: evaluated.session, layer: .living(tree.id(of: place.slot)), part: part)
    }
    let subtree = ObjectIdentifier(evaluated.frozenSubtrees[place.frozen])
    return TextureOwner(
      session: evaluated.session, layer: .frozen(subtree, place.place), part: part)
  }

  private mutating func paint(_ tree: MeasuredTree, into target: FramePlan.Target) {
    var inner = makeInner(tree)
    inner.paint(into: target)
    takeBack(&inner)
  }

  /// Largest number of pixels in layer bitmaps that are kept from frame to frame: two and a half
  /// times the number on the surface, as on Apple's systems, but at least four million. Further
  /// bitmaps are painted for each frame.
  var bitmapPixelLimit: Int {
    max(plan.size.width * plan.size.height * 5 / 2, 1 << 22)
  }
}
