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
    signedArea = Self.area(vertices.count) { vertices[$0].pixel }
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
    var polygon = NearPolygon(rect, through: projection)
    let lines = InlineArray<4, ScreenLine> {
      ScreenLine(polygon.points[$0], polygon.points[($0 + 1) % 4])
    }
    if !projection.isAffine { polygon.clip() }
    let count = polygon.count
    guard count >= 3, let inverse = projection.inverse else { return nil }
    var pixels = InlineArray<5, CGPoint>(repeating: .zero)
    for i in 0..<count {
      pixels[i] = polygon.points[i].pixel
      guard abs(pixels[i].x) < 1e7 && abs(pixels[i].y) < 1e7 else { return nil }
    }
    signedArea = Self.area(count) { pixels[$0] }
    guard abs(signedArea) > 1e-9 else { return nil }
    let inward: CGFloat = signedArea > 0 ? 1 : -1
    if !antialiased.isEmpty {
      pixels = Self.outset(pixels, count, inward: inward) {
        antialiased.contains(polygon.sides[$0])
      }
    }
    vertices = []
    vertices.reserveCapacity(count)
    for i in 0..<count {
      let back = inverse(pixels[i])
      guard back.w != 0 else { return nil }
      let distances = SIMD4<Double>(
        Self.distance(lines[3], pixels[i], inward, antialiased.contains(.minX)),
        Self.distance(lines[1], pixels[i], inward, antialiased.contains(.maxX)),
        Self.distance(lines[0], pixels[i], inward, antialiased.contains(.minY)),
        Self.distance(lines[2], pixels[i], inward, antialiased.contains(.maxY)))
      let w = projection.isAffine ? 1 : 1 / back.w
      guard w > 0, w.isFinite else { return nil }
      vertices.append(Vertex(pixel: pixels[i], w: w, local: back.pixel, edges: distances))
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

  /// How far, in pixels, a rectangle's antialiased edges reach beyond its corners on the screen,
  /// which lie in the order of `CGRect.corner(_:)`: a pixel, or more if some are sharp.
  package static func antialiasingMargin(_ x: SIMD4<Double>, _ y: SIMD4<Double>) -> Double {
    func previous(_ numbers: SIMD4<Double>) -> SIMD4<Double> {
      SIMD4(numbers[3], numbers[0], numbers[1], numbers[2])
    }
    let (toX, toY) = (x - previous(x), y - previous(y))
    let (fromX, fromY) = (-previous(toX), -previous(toY))
    // Of the sides that meet at the corner before each one.
    let product = toX * fromX + toY * fromY
    let squares = (toX * toX + toY * toY) * (fromX * fromX + fromY * fromY)
    if all((product .<= 0) .| (product * product .<= 0.25 * squares)) { return 1 }
    var margin = 1.0
    for corner in 0..<4 where product[corner] > 0 {
      // Where two edges meet that were moved out by half a pixel.
      let cosine = product[corner] / squares[corner].squareRoot()
      let reach = (0.5 / (1 - cosine)).squareRoot()
      guard reach < ScreenLine.cornerLimit else { return ScreenLine.cornerLimit }
      margin = max(margin, reach)
    }
    return margin
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

  static func distance(
    _ line: ScreenLine, _ point: CGPoint, _ inward: CGFloat, _ isAntialiased: Bool
  ) -> Double {
    isAntialiased && line.isProper ? Double(line.distance(point) * inward) : far
  }

  /// Moves the edges of a convex polygon for which `isMoved` out by one pixel.
  private static func outset(
    _ pixels: InlineArray<5, CGPoint>, _ count: Int, inward: CGFloat, _ isMoved: (Int) -> Bool
  ) -> InlineArray<5, CGPoint> {
    let lines = InlineArray<5, ScreenLine> { i in
      let line = ScreenLine(pixels[i], pixels[i + 1 < count ? i + 1 : 0])
      return i < count && isMoved(i) ? line.moved(by: -inward) : line
    }
    return InlineArray<5, CGPoint> { i in
      i < count
        ? ScreenLine.corner(lines[i > 0 ? i - 1 : count - 1], lines[i], near: pixels[i])
        : .zero
    }
  }

  private static func area(_ count: Int, _ point: (Int) -> CGPoint) -> CGFloat {
    var sum: CGFloat = 0
    for i in 0..<count {
      let (a, b) = (point(i), point(i + 1 < count ? i + 1 : 0))
      sum += a.x * b.y - b.x * a.y
    }
    return sum / 2
  }
}

/// A projected rectangle, of which the part behind the eye can be cut off.
private struct NearPolygon {
  private(set) var points = InlineArray<5, Homogeneous>(repeating: Homogeneous(x: 0, y: 0, w: 1))
  /// The side from each corner to the next.
  private(set) var sides = InlineArray<5, EdgeSet>(repeating: .none)
  private(set) var count = 4

  init(_ rect: CGRect, through projection: Projection) {
    for corner in 0..<4 { points[corner] = projection(rect.corner(corner)) }
    (sides[0], sides[1], sides[2], sides[3]) = (.minY, .maxX, .maxY, .minX)
  }

  /// Cuts that part off. The new edge belongs to no side and stays hard.
  mutating func clip() {
    let whole = self
    count = 0
    for i in 0..<whole.count {
      let (a, b) = (whole.points[i], whole.points[(i + 1) % whole.count])
      let (isAIn, isBIn) = (a.w >= Homogeneous.nearest, b.w >= Homogeneous.nearest)
      if isAIn { append(a, whole.sides[i]) }
      if isAIn != isBIn {
        let t = (Homogeneous.nearest - a.w) / (b.w - a.w)
        let cut = Homogeneous(
          x: a.x + (b.x - a.x) * t, y: a.y + (b.y - a.y) * t, w: Homogeneous.nearest)
        append(cut, isAIn ? .none : whole.sides[i])
      }
    }
  }

  private mutating func append(_ point: Homogeneous, _ side: EdgeSet) {
    (points[count], sides[count]) = (point, side)
    count += 1
  }
}
