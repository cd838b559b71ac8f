import Foundation

/// The edges of a layer's rectangle that are shaded by coverage; the others are hard.
@frozen @usableFromInline package struct EdgeSet: OptionSet, Hashable {
  @usableFromInline package let rawValue: UInt8
  @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The same as [], without the generic that makes sets of array literals.
  @inlinable package static var none: EdgeSet { EdgeSet(rawValue: 0) }
  @inlinable package static var minX: EdgeSet { EdgeSet(rawValue: 1) }
  @inlinable package static var maxX: EdgeSet { EdgeSet(rawValue: 2) }
  @inlinable package static var minY: EdgeSet { EdgeSet(rawValue: 4) }
  @inlinable package static var maxY: EdgeSet { EdgeSet(rawValue: 8) }
  @inlinable package static var all: EdgeSet { EdgeSet(rawValue: 15) }
}

/// The map from a layer's plane to a target's pixels: what a transform does to points with z = 0,
/// without their depth.
package struct Projection {
  /// Row vectors: [x y 1] × rows gives x·w, y·w, w. They are named like those of the transform.
  private let m11, m12, m14: CGFloat
  private let m21, m22, m24: CGFloat
  private let m41, m42, m44: CGFloat
  package let isAffine: Bool

  package init(_ transform: CATransform3D) {
    self = withUnsafePointer(to: transform) { Projection(at: $0) }
  }

  /// The projection of a transform in memory, without copying it.
  package init(at transform: UnsafePointer<CATransform3D>) {
    (m11, m12) = (transform.pointee.m11, transform.pointee.m12)
    (m21, m22) = (transform.pointee.m21, transform.pointee.m22)
    (m41, m42) = (transform.pointee.m41, transform.pointee.m42)
    (m14, m24, m44) = (transform.pointee.m14, transform.pointee.m24, transform.pointee.m44)
    isAffine = m14 == 0 && m24 == 0 && m44 == 1
  }

  package init(_ affine: CGAffineTransform) {
    (m11, m12, m14) = (affine.a, affine.b, 0)
    (m21, m22, m24) = (affine.c, affine.d, 0)
    (m41, m42, m44) = (affine.tx, affine.ty, 1)
    isAffine = true
  }

  package var affine: CGAffineTransform {
    CGAffineTransform(a: m11, b: m12, c: m21, d: m22, tx: m41, ty: m42)
  }

  /// Whether the layer's axes stay parallel to the target's.
  package var isAxisAligned: Bool {
    isAffine && ((m12 == 0 && m21 == 0) || (m11 == 0 && m22 == 0))
  }

  package func callAsFunction(_ p: CGPoint) -> Homogeneous {
    Homogeneous(
      x: p.x * m11 + p.y * m21 + m41, y: p.x * m12 + p.y * m22 + m42,
      w: p.x * m14 + p.y * m24 + m44)
  }

  /// The pixels of a rectangle's corners, if the projection is affine.
  package func affineCorners(of rect: CGRect) -> (x: SIMD4<Double>, y: SIMD4<Double>) {
    let (left, right) = (Double(rect.minX), Double(rect.maxX))
    let (top, bottom) = (Double(rect.minY), Double(rect.maxY))
    return affinePixels(SIMD4(left, right, right, left), SIMD4(top, top, bottom, bottom))
  }

  fileprivate func affinePixels(
    _ x: SIMD4<Double>, _ y: SIMD4<Double>
  ) -> (x: SIMD4<Double>, y: SIMD4<Double>) {
    (
      x * Double(m11) + y * Double(m21) + Double(m41),
      x * Double(m12) + y * Double(m22) + Double(m42)
    )
  }

  /// Maps pixels back to the layer's plane; nil if the plane is seen edge-on.
  package var inverse: Projection? {
    guard isAffine else { return spatialInverse }
    let determinant = m11 * m22 - m21 * m12
    guard determinant != 0, determinant.isFinite else { return nil }
    let k = 1 / determinant
    let inverse = CGAffineTransform(
      a: m22 * k, b: -m12 * k, c: -m21 * k, d: m11 * k,
      tx: (m21 * m42 - m22 * m41) * k, ty: (m12 * m41 - m11 * m42) * k)
    // Any finite number times 0 is 0; infinity and NaN give NaN, which makes the sum NaN.
    let sum =
      (inverse.a * 0 + inverse.b * 0) + (inverse.c * 0 + inverse.d * 0)
      + (inverse.tx * 0 + inverse.ty * 0)
    return sum == 0 ? Projection(inverse) : nil
  }

  private var spatialInverse: Projection? {
    var transform = CATransform3D.identity
    (transform.m11, transform.m12, transform.m14) = (m11, m12, m14)
    (transform.m21, transform.m22, transform.m24) = (m21, m22, m24)
    (transform.m41, transform.m42, transform.m44) = (m41, m42, m44)
    guard let inverse = transform.inverse, inverse.isFinite else { return nil }
    return Projection(inverse)
  }

  /// The linear part of the map near a point, without a translation; nil behind the eye.
  package func linear(at point: CGPoint) -> CGAffineTransform? {
    let center = self(point)
    guard center.w > Homogeneous.nearest else { return nil }
    let (x, y) = (center.x / center.w, center.y / center.w)
    let linear = CGAffineTransform(
      a: (m11 - x * m14) / center.w, b: (m12 - y * m14) / center.w,
      c: (m21 - x * m24) / center.w, d: (m22 - y * m24) / center.w, tx: 0, ty: 0)
    let members = [linear.a, linear.b, linear.c, linear.d]
    return members.allSatisfy(\.isFinite) ? linear : nil
  }

  /// How far lines of equal x, and lines of equal y, must lie apart in the layer for a pixel
  /// between them on the screen; nil behind the eye, and if the layer is seen edge-on.
  package func unitsPerPixel(at point: CGPoint) -> (x: CGFloat, y: CGFloat)? {
    guard let linear = linear(at: point) else { return nil }
    let area = abs(linear.determinant)
    let (x, y) = (hypot(linear.c, linear.d) / area, hypot(linear.a, linear.b) / area)
    return area > 1e-12 && x.isFinite && y.isFinite ? (x, y) : nil
  }

  /// Pixels per unit of the layer at `point`, along whichever of its axes has more.
  package func scale(at point: CGPoint) -> CGFloat {
    let (across, down) = scales(at: point)
    return max(across, down)
  }

  /// Pixels per unit of the layer at `point`, along its x and its y axis; 1 behind the eye.
  package func scales(at point: CGPoint) -> (across: CGFloat, down: CGFloat) {
    let center = self(point)
    guard center.w > Homogeneous.nearest else { return (1, 1) }
    let (x, y) = (center.x / center.w, center.y / center.w)
    let dx = hypot(m11 - x * m14, m12 - y * m14) / center.w
    let dy = hypot(m21 - x * m24, m22 - y * m24) / center.w
    return (dx, dy)
  }
}

/// A point before the division by w. Only points with w > 0 are in front of the eye.
package struct Homogeneous {
  package var x: CGFloat
  package var y: CGFloat
  package var w: CGFloat

  @inlinable init(x: CGFloat, y: CGFloat, w: CGFloat) { (self.x, self.y, self.w) = (x, y, w) }

  /// Smallest w that is drawn; geometry nearer to the eye's plane is cut off.
  @inlinable package static var nearest: CGFloat { 1e-4 }

  @inlinable package var pixel: CGPoint { CGPoint(x: x / w, y: y / w) }
}

/// A rectangle of a layer as a convex polygon in a target's pixels.
package struct ProjectedQuad {
  package struct Vertex {
    /// In pixels, divided by w.
    package var pixel: CGPoint
    /// The factor that x and y are multiplied by again, so that the device interpolates in
    /// perspective.
    package var w: CGFloat
    /// In the layer's own space.
    package var local: CGPoint
    /// Signed distances in pixels to the rectangle's edges, positive inside: minX, maxX, minY,
    /// maxY.
    package var edges: SIMD4<Double>

    package init(pixel: CGPoint, w: CGFloat, local: CGPoint, edges: SIMD4<Double>) {
      (self.pixel, self.w, self.local, self.edges) = (pixel, w, local, edges)
    }
  }

  /// The distance given to edges that are not antialiased: more than any target is wide.
  @inlinable package static var far: Double { 1e5 }

  package var vertices: [Vertex]
  /// Positive if the turn from x to y is clockwise on the screen, as for a layer that is not
  /// turned.
  package var signedArea: CGFloat

  /// A polygon that has been projected already.
  package init(vertices: [Vertex]) {
    self.vertices = vertices
    signedArea = Self.area(vertices.map(\.pixel))
  }

  /// Projects `rect`. The edges in `antialiased` are moved out by a pixel, so that every fragment
  /// that they partly cover is drawn. nil if nothing is visible.
  package init?(_ rect: CGRect, through projection: Projection, antialiased: EdgeSet) {
    guard rect.width > 0, rect.height > 0, rect.minX.isFinite, rect.maxX.isFinite,
      rect.minY.isFinite, rect.maxY.isFinite
    else { return nil }
    if projection.isAffine, antialiased.isEmpty {
      guard let corners = HardCorners(of: rect, through: projection) else { return nil }
      (vertices, signedArea) = (Self.vertices(corners, of: rect), corners.signedArea)
      return
    }
    // minY, maxX, maxY, minX: the edge from each corner to the next.
    let sides: [EdgeSet] = [.minY, .maxX, .maxY, .minX]
    var polygon: [(point: Homogeneous, side: EdgeSet)] = []
    for (corner, side) in zip(rect.corners, sides) { polygon.append((projection(corner), side)) }
    let lines = polygon.indices.map { i in
      ScreenLine(polygon[i].point, polygon[(i + 1) % 4].point)
    }
    if !projection.isAffine { polygon = Self.clippedNear(polygon) }
    guard polygon.count >= 3, let inverse = projection.inverse else { return nil }
    let pixels = polygon.map(\.point.pixel)
    guard pixels.allSatisfy({ abs($0.x) < 1e7 && abs($0.y) < 1e7 }) else { return nil }
    signedArea = Self.area(pixels)
    guard abs(signedArea) > 1e-9 else { return nil }
    let inward: CGFloat = signedArea > 0 ? 1 : -1
    let moved =
      antialiased.isEmpty
      ? pixels
      : Self.outset(pixels, sides: polygon.map { antialiased.contains($0.side) }, inward: inward)
    vertices = moved.indices.compactMap { i in
      let back = inverse(moved[i])
      guard back.w != 0 else { return nil }
      let distances = SIMD4<Double>(
        Self.distance(lines[3], moved[i], inward, antialiased.contains(.minX)),
        Self.distance(lines[1], moved[i], inward, antialiased.contains(.maxX)),
        Self.distance(lines[0], moved[i], inward, antialiased.contains(.minY)),
        Self.distance(lines[2], moved[i], inward, antialiased.contains(.maxY)))
      let w = projection.isAffine ? 1 : 1 / back.w
      return Vertex(pixel: moved[i], w: w, local: back.pixel, edges: distances)
    }
    guard vertices.count == moved.count, vertices.allSatisfy({ $0.w > 0 && $0.w.isFinite }) else {
      return nil
    }
  }

  /// The most common case, in fewer steps: no edge is moved and none is cut.
  private static func vertices(_ corners: HardCorners, of rect: CGRect) -> [Vertex] {
    func vertex(_ pixel: CGPoint, _ index: Int) -> Vertex {
      Vertex(pixel: pixel, w: 1, local: rect.corner(index), edges: SIMD4(repeating: far))
    }
    return [
      vertex(corners.a, 0), vertex(corners.b, 1), vertex(corners.c, 2), vertex(corners.d, 3),
    ]
  }

  /// The bounding box in pixels.
  package var bounds: CGRect {
    // A loop: a generic over a lazy sequence is instantiated at run time, at ten times the cost.
    var (minX, minY) = (CGFloat.infinity, CGFloat.infinity)
    var (maxX, maxY) = (-CGFloat.infinity, -CGFloat.infinity)
    for vertex in vertices {
      (minX, maxX) = (min(minX, vertex.pixel.x), max(maxX, vertex.pixel.x))
      (minY, maxY) = (min(minY, vertex.pixel.y), max(maxY, vertex.pixel.y))
    }
    guard minX <= maxX else { return .null }
    return CGRect(x: minX, y: minY, width: maxX - minX, height: maxY - minY)
  }

  fileprivate static func distance(
    _ line: ScreenLine, _ point: CGPoint, _ inward: CGFloat, _ isAntialiased: Bool
  ) -> Double {
    isAntialiased && line.isProper ? Double(line.distance(point) * inward) : far
  }

  /// Cuts off the part behind the eye. The new edge belongs to no side and stays hard.
  private static func clippedNear(
    _ polygon: [(point: Homogeneous, side: EdgeSet)]
  ) -> [(point: Homogeneous, side: EdgeSet)] {
    var kept: [(point: Homogeneous, side: EdgeSet)] = []
    for i in polygon.indices {
      let (a, side) = polygon[i]
      let b = polygon[(i + 1) % polygon.count].point
      let (isAIn, isBIn) = (a.w >= Homogeneous.nearest, b.w >= Homogeneous.nearest)
      if isAIn { kept.append((a, side)) }
      if isAIn != isBIn {
        let t = (Homogeneous.nearest - a.w) / (b.w - a.w)
        let cut = Homogeneous(
          x: a.x + (b.x - a.x) * t, y: a.y + (b.y - a.y) * t, w: Homogeneous.nearest)
        kept.append((cut, isAIn ? [] : side))
      }
    }
    return kept
  }

  /// Moves the flagged edges of a convex polygon out by one pixel.
  private static func outset(
    _ pixels: [CGPoint], sides: [Bool], inward: CGFloat
  ) -> [CGPoint] {
    let count = pixels.count
    let lines = pixels.indices.map { i in
      let line = ScreenLine(pixels[i], pixels[(i + 1) % count])
      return sides[i] ? line.moved(by: -inward) : line
    }
    return pixels.indices.map { i in
      ScreenLine.corner(lines[(i + count - 1) % count], lines[i], near: pixels[i])
    }
  }

  private static func area(_ points: [CGPoint]) -> CGFloat {
    var sum: CGFloat = 0
    for i in points.indices {
      let (a, b) = (points[i], points[(i + 1) % points.count])
      sum += a.x * b.y - b.x * a.y
    }
    return sum / 2
  }
}

/// The corners of a layer's rectangle in a target's pixels, in the order of `CGRect.corner(_:)`.
/// The projection is affine and the edges are hard, so that the rectangle is whole. It takes no
/// memory.
package struct HardCorners {
  package let a: CGPoint
  package let b: CGPoint
  package let c: CGPoint
  package let d: CGPoint
  package let signedArea: CGFloat

  /// nil if the rectangle has no area, or is too far away for useful coordinates.
  package init?(of rect: CGRect, through projection: Projection) {
    guard rect.width > 0, rect.height > 0 else { return nil }
    let (x, y) = projection.affineCorners(of: rect)
    (a, b) = (CGPoint(x: x[0], y: y[0]), CGPoint(x: x[1], y: y[1]))
    (c, d) = (CGPoint(x: x[2], y: y[2]), CGPoint(x: x[3], y: y[3]))
    // Half the product of the diagonals.
    signedArea = ((c.x - a.x) * (d.y - b.y) - (d.x - b.x) * (c.y - a.y)) / 2
    guard abs(signedArea) > 1e-9, minX > -1e7, maxX < 1e7, minY > -1e7, maxY < 1e7 else {
      return nil
    }
  }

  // The bounding box.
  package var minX: CGFloat { min(a.x, b.x, c.x, d.x) }
  package var maxX: CGFloat { max(a.x, b.x, c.x, d.x) }
  package var minY: CGFloat { min(a.y, b.y, c.y, d.y) }
  package var maxY: CGFloat { max(a.y, b.y, c.y, d.y) }
}

/// The corners of a layer's rectangle of which some edges are antialiased, as those of
/// `ProjectedQuad` to the bit. The projection is affine, so that the rectangle is whole. It takes no
/// memory, and all four corners are found at once.
package struct SoftCorners {
  /// The corners' pixels after the antialiased edges were moved out, in the order of
  /// `CGRect.corner(_:)`.
  package private(set) var x: SIMD4<Double>
  package private(set) var y: SIMD4<Double>
  /// The edges before that, each from the corner with its index to the next: minY, maxX, maxY, minX.
  private let lines: ScreenLines
  private let inverse: Projection
  private let isSoft: SIMDMask<SIMD4<Int64>>
  private let inward: Double

  /// nil if nothing is visible.
  package init?(_ rect: CGRect, through projection: Projection, antialiased: EdgeSet) {
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
    isSoft = [
      antialiased.contains(.minY), antialiased.contains(.maxX), antialiased.contains(.maxY),
      antialiased.contains(.minX),
    ]
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

/// A line on the screen: a·x + b·y + c is the distance from it in pixels.
private struct ScreenLine {
  var a: CGFloat
  var b: CGFloat
  var c: CGFloat

  init(a: CGFloat, b: CGFloat, c: CGFloat) { (self.a, self.b, self.c) = (a, b, c) }

  /// The line through two points, which may lie behind the eye. With y down, points to the left of
  /// the direction from the first to the second have negative distances.
  init(_ p: Homogeneous, _ q: Homogeneous) {
    // The cross product of homogeneous points is the line through them.
    var (a, b, c) = (p.y * q.w - p.w * q.y, p.w * q.x - p.x * q.w, p.x * q.y - p.y * q.x)
    // The squares of coordinates are far from an overflow.
    var length = (a * a + b * b).squareRoot()
    // If only one of the points is behind the eye, the line runs the other way.
    if p.w * q.w < 0 { length = -length }
    (a, b, c) = (a / length, b / length, c / length)
    (self.a, self.b, self.c) = (a, b, c)
  }

  init(_ p: CGPoint, _ q: CGPoint) {
    self.init(Homogeneous(x: p.x, y: p.y, w: 1), Homogeneous(x: q.x, y: q.y, w: 1))
  }

  var isProper: Bool { a.isFinite && b.isFinite && c.isFinite }

  func distance(_ p: CGPoint) -> CGFloat { a * p.x + b * p.y + c }

  func moved(by distance: CGFloat) -> ScreenLine {
    var line = self
    line.c -= distance
    return line
  }

  /// The point of the line that is nearest to `p`.
  func moved(onto p: CGPoint) -> CGPoint {
    guard isProper else { return p }
    let d = distance(p)
    return CGPoint(x: p.x - a * d, y: p.y - b * d)
  }

  /// How far a corner is moved at most, in pixels.
  static let cornerLimit: CGFloat = 8

  /// The corner between an edge that was moved out and the next one. `old` is where it was.
  static func corner(_ previous: ScreenLine, _ next: ScreenLine, near old: CGPoint) -> CGPoint {
    guard let corner = previous.intersection(next) else { return next.moved(onto: old) }
    // A sharp corner would be moved far out, for coverage too faint to see.
    let (dx, dy) = (corner.x - old.x, corner.y - old.y)
    let square = dx * dx + dy * dy
    if square <= cornerLimit * cornerLimit { return corner }
    let factor = cornerLimit / square.squareRoot()
    return CGPoint(x: old.x + dx * factor, y: old.y + dy * factor)
  }

  func intersection(_ other: ScreenLine) -> CGPoint? {
    let determinant = a * other.b - other.a * b
    guard abs(determinant) > 1e-6 else { return nil }
    return CGPoint(
      x: (b * other.c - other.b * c) / determinant, y: (other.a * c - a * other.c) / determinant)
  }
}
