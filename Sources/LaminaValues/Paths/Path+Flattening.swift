import Foundation

extension PathSegment {
  /// Largest number of lines for one curve, even with the finest tolerance.
  package static let flatteningLimit = 1024

  /// The number of lines of equal parameter length that stay within `tolerance` of the curve, by
  /// Wang's bound on the second differences.
  package func lineCount(tolerance: CGFloat) -> Int {
    let bend: CGFloat
    switch self {
    case .line: return 1
    case .quad(let a, let b, let c):
      bend = hypot(a.x - 2 * b.x + c.x, a.y - 2 * b.y + c.y) / 4
    case .cubic(let a, let b, let c, let d):
      bend =
        max(
          hypot(a.x - 2 * b.x + c.x, a.y - 2 * b.y + c.y),
          hypot(b.x - 2 * c.x + d.x, b.y - 2 * c.y + d.y)) * 3 / 4
    }
    let count = (bend / max(tolerance, 1e-9)).squareRoot().rounded(.up)
    guard count.isFinite else { return PathSegment.flatteningLimit }
    return max(1, min(PathSegment.flatteningLimit, Int(min(count, 1e6))))
  }
}

extension Path {
  /// Returns the path with lines in place of curves, at most `tolerance` from each curve (in the
  /// path's own units), and at most `PathSegment.flatteningLimit` lines per curve.
  package func flattened(tolerance: CGFloat) -> Path {
    var flat = Path()
    flat.elements.reserveCapacity(elements.count)
    var (start, point) = (CGPoint.zero, CGPoint.zero)
    func lines(_ segment: PathSegment) -> [Element] {
      let count = segment.lineCount(tolerance: tolerance)
      return (1...count).map {
        .line($0 == count ? segment.end : segment.point(at: CGFloat($0) / CGFloat(count)))
      }
    }
    for element in elements {
      switch element {
      case .move(let p):
        flat.elements.append(element)
        (start, point) = (p, p)
      case .line(let p):
        flat.elements.append(element)
        point = p
      case .quad(let c, let p):
        flat.elements += lines(.quad(point, c, p))
        point = p
      case .cubic(let c1, let c2, let p):
        flat.elements += lines(.cubic(point, c1, c2, p))
        point = p
      case .close:
        flat.elements.append(element)
        point = start
      }
    }
    return flat
  }
}
