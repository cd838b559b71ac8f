import Foundation
import LaminaValues

extension CGContext {
  /// The current transformation matrix, from user space to device space.
  public var ctm: CGAffineTransform { state.ctm }

  /// Prepends `transform` to the current transformation matrix. Ignored if the result is not
  /// finite.
  public func concatenate(_ transform: CGAffineTransform) {
    let ctm = transform.concatenating(state.ctm)
    if ctm.isFinite { state.ctm = ctm }
  }

  /// Moves user space's origin by (tx, ty).
  public func translateBy(x tx: CGFloat, y ty: CGFloat) {
    concatenate(CGAffineTransform(translationX: tx, y: ty))
  }

  /// Makes user space's units `sx` and `sy` times as large.
  public func scaleBy(x sx: CGFloat, y sy: CGFloat) {
    concatenate(CGAffineTransform(scaleX: sx, y: sy))
  }

  /// Turns user space by `angle` radians, from +x toward +y.
  public func rotate(by angle: CGFloat) {
    concatenate(CGAffineTransform(rotationAngle: angle))
  }

  /// The transform from user space to device space, whose unit is a pixel and whose y points up
  /// from the lower left corner.
  public var userSpaceToDeviceSpaceTransform: CGAffineTransform { state.ctm }

  /// Returns a point of user space in device space.
  public func convertToDeviceSpace(_ point: CGPoint) -> CGPoint { point.applying(state.ctm) }
  /// Returns a point of device space in user space.
  public func convertToUserSpace(_ point: CGPoint) -> CGPoint {
    point.applying(state.ctm.inverted())
  }
  /// Returns a size of user space in device space, without the translation.
  public func convertToDeviceSpace(_ size: CGSize) -> CGSize { size.applying(state.ctm) }
  /// Returns a size of device space in user space, without the translation.
  public func convertToUserSpace(_ size: CGSize) -> CGSize {
    size.applying(state.ctm.inverted())
  }
  /// The smallest rectangle around the converted rectangle.
  public func convertToDeviceSpace(_ rect: CGRect) -> CGRect { rect.applying(state.ctm) }
  /// The smallest rectangle around the converted rectangle.
  public func convertToUserSpace(_ rect: CGRect) -> CGRect {
    rect.applying(state.ctm.inverted())
  }

  /// The transform from user space to the bitmap's pixels, y down.
  var userToPixels: CGAffineTransform { state.ctm.concatenating(deviceToPixels) }
}
