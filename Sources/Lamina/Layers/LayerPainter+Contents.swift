import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaValues

extension LayerPainter {
  /// Paints a layer's contents in a context whose space is the layer's own.
  func paintContents(of layer: CALayer, _ values: LayerValues, _ setting: Setting) {
    if let tiled = layer as? CATiledLayer, tiled.drawsTiles {
      return paintTiles(of: tiled, values, setting)
    }
    layer.finishDrawing()
    let store = layer.contentsStorage as? LayerStore
    guard let image = store?.image ?? layer.contentsStorage as? CGImage else { return }
    let (red, green, blue, alpha) =
      (values.contentsDetail.multiplyColor ?? CGColor.white).extendedSRGB
    let tint = SIMD4(red * alpha, green * alpha, blue * alpha, alpha) * Double(setting.opacity)
    let pieces = ContentsPlacement(values, imageSize: image.buffer.size).pieces
    guard pieces.count > 1 else {
      for piece in pieces {
        paint(piece, of: image, values, isFlipped: setting.isFlipped, tint: tint)
      }
      return
    }
    // Between pixels, soft edges of parts that meet would show what lies behind. So only the clip
    // is soft, and the outer parts reach beyond it.
    let box = pieces.reduce(CGRect.null) { $0.union($1.destination) }
    let pixels = context.pixelsPerUnit
    let reach = 1 / max(min(pixels.across, pixels.down), 1e-6)
    context.saveGState()
    context.clip(to: box)
    context.setShouldAntialias(false)
    for piece in pieces {
      paint(
        piece, of: image, values, isFlipped: setting.isFlipped, tint: tint,
        within: piece.destination.reaching(reach, beyond: box))
    }
    context.restoreGState()
  }

  /// Paints what a layer's tiles show, at once.
  private func paintTiles(of layer: CATiledLayer, _ values: LayerValues, _ setting: Setting) {
    context.saveGState()
    context.clip(to: values.bounds)
    let isFaded = setting.opacity < 1
    if isFaded {
      context.multiplyAlpha(by: setting.opacity)
      context.beginTransparencyLayer(auxiliaryInfo: nil)
    }
    layer.draw(in: context)
    if isFaded { context.endTransparencyLayer() }
    context.restoreGState()
  }

  /// Paints a part of an image that stays upright: `isFlipped` tells whether y points up. `rect` is
  /// the rectangle to paint, the part's own if nil.
  func paint(
    _ piece: ContentsPlacement.Piece, of image: CGImage, _ values: LayerValues, isFlipped: Bool,
    tint: SIMD4<Double>, within rect: CGRect? = nil
  ) {
    let (to, from) = (piece.destination, piece.source)
    let (kx, ky) = (to.width / from.width, to.height / from.height)
    let pixels = context.pixelsPerUnit
    let quality = values.contentsDetail.quality(
      scale: min(pixels.across * kx, pixels.down * ky))
    context.interpolationQuality = quality
    // As in the render process, a pixel in the middle between two of the image shows the further
    // one.
    let nudge: CGFloat = quality == .none ? 1.0 / 1024 : 0
    // In a piece, y runs as in the layer; in an image, from the top row down.
    let (left, top) =
      (from.minX + nudge, isFlipped ? CGFloat(image.height) - from.minY + nudge : from.minY + nudge)
    let down = isFlipped ? -ky : ky
    let place = CGAffineTransform(
      a: kx, b: 0, c: 0, d: down, tx: to.minX - left * kx, ty: to.minY - top * down)
    context.draw(image, placedBy: place, within: rect ?? to, tint: tint)
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

extension CGRect {
  /// The rectangle, with those of its sides that are sides of a box around it moved outwards.
  fileprivate func reaching(_ reach: CGFloat, beyond box: CGRect) -> CGRect {
    let slack = 1e-6 * max(box.width, box.height)
    func moved(_ side: CGFloat, _ outer: CGFloat, by reach: CGFloat) -> CGFloat {
      abs(side - outer) <= slack ? side + reach : side
    }
    return CGRect(enclosing: [
      CGPoint(x: moved(minX, box.minX, by: -reach), y: moved(minY, box.minY, by: -reach)),
      CGPoint(x: moved(maxX, box.maxX, by: reach), y: moved(maxY, box.maxY, by: reach)),
    ])
  }
}
