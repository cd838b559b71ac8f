import Foundation

/// What a transform does to the plane z = 0, seen along z.
extension CATransform3D {
  /// The map of the plane z = 0 alone, as a transform that keeps z.
  private var planar: CATransform3D {
    var plane = flattened
    (plane.m31, plane.m32, plane.m33, plane.m34) = (0, 0, 1, 0)
    return plane
  }

  package var isPlanarIdentity: Bool { planar.isIdentity }

  /// Back from the plane that this transform's results are pressed onto; nil where that is seen
  /// edge-on.
  package var planarInverse: CATransform3D? {
    guard let inverse = planar.inverse, inverse.isFinite else { return nil }
    return inverse
  }

  /// Positive where the map of the plane keeps what is clockwise so.
  package var planarDeterminant: CGFloat {
    m11 * (m22 * m44 - m24 * m42) - m12 * (m21 * m44 - m24 * m41) + m14 * (m21 * m42 - m22 * m41)
  }

  /// Whether the plane z = 0 stays in z = 0.
  package var keepsPlane: Bool { m13 == 0 && m23 == 0 && m43 == 0 }

  /// Whether this is more than a transform of the plane with a shift along z: it turns out of the
  /// plane, or has a perspective, if only for what does not lie in z = 0.
  package var leavesTwoDimensions: Bool {
    m13 != 0 || m23 != 0 || m31 != 0 || m32 != 0 || m14 != 0 || m24 != 0 || m34 != 0
  }

  /// Whether the plane z = 0 comes to lie parallel to itself, at z = `m43` and without perspective.
  package var isLevel: Bool { m13 == 0 && m23 == 0 && m14 == 0 && m24 == 0 && m44 == 1 }
}
