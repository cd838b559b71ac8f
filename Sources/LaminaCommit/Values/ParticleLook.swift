import Foundation
import LaminaAnimation
import LaminaValues

extension ParticleCloud.Look {
  /// The size in points of a particle of scale 1.
  package func size(imageSize: PixelSize) -> SIMD2<Double> {
    guard contentsScale > 0 else { return .zero }
    return SIMD2(
      Double(imageSize.width) * abs(contentsRect.width) / contentsScale,
      Double(imageSize.height) * abs(contentsRect.height) / contentsScale)
  }

  /// A layer that looks like a particle of scale 1, with its middle at the origin; nil if that has
  /// no size.
  package func layerValues(imageSize: PixelSize) -> LayerValues? {
    let half = size(imageSize: imageSize) / 2
    guard half.x > 0, half.y > 0, half.x < 1e7, half.y < 1e7 else { return nil }
    var values = LayerValues()
    values.bounds = CGRect(x: -half.x, y: -half.y, width: half.x * 2, height: half.y * 2)
    values.contents = contents
    values.contentsDetail.rect = contentsRect
    values.contentsDetail.minificationFilter = minificationFilter
    values.contentsDetail.magnificationFilter = magnificationFilter
    values.contentsDetail.minificationFilterBias = minificationFilterBias
    return values
  }
}
