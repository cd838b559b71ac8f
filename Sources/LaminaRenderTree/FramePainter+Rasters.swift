import Foundation
import LaminaCommit
import LaminaValues

extension FramePainter {
  /// Draws a rasterized layer's picture, as contents are drawn: stretched, filtered linearly.
  mutating func draw(_ raster: Raster, of row: Int, in context: Context) {
    let projection = Projection(evaluated.rows[row].toSurface, origin: context.region)
    let rect = raster.rect
    guard let quad = ProjectedQuad(rect, through: projection, antialiased: []) else { return }
    mark(raster, of: row, in: context)
    let source = FramePlan.TextureSource(texture: painted(raster, of: row), filter: .linear)
    let tint = SIMD4(repeating: channel(context.opacity))
    let isWhole = tint == [1, 1, 1, 1]
    add(isWhole ? .plainImage : .image, sources: [source], quad: quad, in: context) {
      vertex, out in
      if !isWhole { out.append(tint) }
      out.append(Float((vertex.local.x - rect.minX) / rect.width))
      out.append(Float((vertex.local.y - rect.minY) / rect.height))
    }
  }

  /// Where the picture is, painted where it is not at hand.
  private mutating func painted(
    _ raster: Raster, of row: Int
  ) -> FramePlan.TextureSource.Texture {
    if let known = paintedRasters[row] { return known }
    let texture = paint(raster)
    paintedRasters[row] = texture
    return texture
  }

  private mutating func paint(_ raster: Raster) -> FramePlan.TextureSource.Texture {
    let size = raster.region.size
    switch raster.picture {
    case .painted(let texture):
      if let key = raster.key { _ = planner.rasters.take(key) }
      planner.keptRasterPixels += size.width * size.height
      return .canvas(texture)
    case .unpainted(let tree):
      if let key = raster.key,
        planner.keptRasterPixels + size.width * size.height <= rasterPixelLimit
      {
        planner.keptRasterPixels += size.width * size.height
        let texture = planner.makeTexture()
        planner.rasters.keep(RasterTexture(texture: texture, region: raster.region), for: key)
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

  private mutating func paint(_ tree: MeasuredTree, into target: FramePlan.Target) {
    var inner = makeInner(tree)
    inner.paint(into: target)
    takeBack(&inner)
  }

  /// How many pixels of rasterized layers are kept from frame to frame, two and a half times what
  /// the surface has, as on Apple's systems, but as many as four million on small ones. Further ones
  /// are painted for each frame.
  private var rasterPixelLimit: Int {
    max(plan.size.width * plan.size.height * 5 / 2, 1 << 22)
  }
}
