import Foundation
import LaminaValues

extension Path {
  /// The path at a fraction of the way to one of the same structure; nil if the structures differ.
  ///
  /// Two paths have the same structure if their moves and closings are in the same places, with
  /// equal numbers of segments between them. A line or quadratic curve paired with a different kind
  /// of segment is treated as the cubic curve of the same shape.
  package func interpolated(to end: Path, fraction: Double) -> Path? {
    combined(with: end) { a, b in
      CGPoint(x: mix(a.x, b.x, fraction), y: mix(a.y, b.y, fraction))
    }
  }

  /// A path of this structure whose points are joined from the two paths' points, pair by pair; nil
  /// if the structures differ.
  func combined(with other: Path, _ join: (CGPoint, CGPoint) -> CGPoint) -> Path? {
    guard elements.count == other.elements.count else { return nil }
    var result: [Element] = []
    result.reserveCapacity(elements.count)
    var (mine, theirs) = (Pen(), Pen())
    for (a, b) in zip(elements, other.elements) {
      switch (a, b) {
      case (.move(let p), .move(let q)): result.append(.move(join(p, q)))
      case (.line(let p), .line(let q)): result.append(.line(join(p, q)))
      case (.quad(let c, let p), .quad(let d, let q)):
        result.append(.quad(control: join(c, d), end: join(p, q)))
      case (.close, .close): result.append(.close)
      default:
        guard let a = mine.cubic(a), let b = theirs.cubic(b) else { return nil }
        result.append(
          .cubic(control1: join(a.0, b.0), control2: join(a.1, b.1), end: join(a.2, b.2)))
      }
      mine.follow(a)
      theirs.follow(b)
    }
    return Path(result)
  }
}

/// The current point while following a path.
private struct Pen {
  private var start = CGPoint.zero
  private var place = CGPoint.zero

  mutating func follow(_ element: Path.Element) {
    switch element {
    case .move(let p): (start, place) = (p, p)
    case .line(let p), .quad(_, let p), .cubic(_, _, let p): place = p
    case .close: place = start
    }
  }

  /// The control points and the end of the cubic curve with the shape of a segment that starts
  /// here; nil if the element is not a segment.
  func cubic(_ element: Path.Element) -> (CGPoint, CGPoint, CGPoint)? {
    func part(_ fraction: Double, from a: CGPoint, to b: CGPoint) -> CGPoint {
      CGPoint(x: mix(a.x, b.x, fraction), y: mix(a.y, b.y, fraction))
    }
    switch element {
    case .line(let p):
      return (part(1 / 3, from: place, to: p), part(2 / 3, from: place, to: p), p)
    case .quad(let c, let p):
      return (part(2 / 3, from: place, to: c), part(2 / 3, from: p, to: c), p)
    case .cubic(let c, let d, let p): return (c, d, p)
    case .move, .close: return nil
    }
  }
}
