import Foundation
import LaminaValues

/// A path that can be changed.
///
/// Every `transform` maps the points that are added, and is the identity by default. A segment is
/// added only if there is a current point: after a move, or after a shape that brings its own.
/// Non-finite coordinates are stored as given; whatever draws the path leaves them out.
public final class CGMutablePath: CGPath, @unchecked Sendable {
  /// An empty path.
  public convenience init() { self.init(Path()) }

  /// Starts a subpath at `point`.
  public func move(to point: CGPoint, transform: CGAffineTransform = .identity) {
    state.withLock { $0.move(to: point.applying(transform)) }
  }

  /// Adds a line from the current point.
  public func addLine(to point: CGPoint, transform: CGAffineTransform = .identity) {
    state.withLock { $0.addLine(to: point.applying(transform)) }
  }

  /// Adds a quadratic curve from the current point.
  public func addQuadCurve(
    to end: CGPoint, control: CGPoint, transform: CGAffineTransform = .identity
  ) {
    state.withLock {
      $0.addQuad(control: control.applying(transform), end: end.applying(transform))
    }
  }

  /// Adds a cubic curve from the current point.
  public func addCurve(
    to end: CGPoint, control1: CGPoint, control2: CGPoint,
    transform: CGAffineTransform = .identity
  ) {
    state.withLock {
      $0.addCubic(
        control1: control1.applying(transform), control2: control2.applying(transform),
        end: end.applying(transform))
    }
  }

  /// Closes the current subpath with a line to its start. The next segment starts there.
  public func closeSubpath() {
    state.withLock { $0.close() }
  }

  /// Adds a rectangle as a subpath of its own.
  public func addRect(_ rect: CGRect, transform: CGAffineTransform = .identity) {
    state.withLock { $0.addRect(rect, transform: transform) }
  }

  /// Adds each rectangle as a subpath of its own.
  public func addRects(_ rects: [CGRect], transform: CGAffineTransform = .identity) {
    state.withLock { path in
      for rect in rects { path.addRect(rect, transform: transform) }
    }
  }

  /// Adds an open subpath through `points`; adds nothing if there are none.
  public func addLines(between points: [CGPoint], transform: CGAffineTransform = .identity) {
    guard let first = points.first else { return }
    state.withLock { path in
      path.move(to: first.applying(transform))
      for point in points.dropFirst() { path.addLine(to: point.applying(transform)) }
    }
  }

  /// Adds the ellipse that touches the sides of `rect`, starting at (maxX, midY) toward (midX,
  /// maxY).
  public func addEllipse(in rect: CGRect, transform: CGAffineTransform = .identity) {
    state.withLock { $0.addEllipse(in: rect, transform: transform) }
  }

  /// Adds a rectangle with elliptic corners, starting at (maxX, midY) toward (maxX, maxY). Corners
  /// larger than half a side are reduced to that.
  public func addRoundedRect(
    in rect: CGRect, cornerWidth: CGFloat, cornerHeight: CGFloat,
    transform: CGAffineTransform = .identity
  ) {
    state.withLock {
      $0.addRoundedRect(
        in: rect, cornerWidth: cornerWidth, cornerHeight: cornerHeight, transform: transform)
    }
  }

  /// Adds an arc, after a line from the current point if there is one. Angles are radians from +x
  /// toward +y; `clockwise` means toward decreasing angles, so the arc looks clockwise if y points
  /// up. An arc of more than a turn is one turn.
  public func addArc(
    center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool,
    transform: CGAffineTransform = .identity
  ) {
    state.withLock {
      $0.addArc(
        center: center, radius: radius, startAngle: startAngle, endAngle: endAngle,
        clockwise: clockwise, transform: transform)
    }
  }

  /// Adds an arc of `delta` radians, after a line from the current point if there is one.
  public func addRelativeArc(
    center: CGPoint, radius: CGFloat, startAngle: CGFloat, delta: CGFloat,
    transform: CGAffineTransform = .identity
  ) {
    state.withLock {
      $0.addArc(
        center: center, radius: radius, startAngle: startAngle, delta: delta, transform: transform)
    }
  }

  /// Adds a line and an arc that rounds the corner at `tangent1End`, on the way from the current
  /// point to `tangent2End`; the arc ends where the circle touches the line to `tangent2End`.
  public func addArc(
    tangent1End: CGPoint, tangent2End: CGPoint, radius: CGFloat,
    transform: CGAffineTransform = .identity
  ) {
    state.withLock {
      $0.addArc(
        tangent1End: tangent1End, tangent2End: tangent2End, radius: radius, transform: transform)
    }
  }

  /// Adds all subpaths of `path`; a path may be added to itself.
  public func addPath(_ path: CGPath, transform: CGAffineTransform = .identity) {
    let added = path.storage.applying(transform).elements
    state.withLock { $0.elements += added }
  }
}
