import LaminaAnimation
import LaminaCommit

/// Values that a layer gives back as they were set, though they have no effect; so do layers on
/// macOS.
struct KeptValues {
  /// Names that a property has no meaning for.
  var names: [StoredProperty: String] = [:]
  /// A `compositingFilter` that is no filter.
  var compositingFilter: Any?
}

extension CALayer {
  /// The name that was set for a property which now counts as having the name `known`.
  final func keptName(of property: StoredProperty, known: String) -> String {
    attachments?.kept.names[property] ?? known
  }

  /// Keeps the name that was set for a property if it differs from `known`, the one that it counts
  /// as.
  final func keepName(_ name: String, of property: StoredProperty, known: String) {
    guard name != known else {
      attachments?.kept.names[property] = nil
      return
    }
    ownAttachments.kept.names[property] = name
    written.insert(property)
    attachments?.assumed.remove(property)
  }

  /// Implements `compositingFilter`.
  final var compositingObject: Any? {
    if let kept = attachments?.kept.compositingFilter { return kept }
    return modelValues.hasEffects ? modelValues.effects.compositingFilter?.object() : nil
  }

  final func setCompositingObject(_ object: Any?) {
    let value = AnimationValue(object)
    if let value, set(.compositingFilter, to: value) {
      attachments?.kept.compositingFilter = nil
      return
    }
    _ = set(.compositingFilter, to: .none)
    ownAttachments.kept.compositingFilter = object
    written.insert(.compositingFilter)
    let type = object.map { "\(Swift.type(of: $0))" } ?? "nil"
    warn(
      "the compositingFilter of \(debugName) has no effect: a \(type) is no filter",
      onceFor: "compositingFilter \(type)")
  }
}
