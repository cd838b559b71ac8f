import Foundation

extension PathSegment {
  /// The segment, split so that x and y each only rise or only fall in every part.
  package var monotoneParts: [PathSegment] {
    let turns = extrema.sorted()
    guard !turns.isEmpty else { return [self] }
    return zip([0] + turns, turns + [1]).compactMap { from, to in
      from < to ? part(from: from, to: to) : nil
    }
  }

  /// How often the segment crosses the ray from `point` toward +x: 1 for a crossing with rising y,
  /// −1 with falling. The low end of a crossing's y range counts, the high end does not.
  package func winding(around point: CGPoint) -> Int {
    let hull = hull
    guard point.y >= hull.minY, point.y <= hull.maxY, point.x < hull.maxX else { return 0 }
    // The whole segment is to the right, so only its ends matter.
    if point.x < hull.minX { return PathSegment.crossing(point.y, start.y, end.y) }
    if case .line(let a, let b) = self {
      let direction = PathSegment.crossing(point.y, a.y, b.y)
      guard direction != 0 else { return 0 }
      // Computed from the lower end, so that both directions of a line agree.
      let (low, high) = direction > 0 ? (a, b) : (b, a)
      let side = (high.x - low.x) * (point.y - low.y) - (high.y - low.y) * (point.x - low.x)
      return side > 0 ? direction : 0
    }
    return monotoneParts.reduce(0) { $0 + $1.monotoneWinding(around: point) }
  }

  private static func crossing(_ y: CGFloat, _ from: CGFloat, _ to: CGFloat) -> Int {
    if from <= y && y < to { return 1 }
    return to <= y && y < from ? -1 : 0
  }

  private func monotoneWinding(around point: CGPoint) -> Int {
    let direction = PathSegment.crossing(point.y, start.y, end.y)
    guard direction != 0, point.x < max(start.x, end.x) else { return 0 }
    if point.x < min(start.x, end.x) { return direction }
    // Finds the point's height on the curve, to the last bit of the parameter.
    var (low, high) = (CGFloat(0), CGFloat(1))
    for _ in 0..<60 {
      let middle = (low + high) / 2
      guard middle > low, middle < high else { break }
      let isBelow = self.point(at: middle).y <= point.y
      if isBelow == (direction > 0) { low = middle } else { high = middle }
    }
    return self.point(at: (low + high) / 2).x > point.x ? direction : 0
  }

  /// The bounds of the segment's control points.
  package var hull: (minX: CGFloat, minY: CGFloat, maxX: CGFloat, maxY: CGFloat) {
    switch self {
    case .line(let a, let b):
      (min(a.x, b.x), min(a.y, b.y), max(a.x, b.x), max(a.y, b.y))
    case .quad(let a, let b, let c):
      (
        min(a.x, min(b.x, c.x)), min(a.y, min(b.y, c.y)), max(a.x, max(b.x, c.x)),
        max(a.y, max(b.y, c.y))
      )
    case .cubic(let a, let b, let c, let d):
      (
        min(min(a.x, b.x), min(c.x, d.x)), min(min(a.y, b.y), min(c.y, d.y)),
        max(max(a.x, b.x), max(c.x, d.x)), max(max(a.y, b.y), max(c.y, d.y))
      )
    }
  }
}

extension Path {
  /// How often the path, with every subpath closed, goes around `point` from +x toward +y, minus
  /// how often it goes the other way. An edge belongs to the side with greater x or, if level, with
  /// greater y: a rectangle includes its min edges, as in `CGRect.contains`. Subpaths with a
  /// non-finite point are ignored.
  package func winding(around point: CGPoint) -> Int {
    guard point.x.isFinite, point.y.isFinite else { return 0 }
    var winding = 0
    for subpath in subpaths where subpath.isFinite {
      guard let last = subpath.segments.last else { continue }
      for segment in subpath.segments { winding += segment.winding(around: point) }
      if !subpath.isClosed {
        winding += PathSegment.line(last.end, subpath.start).winding(around: point)
      }
    }
    return winding
  }

  /// The rectangle that the path is, with sides parallel to the axes; nil for any other path. The
  /// last side may be missing, since closing or filling adds it.
  package var rectangle: CGRect? {
    let subpaths = subpaths
    guard subpaths.count == 1, let subpath = subpaths.first, subpath.isFinite else { return nil }
    var corners = [subpath.start]
    for segment in subpath.segments {
      guard case .line(_, let end) = segment else { return nil }
      corners.append(end)
    }
    if corners.count == 5, corners[4] == corners[0] { corners.removeLast() }
    guard corners.count == 4 else { return nil }
    let (a, b, c, d) = (corners[0], corners[1], corners[2], corners[3])
    let isAlongX = a.y == b.y && b.x == c.x && c.y == d.y && d.x == a.x
    let isAlongY = a.x == b.x && b.y == c.y && c.x == d.x && d.y == a.y
    return isAlongX || isAlongY ? CGRect(enclosing: corners) : nil
  }
}
