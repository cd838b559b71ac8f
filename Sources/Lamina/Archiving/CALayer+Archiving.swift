import Foundation
import LaminaCommit

extension CALayer {
  /// The keys of other objects of the tree, each of which is archived as an object of its own.
  private static let relatedKeys: Set = ["sublayers", "mask", "constraints", "layoutManager"]

  /// Archives the values for which `shouldArchiveValue(forKey:)` returns true, and the animations.
  final func archiveProperties(with coder: NSCoder) {
    let own = StoredProperty.allCases.filter { type(of: self).kind.has($0) }
    let keys =
      own.map(\.key) + undefinedValues.keys.sorted() + ["style"] + Self.relatedKeys.sorted()
    coder.archive(keys, of: debugName) { key in
      guard !Self.isReserved(key), shouldArchiveValue(forKey: key) else { return nil }
      return value(forKey: key) ?? NSNull()
    }
    guard !attachedAnimations.isEmpty else { return }
    coder.encode(
      NSArray(array: attachedAnimations.map(\.animation)), forKey: Self.animationsKey)
    coder.encode(
      NSArray(array: attachedAnimations.map { $0.hasKey ? NSString(string: $0.key) : NSNull() }),
      forKey: Self.animationKeysKey)
  }

  private static let animationsKey = "CALayerAnimations"
  private static let animationKeysKey = "CALayerAnimationKeys"

  private static func isReserved(_ key: String) -> Bool {
    [NSCoder.contentsKey, animationsKey, animationKeysKey].contains(key)
  }

  /// Restores the archived properties and animations; returns false if the archive cannot be read.
  final func restoreProperties(from coder: NSCoder) -> Bool {
    guard !coder.isTooDeep else { return false }
    let keys = coder.archivedKeys
    func restore(_ key: String) {
      guard keys.contains(key), let value = coder.archivedValue(forKey: key) else { return }
      setValue(value, forKey: key)
      if let property = storedProperty(key), !Self.isAlwaysArchived(key) {
        written.insert(property)
        attachments?.assumed.remove(property)
      }
    }
    // The style goes first: values that were set explicitly override it.
    restore("style")
    for property in StoredProperty.allCases where type(of: self).kind.has(property) {
      restore(property.key)
    }
    for key in keys.sorted() where isUndefined(key) { restore(key) }
    restore("constraints")
    restore("layoutManager")
    if let layer = related(coder.archivedValue(forKey: "mask")).first { mask = layer }
    sublayers = related(coder.archivedValue(forKey: "sublayers"))
    restoreAnimations(from: coder)
    return coder.error == nil
  }

  private func isUndefined(_ key: String) -> Bool {
    switch key {
    case "style", "frame", "superlayer", "delegate", "visibleRect": false
    default: storedProperty(key) == nil && !Self.relatedKeys.contains(key) && !Self.isReserved(key)
    }
  }

  /// The layers in an archived value, each once; without this layer itself.
  private func related(_ object: Any?) -> [CALayer] {
    let objects = object as? [Any] ?? object.map { [$0] } ?? []
    var seen = Set<ObjectIdentifier>()
    return objects.compactMap { $0 as? CALayer }
      .filter { $0 !== self && seen.insert(ObjectIdentifier($0)).inserted }
  }

  private func restoreAnimations(from coder: NSCoder) {
    let animations = coder.archivedValue(forKey: Self.animationsKey) as? [Any] ?? []
    let keys = coder.archivedValue(forKey: Self.animationKeysKey) as? [Any] ?? []
    for (animation, key) in zip(animations, keys) {
      if let animation = animation as? CAAnimation { add(animation, forKey: key as? String) }
    }
  }
}

extension NSObject {
  /// The object's class or its nearest superclass that Foundation can name in archives: one at the
  /// top level of a module that is neither private nor generic.
  final var nearestNamedClass: AnyClass {
    var mirror: Mirror? = Mirror(reflecting: self)
    while let current = mirror {
      let name = String(reflecting: current.subjectType)
      if let type = current.subjectType as? AnyClass, name.split(separator: ".").count == 2 {
        if type != Swift.type(of: self) {
          warn(
            "a \(Swift.type(of: self)) is archived as a \(type): only classes at the top level "
              + "that are neither private nor generic can be archived")
        }
        return type
      }
      mirror = current.superclassMirror
    }
    return NSObject.self
  }
}
