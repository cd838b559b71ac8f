/// A named set of values, which properties of some layers have while a `CAStateController` sets the
/// state. A layer holds the states of its tree in `states`.
public final class CAState {
  /// The name by which the state is found; "*" is not a name.
  public let name: String
  /// The name of the state whose values are set before this one's. Default: nil.
  public var basedOn: String?
  /// The values to set, in order. Default: none.
  public var elements: [CAStateSetValue] = []

  /// A state of the given name, with no values.
  public init(name: String) { self.name = name }

  /// Adds a value at the end of `elements`.
  public func addElement(_ element: CAStateSetValue) { elements.append(element) }
}

/// A value of a state: the value that one property of one layer has in it.
public final class CAStateSetValue {
  /// The layer. It is not retained, since it may hold the state.
  public weak var target: CALayer?
  /// A property, or a member of one, as `setValue(_:forKeyPath:)` takes it.
  public var keyPath: String
  /// The value to set. Default: nil.
  public var value: Any?

  /// A value for the property at a key path of a layer.
  public init(target: CALayer, keyPath: String, value: Any?) {
    self.target = target
    self.keyPath = keyPath
    self.value = value
  }
}
