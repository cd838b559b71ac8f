import Foundation

/// A 4 × 4 transform for row vectors: `[x y z 1] × M`, so translation is the fourth row and
/// perspective is `m34`.
public struct CATransform3D: Hashable, Sendable, BitwiseCopyable {
  /// What a unit of x adds to x.
  public var m11: CGFloat
  /// What a unit of x adds to y.
  public var m12: CGFloat
  /// What a unit of x adds to z.
  public var m13: CGFloat
  /// What a unit of x adds to w, by which all are divided at the end.
  public var m14: CGFloat
  /// What a unit of y adds to x.
  public var m21: CGFloat
  /// What a unit of y adds to y.
  public var m22: CGFloat
  /// What a unit of y adds to z.
  public var m23: CGFloat
  /// What a unit of y adds to w, by which all are divided at the end.
  public var m24: CGFloat
  /// What a unit of z adds to x.
  public var m31: CGFloat
  /// What a unit of z adds to y.
  public var m32: CGFloat
  /// What a unit of z adds to z.
  public var m33: CGFloat
  /// What a unit of z adds to w: −1 / d is a perspective seen from the distance d.
  public var m34: CGFloat
  /// The translation along x.
  public var m41: CGFloat
  /// The translation along y.
  public var m42: CGFloat
  /// The translation along z.
  public var m43: CGFloat
  /// The constant part of w; 1 but for odd projections.
  public var m44: CGFloat

  /// Creates a transform of zeros, as Swift imports the C structure.
  public init() {
    self.init(
      m11: 0, m12: 0, m13: 0, m14: 0, m21: 0, m22: 0, m23: 0, m24: 0,
      m31: 0, m32: 0, m33: 0, m34: 0, m41: 0, m42: 0, m43: 0, m44: 0)
  }

  /// A transform of all its members, row by row.
  public init(
    m11: CGFloat, m12: CGFloat, m13: CGFloat, m14: CGFloat,
    m21: CGFloat, m22: CGFloat, m23: CGFloat, m24: CGFloat,
    m31: CGFloat, m32: CGFloat, m33: CGFloat, m34: CGFloat,
    m41: CGFloat, m42: CGFloat, m43: CGFloat, m44: CGFloat
  ) {
    self.m11 = m11
    self.m12 = m12
    self.m13 = m13
    self.m14 = m14
    self.m21 = m21
    self.m22 = m22
    self.m23 = m23
    self.m24 = m24
    self.m31 = m31
    self.m32 = m32
    self.m33 = m33
    self.m34 = m34
    self.m41 = m41
    self.m42 = m42
    self.m43 = m43
    self.m44 = m44
  }

  package static var identity: CATransform3D {
    CATransform3D(
      m11: 1, m12: 0, m13: 0, m14: 0, m21: 0, m22: 1, m23: 0, m24: 0,
      m31: 0, m32: 0, m33: 1, m34: 0, m41: 0, m42: 0, m43: 0, m44: 1)
  }

  package init(translationX x: CGFloat, y: CGFloat, z: CGFloat = 0) {
    self = .identity
    (m41, m42, m43) = (x, y, z)
  }

  package init(scaleX x: CGFloat, y: CGFloat, z: CGFloat = 1) {
    self = .identity
    (m11, m22, m33) = (x, y, z)
  }

  /// A rotation by `angle` radians about the axis (x, y, z); the identity if the axis is zero.
  package init(rotationAngle angle: CGFloat, x: CGFloat, y: CGFloat, z: CGFloat) {
    self = .identity
    let length = (x * x + y * y + z * z).squareRoot()
    guard length > 0, length.isFinite else { return }
    let (x, y, z) = (x / length, y / length, z / length)
    let (s, c) = (sin(angle), cos(angle))
    let t = 1 - c
    (m11, m12, m13) = (t * x * x + c, t * x * y + s * z, t * x * z - s * y)
    (m21, m22, m23) = (t * x * y - s * z, t * y * y + c, t * y * z + s * x)
    (m31, m32, m33) = (t * x * z + s * y, t * y * z - s * x, t * z * z + c)
  }

  package init(_ t: CGAffineTransform) {
    self = .identity
    (m11, m12, m21, m22, m41, m42) = (t.a, t.b, t.c, t.d, t.tx, t.ty)
  }

  /// Returns the transform that applies this one first, then `t`.
  @usableFromInline package func concatenating(_ t: CATransform3D) -> CATransform3D {
    CATransform3D(
      m11: m11 * t.m11 + m12 * t.m21 + m13 * t.m31 + m14 * t.m41,
      m12: m11 * t.m12 + m12 * t.m22 + m13 * t.m32 + m14 * t.m42,
      m13: m11 * t.m13 + m12 * t.m23 + m13 * t.m33 + m14 * t.m43,
      m14: m11 * t.m14 + m12 * t.m24 + m13 * t.m34 + m14 * t.m44,
      m21: m21 * t.m11 + m22 * t.m21 + m23 * t.m31 + m24 * t.m41,
      m22: m21 * t.m12 + m22 * t.m22 + m23 * t.m32 + m24 * t.m42,
      m23: m21 * t.m13 + m22 * t.m23 + m23 * t.m33 + m24 * t.m43,
      m24: m21 * t.m14 + m22 * t.m24 + m23 * t.m34 + m24 * t.m44,
      m31: m31 * t.m11 + m32 * t.m21 + m33 * t.m31 + m34 * t.m41,
      m32: m31 * t.m12 + m32 * t.m22 + m33 * t.m32 + m34 * t.m42,
      m33: m31 * t.m13 + m32 * t.m23 + m33 * t.m33 + m34 * t.m43,
      m34: m31 * t.m14 + m32 * t.m24 + m33 * t.m34 + m34 * t.m44,
      m41: m41 * t.m11 + m42 * t.m21 + m43 * t.m31 + m44 * t.m41,
      m42: m41 * t.m12 + m42 * t.m22 + m43 * t.m32 + m44 * t.m42,
      m43: m41 * t.m13 + m42 * t.m23 + m43 * t.m33 + m44 * t.m43,
      m44: m41 * t.m14 + m42 * t.m24 + m43 * t.m34 + m44 * t.m44)
  }

  /// This transform with its results flattened onto the plane z = 0, keeping x, y and w. In this
  /// way a layer draws its sublayers into its own plane.
  package var flattened: CATransform3D {
    var flat = self
    (flat.m13, flat.m23, flat.m33, flat.m43) = (0, 0, 0, 0)
    return flat
  }

  /// The flattened identity, then this transform.
  @inlinable package var flatteningBefore: CATransform3D {
    var flat = self
    (flat.m31, flat.m32, flat.m33, flat.m34) = (0, 0, 0, 0)
    return flat
  }

  /// A translation, then this transform.
  @inlinable package func translated(by t: (x: CGFloat, y: CGFloat, z: CGFloat)) -> CATransform3D {
    var moved = self
    moved.m41 = t.x * m11 + t.y * m21 + t.z * m31 + m41
    moved.m42 = t.x * m12 + t.y * m22 + t.z * m32 + m42
    moved.m43 = t.x * m13 + t.y * m23 + t.z * m33 + m43
    moved.m44 = t.x * m14 + t.y * m24 + t.z * m34 + m44
    return moved
  }

  @usableFromInline package var isIdentity: Bool { self == .identity }

  /// Whether x and y are mapped as by a CGAffineTransform, and z has no effect on them.
  package var isAffine: Bool {
    m13 == 0 && m14 == 0 && m23 == 0 && m24 == 0 && m31 == 0 && m32 == 0 && m33 == 1 && m34 == 0
      && m43 == 0 && m44 == 1
  }

  /// The 2D part of the transform. Exact if `isAffine`.
  package var affine: CGAffineTransform {
    CGAffineTransform(a: m11, b: m12, c: m21, d: m22, tx: m41, ty: m42)
  }

  package var isFinite: Bool {
    // Any finite number times 0 is 0; infinity and NaN give NaN, which makes the sum NaN.
    let first = (m11 * 0 + m12 * 0 + m13 * 0 + m14 * 0) + (m21 * 0 + m22 * 0 + m23 * 0 + m24 * 0)
    let last = (m31 * 0 + m32 * 0 + m33 * 0 + m34 * 0) + (m41 * 0 + m42 * 0 + m43 * 0 + m44 * 0)
    return first + last == 0
  }

  package var rows: [[CGFloat]] {
    [
      [m11, m12, m13, m14], [m21, m22, m23, m24], [m31, m32, m33, m34], [m41, m42, m43, m44],
    ]
  }

  /// Takes the sixteen members in row order, m11, m12 … m44; nil for another count.
  package init?(elements e: some Collection<CGFloat>) {
    guard e.count == 16 else { return nil }
    let e = Array(e)
    self.init(
      m11: e[0], m12: e[1], m13: e[2], m14: e[3], m21: e[4], m22: e[5], m23: e[6], m24: e[7],
      m31: e[8], m32: e[9], m33: e[10], m34: e[11], m41: e[12], m42: e[13], m43: e[14], m44: e[15])
  }

  /// The inverse, by cofactors; nil if the transform is singular or not finite.
  package var inverse: CATransform3D? {
    // The twelve 2 × 2 minors of the upper and the lower two rows.
    let s0 = m11 * m22 - m21 * m12
    let s1 = m11 * m23 - m21 * m13
    let s2 = m11 * m24 - m21 * m14
    let s3 = m12 * m23 - m22 * m13
    let s4 = m12 * m24 - m22 * m14
    let s5 = m13 * m24 - m23 * m14
    let c0 = m31 * m42 - m41 * m32
    let c1 = m31 * m43 - m41 * m33
    let c2 = m31 * m44 - m41 * m34
    let c3 = m32 * m43 - m42 * m33
    let c4 = m32 * m44 - m42 * m34
    let c5 = m33 * m44 - m43 * m34
    let determinant = s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0
    guard determinant != 0, determinant.isFinite else { return nil }
    let k = 1 / determinant
    return CATransform3D(
      m11: (m22 * c5 - m23 * c4 + m24 * c3) * k,
      m12: (-m12 * c5 + m13 * c4 - m14 * c3) * k,
      m13: (m42 * s5 - m43 * s4 + m44 * s3) * k,
      m14: (-m32 * s5 + m33 * s4 - m34 * s3) * k,
      m21: (-m21 * c5 + m23 * c2 - m24 * c1) * k,
      m22: (m11 * c5 - m13 * c2 + m14 * c1) * k,
      m23: (-m41 * s5 + m43 * s2 - m44 * s1) * k,
      m24: (m31 * s5 - m33 * s2 + m34 * s1) * k,
      m31: (m21 * c4 - m22 * c2 + m24 * c0) * k,
      m32: (-m11 * c4 + m12 * c2 - m14 * c0) * k,
      m33: (m41 * s4 - m42 * s2 + m44 * s0) * k,
      m34: (-m31 * s4 + m32 * s2 - m34 * s0) * k,
      m41: (-m21 * c3 + m22 * c1 - m23 * c0) * k,
      m42: (m11 * c3 - m12 * c1 + m13 * c0) * k,
      m43: (-m41 * s3 + m42 * s1 - m43 * s0) * k,
      m44: (m31 * s3 - m32 * s1 + m33 * s0) * k)
  }

  /// Maps a point of the plane z = 0 to homogeneous coordinates, before the division by w.
  @inlinable package func map(
    _ point: CGPoint
  ) -> (x: CGFloat, y: CGFloat, z: CGFloat, w: CGFloat) {
    (
      point.x * m11 + point.y * m21 + m41, point.x * m12 + point.y * m22 + m42,
      point.x * m13 + point.y * m23 + m43, point.x * m14 + point.y * m24 + m44
    )
  }
}

/// The transform that changes nothing.
public let CATransform3DIdentity = CATransform3D.identity

/// Whether the transform is the identity.
public func CATransform3DIsIdentity(_ t: CATransform3D) -> Bool { t.isIdentity }

/// Whether all members of the transforms are equal.
public func CATransform3DEqualToTransform(_ a: CATransform3D, _ b: CATransform3D) -> Bool { a == b }

/// Returns a translation by points.
public func CATransform3DMakeTranslation(
  _ tx: CGFloat, _ ty: CGFloat, _ tz: CGFloat
) -> CATransform3D {
  CATransform3D(translationX: tx, y: ty, z: tz)
}

/// Returns a scale about the origin.
public func CATransform3DMakeScale(
  _ sx: CGFloat, _ sy: CGFloat, _ sz: CGFloat
) -> CATransform3D {
  CATransform3D(scaleX: sx, y: sy, z: sz)
}

/// Returns a rotation by `angle` radians about the vector (x, y, z), or the identity if the vector
/// is zero.
public func CATransform3DMakeRotation(
  _ angle: CGFloat, _ x: CGFloat, _ y: CGFloat, _ z: CGFloat
) -> CATransform3D {
  CATransform3D(rotationAngle: angle, x: x, y: y, z: z)
}

/// Returns `translate(tx, ty, tz) × t`: the translation applies first.
public func CATransform3DTranslate(
  _ t: CATransform3D, _ tx: CGFloat, _ ty: CGFloat, _ tz: CGFloat
) -> CATransform3D {
  CATransform3DMakeTranslation(tx, ty, tz).concatenating(t)
}

/// Returns `scale(sx, sy, sz) × t`: the scaling applies first.
public func CATransform3DScale(
  _ t: CATransform3D, _ sx: CGFloat, _ sy: CGFloat, _ sz: CGFloat
) -> CATransform3D {
  CATransform3DMakeScale(sx, sy, sz).concatenating(t)
}

/// Returns `rotate(angle, x, y, z) × t`: the rotation, by `angle` radians, applies first.
public func CATransform3DRotate(
  _ t: CATransform3D, _ angle: CGFloat, _ x: CGFloat, _ y: CGFloat, _ z: CGFloat
) -> CATransform3D {
  CATransform3DMakeRotation(angle, x, y, z).concatenating(t)
}

/// Returns `a × b`: `a` applies first.
public func CATransform3DConcat(_ a: CATransform3D, _ b: CATransform3D) -> CATransform3D {
  a.concatenating(b)
}

/// Returns the inverse of `t`, or `t` itself if it is singular.
public func CATransform3DInvert(_ t: CATransform3D) -> CATransform3D { t.inverse ?? t }

/// Returns the transform in the plane as one in space.
public func CATransform3DMakeAffineTransform(_ m: CGAffineTransform) -> CATransform3D {
  CATransform3D(m)
}

/// Whether the transform is one of the plane: it leaves z alone and has no perspective.
public func CATransform3DIsAffine(_ t: CATransform3D) -> Bool { t.isAffine }

/// Returns the 2D part of `t`, which is meaningful only if `CATransform3DIsAffine(t)`.
public func CATransform3DGetAffineTransform(_ t: CATransform3D) -> CGAffineTransform { t.affine }
