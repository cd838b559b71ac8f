import LaminaAnimation
import LaminaValues

/// A layer's animations change its values through the table of properties.
extension LayerValues: AnimationTarget {
  package mutating func animationValue(of property: StoredProperty) -> AnimationValue {
    value(of: property)
  }

  package mutating func setAnimationValue(_ value: AnimationValue, of property: StoredProperty) {
    set(property, to: value)
  }

  /// Applies one pass of an animation of these properties. Does the same as a track's own `apply`,
  /// which is generic and takes twice as long when called from this module.
  package mutating func apply(
    _ leaves: [AnimationLeaf], of properties: [StoredProperty], isAdditive: Bool, at time: Double
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

  /// As above, for an animation of one property that is not additive.
  package mutating func apply(_ leaf: AnimationLeaf, of property: StoredProperty, at time: Double) {
    withUnsafeMutablePointer(to: &self) { values in
      leaf.apply(isAdditive: false, at: time) { _ in
        Self.value(of: property, at: values)
      } set: { value, _ in
        values.pointee.set(property, to: value)
      }
    }
  }
}
