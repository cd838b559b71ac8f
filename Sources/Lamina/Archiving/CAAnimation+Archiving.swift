import Foundation
import LaminaAnimation

extension CAAnimation {
  /// Archives the values for which `shouldArchiveValue(forKey:)` returns true.
  final func archiveProperties(with coder: NSCoder) {
    let keys = attributes.keys.sorted() + undefinedValues.keys.sorted()
    coder.archive(keys, of: "a \(type(of: self))") { key in
      guard key != NSCoder.contentsKey, shouldArchiveValue(forKey: key) else { return nil }
      return value(forKey: key)
    }
  }

  /// Restores the archived properties; returns false if the archive cannot be read.
  final func restoreProperties(from coder: NSCoder) -> Bool {
    guard !coder.isTooDeep else { return false }
    for key in coder.archivedKeys.sorted() where key != "delegate" && key != NSCoder.contentsKey {
      if let value = coder.archivedValue(forKey: key) { setValue(value, forKey: key) }
    }
    return coder.error == nil
  }

  /// Whether an undefined key has a value, or a property differs from its default in the nearest of
  /// Lamina's own animation classes.
  final func hasValueToArchive(forKey key: String) -> Bool {
    guard attributes[key] != nil else { return undefinedValues[key] != nil }
    guard key != "delegate", let value = value(forKey: key) else { return false }
    guard let usual = type(of: self).usual.attributes[key]?.get() else { return true }
    return AnimationValue(value) != AnimationValue(usual)
  }

  /// The default value in Lamina's own classes; nil if it is nil or the number 0.
  final class func usualDefault(forKey key: String) -> Any? {
    switch key {
    // On macOS all classes know the defaults of these properties of two of them.
    case "type": return CATransitionType.fade.rawValue
    case "calculationMode": return CAAnimationCalculationMode.linear.rawValue
    default: break
    }
    let animation = usual
    guard let attribute = animation.attributes[key], let value = attribute.get() else { return nil }
    return attribute.isNumber && AnimationValue(value) == .number(0) ? nil : value
  }
}
