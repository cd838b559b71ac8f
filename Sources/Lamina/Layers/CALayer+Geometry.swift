import Foundation
import LaminaCommit
import LaminaValues

extension LayerValues {
  /// The rectangle that `transform` acts on: the bounds relative to the anchor point.
  private func anchored(_ size: CGSize) -> CGRect {
    CGRect(
      x: -anchorPoint.x * size.width, y: -anchorPoint.y * size.height, width: size.width,
      height: size.height)
  }

  /// The bounding box of the transformed bounds, relative to `position`. Corners that perspective
  /// throws to infinity or behind the viewer are left out.
  private func extent(_ size: CGSize) -> CGRect {
    let rect = anchored(size)
    if transform.isIdentity { return rect }
    let origin = CATransform3D(translationX: 0, y: 0, z: -anchorPointZ).concatenating(transform)
    let corners = [
      CGPoint(x: rect.minX, y: rect.minY), CGPoint(x: rect.maxX, y: rect.minY),
      CGPoint(x: rect.minX, y: rect.maxY), CGPoint(x: rect.maxX, y: rect.maxY),
    ]
    let mapped = corners.compactMap { corner -> CGPoint? in
      let (x, y, _, w) = origin.map(corner)
      return w > 0 ? CGPoint(x: x / w, y: y / w) : nil
    }
    return mapped.isEmpty ? .zero : CGRect(enclosing: mapped)
  }

  var frame: CGRect { extent(bounds.size).offsetBy(dx: position.x, dy: position.y) }

  /// The bounds and position that make `frame` the given rectangle. Under a rotation the actual
  /// frame may be larger, about the same centre. Under a transform without an inverse the size
  /// stays.
  func geometry(forFrame frame: CGRect) -> (bounds: CGRect, position: CGPoint) {
    var size = frame.size
    if !transform.isIdentity {
      let linear = CGAffineTransform(
        a: transform.m11, b: transform.m12, c: transform.m21, d: transform.m22, tx: 0, ty: 0)
      let determinant = linear.a * linear.d - linear.b * linear.c
      size =
        determinant == 0 || !determinant.isFinite
        ? bounds.size : CGRect(origin: .zero, size: size).applying(linear.inverted()).size
    }
    let relative = extent(size)
    return (
      CGRect(origin: bounds.origin, size: size),
      CGPoint(x: frame.midX - relative.midX, y: frame.midY - relative.midY)
    )
  }
}
