import LaminaFramePlan

/// A rounded rectangle under a Gaussian.
///
/// Without round corners, that is a product: of the blur along x and the one along y, each a
/// difference of two error functions. What round corners lack comes off it: the integral, along a
/// corner's curve, of the Gaussian of the curve's y times the blur along x of what is missing
/// there. It is a sum over a few points of the curve (Gauss-Legendre quadrature), to half a 255th.
/// So all is sums of products of one number for the column and one for the row.
struct ShadowShape {
  /// One round corner, or four that are alike.
  struct Corners {
    var radius: Float
    /// Makes the corner the one of the least x and y, as a factor of points.
    var mirrorX: Float = 1
    var mirrorY: Float = 1
    var areFour = false
  }

  /// Four points of a corner's curve, as distances from the edges inward.
  struct CurvePoints {
    var x: SIMD4<Float>
    var y: SIMD4<Float>
    var weights: SIMD4<Float>
  }

  /// Sigmas of radius for each piece of a curve, which has four points.
  private static let reach = Float(FramePlan.Program.tightShadow)
  private static let points = SIMD4<Float>(0.069_431_84, 0.330_009_48, 0.669_990_52, 0.930_568_16)
  private static let weights = SIMD4<Float>(
    0.173_927_42, 0.326_072_58, 0.326_072_58, 0.173_927_42)
  /// Sigmas after which the Gaussian is 0.
  private static let end: Float = 4

  let halfWidth: Float
  let halfHeight: Float
  private let sigma: Float
  /// Makes sigma the square root of a half.
  private let scale: Float
  private let radii: SIMD4<Float>

  init(_ brush: UnsafePointer<Brush>) {
    (halfWidth, halfHeight) = (brush.pointee.halfWidth, brush.pointee.halfHeight)
    radii = brush.pointee.radii
    sigma = brush.pointee.numbers.x
    scale = 0.707_106_78 / sigma
  }

  /// Calls `body` with the round corners: with four at once, or one by one.
  @inline(__always)
  func forEachCorner(_ body: (Corners) -> Void) {
    if radii == SIMD4(repeating: radii.x) {
      if radii.x > 0 { body(Corners(radius: radii.x, areFour: true)) }
      return
    }
    for corner in 0..<4 where radii[corner] > 0 {
      body(
        Corners(
          radius: radii[corner], mirrorX: corner == 0 || corner == 3 ? 1 : -1,
          mirrorY: corner < 2 ? 1 : -1))
    }
  }

  /// Whether a corner's curve is so short that each pixel may see all of its points.
  @inline(__always)
  func isShort(_ corners: Corners) -> Bool { corners.radius <= 2 * Self.reach * sigma }

  /// Calls `body` with the points of a corner's curve that may be within reach of some distances
  /// from its edge of least y.
  @inline(__always)
  func forEachPiece(
    of corners: Corners, near distances: ClosedRange<Float>, _ body: (CurvePoints) -> Void
  ) {
    let radius = corners.radius
    let pieces = least((radius / (Self.reach * sigma)).rounded(.up), 1e6)
    /// The number of pieces up to a distance from that edge.
    func place(_ distance: Float) -> Float { tangent(distance, radius) * pieces }
    // A piece more at both ends, against rounding: it adds nothing where it is out of reach.
    let first = Int(most(place(distances.lowerBound - Self.end * sigma) - 1, 0))
    let last = Int(least(place(distances.upperBound + Self.end * sigma) + 1, pieces))
    guard first < last else { return }
    let common = unitWeight(radius) / pieces
    for piece in first..<last {
      let tangents = (Float(piece) + Self.points) / pieces
      let d = 1 / (1 + tangents * tangents)
      let sines = 2 * tangents * d
      body(
        CurvePoints(
          x: radius - radius * sines, y: radius * sines * tangents,
          weights: common * Self.weights * d * sines))
    }
  }

  /// What the integral along a corner's curve is multiplied by.
  @inline(__always)
  func unitWeight(_ radius: Float) -> Float { 0.564_189_58 * scale * radius }

  /// Along a corner's curve goes the tangent of half the angle, from 0 at the edge of least y to 1
  /// at the one of least x. This is the tangent at a distance from the edge of least y.
  @inline(__always)
  private func tangent(_ distance: Float, _ radius: Float) -> Float {
    let part = unit(distance / radius)
    return (part / (2 - part)).squareRoot()
  }

  // MARK: A curve near a pixel

  /// The points and weights of a quadrature with eight points.
  static let eightPoints: [(place: Float, weight: Float)] = {
    let half: [(Float, Float)] = [
      (0.019_855_07, 0.050_614_27), (0.101_666_76, 0.111_190_52), (0.237_233_80, 0.156_853_32),
      (0.408_282_68, 0.181_341_89),
    ]
    return half.map { ($0, $1) } + half.map { (1 - $0, $1) }
  }()

  /// The part of a corner's curve that is near a pixel at distances from the edges: the tangent of
  /// its beginning and the difference to that of its end. Before it comes a part that is beyond the
  /// pixel's reach along x, up to a distance from the edge of least y: all is missing there.
  @inline(__always)
  func partOfCurve(
    near x: Float, _ y: Float, radius: Float
  ) -> (first: Float, length: Float, beyond: Float) {
    let reach = 3.5 * sigma
    let (nearX, farX) = (tangent(x + reach, radius), tangent(x - reach, radius))
    let start = (1 - nearX) / (1 + nearX)
    let first = most(tangent(y - reach, radius), start)
    let last = most(least(tangent(y + reach, radius), (1 - farX) / (1 + farX)), first)
    return (first, last - first, 2 * radius * start * start / (1 + start * start))
  }

  /// What is missing up to a distance from the edge of least y at which all is missing along x, at
  /// a pixel's distances from the edges.
  @inline(__always)
  func missing(_ x: Float, _ y: Float, before beyond: Float) -> Float {
    0.25 * (1 + erf(x * scale)) * (erf((beyond - y) * scale) + erf(y * scale))
  }

  // MARK: Numbers of a column and of a row

  /// The blur, along x, of what lies between the edges.
  @inline(__always)
  func across(_ x: Float) -> Float {
    0.5 * (erf((halfWidth - x) * scale) + erf((halfWidth + x) * scale))
  }

  /// The same along y.
  @inline(__always)
  func down(_ y: Float) -> Float {
    0.5 * (erf((halfHeight - y) * scale) + erf((halfHeight + y) * scale))
  }

  /// The blur, along x, of what is missing where the curve is at `x`, at a distance from the edge;
  /// doubled.
  @inline(__always)
  func missing(_ distance: Float, at x: Float) -> Float {
    erf((x - distance) * scale) + erf(distance * scale)
  }

  /// The Gaussian of a curve's y, 1 at 0, at a distance from the edge.
  ///
  /// The exponential is the reciprocal of the eighth power of a polynomial, to 4e-5.
  @inline(__always)
  func bell(_ distance: Float, at y: Float) -> Float {
    let z = (y - distance) * scale
    let a = z * z
    let q = a * 0.125
    let root = 1 + q * (1 + q * 0.5 * (1 + q * 0.333_333_33 * (1 + q * 0.25)))
    let square = root * root
    let fourth = square * square
    return a < 0.5 * Self.end * Self.end ? 1 / (fourth * fourth) : 0
  }
}

/// The error function, to 5e-4 (Abramowitz and Stegun 7.1.27).
@inline(__always)
private func erf(_ x: Float) -> Float {
  let a = x.magnitude
  let d = 1 + (0.278393 + (0.230389 + (0.000972 + 0.078108 * a) * a) * a) * a
  let square = d * d
  let result = 1 - 1 / (square * square)
  return x < 0 ? -result : result
}
