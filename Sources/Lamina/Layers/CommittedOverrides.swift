import LaminaAnimation
import LaminaCommit

/// The committed values of a layer that the model has overwritten since the last commit. There is
/// seldom more than one, and copying all values takes far longer.
struct CommittedOverrides {
  private struct Kept {
    let property: StoredProperty
    let value: AnimationValue
  }

  /// The properties whose values differ, or did for a while.
  private(set) var properties = StoredPropertySet()
  private var first: Kept?
  private var others: [Kept] = []

  /// Keeps a property's value, which is about to be overwritten for the first time.
  mutating func keep(_ value: consuming AnimationValue, of property: StoredProperty) {
    properties.insert(property)
    let kept = Kept(property: property, value: value)
    if first == nil { first = kept } else { others.append(kept) }
  }

  /// Forgets all values, which are then no longer the committed ones.
  mutating func removeAll() {
    guard first != nil else { return }
    properties = StoredPropertySet()
    first = nil
    if !others.isEmpty { others = [] }
  }

  /// The committed value of a property; nil if it was not overwritten.
  func value(of property: StoredProperty) -> AnimationValue? {
    if let first, first.property == property { return first.value }
    return others.first { $0.property == property }?.value
  }

  /// Puts the committed values back into `values`.
  func restore(in values: inout LayerValues) {
    guard let first else { return }
    values.set(first.property, to: first.value)
    for kept in others { values.set(kept.property, to: kept.value) }
  }
}
