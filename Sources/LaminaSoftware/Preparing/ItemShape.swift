import LaminaFramePlan
import LaminaValues

/// Where an item's corners are in its target, and the planes of numbers that vary over it.
struct ItemShape {
  /// The corners, times w as they come.
  let corners: UnsafePointer<ItemCorner>
  let count: Int
  let isFan: Bool
  /// The target's place in the space of the items.
  let originX: Double
  let originY: Double

  @inline(__always)
  func x(_ corner: Int) -> Double { corners[corner].x - originX }
  @inline(__always)
  func y(_ corner: Int) -> Double { corners[corner].y - originY }

  /// Farther away, in pixels, products of coordinates lose everything or are infinite.
  private static let limit = 1e15

  /// Whether every coordinate is a number that can be computed with.
  var isFinite: Bool {
    var (isNear, rest) = (true, 0.0)
    for corner in 0..<count {
      let corner = corners + corner
      isNear =
        isNear && abs(corner.pointee.x) < Self.limit && abs(corner.pointee.y) < Self.limit
        && corner.pointee.w > 0
      // Any finite number times 0 is 0; infinity and NaN give NaN.
      rest += (corner.pointee.w + corner.pointee.localX * 0) * 0 + corner.pointee.localY * 0
    }
    return isNear && rest == 0
  }

  // MARK: Rectangles

  /// The whole pixels that it covers, if it is a rectangle along the pixels even before its corners
  /// are snapped, as most are.
  @inline(__always)
  var plainRectangle: PixelRect? {
    guard count == 4, isFan else { return nil }
    let (a, b, c, d) = (corners, corners + 1, corners + 2, corners + 3)
    let limit = Self.limit
    guard a.pointee.y == b.pointee.y, b.pointee.x == c.pointee.x, c.pointee.y == d.pointee.y,
      d.pointee.x == a.pointee.x, a.pointee.w == 1, b.pointee.w == 1, c.pointee.w == 1,
      d.pointee.w == 1, abs(a.pointee.x) < limit, abs(a.pointee.y) < limit,
      abs(c.pointee.x) < limit, abs(c.pointee.y) < limit
    else { return nil }
    return Self.pixels(snapped(0), snapped(2))
  }

  /// The whole pixels that it covers, if it is a rectangle along the pixels.
  @inline(__always)
  var rectangle: PixelRect? {
    guard count == 4, isFan else { return nil }
    let (a, b, c, d) = (snapped(0), snapped(1), snapped(2), snapped(3))
    let isLevel = a.y == b.y && b.x == c.x && c.y == d.y && d.x == a.x
    let isUpright = a.x == b.x && b.y == c.y && c.x == d.x && d.y == a.y
    return isLevel || isUpright ? Self.pixels(a, c) : nil
  }

  @inline(__always)
  private func snapped(_ corner: Int) -> SnappedCorner {
    let limit = PolygonEdges.reach
    return SnappedCorner(
      min(max(x(corner), -limit), limit), min(max(y(corner), -limit), limit))
  }

  /// The pixels of a rectangle that has two corners opposite each other.
  @inline(__always)
  private static func pixels(_ a: SnappedCorner, _ c: SnappedCorner) -> PixelRect {
    PixelRect(
      minX: SnappedCorner.pixel(min(a.x, c.x)), minY: SnappedCorner.pixel(min(a.y, c.y)),
      maxX: SnappedCorner.pixel(max(a.x, c.x)), maxY: SnappedCorner.pixel(max(a.y, c.y)))
  }

  // MARK: Polygons

  /// Adds its polygons and their edges to the lists.
  func addPolygons(to polygons: inout [PolygonEdges], edges: inout [PolygonEdges.Edge]) {
    if isFan {
      add(0..<count, to: &polygons, edges: &edges)
    } else {
      for first in stride(from: 0, to: count - 2, by: 3) {
        add(first..<first + 3, to: &polygons, edges: &edges)
      }
    }
  }

  private func add(
    _ places: Range<Int>, to polygons: inout [PolygonEdges], edges: inout [PolygonEdges.Edge]
  ) {
    let limit = PolygonEdges.reach
    var points = places.map { SIMD2(x($0), y($0)) }
    if points.contains(where: { abs($0.x) > limit || abs($0.y) > limit }) {
      for axis in 0..<2 {
        points = points.clipped { $0[axis] + limit }
        points = points.clipped { limit - $0[axis] }
      }
    }
    var snapped: [SnappedCorner] = []
    for point in points {
      let corner = SnappedCorner(point.x, point.y)
      if corner != snapped.last { snapped.append(corner) }
    }
    if snapped.count > 1, snapped.first == snapped.last { snapped.removeLast() }
    guard snapped.count >= 3 else { return }
    var area: Int64 = 0
    for index in snapped.indices {
      let (a, b) = (snapped[index], snapped[(index + 1) % snapped.count])
      area += a.x * b.y - b.x * a.y
    }
    if area == 0 { return }
    if area < 0 { snapped.reverse() }
    let first = Int32(edges.count)
    for index in snapped.indices {
      edges.append(
        PolygonEdges.Edge(from: snapped[index], to: snapped[(index + 1) % snapped.count]))
    }
    polygons.append(PolygonEdges(edges: first..<Int32(edges.count)))
  }

  // MARK: Planes

  /// Computes planes from three corners that are far apart.
  struct Fit {
    private let corners: (Int, Int, Int)
    private let fromFirst: SIMD4<Double>
    private let determinant: Double
    private let toReference: SIMD2<Double>

    /// Nil if all corners lie on a line. Planes count from the middle of the pixel.
    init?(_ shape: ItemShape, referenceX: Int, referenceY: Int) {
      var best = (corners: (0, 1, 2), area: 0.0)
      for next in stride(from: shape.isFan ? 1 : 0, to: shape.count - 1, by: shape.isFan ? 1 : 3) {
        let (a, b, c) = shape.isFan ? (0, next, next + 1) : (next, next + 1, next + 2)
        if c >= shape.count { break }
        let area =
          (shape.x(b) - shape.x(a)) * (shape.y(c) - shape.y(a))
          - (shape.x(c) - shape.x(a)) * (shape.y(b) - shape.y(a))
        if abs(area) > abs(best.area) { best = ((a, b, c), area) }
      }
      guard best.area != 0, best.area.isFinite else { return nil }
      let (a, b, c) = best.corners
      corners = best.corners
      determinant = best.area
      fromFirst = SIMD4(
        shape.x(b) - shape.x(a), shape.y(b) - shape.y(a), shape.x(c) - shape.x(a),
        shape.y(c) - shape.y(a))
      toReference = SIMD2(
        Double(referenceX) + 0.5 - shape.x(a), Double(referenceY) + 0.5 - shape.y(a))
    }

    /// The plane of numbers that are given at the corners.
    func plane(_ number: (Int) -> Double) -> Plane {
      let first = number(corners.0)
      let (second, third) = (number(corners.1) - first, number(corners.2) - first)
      let across = (second * fromFirst.w - third * fromFirst.y) / determinant
      let down = (third * fromFirst.x - second * fromFirst.z) / determinant
      return Plane(
        across: Float(across), down: Float(down),
        start: Float(first + across * toReference.x + down * toReference.y))
    }
  }
}

extension [SIMD2<Double>] {
  /// The part of a convex polygon where `distance` is not negative.
  fileprivate func clipped(_ distance: (SIMD2<Double>) -> Double) -> Self {
    var result: Self = []
    for index in indices {
      let (a, b) = (self[index], self[(index + 1) % count])
      let (da, db) = (distance(a), distance(b))
      if da >= 0 { result.append(a) }
      if da >= 0 && db < 0 || da < 0 && db >= 0 {
        result.append(a + (b - a) * (da / (da - db)))
      }
    }
    return result
  }
}
