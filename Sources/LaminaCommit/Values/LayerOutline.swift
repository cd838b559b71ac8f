import LaminaValues

extension LayerValues {
  /// The bounds with their round corners.
  package var outline: CornerOutline { withUnsafePointer(to: self) { Self.outline(at: $0) } }

  /// As above, for values in memory, without copying all of them.
  package static func outline(at values: UnsafePointer<Self>) -> CornerOutline {
    CornerOutline(
      rect: values.pointee.bounds, radius: values.pointee.cornerRadius,
      corners: values.pointee.maskedCorners,
      curve: values.pointee.cornerCurve == .continuous ? .continuous : .circular)
  }
}
