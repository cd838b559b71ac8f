import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaValues

/// The answers of an app's layer class about stored properties, asked for once per class.
final class LayerDefaults: Sendable {
  /// The defaults that differ from those of the nearest of Lamina's own classes.
  let values: [(property: StoredProperty, value: AnimationValue)]
  /// The properties for which the class's `needsDisplay(forKey:)` is true.
  let displayed: StoredPropertySet

  private init?(_ type: CALayer.Type) {
    let usual = LayerValues(kind: type.kind)
    var values: [(property: StoredProperty, value: AnimationValue)] = []
    var displayed = StoredPropertySet()
    for property in StoredProperty.allCases where type.kind.has(property) {
      if type.needsDisplay(forKey: property.key) { displayed.insert(property) }
      guard property != .contents, let object = type.defaultValue(forKey: property.key),
        let value = AnimationValue(object), value != usual.value(of: property)
      else { continue }
      values.append((property, value))
    }
    // The picture of text is made for its scale, and for what lies behind it.
    if type.kind == .text {
      displayed.insert(.contentsScale)
      displayed.insert(.isOpaque)
    }
    guard !values.isEmpty || !displayed.isEmpty else { return nil }
    self.values = values
    self.displayed = displayed
  }

  static func isOurs(_ type: CALayer.Type) -> Bool {
    type == CALayer.self || type == CAShapeLayer.self || type == CAGradientLayer.self
      || type == CAScrollLayer.self || type == CATransformLayer.self
      || type == CABackdropLayer.self || type == CATextLayer.self || type == CAEmitterLayer.self
      || type == CAReplicatorLayer.self || type == CATiledLayer.self || type == TileLayer.self
  }

  /// Whether instances of one of Lamina's own classes draw themselves.
  private static func drawsItself(_ type: CALayer.Type) -> Bool { type == CATextLayer.self }

  /// The answers by class; nil for a class that gives only the usual ones.
  private static let classes = Lock<[ObjectIdentifier: LayerDefaults?]>([:])

  static func of(_ type: CALayer.Type) -> LayerDefaults? {
    // Most layers are of Lamina's own classes.
    if isOurs(type), !drawsItself(type) { return nil }
    let id = ObjectIdentifier(type)
    if let known = classes.withLock({ $0[id] }) { return known }
    let defaults = LayerDefaults(type)
    classes.withLock { $0[id] = .some(defaults) }
    return defaults
  }
}

extension CALayer {
  /// Gives a new layer the defaults of its class.
  final func takeDefaults() {
    guard let defaults = LayerDefaults.of(type(of: self)) else { return }
    self.defaults = defaults
    for (property, value) in defaults.values where modelValues.set(property, to: value) {
      written.insert(property)
      ownAttachments.assumed.insert(property)
    }
  }

  /// Whether the app itself set the property, not its class or a style.
  final func isExplicit(_ property: StoredProperty) -> Bool {
    written.contains(property) && attachments?.assumed.contains(property) != true
  }

  /// Called before each change of a stored property.
  final func noteExplicit(_ property: StoredProperty) {
    attachments?.assumed.remove(property)
    if let defaults, defaults.displayed.contains(property), shows(property) { setNeedsDisplay() }
  }

  /// The default value in Lamina's own classes; nil if it is nil or, with exceptions, zero.
  final class func usualDefault(forKey key: String) -> Any? {
    guard let property = StoredProperty(key: key), kind.has(property) else { return nil }
    let value = LayerValues(kind: kind).publicValue(of: property)
    switch property {
    // The exceptions were measured on macOS.
    case .transform, .wantsDynamicContentScaling: return nil
    case .contentsHeadroom: return value.object { _ in nil }
    default: break
    }
    switch value.value {
    case .number(0) where value.flag == nil: return nil
    case .point(.zero), .size(.zero), .rect(.zero): return nil
    default: return value.object { _ in nil }
    }
  }

  /// Whether a value is archived even if it was not set.
  final class func isAlwaysArchived(_ key: String) -> Bool {
    switch key {
    case "allowsEdgeAntialiasing", "allowsGroupOpacity", "cornerCurve", "contentsFormat": true
    default: false
    }
  }

  /// Whether there is a value to archive under a key.
  final func hasValueToArchive(forKey key: String) -> Bool {
    switch key {
    case "frame", "superlayer": return false
    case "sublayers": return !sublayerStorage.isEmpty
    case "mask": return maskStorage != nil
    case "style": return attachments?.style != nil
    case "constraints": return attachments?.constraints?.isEmpty == false
    case "layoutManager": return attachments?.layoutManager is any NSSecureCoding
    case _ where Self.isAlwaysArchived(key): return true
    default: break
    }
    guard let property = storedProperty(key) else { return undefinedValues[key] != nil }
    return isExplicit(property)
  }
}
