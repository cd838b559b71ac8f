import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

/// What a path mask's pixels depend on: two equal keys have equal coverage.
struct MaskKey: SessionKey {
  var session: SessionID
  var path: Path
  var ink: PathInk
  var transform: CGAffineTransform
  /// In the transform's pixels.
  var region: PixelRect
}

extension Compositor {
  /// Fill, then stroke over it.
  mutating func paintShape(of row: Int, _ values: LayerValues, in context: Context) {
    let shape = values.shape
    guard let path = shape.path, !path.isEmpty else { return }
    if let color = shape.fillColor, color.alpha > 0 {
      paint(path, ink: .fill(shape.fillRule), color, row: row, in: context)
    }
    guard let color = shape.strokeColor, color.alpha > 0,
      let style = shape.strokeStyle
    else { return }
    let stroked =
      shape.strokeStart <= 0 && shape.strokeEnd >= 1
      ? path : path.trimmed(from: shape.strokeStart, to: shape.strokeEnd)
    guard !stroked.isEmpty else { return }
    paint(stroked, ink: .stroke(style), color, row: row, in: context)
  }

  mutating func paint(
    _ path: Path, ink: PathInk, _ color: CGColor, row: Int, in context: Context
  ) {
    let projection = Projection(evaluated.rows[row].toSurface, origin: .empty)
    let tint = premultiplied(color, context.opacity)
    let box = path.inkBounds(ink)
    guard !box.isNull, box.width.isFinite, box.height.isFinite else { return }
    guard projection.isAffine else {
      paintTilted(path, ink: ink, tint, box: box, row: row, in: context)
      return
    }
    let region = PixelRect(
      covering: box.applying(projection.affine).insetBy(dx: -1, dy: -1),
      within: visible(in: context))
    guard !region.isEmpty,
      let mask = mask(path, ink: ink, projection.affine, region),
      let quad = Self.pixelQuad(region, in: context)
    else { return }
    let target = CGRect(
      x: CGFloat(region.minX - context.region.minX), y: CGFloat(region.minY - context.region.minY),
      width: CGFloat(region.width), height: CGFloat(region.height))
    let source = FramePlan.TextureSource(texture: .texture(mask), filter: .nearest)
    add(.coverage, sources: [source], quad: quad, in: context) { vertex, out in
      out.append(tint)
      out.append(Float((vertex.pixel.x - target.minX) / target.width))
      out.append(Float((vertex.pixel.y - target.minY) / target.height))
    }
  }

  /// In perspective a path is drawn flat, at about the size that it has on the screen, and the
  /// picture is tilted.
  private mutating func paintTilted(
    _ path: Path, ink: PathInk, _ tint: SIMD4<Float>, box: CGRect, row: Int, in context: Context
  ) {
    let projection = Projection(evaluated.rows[row].toSurface, origin: context.region)
    let longest = max(box.width, box.height)
    let limit = CGFloat(min(ledger.profile.maxTextureSize, 4096) - 4)
    guard longest > 0 else { return }
    let scale = min(max(projection.scale(at: box.center), 1e-3), limit / longest)
    let flat = CGAffineTransform(scaleX: scale, y: scale)
    let everything = PixelRect(minX: -1 << 24, minY: -1 << 24, maxX: 1 << 24, maxY: 1 << 24)
    let region = PixelRect(
      covering: box.applying(flat).insetBy(dx: -1, dy: -1), within: everything)
    guard !region.isEmpty, region.width <= Int(limit) + 4, region.height <= Int(limit) + 4,
      let mask = mask(path, ink: ink, flat, region)
    else { return }
    let rect = region.cgRect.applying(CGAffineTransform(scaleX: 1 / scale, y: 1 / scale))
    guard let quad = ProjectedQuad(rect, through: projection, antialiased: []) else { return }
    let source = FramePlan.TextureSource(texture: .texture(mask), filter: .linear)
    add(.coverage, sources: [source], quad: quad, in: context) { vertex, out in
      out.append(tint)
      out.append(Float((vertex.local.x - rect.minX) / rect.width))
      out.append(Float((vertex.local.y - rect.minY) / rect.height))
    }
  }

  /// The texture of a path's coverage, drawn and uploaded where no equal one is at hand.
  private mutating func mask(
    _ path: Path, ink: PathInk, _ transform: CGAffineTransform, _ region: PixelRect
  ) -> TextureID? {
    let key = MaskKey(
      session: evaluated.session, path: path, ink: ink, transform: transform, region: region)
    if let known = ledger.masks.take(key) { return known }
    guard
      let coverage = PathRasterizer.coverage(
        of: path, ink: ink, transform: transform, region: region)
    else { return nil }
    let texture = ledger.makeTexture()
    ledger.masks.keep(texture, for: key)
    plan.uploads.append(
      FramePlan.Upload(
        texture: texture, size: region.size, format: .a8, region: PixelRect(region.size),
        source: .bytes(coverage)))
    return texture
  }
}

extension Path {
  /// What the ink may touch, in the path's own space.
  func inkBounds(_ ink: PathInk) -> CGRect {
    let box = controlPointBounds
    guard case .stroke(let style) = ink, !box.isNull else { return box }
    return box.insetBy(dx: -style.reach, dy: -style.reach)
  }
}

extension ShapeValues {
  /// nil where the line has no width.
  var strokeStyle: StrokeStyle? {
    guard lineWidth > 0, lineWidth.isFinite else { return nil }
    return StrokeStyle(
      width: lineWidth, cap: lineCap, join: lineJoin, miterLimit: miterLimit,
      dashes: lineDashPattern ?? [], dashPhase: lineDashPhase)
  }
}
