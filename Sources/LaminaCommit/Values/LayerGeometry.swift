import Foundation
import LaminaValues

/// The transforms that a layer's geometry properties describe.
@usableFromInline package enum LayerGeometry {
  /// The anchor point in the layer's own space.
  @inlinable @inline(__always)
  static func anchor(_ values: UnsafePointer<LayerValues>) -> CGPoint {
    let (bounds, anchor) = (values.pointee.bounds, values.pointee.anchorPoint)
    return CGPoint(
      x: bounds.minX + anchor.x * bounds.width, y: bounds.minY + anchor.y * bounds.height)
  }

  /// Maps the layer's own space, unflipped, to its superlayer's: the anchor point goes to the
  /// position, and the transform applies about it. Three-dimensional; not yet flattened onto the
  /// superlayer's plane.
  package static func toSuperlayer(_ values: borrowing LayerValues) -> CATransform3D {
    withUnsafePointer(to: values) { toSuperlayer($0) }
  }

  /// As above, for values in memory, without copying them.
  package static func toSuperlayer(_ values: UnsafePointer<LayerValues>) -> CATransform3D {
    if !values.pointee.isTransformed {
      let (x, y, z) = translation(values)
      return CATransform3D(translationX: x, y: y, z: z)
    }
    let (anchor, position) = (anchor(values), values.pointee.position)
    return CATransform3D(
      translationX: -anchor.x, y: -anchor.y, z: -CGFloat(values.pointee.anchorPointZ)
    )
    .concatenating(values.pointee.transform)
    .concatenating(
      CATransform3D(
        translationX: position.x, y: position.y, z: CGFloat(values.pointee.zPosition)))
  }

  /// `toSuperlayer` of a layer whose transform is the identity.
  @inlinable @inline(__always)
  package static func translation(
    _ values: UnsafePointer<LayerValues>
  ) -> (x: CGFloat, y: CGFloat, z: CGFloat) {
    let anchor = anchor(values)
    return (
      values.pointee.position.x - anchor.x, values.pointee.position.y - anchor.y,
      CGFloat(values.pointee.zPosition) - CGFloat(values.pointee.anchorPointZ)
    )
  }

  /// `toSuperlayer` of a layer that nothing but its position places; nil for any other.
  @inlinable @inline(__always)
  package static func onlyTranslation(
    _ values: UnsafePointer<LayerValues>
  ) -> (x: CGFloat, y: CGFloat, z: CGFloat)? {
    guard !values.pointee.isTransformed, !values.pointee.isGeometryFlipped,
      !LayerValues.hasSublayerTransform(at: values)
    else { return nil }
    return translation(values)
  }

  /// The mirroring about the middle of the bounds that `geometryFlipped` applies to the layer's
  /// space.
  package static func flip(_ values: borrowing LayerValues) -> CATransform3D {
    guard values.isGeometryFlipped else { return .identity }
    var flip = CATransform3D.identity
    flip.m22 = -1
    flip.m42 = values.bounds.minY + values.bounds.maxY
    return flip
  }

  /// The sublayer transform about the anchor point.
  package static func sublayerTransform(_ values: borrowing LayerValues) -> CATransform3D {
    withUnsafePointer(to: values) { sublayerTransform($0) }
  }

  /// As above, for values in memory, without copying them.
  package static func sublayerTransform(
    _ values: UnsafePointer<LayerValues>
  ) -> CATransform3D {
    guard LayerValues.hasSublayerTransform(at: values) else { return .identity }
    let transform = values.pointee.sublayerTransform
    guard !transform.isIdentity else { return .identity }
    let anchor = anchor(values)
    return CATransform3D(translationX: -anchor.x, y: -anchor.y)
      .concatenating(transform)
      .concatenating(CATransform3D(translationX: anchor.x, y: anchor.y))
  }

  /// Whether a transform's linear part turns a left hand into a right one.
  package static func mirrors(_ t: CATransform3D) -> Bool {
    let determinant =
      t.m11 * (t.m22 * t.m33 - t.m23 * t.m32) - t.m12 * (t.m21 * t.m33 - t.m23 * t.m31)
      + t.m13 * (t.m21 * t.m32 - t.m22 * t.m31)
    return determinant < 0
  }
}
