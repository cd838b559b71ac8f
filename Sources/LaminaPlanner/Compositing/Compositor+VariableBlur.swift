import Foundation
import LaminaRenderTree
import LaminaValues

/// Blurs whose standard deviation a mask varies over a layer.
///
/// The image is blurred by the whole standard deviation, the half of it, a quarter and an eighth.
/// Each pixel is then mixed, in proportion to the mask's alpha, from the two of these between which
/// its own standard deviation lies, or from the image itself and the one that is blurred least.
extension Compositor {
  /// The parts of the standard deviation by which the image is blurred, in ascending order.
  private static let blurLevels = [0.125, 0.25, 0.5, 1]

  /// The part in `region` of an image after a layer's blur; nil if nothing is visible.
  mutating func blurred(
    _ image: GroupImage, _ blur: LayerFilters.Blur, of row: Int, _ values: ValuesPointer,
    in region: PixelRect, repeatsEdges: Bool, _ context: Context
  ) -> GroupImage? {
    let projection = Projection(evaluated.toPixels[row])
    let center = values.pointee.bounds.center
    func blurred(_ compositor: inout Compositor, by part: Double) -> GroupImage? {
      compositor.blurred(
        image, projection.blur(of: part * blur.sigma, at: center), in: region,
        repeatsEdges: repeatsEdges, of: context)
    }
    guard !region.isEmpty, let id = blur.mask, let mask = number(of: id, in: row) else {
      return blurred(&self, by: 1)
    }
    let cover = cover(by: mask, of: row, values, in: region, context)
    var steps: [(level: GroupImage, cover: GroupImage)] = []
    var last = 0.0
    for part in Self.blurLevels {
      defer { last = part }
      guard !projection.blur(of: part * blur.sigma, at: center).isIdentity,
        let level = blurred(&self, by: part)
      else { continue }
      // Its share of the mix: none where the mask's alpha is `last` or less, all from `part` on.
      var share = ColorMatrix.scaling([0, 0, 0, 1 / (part - last)])
      share.bias.w = -last / (part - last)
      steps.append((level, colored(cover, share, of: context)))
    }
    return group(region, isWhole: true, in: context) { compositor, inner in
      compositor.copy(image, in: inner)
      for step in steps { compositor.replace(with: step.level, under: step.cover, in: inner) }
    }
  }

  /// The part in `region` of a mask's image, by its number, stretched over the layer's bounds. Its
  /// edge pixels go on outside.
  private mutating func cover(
    by mask: Int, of row: Int, _ values: ValuesPointer, in region: PixelRect,
    _ context: Context
  ) -> GroupImage {
    let size = graph.images.drawn[mask].image.layout.size
    let bounds = values.pointee.bounds
    let projection = Projection(evaluated.toPixels[row])
    // In perspective the region may reach behind the viewer, and the mask is as far again as wide.
    var area = bounds.insetBy(dx: -bounds.width, dy: -bounds.height)
    if projection.isAffine {
      area = area.union(region.cgRect.applying(projection.affine.inverted()))
    }
    return group(region, isWhole: true, in: context) { compositor, inner in
      let layer = compositor.layer(row, values, in: inner)
      compositor.addItems(in: inner) {
        $0.addImage(mask, size, over: bounds, in: area, of: layer)
      }
    }
  }
}
