/// A named set of values that some layers' properties have while it is set: what a
/// `CAStateController` sets. A layer holds the states of its tree in `states`.
public final class CAState {
  /// By what the state is found; "*" is no name.
  public let name: String
  /// The name of the state whose values come before this one's. Default: nil.
  public var basedOn: String?
  /// What is set, in order. Default: none.
  public var elements: [CAStateSetValue] = []

  public init(name: String) { self.name = name }

  public func addElement(_ element: CAStateSetValue) { elements.append(element) }
}

/// A value of a state: what one property of one layer is in it.
public final class CAStateSetValue {
  /// The layer; not kept alive, since it may hold the state.
  public weak var target: CALayer?
  /// A property, or a member of one, as `setValue(_:forKeyPath:)` takes it.
  public var keyPath: String
  /// Default: nil.
  public var value: Any?

  public init(target: CALayer, keyPath: String, value: Any?) {
    self.target = target
    self.keyPath = keyPath
    self.value = value
  }
}
