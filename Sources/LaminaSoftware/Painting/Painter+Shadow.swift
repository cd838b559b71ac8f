import LaminaFramePlan

/// A rounded rectangle under a Gaussian.
///
/// It is cut into strips across y. Along x a strip's blur is exact: a difference of two error
/// functions. Along y a strip's weight is the Gaussian's integral over it. The only approximation is
/// that a strip's ends are straight even at round corners.
extension Painter {
  /// Multiplies the coverage by the blurred rectangle. `x` and `y` get the points.
  func coverShadow(_ span: Span) {
    let brush = span.brush
    writeOfLayer(brush.pointee.pointX, to: x, span)
    writeOfLayer(brush.pointee.pointY, to: y, span)
    switch brush.pointee.program {
    case .shadowEdge: coverShadowEdge(brush, span.count)
    case .shadowCorner: coverShadowCorner(brush, span.count)
    default: coverShadow(brush, span.count)
    }
  }

  /// Of a rectangle that is large beside the Gaussian, a part that sees an edge, or two that meet in
  /// a square corner.
  private func coverShadowEdge(_ brush: UnsafePointer<Brush>, _ count: Int) {
    let (x, y, coverage) = (x, y, coverage)
    let scale = 0.707_106_78 / brush.pointee.numbers.x
    let (halfWidth, halfHeight) = (brush.pointee.halfWidth, brush.pointee.halfHeight)
    for i in 0..<count {
      let across = 0.5 + 0.5 * erf((halfWidth - abs(x[i])) * scale)
      let down = 0.5 + 0.5 * erf((halfHeight - abs(y[i])) * scale)
      coverage[i] *= across * down
    }
  }

  /// A part that sees one round corner, the one that has a radius. Only its rows are cut into
  /// strips.
  private func coverShadowCorner(_ brush: UnsafePointer<Brush>, _ count: Int) {
    let (x, y, coverage) = (x, y, coverage)
    let sigma = brush.pointee.numbers.x
    let scale = 0.707_106_78 / sigma
    let (halfWidth, halfHeight) = (brush.pointee.halfWidth, brush.pointee.halfHeight)
    let radii = brush.pointee.radii
    // Mirrored, so that the corner is the one of the least x and y.
    let radius = radii.max()
    let mirrorX: Float = radii.x + radii.w > 0 ? 1 : -1
    let mirrorY: Float = radii.x + radii.y > 0 ? 1 : -1
    for i in 0..<count {
      let (x, y) = (x[i] * mirrorX, y[i] * mirrorY)
      let low = most(y - 4 * sigma, -halfHeight)
      let high = most(radius - halfHeight, low)
      let height = (high - low) / 4
      var below = erf((low - y) * scale)
      var sum: Float = 0
      for strip in 0..<4 {
        let top = low + height * Float(strip + 1)
        let end = inset(radius, top - 0.5 * height, halfHeight) - halfWidth
        let above = erf((top - y) * scale)
        sum += 0.25 * (above - below) * (1 - erf((end - x) * scale))
        below = above
      }
      let across = 1 - erf((-halfWidth - x) * scale)
      coverage[i] *= sum + 0.25 * (1 - below) * across
    }
  }

  private func coverShadow(_ brush: UnsafePointer<Brush>, _ count: Int) {
    let (x, y, coverage) = (x, y, coverage)
    let sigma = brush.pointee.numbers.x
    let scale = 0.707_106_78 / sigma
    let (halfWidth, halfHeight) = (brush.pointee.halfWidth, brush.pointee.halfHeight)
    let radii = brush.pointee.radii
    for i in 0..<count {
      let (x, y) = (x[i], y[i])
      // Three sigmas hold all but 1/370 of the Gaussian; past four nothing shows.
      let low = most(y - 4 * sigma, -halfHeight)
      let high = least(y + 4 * sigma, halfHeight)
      let height = most(high - low, 0) / 12
      var sum: Float = 0
      var below = erf((low - y) * scale)
      for strip in 0..<12 {
        let top = low + height * Float(strip + 1)
        let above = erf((top - y) * scale)
        let middle = top - 0.5 * height
        let left = middle < 0 ? radii.x : radii.w
        let right = middle < 0 ? radii.y : radii.z
        let start = -halfWidth + inset(left, middle, halfHeight)
        let end = halfWidth - inset(right, middle, halfHeight)
        sum += 0.25 * (above - below) * (erf((end - x) * scale) - erf((start - x) * scale))
        below = above
      }
      coverage[i] *= sum
    }
  }
}

/// How far a corner moves the outline inward at `y`.
@inline(__always)
private func inset(_ radius: Float, _ y: Float, _ halfHeight: Float) -> Float {
  let over = least(most(abs(y) - (halfHeight - radius), 0), radius)
  return radius - most(radius * radius - over * over, 0).squareRoot()
}

/// The error function, to 5e-4 (Abramowitz and Stegun 7.1.27).
@inline(__always)
private func erf(_ x: Float) -> Float {
  let a = abs(x)
  let d = 1 + (0.278393 + (0.230389 + (0.000972 + 0.078108 * a) * a) * a) * a
  let square = d * d
  let result = 1 - 1 / (square * square)
  return x < 0 ? -result : result
}
