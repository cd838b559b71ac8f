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

  /// Fills the clip with a gradient around `center`. Location 0 lies at `angle`, in radians from +x
  /// toward +y, and 1 lies there again after a full turn that way. A pixel has the colour at its
  /// centre, so the edge where the gradient meets itself is hard.
  public func drawConicGradient(_ gradient: CGGradient, center: CGPoint, angle: CGFloat) {
    guard center.x.isDrawable, center.y.isDrawable, angle.isDrawable, userToPixels.cairo != nil
    else { return }
    let colors = ConicColors(
      gradient.stops(subdividing: needsSubdividing(gradient)).map { stop in
        let (red, green, blue, alpha) = components(of: stop.color)
        return (stop.location, SIMD4(blue, green, red, alpha * state.alpha))
      })
    guard let surface = CairoSurface(clipRegion) else { return }
    let (toUser, region) = (userToPixels.inverted(), surface.region)
    surface.withBytes { bytes, stride in
      for y in 0..<region.height {
        for x in 0..<region.width {
          let place = CGPoint(
            x: CGFloat(region.minX + x) + 0.5, y: CGFloat(region.minY + y) + 0.5
          ).applying(toUser)
          let turns = (atan2(place.y - center.y, place.x - center.x) - angle) / (2 * .pi)
          let pixel = colors.pixel(at: turns - turns.rounded(.down))
          (bytes + y * stride + x * 4).withMemoryRebound(to: SIMD4<UInt8>.self, capacity: 1) {
            $0.pointee = pixel
          }
        }
      }
    }
    paint(
      PaintOperation(bounds: .infinite) {
        cairo_set_source_surface($0, surface.surface, 0, 0)
        if let pattern = cairo_get_source($0) {
          cairo_pattern_set_filter(pattern, CAIRO_FILTER_NEAREST)
        }
      } drawShape: {
        cairo_paint($0)
      })
  }

  /// Whether colours mixed in the gradient's space would differ from those mixed in the context's.
  private func needsSubdividing(_ gradient: CGGradient) -> Bool {
    (gradient.colorSpace?.kind == .displayP3) != (space.kind == .displayP3)
  }

  /// Fills the clip with a pattern in user space, which it takes over. `hasOneSolution` says
  /// whether no point lies on two of the gradient's lines or circles.
  private func draw(
    _ gradient: CGGradient, _ pattern: OpaquePointer?, _ options: CGGradientDrawingOptions,
    hasOneSolution: Bool
  ) {
    guard let pattern else { return }
    let owner = PatternOwner(pattern: pattern)
    guard var matrix = userToPixels.inverted().cairo, userToPixels.cairo != nil else { return }
    cairo_pattern_set_matrix(pattern, &matrix)
    let needsBothEnds = options.isEmpty && !hasOneSolution
    cairo_pattern_set_extend(pattern, needsBothEnds ? CAIRO_EXTEND_NONE : CAIRO_EXTEND_PAD)
    // Cairo extends the outermost stops; a transparent one there ends the gradient.
    if !needsBothEnds, !options.contains(.drawsBeforeStartLocation) {
      cairo_pattern_add_color_stop_rgba(pattern, 0, 0, 0, 0, 0)
    }
    for stop in gradient.stops(subdividing: needsSubdividing(gradient)) {
      let (red, green, blue, alpha) = components(of: stop.color)
      cairo_pattern_add_color_stop_rgba(
        pattern, stop.location, red, green, blue, alpha * state.alpha)
    }
    if !needsBothEnds, !options.contains(.drawsAfterEndLocation) {
      cairo_pattern_add_color_stop_rgba(pattern, 1, 0, 0, 0, 0)
    }
    paint(
      PaintOperation(bounds: .infinite) {
        cairo_set_source($0, owner.pattern)
      } drawShape: {
        cairo_paint($0)
      })
  }
}

/// Frees a pattern of Cairo's when nothing draws with it any more.
private final class PatternOwner {
  let pattern: OpaquePointer

  init(pattern: OpaquePointer) { self.pattern = pattern }

  deinit { cairo_pattern_destroy(pattern) }
}

/// The colours of a conic gradient.
private struct ConicColors {
  /// Straight blue, green, red and alpha in ascending order of location, from 0 to 1.
  private let stops: [(location: CGFloat, color: SIMD4<Double>)]

  init(_ stops: [(location: CGFloat, color: SIMD4<Double>)]) { self.stops = stops }

  /// A premultiplied pixel of the colour at `location`, 0…1. Of several stops at one location the
  /// last one counts.
  func pixel(at location: CGFloat) -> SIMD4<UInt8> {
    var (low, high) = (0, stops.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if stops[middle].location <= location { low = middle } else { high = middle }
    }
    var color = stops[low].color
    if high < stops.count {
      let length = stops[high].location - stops[low].location
      color += (stops[high].color - color) * ((location - stops[low].location) / length)
    }
    let alpha = color.w
    color *= alpha
    color.w = alpha
    return SIMD4<UInt8>(truncatingIfNeeded: SIMD4<Int>((color * 255).rounded(.toNearestOrEven)))
  }
}

extension CGFloat {
  /// Whether a coordinate is small enough for Cairo's arithmetic.
  fileprivate var isDrawable: Bool { magnitude < 1e6 }
}
