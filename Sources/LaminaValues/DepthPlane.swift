import Foundation

/// A line in a plane, with a positive and a negative side.
package struct CutLine: Hashable, Sendable {
  package var a: CGFloat
  package var b: CGFloat
  package var c: CGFloat

  package init(a: CGFloat, b: CGFloat, c: CGFloat) {
    (self.a, self.b, self.c) = (a, b, c)
  }

  /// Greater than zero on the positive side; a distance where a² + b² = 1.
  package func distance(_ p: CGPoint) -> CGFloat { a * p.x + b * p.y + c }

  /// The same line with distances as its values; nil where there is no line, but all the plane on
  /// one side.
  package var normalized: CutLine? {
    let length = hypot(a, b)
    guard length > 0, length.isFinite, c.isFinite else { return nil }
    return CutLine(a: a / length, b: b / length, c: c / length)
  }

  /// The line as points count that lie `x` and `y` further left and up.
  package func moved(x: CGFloat, y: CGFloat) -> CutLine {
    CutLine(a: a, b: b, c: c + a * x + b * y)
  }
}

/// How near a plane in space is to the viewer at each point of what the viewer sees, which is
/// linear there, under a perspective as well: greater is nearer.
///
/// Under a perspective that all planes share, values are to be compared at one point only.
package struct DepthPlane: Hashable, Sendable {
  package var x: CGFloat
  package var y: CGFloat
  package var constant: CGFloat

  package init(x: CGFloat, y: CGFloat, constant: CGFloat) {
    (self.x, self.y, self.constant) = (x, y, constant)
  }

  /// The plane z = 0 of a layer. `toView` maps it to the viewer's points, `toSpace` to the space that
  /// it shares with others, whose z is what the viewer looks along. nil where it is seen edge-on.
  package init?(toSpace: CATransform3D, toView: CATransform3D) {
    guard let back = toView.planarInverse else { return nil }
    x = back.m11 * toSpace.m13 + back.m12 * toSpace.m23 + back.m14 * toSpace.m43
    y = back.m21 * toSpace.m13 + back.m22 * toSpace.m23 + back.m24 * toSpace.m43
    constant = back.m41 * toSpace.m13 + back.m42 * toSpace.m23 + back.m44 * toSpace.m43
    guard x.isFinite, y.isFinite, constant.isFinite else { return nil }
  }

  package func depth(at p: CGPoint) -> CGFloat { x * p.x + y * p.y + constant }
}
