import LaminaAnimation
import LaminaCommit

/// Values that the render process has of a layer and the model no more: what was overwritten since
/// the last commit. That is seldom more than one, and copying all values takes far longer.
struct OverwrittenValues {
  private struct Kept {
    let property: StoredProperty
    let value: AnimationValue
  }

  /// What differs, or did for a while.
  private(set) var properties = LayerPropertySet()
  private var first: Kept?
  private var others: [Kept] = []

  /// Keeps a property's value, which is about to be overwritten for the first time.
  mutating func keep(_ value: AnimationValue, of property: StoredProperty) {
    properties.insert(property)
    let kept = Kept(property: property, value: value)
    if first == nil { first = kept } else { others.append(kept) }
  }

  /// nil where none was overwritten.
  func value(of property: StoredProperty) -> AnimationValue? {
    if let first, first.property == property { return first.value }
    return others.first { $0.property == property }?.value
  }

  /// Puts the values back into those that took their places.
  func restore(in values: inout LayerValues) {
    guard let first else { return }
    values.set(first.property, to: first.value)
    for kept in others { values.set(kept.property, to: kept.value) }
  }
}
