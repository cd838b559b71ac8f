import Foundation
import Lamina

/// A layer's plane as projected onto the screen.
struct Plane {
  /// A matrix for points as row vectors: x, y and 1, or x, y and w.
  private struct Matrix {
    var a, b, c, d, e, f, g, h, i: Double

    /// nil if the matrix is singular.
    var inverse: Matrix? {
      let determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
      guard abs(determinant) > 1e-12 else { return nil }
      let k = 1 / determinant
      return Matrix(
        a: k * (e * i - f * h), b: k * (c * h - b * i), c: k * (b * f - c * e),
        d: k * (f * g - d * i), e: k * (a * i - c * g), f: k * (c * d - a * f),
        g: k * (d * h - e * g), h: k * (b * g - a * h), i: k * (a * e - b * d))
    }

    static func * (l: Matrix, r: Matrix) -> Matrix {
      Matrix(
        a: l.a * r.a + l.b * r.d + l.c * r.g, b: l.a * r.b + l.b * r.e + l.c * r.h,
        c: l.a * r.c + l.b * r.f + l.c * r.i, d: l.d * r.a + l.e * r.d + l.f * r.g,
        e: l.d * r.b + l.e * r.e + l.f * r.h, f: l.d * r.c + l.e * r.f + l.f * r.i,
        g: l.g * r.a + l.h * r.d + l.i * r.g, h: l.g * r.b + l.h * r.e + l.i * r.h,
        i: l.g * r.c + l.h * r.f + l.i * r.i)
    }
  }

  /// From the layer's own space to the screen.
  private var m: Matrix
  /// nil for a plane that is seen edge-on, so that nothing of it shows.
  private var inverse: Matrix?

  /// A plane with this transform to the screen.
  init(_ t: CATransform3D) {
    self.init(
      Matrix(
        a: Double(t.m11), b: Double(t.m12), c: Double(t.m14), d: Double(t.m21), e: Double(t.m22),
        f: Double(t.m24), g: Double(t.m41), h: Double(t.m42), i: Double(t.m44)))
  }

  /// A plane in another layer's space, flattened onto that layer's plane.
  init(_ toSpace: CATransform3D, in other: Plane) { self.init(Plane(toSpace).m * other.m) }

  private init(_ m: Matrix) {
    self.m = m
    inverse = m.inverse
  }

  /// Moves what is in the plane by a distance in the plane's own units.
  mutating func moveBy(_ x: Double, _ y: Double) {
    self = Plane(Matrix(a: 1, b: 0, c: 0, d: 0, e: 1, f: 0, g: x, h: y, i: 1) * m)
  }

  /// Pixels per unit, if that is the same in all directions.
  var scale: Double { (m.a * m.a + m.b * m.b).squareRoot() }

  /// Whether the scale is the same in all directions: the plane faces us and is not stretched.
  var isUniform: Bool {
    let (across, down) = (m.a * m.a + m.b * m.b, m.d * m.d + m.e * m.e)
    return m.c == 0 && m.f == 0 && abs(across - down) < 1e-6 * across
      && abs(m.a * m.d + m.b * m.e) < 1e-6 * across
  }

  /// Pixels per unit along both axes, at a point of the layer.
  func scales(_ x: Double, _ y: Double) -> (across: Double, down: Double) {
    let w = x * m.c + y * m.f + m.i
    let (sx, sy) = ((x * m.a + y * m.d + m.g) / w, (x * m.b + y * m.e + m.h) / w)
    return (
      hypot(m.a - sx * m.c, m.b - sy * m.c) / w, hypot(m.d - sx * m.f, m.e - sy * m.f) / w
    )
  }

  /// A plane that faces us, with `scale` pixels per unit and its point (x, y) at `place`.
  static func flat(scale: Double, _ x: Double, _ y: Double, at place: (x: Double, y: Double))
    -> Plane
  {
    Plane(
      Matrix(
        a: scale, b: 0, c: 0, d: 0, e: scale, f: 0, g: place.x - x * scale,
        h: place.y - y * scale, i: 1))
  }

  /// The place on the screen of a point of the layer, even of one behind the eye.
  func place(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
    let w = x * m.c + y * m.f + m.i
    return ((x * m.a + y * m.d + m.g) / w, (x * m.b + y * m.e + m.h) / w)
  }

  /// The point of the layer that is seen at a place on the screen; nil if the plane is not seen
  /// there or lies behind the eye.
  func local(_ x: Double, _ y: Double) -> (x: Double, y: Double)? {
    guard let n = inverse else { return nil }
    let t = x * n.c + y * n.f + n.i
    guard t != 0 else { return nil }
    let px = (x * n.a + y * n.d + n.g) / t
    let py = (x * n.b + y * n.e + n.h) / t
    return px * m.c + py * m.f + m.i > 0 ? (px, py) : nil
  }

  func isInside(_ figure: any ReferenceFigure, _ x: Double, _ y: Double) -> Bool {
    guard let p = local(x, y) else { return false }
    return figure.contains(p.x, p.y)
  }

  /// The pixels that a figure may touch; all if some of it lies behind the eye.
  func box(of figure: any ReferenceFigure, margin: Int) -> ReferenceBox {
    var box = ReferenceBox.none
    let (minX, minY, maxX, maxY) = figure.box
    for (x, y) in [(minX, minY), (maxX, minY), (minX, maxY), (maxX, maxY)] {
      let w = x * m.c + y * m.f + m.i
      let (sx, sy) = ((x * m.a + y * m.d + m.g) / w, (x * m.b + y * m.e + m.h) / w)
      guard w > 1e-6, abs(sx) < 1e6, abs(sy) < 1e6 else {
        return ReferenceBox(minX: -1_000_000, minY: -1_000_000, maxX: 1_000_000, maxY: 1_000_000)
      }
      let (column, row) = (Int(sx.rounded(.down)) + margin, Int(sy.rounded(.down)) + margin)
      box = box.union(
        ReferenceBox(minX: column - 1, minY: row - 1, maxX: column + 2, maxY: row + 2))
    }
    return box
  }

  func isFacingUs(_ bounds: CGRect) -> Bool {
    let (x, y) = (Double(bounds.midX), Double(bounds.midY))
    let w = x * m.c + y * m.f + m.i
    guard w > 0 else { return true }
    let (sx, sy) = ((x * m.a + y * m.d + m.g) / w, (x * m.b + y * m.e + m.h) / w)
    let (ax, ay) = (m.a - sx * m.c, m.b - sy * m.c)
    let (bx, by) = (m.d - sx * m.f, m.e - sy * m.f)
    return ax * by - ay * bx > 0
  }
}
