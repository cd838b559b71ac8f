import Foundation
import LaminaAnimation
import LaminaCommit

// What a document has to say about layers and animations, found in the tables of their properties.

extension CALayer {
  /// The name of the Lamina class that this class is or inherits from.
  package final class var documentClassName: String { kind.className }

  /// The stored properties that differ from the defaults of Lamina's class, and those whose
  /// defaults depend on the system, in the order of the table. A value is nil if the property is.
  package final var changedProperties: [(key: String, kind: FieldKind, value: Any?)] {
    let kind = Swift.type(of: self).kind
    let usual = LayerValues(kind: kind)
    return StoredProperty.table.compactMap { row in
      let property = row.property
      guard kind.has(property),
        modelValues.value(of: property) != usual.value(of: property)
          || Self.isAlwaysArchived(row.key)
      else { return nil }
      let value =
        property == .contents
        ? contentsImage : modelValues.publicValue(of: property).object(image: image)
      return (row.key, property.kind, value)
    }
  }

  private var contentsImage: CGImage? {
    (contentsStorage as? LayerStore)?.image ?? contentsStorage as? CGImage
  }

  /// The animations in the order in which they were added, those without a key too.
  package final var keyedAnimations: [(key: String?, animation: CAAnimation)] {
    attachedAnimations.map { ($0.hasKey ? $0.key : nil, $0.animation) }
  }

  /// The keys with values that documents cannot contain.
  package final var undocumentedKeys: [String] {
    var keys = undefinedValues.keys.sorted()
    if attachments?.constraints?.isEmpty == false { keys.append("constraints") }
    if attachments?.layoutManager != nil { keys.append("layoutManager") }
    if let kept = attachments?.kept {
      keys += kept.names.keys.map(\.key).sorted()
      if kept.compositingFilter != nil { keys.append("compositingFilter") }
    }
    return keys
  }

  /// The layer's name for messages.
  package final var documentDebugName: String { debugName }

  /// A value of an animation or a state as its property's public type: numbers as NSNumber,
  /// structures bare. nil for an object that is no such value.
  package static func plainValue(of object: Any?) -> Any? {
    guard let value = AnimationValue(object) else { return nil }
    return value.publicValue { _ in nil } ?? NSNull()
  }
}

extension CAEmitterCell {
  /// The keys of the properties that differ from a new cell's, in the order of their table.
  package final var changedKeys: [String] {
    EmitterCellProperty.allCases.map(\.rawValue).filter(shouldArchiveValue)
  }
}

extension CAEmitterBehavior {
  /// The keys of the inputs that are set, sorted.
  package var inputKeys: [String] { values.inputs.map(\.key).sorted() }
}

extension CAAnimation {
  /// The name of the Lamina class that the animation's class is or inherits from.
  package final var documentClassName: String { "\(Swift.type(of: Swift.type(of: self).usual))" }

  /// The reason why no document can contain the animation: groups nest too deep, or in themselves.
  package final var documentRefusal: String? { nestingRefusal.map { "\($0)" } }

  /// The properties that differ from the defaults of `documentClassName`, sorted by key.
  package final var changedProperties: [(key: String, value: Any)] {
    let (own, usual) = (attributes, Swift.type(of: self).usual.attributes)
    return own.keys.sorted().compactMap { key in
      guard key != "delegate", let value = own[key]?.get() else { return nil }
      if let range = value as? CAFrameRateRange, range == .default { return nil }
      if let usual = usual[key]?.get(), let plain = AnimationValue(value) {
        return plain == AnimationValue(usual) ? nil : (key, value)
      }
      return (key, value)
    }
  }

  /// The keys with values that documents cannot contain.
  package final var undocumentedKeys: [String] { undefinedValues.keys.sorted() }
}

extension CAMediaTimingFunction {
  /// The x and y of the two inner control points.
  package var controlNumbers: [Double] { [curve.c1x, curve.c1y, curve.c2x, curve.c2y] }
}

extension CAFilter {
  /// The inputs that were set, sorted by key.
  package var changedInputs: [(key: String, value: Any)] {
    values.inputs.compactMap { input in value(forKey: input.key).map { (input.key, $0) } }
  }
}
