import CCairo
import Foundation
import LaminaValues

extension CGContext {
  /// Sets the shadow of all later drawing, in black at a third of its alpha.
  public func setShadow(offset: CGSize, blur: CGFloat) {
    setShadow(offset: offset, blur: blur, color: CGColor(gray: 0, alpha: 1.0 / 3))
  }

  /// Sets the shadow of all later drawing; a nil or transparent colour removes it.
  ///
  /// `offset` and `blur` are in the user space that the context began with, and do not follow later
  /// changes of the matrix. The drawing's alpha casts the shadow, even from outside the clip,
  /// blurred by a Gaussian whose standard deviation is half of `blur`.
  public func setShadow(offset: CGSize, blur: CGFloat, color: CGColor?) {
    setShadow(offset, color, softness: blur, from: baseTransform) {
      .gaussian(sigma: min($0 / 2, 500))
    }
  }

  /// Sets the shadow like `setShadow(offset:blur:color:)`, but in the current user space, and
  /// blurred by two box blurs, which together spread 2 × `radius`.
  package func setBoxShadow(offset: CGSize, radius: CGFloat, color: CGColor?) {
    setShadow(offset, color, softness: radius * 2, from: userToPixels) {
      .twoBoxes(reach: Int(min($0, 1500)))
    }
  }

  /// `blur` makes the blur from the softness in pixels.
  private func setShadow(
    _ offset: CGSize, _ color: CGColor?, softness: CGFloat, from space: CGAffineTransform,
    _ blur: (CGFloat) -> Blur
  ) {
    let inPixels = offset.applying(space)
    let softness = softness * abs(space.determinant).squareRoot()
    guard let color, color.isFinite, color.alpha > 0, inPixels.width.isFinite,
      inPixels.height.isFinite, !softness.isNaN
    else {
      state.shadow = nil
      return
    }
    state.shadow = Shadow(
      offset: CGVector(dx: inPixels.width, dy: inPixels.height),
      blur: blur(max(softness, 0)), color: color)
  }

  /// Draws the shadow of an operation without the operation itself, in the state's blend mode.
  func paint(_ shadow: Shadow, of operation: PaintOperation) {
    let reach = shadow.blur.reach
    let clip = clipRegion
    let everywhere = PixelRect(minX: -1 << 24, minY: -1 << 24, maxX: 1 << 24, maxY: 1 << 24)
    // The area that can cast a shadow into the clip, whether it lies in the clip itself or not.
    let casting = clip.cgRect.offsetBy(dx: -shadow.offset.dx, dy: -shadow.offset.dy)
      .insetBy(dx: -CGFloat(reach) - 1, dy: -CGFloat(reach) - 1)
    let drawn = PixelRect(covering: operation.bounds.insetBy(dx: -1, dy: -1), within: everywhere)
    let caster = PixelRect(covering: casting, within: drawn)
    guard !clip.isEmpty, !caster.isEmpty else { return }
    let region = PixelRect(
      minX: caster.minX - reach, minY: caster.minY - reach, maxX: caster.maxX + reach,
      maxY: caster.maxY + reach)
    guard let surface = CairoSurface(region, format: CAIRO_FORMAT_A8) else { return }
    surface.draw { cairo in
      prepare(cairo, with: CAIRO_OPERATOR_OVER)
      // Nothing outside this rectangle can cast a shadow into the clip.
      cairo_rectangle(
        cairo, Double(caster.minX), Double(caster.minY), Double(caster.width),
        Double(caster.height))
      cairo_clip(cairo)
      operation.setSource(cairo)
      operation.drawShape(cairo)
    }
    shadow.blur.apply(to: surface)
    let (red, green, blue, alpha) = components(of: shadow.color)
    composite(
      PaintOperation(
        bounds: region.cgRect.offsetBy(dx: shadow.offset.dx, dy: shadow.offset.dy)
      ) {
        cairo_set_source_rgba($0, red, green, blue, alpha)
      } drawShape: {
        cairo_mask_surface($0, surface.surface, shadow.offset.dx, shadow.offset.dy)
      })
  }
}
