import LaminaValues

extension LayerValues {
  /// How the layer is composited with what lies behind it, by its compositing filter.
  package var blendMode: BlendMode {
    guard hasEffects, let filter = effects.compositingFilter, filter.isEnabled else {
      return .normal
    }
    return BlendMode(type: filter.type) ?? .normal
  }
}
