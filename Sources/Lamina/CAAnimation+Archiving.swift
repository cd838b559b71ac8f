import Foundation
import LaminaAnimation

extension CAAnimation {
  /// Archives what `shouldArchiveValue(forKey:)` says.
  final func archiveProperties(with coder: NSCoder) {
    let keys = attributes.keys.sorted() + undefinedValues.keys.sorted()
    var archived: [NSString] = []
    for key in keys where key != NSCoder.contentsKey && shouldArchiveValue(forKey: key) {
      guard let value = value(forKey: key),
        let object = archivedObject(value, key: "\(key) of a \(type(of: self))", by: coder)
      else { continue }
      coder.encode(object, forKey: key)
      archived.append(NSString(string: key))
    }
    coder.encode(NSArray(array: archived), forKey: NSCoder.contentsKey)
  }

  /// Sets what an archive holds; returns false where reading it fails.
  final func restoreProperties(from coder: NSCoder) -> Bool {
    guard !coder.isTooDeep else { return false }
    for key in coder.archivedKeys.sorted() where key != "delegate" && key != NSCoder.contentsKey {
      if let value = coder.archivedValue(forKey: key) { setValue(value, forKey: key) }
    }
    return coder.error == nil
  }

  /// Whether a property differs from what it is in new animations of the class of ours that this
  /// one is made from, or an undefined key has a value.
  final func hasValueToArchive(forKey key: String) -> Bool {
    guard key != "delegate", let value = value(forKey: key) else { return false }
    guard let usual = type(of: self).usual.attributes[key]?.get() else { return true }
    return AnimationValue(value) != AnimationValue(usual)
  }
}
