import CCairo
import Foundation
import LaminaValues

extension CGContext {
  /// Draws what an image shows within a rectangle of user space. `place` maps the image's pixels, y
  /// down, to user space; beyond the image its outermost pixels continue. The image's premultiplied
  /// components are multiplied by `tint`: red, green, blue and alpha, 0…1.
  package func draw(
    _ image: CGImage, placedBy place: CGAffineTransform, within rect: CGRect,
    tint: SIMD4<Double> = SIMD4(repeating: 1)
  ) {
    let toPixels = place.concatenating(userToPixels)
    let tint = (tint * Double(state.alpha)).clamped(
      lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: 1))
    guard toPixels.cairo != nil, let pixels = surface(of: image),
      let drawn = pixels.tinted(by: tint)
    else { return }
    var shape = Path()
    shape.addRect(rect, transform: userToPixels)
    paint(
      PaintOperation(bounds: shape.drawnBounds) { [self] cairo in
        setSource(cairo, drawn, place: toPixels, extend: CAIRO_EXTEND_PAD)
      } drawShape: { cairo in
        shape.append(to: cairo)
        cairo_fill(cairo)
        // The source uses the image's own pixels, so the image must live until here.
        withExtendedLifetime(image) {}
      })
  }

  /// The number of pixels along a unit of user space's x axis, and along one of its y axis.
  package var pixelsPerUnit: (across: CGFloat, down: CGFloat) {
    let toPixels = userToPixels
    return (hypot(toPixels.a, toPixels.b), hypot(toPixels.c, toPixels.d))
  }
}

extension CairoSurface {
  /// The surface with its components multiplied by a tint of red, green, blue and alpha: itself if
  /// the tint is white, else a copy; nil if out of memory.
  fileprivate func tinted(by tint: SIMD4<Double>) -> CairoSurface? {
    guard tint != SIMD4(repeating: 1) else { return self }
    guard let copy = faded(by: 1) else { return nil }
    // In memory a pixel is blue, green, red and alpha.
    let weights = SIMD4<UInt32>(
      SIMD4(tint.z, tint.y, tint.x, tint.w) * 255, rounding: .toNearestOrEven)
    copy.withBytes { bytes, stride in
      for y in 0..<region.height {
        for x in 0..<region.width {
          let pixel = bytes + y * stride + x * 4
          for channel in 0..<4 {
            pixel[channel] = UInt8((UInt32(pixel[channel]) * weights[channel] + 127) / 255)
          }
        }
      }
    }
    return copy
  }
}
