import LaminaValues

extension LayerValues {
  /// The bounds with their round corners.
  package var outline: CornerOutline {
    CornerOutline(
      rect: bounds, radius: cornerRadius, corners: maskedCorners,
      curve: cornerCurve == .continuous ? .continuous : .circular)
  }
}
