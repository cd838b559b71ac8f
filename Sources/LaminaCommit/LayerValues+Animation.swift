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

  /// Applies one pass of an animation of these properties: as a track's own `apply`, which is
  /// generic and so takes twice as long from here.
  package mutating func apply(
    _ leaves: [AnimationLeaf], of properties: [LayerProperty], isAdditive: Bool, at time: Double
  ) {
    withUnsafeMutablePointer(to: &self) { values in
      for leaf in leaves {
        leaf.apply(isAdditive: isAdditive, at: time) {
          Self.value(of: properties[$0], at: values)
        } set: {
          values.pointee.set(properties[$1], to: $0)
        }
      }
    }
  }

  /// The same for an animation that does one thing, and adds it to nothing.
  package mutating func apply(_ leaf: AnimationLeaf, of property: LayerProperty, at time: Double) {
    withUnsafeMutablePointer(to: &self) { values in
      leaf.apply(isAdditive: false, at: time) { _ in
        Self.value(of: property, at: values)
      } set: { value, _ in
        values.pointee.set(property, to: value)
      }
    }
  }
}
