import CCairo
import Foundation
import LaminaValues

extension CGContext {
  /// Fills the clip with a gradient along the line from `start` to `end`; beyond an end only if the
  /// options say so. Draws nothing if both points are the same.
  public func drawLinearGradient(
    _ gradient: CGGradient, start: CGPoint, end: CGPoint, options: CGGradientDrawingOptions
  ) {
    let numbers = [start.x, start.y, end.x, end.y]
    guard numbers.allSatisfy(\.isDrawable), start != end else { return }
    draw(
      gradient, cairo_pattern_create_linear(start.x, start.y, end.x, end.y), options,
      hasOneSolution: true)
  }

  /// Fills the clip with a gradient from one circle to another; beyond a circle only if the options
  /// say so. Where circles overlap, the later one is on top. Draws nothing if both circles are the
  /// same.
  public func drawRadialGradient(
    _ gradient: CGGradient, startCenter: CGPoint, startRadius: CGFloat, endCenter: CGPoint,
    endRadius: CGFloat, options: CGGradientDrawingOptions
  ) {
    let numbers = [
      startCenter.x, startCenter.y, startRadius, endCenter.x, endCenter.y, endRadius,
    ]
    guard numbers.allSatisfy(\.isDrawable), startRadius >= 0, endRadius >= 0,
      startCenter != endCenter || startRadius != endRadius
    else { return }
    let pattern = cairo_pattern_create_radial(
      startCenter.x, startCenter.y, startRadius, endCenter.x, endCenter.y, endRadius)
    let (dx, dy) = (endCenter.x - startCenter.x, endCenter.y - startCenter.y)
    let difference = endRadius - startRadius
    draw(
      gradient, pattern, options,
      hasOneSolution: dx * dx + dy * dy < difference * difference)
  }

  /// Fills the clip with `pattern`, which is in user space, and releases it. `hasOneSolution` says
  /// whether no point lies on two of the gradient's lines or circles.
  private func draw(
    _ gradient: CGGradient, _ pattern: OpaquePointer?, _ options: CGGradientDrawingOptions,
    hasOneSolution: Bool
  ) {
    guard let pattern else { return }
    defer { cairo_pattern_destroy(pattern) }
    guard var matrix = userToPixels.inverted().cairo, userToPixels.cairo != nil else { return }
    cairo_pattern_set_matrix(pattern, &matrix)
    let needsBothEnds = options.isEmpty && !hasOneSolution
    cairo_pattern_set_extend(pattern, needsBothEnds ? CAIRO_EXTEND_NONE : CAIRO_EXTEND_PAD)
    // Cairo extends the outermost stops; a transparent one there ends the gradient.
    if !needsBothEnds, !options.contains(.drawsBeforeStartLocation) {
      cairo_pattern_add_color_stop_rgba(pattern, 0, 0, 0, 0, 0)
    }
    let isP3 = gradient.colorSpace?.model == .displayP3
    for stop in gradient.stops(subdividing: isP3 != (space.model == .displayP3)) {
      let (red, green, blue, alpha) = components(of: stop.color)
      cairo_pattern_add_color_stop_rgba(
        pattern, stop.location, red, green, blue, alpha * state.alpha)
    }
    if !needsBothEnds, !options.contains(.drawsAfterEndLocation) {
      cairo_pattern_add_color_stop_rgba(pattern, 1, 0, 0, 0, 0)
    }
    paint(
      PaintOperation(bounds: .infinite) {
        cairo_set_source($0, pattern)
      } drawShape: {
        cairo_paint($0)
      })
  }
}

extension CGFloat {
  /// Whether a coordinate is small enough for Cairo's arithmetic.
  fileprivate var isDrawable: Bool { magnitude < 1e6 }
}
