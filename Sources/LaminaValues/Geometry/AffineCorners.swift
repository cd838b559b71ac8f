import Foundation

/// The corners of a layer's rectangle in a target's pixels, in the order of `CGRect.corner(_:)`.
/// The projection is affine and the edges are hard, so that the rectangle is whole. It takes no
/// memory.
@usableFromInline package struct HardCorners {
  @usableFromInline package let a: CGPoint
  @usableFromInline package let b: CGPoint
  @usableFromInline package let c: CGPoint
  @usableFromInline package let d: CGPoint
  @usableFromInline package let signedArea: CGFloat
  // The bounding box.
  @usableFromInline package let minX: CGFloat
  @usableFromInline package let minY: CGFloat
  @usableFromInline package let maxX: CGFloat
  @usableFromInline package let maxY: CGFloat

  /// nil if the rectangle has no area, or is too far away for useful coordinates.
  @inlinable @inline(__always)
  package init?(of rect: CGRect, through projection: Projection) {
    guard rect.width > 0, rect.height > 0 else { return nil }
    if projection.isUpright {
      // The same numbers in fewer steps.
      let (left, top, right, bottom) = projection.uprightSides(of: rect)
      (a, b) = (CGPoint(x: left, y: top), CGPoint(x: right, y: top))
      (c, d) = (CGPoint(x: right, y: bottom), CGPoint(x: left, y: bottom))
      signedArea = (right - left) * (bottom - top)
      (minX, maxX) = (min(left, right), max(left, right))
      (minY, maxY) = (min(top, bottom), max(top, bottom))
    } else {
      let (x, y) = projection.affineCorners(of: rect)
      (a, b) = (CGPoint(x: x[0], y: y[0]), CGPoint(x: x[1], y: y[1]))
      (c, d) = (CGPoint(x: x[2], y: y[2]), CGPoint(x: x[3], y: y[3]))
      // Half the product of the diagonals.
      signedArea = ((c.x - a.x) * (d.y - b.y) - (d.x - b.x) * (c.y - a.y)) / 2
      (minX, maxX) = (x.min(), x.max())
      (minY, maxY) = (y.min(), y.max())
    }
    guard abs(signedArea) > 1e-9, minX > -1e7, maxX < 1e7, minY > -1e7, maxY < 1e7 else {
      return nil
    }
  }
}

/// The corners of a layer's rectangle of which some edges are antialiased, as those of
/// `ProjectedQuad` to the bit. The projection is affine, so that the rectangle is whole. It takes
/// no memory, and all four corners are found at once.
package struct SoftCorners {
  /// The corners' pixels after the antialiased edges were moved out, in the order of
  /// `CGRect.corner(_:)`.
  package private(set) var x: SIMD4<Double>
  package private(set) var y: SIMD4<Double>
  /// The edges before that, each from the corner with its index to the next: minY, maxX, maxY,
  /// minX.
  private let lines: ScreenLines
  private let inverse: Projection
  private let isSoft: SIMDMask<SIMD4<Int64>>
  private let inward: Double

  /// Passes the corners to `body`, unless nothing is visible. They are large: a result would be
  /// copied.
  package static func find(
    _ rect: CGRect, through projection: Projection, antialiased: EdgeSet,
    _ body: (borrowing SoftCorners) -> Void
  ) {
    if let corners = SoftCorners(rect, through: projection, antialiased: antialiased) {
      body(corners)
    }
  }

  /// nil if nothing is visible.
  @inline(__always)
  private init?(_ rect: CGRect, through projection: Projection, antialiased: EdgeSet) {
    guard rect.width > 0, rect.height > 0, rect.minX.isFinite, rect.maxX.isFinite,
      rect.minY.isFinite, rect.maxY.isFinite, let inverse = projection.inverse
    else { return nil }
    (x, y) = projection.affineCorners(of: rect)
    let isNear = (x .> -1e7) .& (x .< 1e7) .& (y .> -1e7) .& (y .< 1e7)
    guard all(isNear) else { return nil }
    let (products, _, _) = ScreenLines.products(x, y)
    let area = (products[0] + products[1] + products[2] + products[3]) / 2
    guard abs(area) > 1e-9 else { return nil }
    inward = area > 0 ? 1 : -1
    func bits(_ side: EdgeSet) -> Int64 { Int64(antialiased.rawValue & side.rawValue) }
    isSoft = SIMD4(bits(.minY), bits(.maxX), bits(.maxY), bits(.minX)) .!= 0
    lines = ScreenLines(x, y)
    self.inverse = inverse
    var moved = lines
    moved.c = moved.c.replacing(with: moved.c + inward, where: isSoft)
    moved.moveCorners(&x, &y)
  }

  /// The corners in the layer's own space.
  package var local: (x: SIMD4<Double>, y: SIMD4<Double>) { inverse.affinePixels(x, y) }

  /// As those of the corners' vertices.
  package var edges: InlineArray<4, SIMD4<Double>> {
    let isProper = isSoft .& lines.isProper
    func edges(_ x: Double, _ y: Double) -> SIMD4<Double> {
      let distances = (lines.a * x + lines.b * y + lines.c) * inward
      let inOrder = distances.replacing(with: ProjectedQuad.far, where: .!isProper)
      return SIMD4(inOrder[3], inOrder[1], inOrder[0], inOrder[2])
    }
    return [edges(x[0], y[0]), edges(x[1], y[1]), edges(x[2], y[2]), edges(x[3], y[3])]
  }
}

/// Four lines on the screen, each through a corner of a rectangle and the next.
private struct ScreenLines {
  var a: SIMD4<Double>
  var b: SIMD4<Double>
  var c: SIMD4<Double>

  init(_ x: SIMD4<Double>, _ y: SIMD4<Double>) {
    let (c, nextX, nextY) = Self.products(x, y)
    let (a, b) = (y - nextY, nextX - x)
    let length = (a * a + b * b).squareRoot()
    (self.a, self.b, self.c) = (a / length, b / length, c / length)
  }

  /// The cross products of corners with the next, and the next corners.
  static func products(
    _ x: SIMD4<Double>, _ y: SIMD4<Double>
  ) -> (products: SIMD4<Double>, nextX: SIMD4<Double>, nextY: SIMD4<Double>) {
    let (nextX, nextY) = (SIMD4(x[1], x[2], x[3], x[0]), SIMD4(y[1], y[2], y[3], y[0]))
    return (x * nextY - nextX * y, nextX, nextY)
  }

  var isProper: SIMDMask<SIMD4<Int64>> {
    // Any finite number times 0 is 0; infinity and NaN give NaN.
    (a * 0 + b * 0 + c * 0) .== 0
  }

  subscript(edge: Int) -> ScreenLine { ScreenLine(a: a[edge], b: b[edge], c: c[edge]) }

  /// Moves corners to where each line meets the one before it.
  func moveCorners(_ x: inout SIMD4<Double>, _ y: inout SIMD4<Double>) {
    let (lastA, lastB, lastC) = (
      SIMD4(a[3], a[0], a[1], a[2]), SIMD4(b[3], b[0], b[1], b[2]), SIMD4(c[3], c[0], c[1], c[2])
    )
    let determinant = lastA * b - a * lastB
    let (newX, newY) = (
      (lastB * c - b * lastC) / determinant, (a * lastC - lastA * c) / determinant
    )
    let (dx, dy) = (newX - x, newY - y)
    let isUsual =
      ((determinant .> 1e-6) .| (determinant .< -1e-6))
      .& (dx * dx + dy * dy .<= ScreenLine.cornerLimit * ScreenLine.cornerLimit)
    if all(isUsual) {
      (x, y) = (newX, newY)
      return
    }
    for i in 0..<4 {
      let corner = ScreenLine.corner(self[(i + 3) & 3], self[i], near: CGPoint(x: x[i], y: y[i]))
      (x[i], y[i]) = (corner.x, corner.y)
    }
  }
}
