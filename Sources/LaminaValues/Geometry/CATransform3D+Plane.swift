import Foundation

/// The effect of a transform on the plane z = 0, seen along z.
extension CATransform3D {
  /// The map of the plane z = 0, as a transform that keeps z.
  private var planar: CATransform3D {
    var plane = flattened
    (plane.m31, plane.m32, plane.m33, plane.m34) = (0, 0, 1, 0)
    return plane
  }

  package var isPlanarIdentity: Bool { planar.isIdentity }

  /// Maps points of this transform's flattened result back to the plane z = 0; nil if that is seen
  /// edge-on.
  package var planarInverse: CATransform3D? {
    guard let inverse = planar.inverse, inverse.isFinite else { return nil }
    return inverse
  }

  /// Positive if the map of the plane keeps clockwise turns clockwise.
  package var planarDeterminant: CGFloat {
    m11 * (m22 * m44 - m24 * m42) - m12 * (m21 * m44 - m24 * m41) + m14 * (m21 * m42 - m22 * m41)
  }

  /// Whether the plane z = 0 is mapped to itself.
  package var keepsPlane: Bool { m13 == 0 && m23 == 0 && m43 == 0 }

  /// Whether this is more than a transform within the plane and a shift along z: it turns out of
  /// the plane or has a perspective, even if only points outside z = 0 are affected.
  package var leavesTwoDimensions: Bool {
    m13 != 0 || m23 != 0 || m31 != 0 || m32 != 0 || m14 != 0 || m24 != 0 || m34 != 0
  }

  /// Whether the plane z = 0 is mapped to the parallel plane z = `m43`, without perspective.
  package var isLevel: Bool { m13 == 0 && m23 == 0 && m14 == 0 && m24 == 0 && m44 == 1 }
}
