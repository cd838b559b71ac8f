import Foundation

/// The map from a layer's plane to a target's pixels: what a transform does to points with z = 0,
/// without their depth.
@usableFromInline package struct Projection {
  /// Row vectors: [x y 1] × rows gives x·w, y·w, w. They are named like those of the transform.
  @usableFromInline let m11, m12, m14: CGFloat
  @usableFromInline let m21, m22, m24: CGFloat
  @usableFromInline let m41, m42, m44: CGFloat
  @usableFromInline package let isAffine: Bool

  @usableFromInline package init(_ transform: CATransform3D) {
    self = withUnsafePointer(to: transform) { Projection(at: $0) }
  }

  /// The projection of a transform in memory, without copying it.
  @inlinable @inline(__always)
  package init(at transform: UnsafePointer<CATransform3D>) {
    (m11, m12) = (transform.pointee.m11, transform.pointee.m12)
    (m21, m22) = (transform.pointee.m21, transform.pointee.m22)
    (m41, m42) = (transform.pointee.m41, transform.pointee.m42)
    (m14, m24, m44) = (transform.pointee.m14, transform.pointee.m24, transform.pointee.m44)
    isAffine = m14 == 0 && m24 == 0 && m44 == 1
  }

  @usableFromInline package init(_ affine: CGAffineTransform) {
    (m11, m12, m14) = (affine.a, affine.b, 0)
    (m21, m22, m24) = (affine.c, affine.d, 0)
    (m41, m42, m44) = (affine.tx, affine.ty, 1)
    isAffine = true
  }

  @usableFromInline package var affine: CGAffineTransform {
    CGAffineTransform(a: m11, b: m12, c: m21, d: m22, tx: m41, ty: m42)
  }

  /// Whether the layer's axes stay parallel to the target's.
  @usableFromInline package var isAxisAligned: Bool {
    isAffine && ((m12 == 0 && m21 == 0) || (m11 == 0 && m22 == 0))
  }

  /// Whether x depends on x alone, and y on y.
  @inlinable package var isUpright: Bool { isAffine && m12 == 0 && m21 == 0 }

  /// The pixels of a rectangle's sides, if the projection is upright.
  @inlinable @inline(__always)
  package func uprightSides(
    of rect: CGRect
  ) -> (left: Double, top: Double, right: Double, bottom: Double) {
    (
      Double(rect.minX * m11 + m41), Double(rect.minY * m22 + m42),
      Double(rect.maxX * m11 + m41), Double(rect.maxY * m22 + m42)
    )
  }

  @usableFromInline package func callAsFunction(_ p: CGPoint) -> Homogeneous {
    Homogeneous(
      x: p.x * m11 + p.y * m21 + m41, y: p.x * m12 + p.y * m22 + m42,
      w: p.x * m14 + p.y * m24 + m44)
  }

  /// The pixels of a rectangle's corners, if the projection is affine.
  @inlinable package func affineCorners(of rect: CGRect) -> (x: SIMD4<Double>, y: SIMD4<Double>) {
    let (left, right) = (Double(rect.minX), Double(rect.maxX))
    let (top, bottom) = (Double(rect.minY), Double(rect.maxY))
    return affinePixels(SIMD4(left, right, right, left), SIMD4(top, top, bottom, bottom))
  }

  @inlinable func affinePixels(
    _ x: SIMD4<Double>, _ y: SIMD4<Double>
  ) -> (x: SIMD4<Double>, y: SIMD4<Double>) {
    (
      x * Double(m11) + y * Double(m21) + Double(m41),
      x * Double(m12) + y * Double(m22) + Double(m42)
    )
  }

  /// Maps pixels back to the layer's plane; nil if the plane is seen edge-on.
  @usableFromInline package var inverse: Projection? {
    guard isAffine else { return spatialInverse }
    let determinant = m11 * m22 - m21 * m12
    guard determinant != 0, determinant.isFinite else { return nil }
    let k = 1 / determinant
    let inverse = CGAffineTransform(
      a: m22 * k, b: -m12 * k, c: -m21 * k, d: m11 * k,
      tx: (m21 * m42 - m22 * m41) * k, ty: (m12 * m41 - m11 * m42) * k)
    // Any finite number times 0 is 0; infinity and NaN give NaN, which makes the sum NaN.
    let sum =
      (inverse.a * 0 + inverse.b * 0) + (inverse.c * 0 + inverse.d * 0)
      + (inverse.tx * 0 + inverse.ty * 0)
    return sum == 0 ? Projection(inverse) : nil
  }

  private var spatialInverse: Projection? {
    var transform = CATransform3D.identity
    (transform.m11, transform.m12, transform.m14) = (m11, m12, m14)
    (transform.m21, transform.m22, transform.m24) = (m21, m22, m24)
    (transform.m41, transform.m42, transform.m44) = (m41, m42, m44)
    guard let inverse = transform.inverse, inverse.isFinite else { return nil }
    return Projection(inverse)
  }

  /// The linear part of the map near a point, without a translation; nil behind the eye.
  package func linear(at point: CGPoint) -> CGAffineTransform? {
    let center = self(point)
    guard center.w > Homogeneous.nearest else { return nil }
    let (x, y) = (center.x / center.w, center.y / center.w)
    let linear = CGAffineTransform(
      a: (m11 - x * m14) / center.w, b: (m12 - y * m14) / center.w,
      c: (m21 - x * m24) / center.w, d: (m22 - y * m24) / center.w, tx: 0, ty: 0)
    let members = [linear.a, linear.b, linear.c, linear.d]
    return members.allSatisfy(\.isFinite) ? linear : nil
  }

  /// How far lines of equal x, and lines of equal y, must lie apart in the layer for a pixel
  /// between them on the screen; nil behind the eye, and if the layer is seen edge-on.
  package func unitsPerPixel(at point: CGPoint) -> (x: CGFloat, y: CGFloat)? {
    guard let linear = linear(at: point) else { return nil }
    let area = abs(linear.determinant)
    let (x, y) = (hypot(linear.c, linear.d) / area, hypot(linear.a, linear.b) / area)
    return area > 1e-12 && x.isFinite && y.isFinite ? (x, y) : nil
  }

  /// Pixels per unit of the layer at `point`, along whichever of its axes has more.
  package func scale(at point: CGPoint) -> CGFloat {
    let (across, down) = scales(at: point)
    return max(across, down)
  }

  /// Pixels per unit of the layer at `point`, along its x and its y axis; 1 behind the eye.
  package func scales(at point: CGPoint) -> (across: CGFloat, down: CGFloat) {
    let center = self(point)
    guard center.w > Homogeneous.nearest else { return (1, 1) }
    let (x, y) = (center.x / center.w, center.y / center.w)
    let dx = hypot(m11 - x * m14, m12 - y * m14) / center.w
    let dy = hypot(m21 - x * m24, m22 - y * m24) / center.w
    return (dx, dy)
  }
}

/// A point before the division by w. Only points with w > 0 are in front of the eye.
@usableFromInline package struct Homogeneous {
  @usableFromInline package var x: CGFloat
  @usableFromInline package var y: CGFloat
  @usableFromInline package var w: CGFloat

  /// Smallest w that is drawn; geometry nearer to the eye's plane is cut off.
  @inlinable package static var nearest: CGFloat { 1e-4 }

  @inlinable package var pixel: CGPoint { CGPoint(x: x / w, y: y / w) }
}
