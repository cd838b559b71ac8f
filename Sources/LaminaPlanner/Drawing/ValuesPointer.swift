import LaminaCommit
import LaminaValues

/// A layer's values in place. They are large, and copying them takes longer than planning most of
/// what a layer draws. While a compositor runs, the memory that holds them does not change.
typealias ValuesPointer = UnsafePointer<LayerValues>

extension UnsafePointer where Pointee == LayerValues {
  /// The bounds with their round corners.
  var outline: CornerOutline {
    // Most have no round corners.
    pointee.cornerRadius > 0 ? LayerValues.outline(at: self) : CornerOutline(rect: pointee.bounds)
  }

  var hasEffects: Bool { LayerValues.hasEffects(at: self) }

  /// nil if the layer has no shadow.
  var shadow: ShadowStyle? { hasEffects ? pointee.shadow : nil }
}
