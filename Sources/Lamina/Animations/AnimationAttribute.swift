import Foundation
import LaminaAnimation

/// A property of an animation as key-value coding reaches it. It retains the animation, so it is
/// made for each access and not stored.
struct AnimationAttribute {
  var isNumber = false
  let get: () -> Any?
  /// Returns false for a value that the property cannot have.
  let set: (Any?) -> Bool

  static func number<Root: CAAnimation, Number: BinaryFloatingPoint>(
    _ root: Root, _ path: ReferenceWritableKeyPath<Root, Number>
  ) -> Self {
    Self(isNumber: true) {
      NSNumber(value: Double(root[keyPath: path]))
    } set: { object in
      guard let number = AnimationValue(object)?.asNumber else { return false }
      root[keyPath: path] = Number(number)
      return true
    }
  }

  static func flag<Root: CAAnimation>(
    _ root: Root, _ path: ReferenceWritableKeyPath<Root, Bool>
  ) -> Self {
    Self {
      NSNumber(value: root[keyPath: path])
    } set: { object in
      guard let number = AnimationValue(object)?.asNumber else { return false }
      root[keyPath: path] = number != 0
      return true
    }
  }

  static func name<Root: CAAnimation, Name: RawRepresentable<String>>(
    _ root: Root, _ path: ReferenceWritableKeyPath<Root, Name>
  ) -> Self {
    Self {
      root[keyPath: path].rawValue
    } set: { object in
      guard case .string(let raw)? = AnimationValue(object), let name = Name(rawValue: raw) else {
        return false
      }
      root[keyPath: path] = name
      return true
    }
  }

  static func optionalName<Root: CAAnimation, Name: RawRepresentable<String>>(
    _ root: Root, _ path: ReferenceWritableKeyPath<Root, Name?>
  ) -> Self {
    Self {
      root[keyPath: path]?.rawValue
    } set: { object in
      switch AnimationValue(object) {
      case .none?: root[keyPath: path] = nil
      case .string(let raw)?: root[keyPath: path] = Name(rawValue: raw)
      default: return false
      }
      return true
    }
  }

  static func structure<Root: CAAnimation, Value>(
    _ root: Root, _ path: ReferenceWritableKeyPath<Root, Value>
  ) -> Self {
    Self {
      root[keyPath: path]
    } set: { object in
      guard let value = object as? Value else { return false }
      root[keyPath: path] = value
      return true
    }
  }

  static func object<Root: CAAnimation, Value>(
    _ root: Root, _ path: ReferenceWritableKeyPath<Root, Value?>
  ) -> Self {
    Self {
      root[keyPath: path]
    } set: { object in
      guard object != nil, !(object is NSNull) else {
        root[keyPath: path] = nil
        return true
      }
      guard let value = object as? Value else { return false }
      root[keyPath: path] = value
      return true
    }
  }
}
