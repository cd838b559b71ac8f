import Foundation
import LaminaAnimation
import LaminaValues

/// A property of a subclass of CALayer whose value is stored under a key, as `@NSManaged`
/// properties are on Apple's systems: key-value coding reaches it, presentation copies have it, and
/// `needsDisplay(forKey:)` says whether a change causes the layer to be redrawn.
///
///     class GaugeLayer: CALayer {
///       @LayerProperty("progress") var progress: CGFloat
///
///       override class func needsDisplay(forKey key: String) -> Bool {
///         key == "progress" || super.needsDisplay(forKey: key)
///       }
///     }
///
/// Numbers, Booleans, CGPoint, CGSize, CGRect and CATransform3D need no initial value: unset, they
/// are 0, false, zero, zero, `CGRect.null` and the identity. Optionals need none either: unset,
/// they are nil.
@propertyWrapper
public struct LayerProperty<Value> {
  let key: String
  let unset: Value

  /// Declares a property stored under `key` that is `wrappedValue` until it is set.
  public init(wrappedValue: Value, _ key: String) {
    self.key = key
    unset = wrappedValue
  }

  /// Declares a property stored under `key`, of a type that has a value for unset properties.
  public init(_ key: String) where Value: LayerPropertyValue {
    self.key = key
    unset = Value.unsetLayerPropertyValue
  }

  @available(*, unavailable, message: "@LayerProperty is for properties of layers")
  public var wrappedValue: Value {
    get { programmerError("@LayerProperty is for properties of layers") }
    set { programmerError("@LayerProperty is for properties of layers, not \(newValue)") }
  }

  public static subscript<Owner: CALayer>(
    _enclosingInstance layer: Owner, wrapped _: ReferenceWritableKeyPath<Owner, Value>,
    storage path: ReferenceWritableKeyPath<Owner, LayerProperty<Value>>
  ) -> Value {
    get {
      let property = layer[keyPath: path]
      return property.value(layer.value(forKey: property.key))
    }
    set {
      let object = (newValue as? any Unwrappable).map(\.object) ?? newValue
      layer.setValue(object, forKey: layer[keyPath: path].key)
    }
  }

  /// The stored object as a value of the property's type; the unset value if there is no object or
  /// it is of another kind.
  private func value(_ object: Any?) -> Value {
    guard let object else { return unset }
    if let value = object as? Value { return value }
    let type = Value.self as? any LayerPropertyValue.Type
    return type?.init(layerPropertyObject: object) as? Value ?? unset
  }
}

/// A `@LayerProperty` whose type is not known statically.
private protocol DeclaredProperty {
  var key: String { get }
  var unsetObject: Any { get }
}

extension LayerProperty: DeclaredProperty {
  fileprivate var unsetObject: Any { unset }
}

extension CALayer {
  /// The unset value of the subclass's property with the given key; nil if there is no such
  /// property.
  final func unsetValue(forKey key: String) -> Any? {
    var mirror: Mirror? = Mirror(reflecting: self)
    while let part = mirror {
      for child in part.children {
        if let property = child.value as? any DeclaredProperty, property.key == key {
          return property.unsetObject
        }
      }
      mirror = part.superclassMirror
    }
    return nil
  }
}

/// A type that a `@LayerProperty` can have without an initial value.
public protocol LayerPropertyValue {
  /// The value of a property that was never set.
  static var unsetLayerPropertyValue: Self { get }
  /// Converts the object stored under the key: a number of any type, a string that is a number, or
  /// a structure, bare or in an NSValue. nil if the object is of another kind.
  init?(layerPropertyObject object: Any)
}

extension LayerPropertyValue where Self: BinaryFloatingPoint {
  public static var unsetLayerPropertyValue: Self { 0 }
  /// Converts a number of any type, or a string that is a number; nil for other objects.
  public init?(layerPropertyObject object: Any) {
    guard let number = AnimationValue(object)?.asNumber else { return nil }
    self = Self(number)
  }
}

extension LayerPropertyValue where Self: BinaryInteger {
  public static var unsetLayerPropertyValue: Self { 0 }
  /// Rounded towards zero.
  public init?(layerPropertyObject object: Any) {
    guard let number = AnimationValue(object)?.asNumber else { return nil }
    self.init(exactly: number.rounded(.towardZero))
  }
}

extension Double: LayerPropertyValue {}
extension Float: LayerPropertyValue {}
extension CGFloat: LayerPropertyValue {}
extension Int: LayerPropertyValue {}
extension Int32: LayerPropertyValue {}
extension Int64: LayerPropertyValue {}
extension UInt: LayerPropertyValue {}
extension UInt32: LayerPropertyValue {}
extension UInt64: LayerPropertyValue {}

extension Bool: LayerPropertyValue {
  public static var unsetLayerPropertyValue: Bool { false }
  public init?(layerPropertyObject object: Any) {
    guard let number = AnimationValue(object)?.asNumber else { return nil }
    self = number != 0
  }
}

extension CGPoint: LayerPropertyValue {
  public static var unsetLayerPropertyValue: CGPoint { .zero }
  public init?(layerPropertyObject object: Any) {
    guard case .point(let point)? = AnimationValue(object) else { return nil }
    self = point
  }
}

extension CGSize: LayerPropertyValue {
  public static var unsetLayerPropertyValue: CGSize { .zero }
  public init?(layerPropertyObject object: Any) {
    guard case .size(let size)? = AnimationValue(object) else { return nil }
    self = size
  }
}

extension CGRect: LayerPropertyValue {
  public static var unsetLayerPropertyValue: CGRect { .null }
  public init?(layerPropertyObject object: Any) {
    guard case .rect(let rect)? = AnimationValue(object) else { return nil }
    self = rect
  }
}

extension CATransform3D: LayerPropertyValue {
  public static var unsetLayerPropertyValue: CATransform3D { .identity }
  public init?(layerPropertyObject object: Any) {
    guard case .transform(let transform)? = AnimationValue(object) else { return nil }
    self = transform
  }
}

extension Optional: LayerPropertyValue {
  public static var unsetLayerPropertyValue: Wrapped? { nil }
  public init?(layerPropertyObject object: Any) {
    let type = Wrapped.self as? any LayerPropertyValue.Type
    guard let value = type?.init(layerPropertyObject: object) as? Wrapped else { return nil }
    self = .some(value)
  }
}

/// An optional whose type is not known statically, to be read as `Any?`.
private protocol Unwrappable { var object: Any? { get } }

extension Optional: Unwrappable {
  fileprivate var object: Any? { self }
}
