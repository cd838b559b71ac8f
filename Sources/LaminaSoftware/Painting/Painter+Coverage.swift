import LaminaFramePlan
import LaminaValues

/// The part of each pixel that lies within an outline.
extension Painter {
  /// Makes the coverage the part of a pixel inside the brush's outline. `x` and `y` get the points.
  func coverOutline(_ span: Span) {
    let brush = span.brush
    findDepth(span)
    writeOfLayer(brush.pointee.pointX, to: x, span)
    writeOfLayer(brush.pointee.pointY, to: y, span)
    let constant = findSlopes(brush.pointee.pointX, brush.pointee.pointY, x: x, y: y, span)
    let outline = Outline(brush)
    let isContinuous = brush.pointee.program.hasContinuousCorners
    cover(outline, isContinuous, constant, span.count)
    guard brush.pointee.program.basic == .roundedBorder, let hole = outline.hole(brush) else {
      return
    }
    // What is left without the hole.
    let whole = more.0
    whole.update(from: coverage, count: span.count)
    cover(hole, isContinuous, constant, span.count)
    let coverage = coverage
    for i in 0..<span.count { coverage[i] = whole[i] * (1 - coverage[i]) }
  }

  /// A rounded rectangle around 0.
  struct Outline {
    var halfWidth: Float
    var halfHeight: Float
    /// minX minY, maxX minY, maxX maxY, minX maxY.
    var radii: SIMD4<Float>

    init(_ brush: UnsafePointer<Brush>) {
      halfWidth = brush.pointee.halfWidth
      halfHeight = brush.pointee.halfHeight
      radii = brush.pointee.radii
    }

    /// The inside of a border. One that fills the layer has none: its outline would be inside out.
    func hole(_ brush: UnsafePointer<Brush>) -> Outline? {
      let width = brush.pointee.numbers.x
      guard halfWidth > width, halfHeight > width else { return nil }
      var hole = self
      hole.halfWidth -= width
      hole.halfHeight -= width
      for corner in 0..<4 { hole.radii[corner] = most(radii[corner] - width, 0) }
      return hole
    }

    @inline(__always)
    func radius(_ x: Float, _ y: Float) -> Float {
      let above = x < 0 ? radii.x : radii.y
      let below = x < 0 ? radii.w : radii.z
      return y < 0 ? above : below
    }
  }

  /// Makes the coverage the part of a pixel inside an outline.
  private func cover(
    _ outline: Outline, _ isContinuous: Bool, _ slopes: Slopes?, _ count: Int
  ) {
    switch (isContinuous, slopes) {
    case (false, let slopes?):
      cover(outline, CircularCorners.self, ConstantSlopes(slopes: slopes), count)
    case (false, nil):
      cover(outline, CircularCorners.self, VaryingSlopes(slopes: self.slopes), count)
    case (true, let slopes?):
      cover(outline, ContinuousCorners.self, ConstantSlopes(slopes: slopes), count)
    case (true, nil):
      cover(outline, ContinuousCorners.self, VaryingSlopes(slopes: self.slopes), count)
    }
  }

  @inline(__always)
  private func cover<Corners: CornerCurve, Source: SlopeSource>(
    _ outline: Outline, _: Corners.Type, _ slopes: Source, _ count: Int
  ) {
    let (x, y, coverage) = (x, y, coverage)
    for i in 0..<count {
      let found = Corners.distance(x[i], y[i], outline)
      let slopes = slopes[i]
      let across = found.x * slopes.xAcross + found.y * slopes.yAcross
      let down = found.x * slopes.xDown + found.y * slopes.yDown
      // How the distance changes from pixel to pixel.
      let gradient = (across * across + down * down).squareRoot()
      coverage[i] = unit(0.5 - found.distance / most(gradient, 1e-6))
    }
  }
}

/// Slopes by pixel.
private protocol SlopeSource {
  subscript(_ i: Int) -> Painter.Slopes { get }
}

private struct ConstantSlopes: SlopeSource {
  let slopes: Painter.Slopes
  @inline(__always)
  subscript(_ i: Int) -> Painter.Slopes { slopes }
}

private struct VaryingSlopes: SlopeSource {
  let slopes: (Painter.Numbers, Painter.Numbers, Painter.Numbers, Painter.Numbers)
  @inline(__always)
  subscript(_ i: Int) -> Painter.Slopes {
    Painter.Slopes(
      xAcross: slopes.0[i], yAcross: slopes.1[i], xDown: slopes.2[i], yDown: slopes.3[i])
  }
}

/// The form of an outline's corners.
private protocol CornerCurve {
  /// A point's distance to the outline, negative inside, and the direction in which it grows.
  static func distance(
    _ x: Float, _ y: Float, _ outline: Painter.Outline
  ) -> (distance: Float, x: Float, y: Float)
}

/// Quarters of a circle.
private enum CircularCorners: CornerCurve {
  @inline(__always)
  static func distance(
    _ x: Float, _ y: Float, _ outline: Painter.Outline
  ) -> (distance: Float, x: Float, y: Float) {
    let radius = outline.radius(x, y)
    let qx = abs(x) - outline.halfWidth + radius
    let qy = abs(y) - outline.halfHeight + radius
    let (outwardX, outwardY) = (most(qx, 0), most(qy, 0))
    let reach = (outwardX * outwardX + outwardY * outwardY).squareRoot()
    let isNearX = qx > qy
    let length = reach > 0 ? reach : 1
    let towardX: Float = isNearX ? 1 : 0
    let directionX = reach > 0 ? outwardX / length : towardX
    let directionY = reach > 0 ? outwardY / length : 1 - towardX
    return (
      least(most(qx, qy), 0) + reach - radius, x < 0 ? -directionX : directionX,
      y < 0 ? -directionY : directionY
    )
  }
}

/// Curves that leave the edges more slowly: two polynomials with a line between them, within 5e-5
/// of `CornerOutline`'s.
private enum ContinuousCorners: CornerCurve {
  @inline(__always)
  static func distance(
    _ x: Float, _ y: Float, _ outline: Painter.Outline
  ) -> (distance: Float, x: Float, y: Float) {
    let radius = most(outline.radius(x, y), 1e-6)
    let inwardX = outline.halfWidth - abs(x)
    let inwardY = outline.halfHeight - abs(y)
    let isNearX = inwardX < inwardY
    let inset = inset((isNearX ? inwardY : inwardX) / radius)
    let directionX = isNearX ? 1 : inset.slope
    let directionY = isNearX ? inset.slope : 1
    return (
      inset.distance * radius - (isNearX ? inwardX : inwardY), x < 0 ? -directionX : directionX,
      y < 0 ? -directionY : directionY
    )
  }

  /// The curve's distance from the edge at a distance `along` it from the corner, both in radii,
  /// and how fast that shrinks along the edge.
  @inline(__always)
  private static func inset(_ along: Float) -> (distance: Float, slope: Float) {
    let a = least(most(1.528_664_83 - along, 0), 0.858_730_56)
    let line = least(most(0.669_934_27 - along, 0), 0.038_440_28)
    let b = least(most(0.631_493_99 - along, 0), 0.339_987_27)
    let beyond = most(0.291_506_72 - along, 0)
    let first = a * a * a * (0.032352 + a * (-0.002006 + a * 0.098833))
    let second = b * (0.362469 + b * (0.683879 + b * (-0.012144 + b * 1.105398)))
    let slopeA = a * a * (0.097056 + a * (-0.008024 + a * 0.494165))
    let slopeB = 0.362469 + b * (1.367758 + b * (-0.036432 + b * 4.421592))
    let curved: Float = along > 0.291_506_72 ? slopeB : 1
    let flatter: Float = along > 0.631_493_99 ? 0.244925 : curved
    return (
      first + 0.244925 * line + second + beyond, along > 0.669_934_27 ? slopeA : flatter
    )
  }
}

/// The lesser of two numbers.
@inline(__always)
func least(_ a: Float, _ b: Float) -> Float { a < b ? a : b }

/// The greater of two numbers; the second one if the first is NaN.
@inline(__always)
func most(_ a: Float, _ b: Float) -> Float { a > b ? a : b }

/// The nearest number from 0 to 1; 0 for NaN.
@inline(__always)
func unit(_ x: Float) -> Float { least(most(x, 0), 1) }

/// The lesser ones of two vectors' numbers.
@inline(__always)
func least(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> SIMD4<Float> {
  b.replacing(with: a, where: a .< b)
}

/// The nearest numbers from 0 to 1; 0 for NaN.
@inline(__always)
func unit(_ x: SIMD4<Float>) -> SIMD4<Float> {
  let zero = SIMD4<Float>.zero
  return least(zero.replacing(with: x, where: x .> zero), SIMD4(repeating: 1))
}
