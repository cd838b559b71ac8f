import Foundation

/// One piece of a path between two points, including its start.
package enum PathSegment: Hashable, Sendable {
  case line(CGPoint, CGPoint)
  case quad(CGPoint, CGPoint, CGPoint)
  case cubic(CGPoint, CGPoint, CGPoint, CGPoint)

  package var start: CGPoint {
    switch self {
    case .line(let p, _), .quad(let p, _, _), .cubic(let p, _, _, _): p
    }
  }

  package var end: CGPoint {
    switch self {
    case .line(_, let p), .quad(_, _, let p), .cubic(_, _, _, let p): p
    }
  }

  package var element: Path.Element {
    switch self {
    case .line(_, let p): .line(p)
    case .quad(_, let c, let p): .quad(control: c, end: p)
    case .cubic(_, let c1, let c2, let p): .cubic(control1: c1, control2: c2, end: p)
    }
  }

  /// The point at parameter `t`, 0 at the start and 1 at the end.
  package func point(at t: CGFloat) -> CGPoint {
    switch self {
    case .line(let a, let b): a.mixed(with: b, t)
    case .quad(let a, let b, let c): a.mixed(with: b, t).mixed(with: b.mixed(with: c, t), t)
    case .cubic(let a, let b, let c, let d):
      PathSegment.quad(a.mixed(with: b, t), b.mixed(with: c, t), c.mixed(with: d, t)).point(at: t)
    }
  }

  /// The derivative with respect to the parameter, at `t`.
  package func velocity(at t: CGFloat) -> CGVector {
    switch self {
    case .line(let a, let b): return CGVector(dx: b.x - a.x, dy: b.y - a.y)
    case .quad(let a, let b, let c):
      let u = 1 - t
      return CGVector(
        dx: 2 * (u * (b.x - a.x) + t * (c.x - b.x)), dy: 2 * (u * (b.y - a.y) + t * (c.y - b.y)))
    case .cubic(let a, let b, let c, let d):
      let u = 1 - t
      let (w0, w1, w2) = (3 * u * u, 6 * u * t, 3 * t * t)
      return CGVector(
        dx: w0 * (b.x - a.x) + w1 * (c.x - b.x) + w2 * (d.x - c.x),
        dy: w0 * (b.y - a.y) + w1 * (c.y - b.y) + w2 * (d.y - c.y))
    }
  }

  /// The parts before and after parameter `t`.
  package func split(at t: CGFloat) -> (PathSegment, PathSegment) {
    switch self {
    case .line(let a, let b):
      let m = a.mixed(with: b, t)
      return (.line(a, m), .line(m, b))
    case .quad(let a, let b, let c):
      let (ab, bc) = (a.mixed(with: b, t), b.mixed(with: c, t))
      let m = ab.mixed(with: bc, t)
      return (.quad(a, ab, m), .quad(m, bc, c))
    case .cubic(let a, let b, let c, let d):
      let (ab, bc, cd) = (a.mixed(with: b, t), b.mixed(with: c, t), c.mixed(with: d, t))
      let (abc, bcd) = (ab.mixed(with: bc, t), bc.mixed(with: cd, t))
      let m = abc.mixed(with: bcd, t)
      return (.cubic(a, ab, abc, m), .cubic(m, bcd, cd, d))
    }
  }

  /// The part between two parameters, `from` below `to`.
  package func part(from: CGFloat, to: CGFloat) -> PathSegment {
    let head = to < 1 ? split(at: to).0 : self
    return from > 0 ? head.split(at: from / min(to, 1)).1 : head
  }

  /// The parameters inside 0…1 at which x or y turns around.
  package var extrema: [CGFloat] {
    switch self {
    case .line: return []
    case .quad(let a, let b, let c):
      return [(a.x, b.x, c.x), (a.y, b.y, c.y)].compactMap { a, b, c in
        let t = (a - b) / (a - 2 * b + c)
        return t > 0 && t < 1 ? t : nil
      }
    case .cubic(let a, let b, let c, let d):
      return PathSegment.cubicExtrema(a.x, b.x, c.x, d.x)
        + PathSegment.cubicExtrema(a.y, b.y, c.y, d.y)
    }
  }

  private static func cubicExtrema(
    _ a: CGFloat, _ b: CGFloat, _ c: CGFloat, _ d: CGFloat
  ) -> [CGFloat] {
    // A third of the derivative: p t² + 2 q t + r.
    let (p, q, r) = (d - a + 3 * (b - c), a - 2 * b + c, b - a)
    let discriminant = q * q - p * r
    guard discriminant >= 0 else { return [] }
    // The form without cancellation. If p is 0, only the second root is finite.
    let s = -(q + (q < 0 ? -1 : 1) * discriminant.squareRoot())
    return [s / p, r / s].filter { $0 > 0 && $0 < 1 }
  }
}

extension CGPoint {
  /// The point at fraction `t` of the way to `other`.
  fileprivate func mixed(with other: CGPoint, _ t: CGFloat) -> CGPoint {
    CGPoint(x: x + (other.x - x) * t, y: y + (other.y - y) * t)
  }
}

extension Path {
  /// A run of segments from one move to the next.
  package struct Subpath: Hashable, Sendable {
    package var start: CGPoint
    /// Includes the closing segment if that has a length.
    package var segments: [PathSegment] = []
    package var isClosed = false
    /// Whether closing the subpath added the last segment.
    package var hasClosingLine = false
  }

  /// The path's subpaths. Segments before any move are ignored; a segment after a close starts a
  /// subpath at the closed one's start.
  package var subpaths: [Subpath] {
    var subpaths: [Subpath] = []
    var current: Subpath?
    var point = CGPoint.zero
    for element in elements {
      if case .move(let p) = element {
        if let current { subpaths.append(current) }
        current = Subpath(start: p)
        point = p
        continue
      }
      guard var subpath = current else { continue }
      // Otherwise each added segment would copy the others.
      current = nil
      if subpath.isClosed {
        subpaths.append(subpath)
        subpath = Subpath(start: subpath.start)
      }
      switch element {
      case .move: break
      case .line(let p): subpath.segments.append(.line(point, p))
      case .quad(let c, let p): subpath.segments.append(.quad(point, c, p))
      case .cubic(let c1, let c2, let p): subpath.segments.append(.cubic(point, c1, c2, p))
      case .close:
        subpath.isClosed = true
        subpath.hasClosingLine = point != subpath.start
        if subpath.hasClosingLine { subpath.segments.append(.line(point, subpath.start)) }
      }
      point = subpath.isClosed ? subpath.start : subpath.segments.last?.end ?? point
      current = subpath
    }
    if let current { subpaths.append(current) }
    return subpaths
  }

  /// The smallest rectangle around the curves themselves, without control points; null if the path
  /// has no point.
  package var tightBounds: CGRect {
    var points: [CGPoint] = []
    for subpath in subpaths {
      points.append(subpath.start)
      for segment in subpath.segments {
        points += segment.extrema.map(segment.point)
        points.append(segment.end)
      }
    }
    return CGRect(enclosing: points)
  }
}

extension Path.Subpath {
  package var isFinite: Bool {
    func isFinite(_ p: CGPoint) -> Bool { p.x.isFinite && p.y.isFinite }
    return isFinite(start)
      && segments.allSatisfy { segment in
        switch segment {
        case .line(_, let p): isFinite(p)
        case .quad(_, let c, let p): isFinite(c) && isFinite(p)
        case .cubic(_, let c1, let c2, let p): isFinite(c1) && isFinite(c2) && isFinite(p)
        }
      }
  }
}
