import Foundation

/// A convex polygon given by its corners, in either direction. With fewer than three it is empty.
package struct ConvexPolygon: Hashable, Sendable {
  package var points: [CGPoint]

  package init(_ points: [CGPoint]) { self.points = points }

  package init(_ rect: CGRect) {
    points = [
      CGPoint(x: rect.minX, y: rect.minY), CGPoint(x: rect.maxX, y: rect.minY),
      CGPoint(x: rect.maxX, y: rect.maxY), CGPoint(x: rect.minX, y: rect.maxY),
    ]
  }

  package var isEmpty: Bool { points.count < 3 }

  /// Positive if the corners run from +x toward +y.
  package var signedArea: CGFloat {
    var sum: CGFloat = 0
    for i in points.indices {
      let (p, q) = (points[i], points[i + 1 < points.count ? i + 1 : 0])
      sum += p.x * q.y - q.x * p.y
    }
    return sum / 2
  }

  package var center: CGPoint {
    var (x, y) = (CGFloat(0), CGFloat(0))
    for point in points {
      x += point.x
      y += point.y
    }
    let count = CGFloat(max(points.count, 1))
    return CGPoint(x: x / count, y: y / count)
  }

  /// The part of the polygon on one side of a line.
  package func clipped(to line: CutLine, positive: Bool = true) -> ConvexPolygon {
    let keptCount = points.count { (line.distance($0) >= 0) == positive }
    if keptCount == points.count { return self }
    if keptCount == 0 { return ConvexPolygon([]) }
    var kept: [CGPoint] = []
    kept.reserveCapacity(keptCount + 2)
    var (p, dp) = (points[points.count - 1], line.distance(points[points.count - 1]))
    for q in points {
      let dq = line.distance(q)
      if (dp >= 0) != (dq >= 0) {
        let t = dp / (dp - dq)
        kept.append(CGPoint(x: p.x + (q.x - p.x) * t, y: p.y + (q.y - p.y) * t))
      }
      if (dq >= 0) == positive { kept.append(q) }
      (p, dp) = (q, dq)
    }
    return ConvexPolygon(kept)
  }

  /// The area that two polygons share.
  package func intersection(_ other: ConvexPolygon) -> ConvexPolygon {
    let isPositive = signedArea >= 0
    var shared = other
    for i in points.indices where !shared.isEmpty {
      let (p, q) = (points[i], points[i + 1 < points.count ? i + 1 : 0])
      // Positive inside of the edge if the corners run from +x toward +y.
      let (dx, dy) = (q.x - p.x, q.y - p.y)
      let inward = CutLine(a: -dy, b: dx, c: p.x * dy - p.y * dx)
      shared = shared.clipped(to: inward, positive: isPositive)
    }
    return shared
  }
}
