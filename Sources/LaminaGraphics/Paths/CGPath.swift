import Foundation
import LaminaValues

/// A path: subpaths of lines and Bézier curves. It never changes, unless it is a `CGMutablePath`.
///
/// Coordinates are in the space of whatever draws the path: for a layer, points in its bounds'
/// space.
public class CGPath: Hashable, @unchecked Sendable {
  // The subclass is mutable, and another thread may see it as a CGPath: the lock makes the
  // conformance to Sendable sound.
  package let state: Lock<Path>

  /// The path as plain data; copying it costs nothing until one of the copies changes.
  package var storage: Path { state.withLock { $0 } }

  package init(_ path: Path) { state = Lock(path) }

  /// A rectangle, starting at its corner (minX, minY) along the edge y = minY. A nil `transform` is
  /// the identity.
  public convenience init(rect: CGRect, transform: UnsafePointer<CGAffineTransform>?) {
    var path = Path()
    path.addRect(rect, transform: transform?.pointee ?? .identity)
    self.init(path)
  }

  /// The ellipse that touches the sides of `rect`, starting at (maxX, midY) toward (midX, maxY). A
  /// nil `transform` is the identity.
  public convenience init(ellipseIn rect: CGRect, transform: UnsafePointer<CGAffineTransform>?) {
    var path = Path()
    path.addEllipse(in: rect, transform: transform?.pointee ?? .identity)
    self.init(path)
  }

  /// A rectangle with elliptic corners, starting at (maxX, midY) toward (maxX, maxY). Corners
  /// larger than half a side are reduced to that. A nil `transform` is the identity.
  public convenience init(
    roundedRect rect: CGRect, cornerWidth: CGFloat, cornerHeight: CGFloat,
    transform: UnsafePointer<CGAffineTransform>?
  ) {
    var path = Path()
    path.addRoundedRect(
      in: rect, cornerWidth: cornerWidth, cornerHeight: cornerHeight,
      transform: transform?.pointee ?? .identity)
    self.init(path)
  }

  /// Whether the path has no elements.
  public var isEmpty: Bool { storage.isEmpty }

  /// The point at which the next segment would start: the last point or, after a subpath was
  /// closed, its start. Zero for an empty path.
  public var currentPoint: CGPoint { storage.currentPoint ?? .zero }

  /// The smallest rectangle around all points, control points included; null for an empty path.
  public var boundingBox: CGRect { storage.controlPointBounds }

  /// The smallest rectangle around the path itself, control points left out; null for an empty
  /// path.
  public var boundingBoxOfPath: CGRect { storage.tightBounds }

  /// An immutable copy.
  public func copy() -> CGPath? { CGPath(storage) }

  /// A copy with every point mapped by `transform`; nil is the identity.
  public func copy(using transform: UnsafePointer<CGAffineTransform>?) -> CGPath? {
    CGPath(storage.applying(transform?.pointee ?? .identity))
  }

  /// A mutable copy.
  public func mutableCopy() -> CGMutablePath? { CGMutablePath(storage) }

  /// A mutable copy with every point mapped by `transform`; nil is the identity.
  public func mutableCopy(using transform: UnsafePointer<CGAffineTransform>?) -> CGMutablePath? {
    CGMutablePath(storage.applying(transform?.pointee ?? .identity))
  }

  /// Calls `block` with every element in order. The element and its points are valid only during
  /// the call.
  public func applyWithBlock(_ block: (UnsafePointer<CGPathElement>) -> Void) {
    withUnsafeTemporaryAllocation(of: CGPoint.self, capacity: 3) { points in
      points.initialize(repeating: .zero)
      guard let base = points.baseAddress else { return }
      for element in storage.elements {
        var pathElement = CGPathElement(type: .moveToPoint, points: base)
        switch element {
        case .move(let p): points[0] = p
        case .line(let p): (pathElement.type, points[0]) = (.addLineToPoint, p)
        case .quad(let c, let p):
          (pathElement.type, points[0], points[1]) = (.addQuadCurveToPoint, c, p)
        case .cubic(let c1, let c2, let p):
          (pathElement.type, points[0], points[1], points[2]) = (.addCurveToPoint, c1, c2, p)
        case .close: pathElement.type = .closeSubpath
        }
        block(&pathElement)
      }
    }
  }

  public static func == (a: CGPath, b: CGPath) -> Bool { a === b || a.storage == b.storage }

  public func hash(into hasher: inout Hasher) { hasher.combine(storage) }
}

/// The kind of a path's element, with the points that it has.
public enum CGPathElementType: Int32, Sendable {
  /// Starts a subpath: one point.
  case moveToPoint
  /// A line: its end.
  case addLineToPoint
  /// A quadratic curve: its control point, its end.
  case addQuadCurveToPoint
  /// A cubic curve: its two control points, its end.
  case addCurveToPoint
  /// A line to the subpath's start, joined there: no point.
  case closeSubpath
}

/// An element of a path, as passed to the block of `applyWithBlock`.
public struct CGPathElement {
  /// What the element does, which says how many points it has.
  public var type: CGPathElementType
  /// The points; their number depends on the type.
  public var points: UnsafeMutablePointer<CGPoint>

  /// An element with the points that its type needs.
  public init(type: CGPathElementType, points: UnsafeMutablePointer<CGPoint>) {
    self.type = type
    self.points = points
  }
}
