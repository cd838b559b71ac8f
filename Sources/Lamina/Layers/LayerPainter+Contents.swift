import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaValues

extension LayerPainter {
  /// Paints a layer's contents in a context whose space is the layer's own.
  func paintContents(of layer: CALayer, _ values: LayerValues, _ setting: Setting) {
    let store = layer.contentsStorage as? BackingStore
    guard let image = store?.image ?? layer.contentsStorage as? CGImage else { return }
    let (red, green, blue, alpha) =
      (values.contentsDetail.multiplyColor ?? CGColor.white).extendedSRGB
    let tint = SIMD4(red * alpha, green * alpha, blue * alpha, alpha) * Double(setting.opacity)
    for piece in ContentsPlacement(values, imageSize: image.buffer.size).pieces {
      paint(piece, of: image, values, isFlipped: setting.isFlipped, tint: tint)
    }
  }

  /// Paints a part of an image that stays upright: `isFlipped` tells whether y points up.
  func paint(
    _ piece: ContentsPlacement.Piece, of image: CGImage, _ values: LayerValues, isFlipped: Bool,
    tint: SIMD4<Double>
  ) {
    let (to, from) = (piece.destination, piece.source)
    let (kx, ky) = (to.width / from.width, to.height / from.height)
    // In a piece, y runs as in the layer; in an image, from the top row down.
    let place =
      isFlipped
      ? CGAffineTransform(
        a: kx, b: 0, c: 0, d: -ky, tx: to.minX - from.minX * kx,
        ty: to.minY + (CGFloat(image.height) - from.minY) * ky)
      : CGAffineTransform(
        a: kx, b: 0, c: 0, d: ky, tx: to.minX - from.minX * kx, ty: to.minY - from.minY * ky)
    let pixels = context.pixelsPerUnit
    context.interpolationQuality = values.contentsDetail.quality(
      scale: min(pixels.across * kx, pixels.down * ky))
    context.draw(image, placedBy: place, within: to, tint: tint)
  }
}

extension ContentsValues {
  /// How contents are resampled that are drawn with `scale` pixels for each of theirs, along the
  /// axis on which these are fewer. The render process decides alike.
  fileprivate func quality(scale: CGFloat) -> CGInterpolationQuality {
    // A scale of 1 with a rounding error is no minification.
    switch scale < 1 - 1e-6 ? minificationFilter : magnificationFilter {
    case .nearest: .none
    case .linear: .low
    case .trilinear: scale < 1 - 1e-6 ? .medium : .low
    }
  }
}
