import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaGraphics
import LaminaValues

/// A stored value as apps see it: a flag as a Boolean, anything else as its `AnimationValue`
/// converts.
struct PublicValue {
  var value = AnimationValue.none
  var flag: Bool?

  func object(image: (ImageID) -> CGImage?) -> Any? {
    flag.map { NSNumber(value: $0) } ?? value.publicValue(image: image)
  }
}

private struct PublicReader: LayerFieldVisitor {
  var result = PublicValue()

  mutating func visit<Field: LayerField>(_ field: inout Field) {
    result = PublicValue(value: field.animationValue, flag: field as? Bool)
  }
}

extension LayerValues {
  func publicValue(of property: StoredProperty) -> PublicValue {
    var reader = PublicReader()
    var values = self
    try! values.visit(property, with: &reader)  // A reader does not throw.
    return reader.result
  }
}

extension CALayer {
  final func storedProperty(_ key: String) -> StoredProperty? {
    type(of: self).kind.property(key: key)
  }

  final func publicValue(forKey key: String) -> Any? {
    switch key {
    case "contents": return contents
    case "frame": return frame
    case "sublayers": return sublayers
    case "superlayer": return superlayer
    case "mask": return mask
    case "style": return style
    case "delegate": return delegate
    case "layoutManager": return layoutManager
    case "constraints": return constraints
    case "visibleRect": return visibleRect
    case "compositingFilter": return compositingFilter
    case "type": if let gradient = self as? CAGradientLayer { return gradient.type.rawValue }
    case "alignmentMode":
      if let text = self as? CATextLayer { return text.alignmentMode.rawValue }
    case "string": if let text = self as? CATextLayer { return text.string }
    case "font": if let text = self as? CATextLayer { return text.font }
    case "emitterCells": if let emitter = self as? CAEmitterLayer { return emitter.emitterCells }
    case "emitterBehaviors":
      if let emitter = self as? CAEmitterLayer { return emitter.emitterBehaviors }
    default: break
    }
    guard let property = storedProperty(key) else { return value(forUndefinedKey: key) }
    return modelValues.publicValue(of: property).object(image: image)
  }

  /// Implements `value(forUndefinedKey:)`.
  final func undefinedValue(forKey key: String) -> Any? {
    undefinedValues[key] ?? styleValue(forKey: key)
      ?? Swift.type(of: self).defaultValue(forKey: key)
  }

  final func setPublicValue(_ object: Any?, forKey key: String) {
    guard !setSpecial(object, forKey: key) else { return }
    guard let property = storedProperty(key) else {
      return setValue(object is NSNull ? nil : object, forUndefinedKey: key)
    }
    guard let value = AnimationValue(object) else { return refuse(object, key) }
    let images = keepImages(in: object, for: property)
    if !set(property, to: value) { refuse(object, key) }
    if images { forgetFilterImages() }
  }

  /// Keeps the images in the value of a property that is about to be set, if it holds filters.
  /// Returns whether some of the images that are kept may then not be needed any more.
  private func keepImages(in object: Any?, for property: StoredProperty) -> Bool {
    guard property == .filters || property == .backgroundFilters else { return false }
    let images = CGImage.images(in: object)
    if !images.isEmpty { ownAttachments.filterImages += images }
    return attachments?.filterImages.isEmpty == false
  }

  private func forgetFilterImages() {
    guard let attachments else { return }
    var used = Set(modelValues.effects.imageIDs)
    attachments.filterImages.removeAll { used.remove($0.id) == nil }
  }

  /// Implements `setValue(_:forUndefinedKey:)`.
  final func setUndefinedValue(_ object: Any?, forKey key: String) {
    guard !areEqual(object, undefinedValues[key]) else { return }
    let action = action(on: key)
    undefinedValues[key] = object
    if type(of: self).needsDisplay(forKey: key) { setNeedsDisplay() }
    if let action { run(action, forKey: key) }
  }

  /// Sets a key that is not a single stored property; returns false for other keys.
  private func setSpecial(_ object: Any?, forKey key: String) -> Bool {
    switch key {
    case "contents": contents = object
    case "sublayers": sublayers = object as? [CALayer]
    case "mask": mask = object as? CALayer
    case "style": style = object as? [AnyHashable: Any]
    case "delegate": delegate = object as? any CALayerDelegate
    case "layoutManager": layoutManager = object as? any CALayoutManager
    case "constraints": constraints = object as? [CAConstraint]
    case "compositingFilter": compositingFilter = object
    case "type", "alignmentMode":
      guard case .string(let name)? = AnimationValue(object) else { return false }
      if let gradient = self as? CAGradientLayer, key == "type" {
        gradient.type = CAGradientLayerType(rawValue: name)
      } else if let text = self as? CATextLayer, key == "alignmentMode" {
        text.alignmentMode = CATextLayerAlignmentMode(rawValue: name)
      } else {
        return false
      }
    case "emitterCells":
      guard let emitter = self as? CAEmitterLayer else { return false }
      emitter.emitterCells = object as? [CAEmitterCell]
    case "emitterBehaviors":
      guard let emitter = self as? CAEmitterLayer else { return false }
      emitter.emitterBehaviors = object as? [CAEmitterBehavior]
    case "frame":
      if case .rect(let rect)? = AnimationValue(object) {
        frame = rect
      } else {
        refuse(object, key)
      }
    case "string", "font":
      guard let text = self as? CATextLayer else { return false }
      if key == "string" { text.string = object } else { text.font = object }
    default: return false
    }
    return true
  }

  private func refuse(_ object: Any?, _ key: String) {
    let value = object.map { "\($0), a \(type(of: $0))" } ?? "nil"
    warn("\(key) of \(debugName) cannot be \(value)")
  }

  /// Sets a property of the model; returns false if it cannot have the value. `none` stands for 0
  /// if the property is a number or a flag, for the default if it is anything else that cannot be
  /// nil.
  final func set(_ property: StoredProperty, to value: AnimationValue) -> Bool {
    var values = modelValues
    let value = normalized(value, for: property)
    if !values.set(property, to: value) {
      if property.kind.isNumeric, let number = value.convertedToNumber {
        return set(property, to: .number(number))
      }
      guard value == .none else { return false }
      values.copy(property, from: LayerValues(kind: type(of: self).kind))
    }
    guard values.value(of: property) != modelValues.value(of: property) else { return true }
    switch property {
    case .bounds: bounds = values.bounds
    case .transform: transform = values.transform
    case .isHidden: isHidden = values.isHidden
    case .wantsDynamicContentScaling:
      wantsDynamicContentScaling = values.contentsDetail.wantsDynamicScaling
    default:
      let reaction = reaction(to: property)
      noteChange(of: property)
      modelValues.copy(property, from: values)
      if let reaction { run(reaction, to: property) }
    }
    return true
  }

  /// The value that the property's own setter would store.
  private func normalized(_ value: AnimationValue, for property: StoredProperty) -> AnimationValue {
    switch (property, value) {
    case (.bounds, .rect(let rect)): .rect(rect.standardized)
    case (.maskedCorners, .number(let bits)), (.edgeAntialiasingMask, .number(let bits)):
      .number(UInt32(exactly: bits).map { Double($0 & 15) } ?? bits)
    case (.contentsGravity, .string(let name)):
      .string(CALayerContentsGravity(rawValue: name).name.rawValue)
    case (.cornerCurve, .string(let name)):
      .string(CALayerCornerCurve(rawValue: name).name.rawValue)
    case (.contentsFormat, .string(let name)):
      .string(CALayerContentsFormat(rawValue: name).name.rawValue)
    default: value
    }
  }

  // MARK: Paths

  /// The key before the first dot, and the rest of the path after it.
  private func split(_ keyPath: String) -> (key: String, rest: String)? {
    guard let dot = keyPath.firstIndex(of: ".") else { return nil }
    return (String(keyPath[..<dot]), String(keyPath[keyPath.index(after: dot)...]))
  }

  /// The layer that a path leads into, and the rest of the path from there.
  private func inner(_ key: String, _ rest: String) -> (layer: CALayer, path: String)? {
    guard key == "sublayers" else { return (value(forKey: key) as? CALayer).map { ($0, rest) } }
    guard let (name, path) = split(rest),
      let layer = sublayers?.first(where: { $0.name == name })
    else { return nil }
    return (layer, path)
  }

  final func publicValue(forKeyPath keyPath: String) -> Any? {
    guard let (key, rest) = split(keyPath) else { return value(forKey: keyPath) }
    if let (layer, path) = inner(key, rest) { return layer.value(forKeyPath: path) }
    guard let part = ValuePart(path: rest, of: key), let whole = AnimationValue(value(forKey: key))
    else { return nil }
    return whole.value(of: part)?.publicValue(image: image)
  }

  final func setPublicValue(_ object: Any?, forKeyPath keyPath: String) {
    guard let (key, rest) = split(keyPath) else { return setValue(object, forKey: keyPath) }
    if let (layer, path) = inner(key, rest) { return layer.setValue(object, forKeyPath: path) }
    if key == "emitterCells", let emitter = self as? CAEmitterLayer {
      return emitter.setCellValue(object, path: rest)
    }
    guard let part = ValuePart(path: rest, of: key), let new = AnimationValue(object),
      let whole = AnimationValue(value(forKey: key)),
      let changed = whole.setting(part, to: new.converted(toTypeOf: whole.value(of: part)))
    else { return refuse(object, keyPath) }
    if let property = storedProperty(key) {
      let images = keepImages(in: object, for: property)
      if !set(property, to: changed) { refuse(object, keyPath) }
      if images { forgetFilterImages() }
    } else {
      setValue(changed.publicValue(image: image), forKey: key)
    }
  }
}

extension FieldKind {
  /// Whether values are numbers to key-value coding, flags included.
  fileprivate var isNumeric: Bool { self == .number || self == .integer || self == .bool }
}

/// False if the values cannot be compared.
private func areEqual(_ value: Any?, _ other: Any?) -> Bool {
  guard let value, let other else { return value == nil && other == nil }
  if let value = value as? AnyHashable, let other = other as? AnyHashable { return value == other }
  guard let value = AnimationValue(value) else { return false }
  return value == AnimationValue(other)
}
