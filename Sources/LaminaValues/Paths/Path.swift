import Foundation

/// A path's segments as plain data, for `CGPath`, for messages to the render process and for
/// animations.
package struct Path: Hashable, Sendable {
  package enum Element: Hashable, Sendable {
    case move(CGPoint)
    case line(CGPoint)
    case quad(control: CGPoint, end: CGPoint)
    case cubic(control1: CGPoint, control2: CGPoint, end: CGPoint)
    case close
  }

  package var elements: [Element]

  package init(_ elements: [Element] = []) { self.elements = elements }

  package var isEmpty: Bool { elements.isEmpty }

  /// The path with every point mapped by `transform`.
  package func applying(_ transform: CGAffineTransform) -> Path {
    if transform.isIdentity { return self }
    return mapPoints { $0.applying(transform) }
  }

  package func mapPoints(_ map: (CGPoint) -> CGPoint) -> Path {
    Path(
      elements.map { element in
        switch element {
        case .move(let p): .move(map(p))
        case .line(let p): .line(map(p))
        case .quad(let c, let p): .quad(control: map(c), end: map(p))
        case .cubic(let c1, let c2, let p):
          .cubic(control1: map(c1), control2: map(c2), end: map(p))
        case .close: .close
        }
      })
  }

  /// Every point, control points included, in order.
  package var points: [CGPoint] {
    var points: [CGPoint] = []
    points.reserveCapacity(elements.count * 2)
    for element in elements {
      switch element {
      case .move(let p), .line(let p): points.append(p)
      case .quad(let c, let p): points += [c, p]
      case .cubic(let c1, let c2, let p): points += [c1, c2, p]
      case .close: break
      }
    }
    return points
  }

  /// The bounding box of all points, control points included; null if there are none.
  package var controlPointBounds: CGRect { CGRect(enclosing: points) }

  package var isFinite: Bool { strangePoint == nil }

  /// The first point that is not finite.
  package var strangePoint: CGPoint? { points.first { !$0.x.isFinite || !$0.y.isFinite } }
}
