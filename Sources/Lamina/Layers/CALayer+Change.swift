import LaminaAnimation
import LaminaCommit
import LaminaValues

extension CALayer {
  /// Stores a setter's new value.
  typealias Store = (inout LayerValues) -> Void

  /// Sets a property to `new` by calling `store`, if `new` differs from `old` and the property can
  /// have that value: notes the change and starts the layer's action for it. Returns whether it was
  /// set.
  @inline(__always) @discardableResult
  final func change<Field: LayerField>(
    _ property: StoredProperty, _ old: Field, _ new: Field, _ store: Store
  ) -> Bool {
    guard old != new else { return false }
    // Values that could not be sent to the render process are refused here.
    return set(property, new, isValid: Field(new.animationValue) != nil, store)
  }

  // The same for types that change every frame, without the detour through `AnimationValue`.

  @inline(__always) @discardableResult
  final func change(
    _ property: StoredProperty, _ old: CGPoint, _ new: CGPoint, _ store: Store
  ) -> Bool {
    old != new
      && set(property, new, isValid: new.x.isFinite && new.y.isFinite, from: .point(old), store)
  }

  @inline(__always) @discardableResult
  final func change(
    _ property: StoredProperty, _ old: CGRect, _ new: CGRect, _ store: Store
  ) -> Bool {
    let isValid =
      new.origin.x.isFinite && new.origin.y.isFinite && new.size.width.isFinite
      && new.size.height.isFinite
    return old != new && set(property, new, isValid: isValid, from: .rect(old), store)
  }

  @inline(__always) @discardableResult
  final func change(
    _ property: StoredProperty, _ old: Double, _ new: Double, _ store: Store
  ) -> Bool {
    old != new && set(property, new, isValid: !new.isNaN, store)
  }

  @inline(__always) @discardableResult
  final func change(
    _ property: StoredProperty, _ old: Bool, _ new: Bool, _ store: Store
  ) -> Bool {
    old != new && set(property, new, isValid: true, store)
  }

  @inline(__always) @discardableResult
  final func change(
    _ property: StoredProperty, _ old: CGColor?, _ new: CGColor?, _ store: Store
  ) -> Bool {
    old != new
      && set(
        property, new, isValid: new?.isFinite ?? true, from: old.animationValue, store)
  }

  @inline(__always) @discardableResult
  final func change(
    _ property: StoredProperty, _ old: CATransform3D, _ new: CATransform3D, _ store: Store
  ) -> Bool {
    old != new && set(property, new, isValid: new.isFinite, from: .transform(old), store)
  }

  /// `old` is what is stored; nil if the caller does not know.
  @inline(__always)
  private func set<Value>(
    _ property: StoredProperty, _ new: Value, isValid: Bool,
    from old: @autoclosure () -> AnimationValue? = nil, _ store: Store
  ) -> Bool {
    guard isValid else {
      refuse(property, new)
      return false
    }
    let reaction = reaction(to: property)
    // A program's own code, which was asked for an action, may have set the property.
    let isAsked = attachments != nil || isOfProgramClass
    noteChange(of: property, from: isAsked ? nil : old())
    store(&modelValues)
    if let reaction { run(reaction, to: property) }
    return true
  }

  @inline(never)
  private func refuse(_ property: StoredProperty, _ value: Any) {
    // Values may be optionals, as which they should not be shown.
    let words =
      switch value {
      case let color as CGColor: "\(color)"
      case let path as Path: path.strangePoint.map { "a path with (\($0.x), \($0.y))" } ?? "\(path)"
      default: "\(value)"
      }
    warn("\(property.key) of \(debugName) cannot be \(words)")
  }

  /// Passes the model values to `body` in place, without copying them.
  @inline(__always)
  final func withValues<Result>(_ body: (UnsafePointer<LayerValues>) -> Result) -> Result {
    withUnsafePointer(to: &modelValues, body)
  }

  /// Called before a property changes: saves the committed value, which is the `old` one, on the
  /// first change after a commit, and tells the tree.
  @inline(__always)
  final func noteChange(
    of property: StoredProperty, from old: @autoclosure () -> AnimationValue? = nil
  ) {
    written.insert(property)
    if defaults != nil || attachments != nil { noteExplicit(property) }
    borrowing(ifAny: rendered) { rendered in
      if !rendered.overwritten.properties.contains(property) {
        rendered.overwritten.keep(
          old() ?? withValues { LayerValues.value(of: property, at: $0) }, of: property)
      }
      rendered.noteChange(of: self)
    }
  }

  /// A property's new value, which has 32 bits; nil, with a warning, if it does not fit.
  final func count(_ value: Int, of key: String) -> UInt32? {
    let count = UInt32(exactly: value)
    if count == nil { warn("\(key) of \(debugName) cannot be \(value)") }
    return count
  }

  /// The layer's class and, if it has one, its name, for messages.
  final var debugName: String {
    let type = String(describing: Swift.type(of: self))
    return modelValues.client.name.map { "\(type) \"\($0)\"" } ?? type
  }
}
