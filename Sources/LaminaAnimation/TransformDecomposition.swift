import Foundation
import LaminaValues

/// A transform decomposed into S · Shear · R · T · P, for row vectors. Defines members such as
/// "rotation.z", and is the basis of interpolation.
///
/// S scales, Shear is lower triangular with ones on its diagonal, R rotates, T translates and P has
/// only a fourth column. If two rows are parallel, the transform loses a dimension without a zero
/// scale, and recomposing it gives a zero row in place of one of them.
package struct TransformDecomposition: Hashable, Sendable {
  package var translation: SIMD3<Double>
  package var scale: SIMD3<Double>
  /// The shear of row y along x, of row z along x, and of row z along y.
  package var shear: SIMD3<Double>
  /// A unit quaternion: x, y, z, w.
  package var rotation: SIMD4<Double>
  /// The fourth column of P; (0, 0, 0, 1) if there is no perspective.
  package var perspective: SIMD4<Double>

  package static let identity = TransformDecomposition(.identity)

  package init(_ transform: CATransform3D) {
    let w = transform.m44 != 0 && transform.m44.isFinite ? transform.m44 : 1
    var rows = Rows(
      SIMD3<Double>(transform.m11, transform.m12, transform.m13) / w,
      SIMD3<Double>(transform.m21, transform.m22, transform.m23) / w,
      SIMD3<Double>(transform.m31, transform.m32, transform.m33) / w)
    translation = SIMD3<Double>(transform.m41, transform.m42, transform.m43) / w
    let column = SIMD4<Double>(transform.m14, transform.m24, transform.m34, transform.m44) / w
    perspective = Self.perspective(of: column, rows: rows, translation: translation)
    (scale, shear) = rows.orthonormalize()
    rows.undoMirroring(scale: &scale, shear: &shear)
    rotation = rows.quaternion
  }

  /// The column p for which A · p = `column`, where A is the affine part with the given `rows` and
  /// `translation`. Returns `column` itself if A is singular.
  private static func perspective(
    of column: SIMD4<Double>, rows: Rows, translation: SIMD3<Double>
  ) -> SIMD4<Double> {
    guard column.x != 0 || column.y != 0 || column.z != 0 else { return column }
    let (a, b, c) = (rows.x, rows.y, rows.z)
    let determinant = a.dot(b.cross(c))
    // Cramer's rule, with the cross products of the rows as columns of the inverse.
    let p =
      (column.x * b.cross(c) + column.y * c.cross(a) + column.z * a.cross(b)) / determinant
    guard determinant != 0, p.x.isFinite, p.y.isFinite, p.z.isFinite else { return column }
    return SIMD4(p, column.w - translation.dot(p))
  }

  /// Recomposes the transform.
  package var transform: CATransform3D {
    CATransform3D(rows, translation: translation, column: fourthColumn)
  }

  private var fourthColumn: SIMD4<Double> {
    let p = SIMD3(perspective.x, perspective.y, perspective.z)
    guard p != .zero else { return SIMD4(0, 0, 0, perspective.w) }
    let rows = rows
    return SIMD4(
      rows.x.dot(p), rows.y.dot(p), rows.z.dot(p), perspective.w + translation.dot(p))
  }

  /// The rows of S · Shear · R.
  private var rows: Rows {
    let r = Rows(rotation)
    return Rows(
      scale.x * r.x, scale.y * (shear.x * r.x + r.y),
      scale.z * (shear.y * r.x + shear.z * r.y + r.z))
  }

  /// The transform at a fraction of the way to another. Both are written as D · L · R, where D
  /// holds the lengths of the rows, and the rows of L have length 1. D, L, the translation and the
  /// fourth column are interpolated linearly, and R turns. Checked on macOS, except for fourth
  /// columns.
  ///
  /// If only one of the transforms mirrors, the way between them goes through zero. If both do,
  /// they share one mirror, in x, and turn.
  package func transform(
    at fraction: Double, to end: TransformDecomposition
  ) -> CATransform3D {
    let isMirrored = isMirrored && end.isMirrored
    let (from, to) = isMirrored ? (mirroredInX, end.mirroredInX) : (self, end)
    var rows = from.rows(at: fraction, to: to)
    if isMirrored { rows.mirrorInX() }
    let column = fourthColumn + (end.fourthColumn - fourthColumn) * fraction
    return CATransform3D(
      rows, translation: translation + (end.translation - translation) * fraction, column: column)
  }

  private func rows(at fraction: Double, to end: TransformDecomposition) -> Rows {
    let r = Rows(Self.slerp(rotation, end.rotation, fraction))
    guard shear != .zero || end.shear != .zero else {
      let scale = scale + (end.scale - scale) * fraction
      return Rows(scale.x * r.x, scale.y * r.y, scale.z * r.z)
    }
    let (from, to) = (RowShapes(self), RowShapes(end))
    let lengths = from.lengths + (to.lengths - from.lengths) * fraction
    let y = from.y + (to.y - from.y) * fraction
    let z = from.z + (to.z - from.z) * fraction
    return Rows(
      lengths.x * r.x, lengths.y * (y.x * r.x + y.y * r.y),
      lengths.z * (z.x * r.x + z.y * r.y + z.z * r.z))
  }

  /// D, and the second and third rows of L.
  private struct RowShapes {
    let lengths: SIMD3<Double>
    let y: SIMD2<Double>
    let z: SIMD3<Double>

    init(_ parts: TransformDecomposition) {
      let (scale, shear) = (parts.scale, parts.shear)
      let y = (1 + shear.x * shear.x).squareRoot()
      let z = (1 + shear.y * shear.y + shear.z * shear.z).squareRoot()
      lengths = scale * SIMD3(1, y, z)
      self.y = SIMD2(shear.x, 1) / y
      self.z = SIMD3(shear.y, shear.z, 1) / z
    }
  }

  /// Whether a row was negated so that the others form a rotation.
  private var isMirrored: Bool { scale.min() < 0 }

  /// The parts of this mirroring transform without a mirror in x.
  private var mirroredInX: TransformDecomposition {
    var result = self
    var rows = Rows(rotation)
    let row = (0..<3).first { scale[$0] < 0 } ?? 0
    rows.negate(row, scale: &result.scale, shear: &result.shear)
    rows.mirrorInX()
    result.rotation = rows.quaternion
    return result
  }

  /// Interpolates the shorter way between two rotations. Half a turn goes in the negative direction
  /// about the nearest axis: checked on macOS for z.
  private static func slerp(
    _ from: SIMD4<Double>, _ to: SIMD4<Double>, _ f: Double
  ) -> SIMD4<Double> {
    if from == to { return from }
    var (to, cosine) = (to, (from * to).sum())
    if abs(cosine) < 1e-8 ? isPositiveHalfTurn(from, to) : cosine < 0 {
      (to, cosine) = (-to, -cosine)
    }
    let mixed: SIMD4<Double>
    if cosine < 0.999_999 {
      let angle = acos(cosine)
      mixed = from * sin((1 - f) * angle) + to * sin(f * angle)
    } else {
      mixed = from + (to - from) * f
    }
    let length = (mixed * mixed).sum().squareRoot()
    return length > 0 && length.isFinite ? mixed / length : from
  }

  private static func isPositiveHalfTurn(_ from: SIMD4<Double>, _ to: SIMD4<Double>) -> Bool {
    let (a, b) = (SIMD3(from.x, from.y, from.z), SIMD3(to.x, to.y, to.z))
    let axis = from.w * b - to.w * a - a.cross(b)
    return axis.max() >= -axis.min()
  }
}

// MARK: - Angles

extension TransformDecomposition {
  /// Rotations in radians about x, then y, then z. y lies in −π/2…π/2, unless the rotation is about
  /// y alone.
  package var eulerAngles: SIMD3<Double> {
    if isPlanar {
      let angle = 2 * atan2(rotation.z, rotation.w)
      return SIMD3(0, 0, angle > .pi ? angle - 2 * .pi : angle <= -.pi ? angle + 2 * .pi : angle)
    }
    let r = Rows(rotation)
    let cosine = (r.x.x * r.x.x + r.x.y * r.x.y).squareRoot()
    guard cosine > 1e-9 else {
      // x and z turn about the same axis, so the whole turn is assigned to x.
      return SIMD3(atan2(-r.z.y, r.y.y), atan2(-r.x.z, cosine), 0)
    }
    let angles = SIMD3(atan2(r.y.z, r.z.z), atan2(-r.x.z, cosine), atan2(r.x.y, r.x.x))
    if abs(abs(angles.x) - .pi) < 1e-9, abs(abs(angles.z) - .pi) < 1e-9 {
      return SIMD3(0, (angles.y < 0 ? -.pi : .pi) - angles.y, 0)
    }
    return angles
  }

  /// Replaces the angle of one axis, from 0 for x to 2 for z, and keeps the others.
  package mutating func setEulerAngle(_ axis: Int, to angle: Double) {
    if axis == 2, isPlanar {
      rotation = SIMD4(0, 0, sin(angle / 2), cos(angle / 2))
      return
    }
    var angles = eulerAngles
    angles[axis] = angle
    setEulerAngles(angles)
  }

  /// Whether the rotation is about z alone, as most are.
  private var isPlanar: Bool { rotation.x == 0 && rotation.y == 0 }

  package mutating func setEulerAngles(_ angles: SIMD3<Double>) {
    let h = angles / 2
    let (sx, cx) = (sin(h.x), cos(h.x))
    let (sy, cy) = (sin(h.y), cos(h.y))
    let (sz, cz) = (sin(h.z), cos(h.z))
    rotation = SIMD4(
      sx * cy * cz - cx * sy * sz, cx * sy * cz + sx * cy * sz, cx * cy * sz - sx * sy * cz,
      cx * cy * cz + sx * sy * sz)
  }
}

// MARK: - Rows

/// The upper left 3 × 3 part of a transform.
private struct Rows {
  var x: SIMD3<Double>
  var y: SIMD3<Double>
  var z: SIMD3<Double>

  init(_ x: SIMD3<Double>, _ y: SIMD3<Double>, _ z: SIMD3<Double>) {
    (self.x, self.y, self.z) = (x, y, z)
  }

  /// The rotation matrix of a unit quaternion.
  init(_ q: SIMD4<Double>) {
    let (x, y, z, w) = (q.x, q.y, q.z, q.w)
    self.x = SIMD3(1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y))
    self.y = SIMD3(2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x))
    self.z = SIMD3(2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y))
  }

  /// Makes the rows orthonormal by the Gram-Schmidt process. Returns the scale and shear removed.
  mutating func orthonormalize() -> (scale: SIMD3<Double>, shear: SIMD3<Double>) {
    var scale = SIMD3<Double>.zero
    var shear = SIMD3<Double>.zero
    scale.x = Self.normalize(&x, was: x.length)
    var length = y.length
    shear.x = y.dot(x)
    y -= shear.x * x
    scale.y = Self.normalize(&y, was: length)
    length = z.length
    (shear.y, shear.z) = (z.dot(x), z.dot(y))
    z -= shear.y * x + shear.z * y
    scale.z = Self.normalize(&z, was: length)
    shear.x = scale.y > 0 ? shear.x / scale.y : 0
    shear.y = scale.z > 0 ? shear.y / scale.z : 0
    shear.z = scale.z > 0 ? shear.z / scale.z : 0
    completeAxes(present: scale .> 0)
    return (scale, shear)
  }

  /// Scales a row to length 1 and returns its length. If only rounding errors are left of the
  /// former length, sets it to zero and returns 0.
  private static func normalize(_ row: inout SIMD3<Double>, was former: Double) -> Double {
    let length = row.length
    guard length > former * 1e-12, length > 1e-150, length.isFinite else {
      row = .zero
      return 0
    }
    row /= length
    return length
  }

  /// Gives rows of scale 0 directions perpendicular to the others. If more than one is missing,
  /// these are as close to the axes as possible.
  private mutating func completeAxes(present: SIMDMask<SIMD3<Double>.MaskStorage>) {
    switch (present[0], present[1], present[2]) {
    case (true, true, true): break
    case (false, true, true): x = y.cross(z)
    case (true, false, true): y = z.cross(x)
    case (true, true, false): z = x.cross(y)
    case (true, false, false):
      z = x.perpendicular(near: SIMD3(0, 0, 1), else: SIMD3(0, 1, 0))
      y = z.cross(x)
    case (false, true, false):
      z = y.perpendicular(near: SIMD3(0, 0, 1), else: SIMD3(1, 0, 0))
      x = y.cross(z)
    case (false, false, true):
      x = z.perpendicular(near: SIMD3(1, 0, 0), else: SIMD3(0, 1, 0))
      y = z.cross(x)
    case (false, false, false):
      (x, y, z) = (SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1))
    }
  }

  /// Turns a left-handed basis into a rotation by negating one row with its scale and shears: the
  /// row that points away from its own axis the most.
  mutating func undoMirroring(scale: inout SIMD3<Double>, shear: inout SIMD3<Double>) {
    guard x.dot(y.cross(z)) < 0 else { return }
    let row = x.x <= y.y && x.x <= z.z ? 0 : y.y <= z.z ? 1 : 2
    negate(row, scale: &scale, shear: &shear)
  }

  /// Negates a row, its scale and the shears that involve it, which leaves the product unchanged.
  mutating func negate(
    _ row: Int, scale: inout SIMD3<Double>, shear: inout SIMD3<Double>
  ) {
    scale[row] = -scale[row]
    switch row {
    case 0:
      x = -x
      shear *= SIMD3(-1, -1, 1)
    case 1:
      y = -y
      shear *= SIMD3(-1, 1, -1)
    default:
      z = -z
      shear *= SIMD3(1, -1, -1)
    }
  }

  /// Negates the first column.
  mutating func mirrorInX() { (x.x, y.x, z.x) = (-x.x, -y.x, -z.x) }

  /// The unit quaternion of a rotation, computed from its largest component.
  var quaternion: SIMD4<Double> {
    let (a, b, c) = (x.x, y.y, z.z)
    var q: SIMD4<Double>
    if a + b + c > 0 {
      q = SIMD4(y.z - z.y, z.x - x.z, x.y - y.x, 1 + a + b + c)
    } else if a >= b, a >= c {
      q = SIMD4(1 + a - b - c, x.y + y.x, x.z + z.x, y.z - z.y)
    } else if b >= c {
      q = SIMD4(x.y + y.x, 1 + b - a - c, y.z + z.y, z.x - x.z)
    } else {
      q = SIMD4(x.z + z.x, y.z + z.y, 1 + c - a - b, x.y - y.x)
    }
    let length = (q * q).sum().squareRoot()
    guard length > 0, length.isFinite else { return SIMD4(0, 0, 0, 1) }
    q /= length
    return q
  }
}

extension CATransform3D {
  fileprivate init(_ rows: Rows, translation t: SIMD3<Double>, column: SIMD4<Double>) {
    let (a, b, c) = (rows.x, rows.y, rows.z)
    self.init(
      m11: a.x, m12: a.y, m13: a.z, m14: column.x, m21: b.x, m22: b.y, m23: b.z, m24: column.y,
      m31: c.x, m32: c.y, m33: c.z, m34: column.z, m41: t.x, m42: t.y, m43: t.z, m44: column.w)
  }
}

extension SIMD3<Double> {
  func dot(_ other: Self) -> Double { (self * other).sum() }

  func cross(_ o: Self) -> Self {
    Self(y * o.z - z * o.y, z * o.x - x * o.z, x * o.y - y * o.x)
  }

  fileprivate var length: Double { dot(self).squareRoot() }

  /// The unit vector perpendicular to this one that is nearest to `axis`, or to `other` if `axis`
  /// is parallel.
  fileprivate func perpendicular(near axis: Self, else other: Self) -> Self {
    for candidate in [axis, other] {
      let rest = candidate - dot(candidate) * self
      if rest.length > 1e-6 { return rest / rest.length }
    }
    return axis
  }
}
