import Foundation
import LaminaAnimation
import LaminaCommit

extension CALayer {
  final func setStyle(_ new: [AnyHashable: Any]?) {
    guard new != nil || attachments?.style != nil else { return }
    ownAttachments.style = new
    applyStyle()
  }

  /// The value that the style has for a key.
  final func styleValue(forKey key: String) -> Any? {
    var style = self.style
    while let current = style {
      if let value = current[key] { return value }
      style = current["style"] as? [AnyHashable: Any]
    }
    return nil
  }

  private func applyStyle() {
    let type = Swift.type(of: self)
    let usual = LayerValues(kind: type.kind)
    for property in StoredProperty.allCases
    where property != .contents && type.kind.has(property) && !isExplicit(property) {
      let object = styleValue(forKey: property.key) ?? type.defaultValue(forKey: property.key)
      if setText(object, of: property) { continue }
      let value = object == nil ? usual.value(of: property) : AnimationValue(object)
      guard let value, set(property, to: value) else {
        warn("\(property.key) of \(debugName) cannot be what its style says")
        continue
      }
      if written.contains(property) { ownAttachments.assumed.insert(property) }
    }
  }

  /// Sets a property of a text layer whose value may be an object; returns false for others.
  final func setText(_ object: Any?, of property: StoredProperty) -> Bool {
    guard property == .string || property == .fontName, let text = self as? CATextLayer else {
      return false
    }
    if property == .string { text.setText(object) } else { text.setFont(object) }
    if written.contains(property) { ownAttachments.assumed.insert(property) }
    return true
  }
}
