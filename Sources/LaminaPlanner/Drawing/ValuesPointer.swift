import LaminaCommit
import LaminaValues

/// A layer's values in place. They are large, and copying them takes longer than planning most of
/// what a layer draws. While a compositor runs, the memory that holds them does not change.
typealias ValuesPointer = UnsafePointer<LayerValues>

extension UnsafePointer where Pointee == LayerValues {
  /// The bounds with their round corners.
  var outline: CornerOutline {
    let bounds = pointee.bounds
    guard pointee.cornerRadius > 0 else { return CornerOutline(rect: bounds) }
    return CornerOutline(
      rect: bounds, radius: pointee.cornerRadius, corners: pointee.maskedCorners,
      curve: pointee.cornerCurve == .continuous ? .continuous : .circular)
  }

  var hasEffects: Bool { LayerValues.hasEffects(at: self) }

  /// nil if the layer has no shadow.
  var shadow: ShadowStyle? { hasEffects ? pointee.shadow : nil }
}
