import Foundation

/// A line in a plane, with a positive and a negative side.
package struct CutLine: Hashable, Sendable {
  package var a: CGFloat
  package var b: CGFloat
  package var c: CGFloat

  package init(a: CGFloat, b: CGFloat, c: CGFloat) {
    (self.a, self.b, self.c) = (a, b, c)
  }

  /// Positive on the positive side. The distance from the line if a² + b² = 1.
  package func distance(_ p: CGPoint) -> CGFloat { a * p.x + b * p.y + c }

  /// The same line with a² + b² = 1; nil if it is no line, because the whole plane is on one side.
  package var normalized: CutLine? {
    let length = hypot(a, b)
    guard length > 0, length.isFinite, c.isFinite else { return nil }
    return CutLine(a: a / length, b: b / length, c: c / length)
  }
}

/// The depth of a plane in space at each point of the viewer's screen; greater is nearer. It is a
/// linear function there, even under a perspective.
///
/// Under a perspective that several planes share, compare their depths only at the same point.
package struct DepthPlane: Hashable, Sendable {
  package var x: CGFloat
  package var y: CGFloat
  package var constant: CGFloat

  package init(x: CGFloat, y: CGFloat, constant: CGFloat) {
    (self.x, self.y, self.constant) = (x, y, constant)
  }

  /// The depth of a layer's plane z = 0. `toView` maps the layer to the viewer's points, `toSpace`
  /// to the space shared with others, whose z axis is the line of sight. nil if seen edge-on.
  package init?(toSpace: CATransform3D, toView: CATransform3D) {
    guard let back = toView.planarInverse else { return nil }
    x = back.m11 * toSpace.m13 + back.m12 * toSpace.m23 + back.m14 * toSpace.m43
    y = back.m21 * toSpace.m13 + back.m22 * toSpace.m23 + back.m24 * toSpace.m43
    constant = back.m41 * toSpace.m13 + back.m42 * toSpace.m23 + back.m44 * toSpace.m43
    guard x.isFinite, y.isFinite, constant.isFinite else { return nil }
  }

  package func depth(at p: CGPoint) -> CGFloat { x * p.x + y * p.y + constant }
}
