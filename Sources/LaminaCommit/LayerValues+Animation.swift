import LaminaAnimation
import LaminaValues

/// A layer's animations change its values through the table of properties.
extension LayerValues: AnimationTarget {
  package mutating func animationValue(of property: LayerProperty) -> AnimationValue {
    value(of: property)
  }

  package mutating func setAnimationValue(_ value: AnimationValue, of property: LayerProperty) {
    set(property, to: value)
  }
}
