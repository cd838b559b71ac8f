import LaminaCommit
import LaminaValues

extension CALayer {
  /// What a setter does to store its new value.
  typealias Store = (inout LayerValues) -> Void

  /// Sets a property to `new` by `store`, where it differs from `old` and is a value that the
  /// property may have: notes the change, and starts the action that the layer has for it.
  /// Returns whether it did.
  @inline(__always) @discardableResult
  final func change<Field: LayerField>(
    _ property: StoredProperty, _ old: Field, _ new: Field, _ store: Store
  ) -> Bool {
    guard old != new else { return false }
    // What would not survive the way to the render process is refused here.
    return set(property, new, isValid: Field(new.animationValue) != nil, store)
  }

  // The same for what changes at every frame, without a detour over `AnimationValue`.

  @inline(__always) @discardableResult
  final func change(
    _ property: StoredProperty, _ old: CGPoint, _ new: CGPoint, _ store: Store
  ) -> Bool {
    old != new && set(property, new, isValid: new.x.isFinite && new.y.isFinite, store)
  }

  @inline(__always) @discardableResult
  final func change(
    _ property: StoredProperty, _ old: CGRect, _ new: CGRect, _ store: Store
  ) -> Bool {
    let isValid =
      new.origin.x.isFinite && new.origin.y.isFinite && new.size.width.isFinite
      && new.size.height.isFinite
    return old != new && set(property, new, isValid: isValid, store)
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
    old != new && set(property, new, isValid: new?.isFinite ?? true, store)
  }

  @inline(__always) @discardableResult
  final func change(
    _ property: StoredProperty, _ old: CATransform3D, _ new: CATransform3D, _ store: Store
  ) -> Bool {
    old != new && set(property, new, isValid: new.isFinite, store)
  }

  @inline(__always)
  private func set<Value>(
    _ property: StoredProperty, _ new: Value, isValid: Bool, _ store: Store
  ) -> Bool {
    guard isValid else {
      refuse(property, "\(new)")
      return false
    }
    let reaction = mayAct ? reaction(to: property) : nil
    noteChange(of: property)
    store(&modelValues)
    if let reaction { run(reaction, to: property) }
    return true
  }

  @inline(never)
  private func refuse(_ property: StoredProperty, _ value: String) {
    warn("\(property.key) of \(debugName) cannot be \(value)")
  }

  /// Keeps the committed value before its first change after a commit, and tells the tree.
  final func noteChange(of property: StoredProperty) {
    written.insert(property)
    if defaults != nil || attachments != nil { noteExplicit(property) }
    guard let rendered else { return }
    if !rendered.overwritten.properties.contains(property) {
      rendered.overwritten.keep(storage.value(of: property), of: property)
    }
    rendered.noteChange(of: self)
  }

  /// For messages: the class and, where there is one, the name.
  final var debugName: String {
    let type = String(describing: Swift.type(of: self))
    return modelValues.client.name.map { "\(type) \"\($0)\"" } ?? type
  }
}
