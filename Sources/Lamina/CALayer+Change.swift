import Foundation
import LaminaCommit
import LaminaValues

extension CALayer {
  /// Whether a property is to be set to `new`: it differs from `old` and is a value that the
  /// property may have. The change is then noted, and the caller makes it.
  @inline(__always)
  final func change<Field: LayerField>(
    _ property: StoredProperty, _ old: Field, _ new: Field
  ) -> Bool {
    guard old != new else { return false }
    // What would not survive the way to the render process is refused here.
    return note(property, new, isValid: Field(new.animationValue) != nil)
  }

  // The same for what changes at every frame, without a detour over `AnimationValue`.

  @inline(__always)
  final func change(_ property: StoredProperty, _ old: CGPoint, _ new: CGPoint) -> Bool {
    old != new && note(property, new, isValid: new.x.isFinite && new.y.isFinite)
  }

  @inline(__always)
  final func change(_ property: StoredProperty, _ old: CGRect, _ new: CGRect) -> Bool {
    let isValid =
      new.origin.x.isFinite && new.origin.y.isFinite && new.size.width.isFinite
      && new.size.height.isFinite
    return old != new && note(property, new, isValid: isValid)
  }

  @inline(__always)
  final func change(_ property: StoredProperty, _ old: Double, _ new: Double) -> Bool {
    old != new && note(property, new, isValid: !new.isNaN)
  }

  @inline(__always)
  final func change(_ property: StoredProperty, _ old: Bool, _ new: Bool) -> Bool {
    old != new && note(property, new, isValid: true)
  }

  @inline(__always)
  final func change(_ property: StoredProperty, _ old: CGColor?, _ new: CGColor?) -> Bool {
    old != new && note(property, new, isValid: new?.isFinite ?? true)
  }

  @inline(__always)
  final func change(_ property: StoredProperty, _ old: CATransform3D, _ new: CATransform3D) -> Bool
  {
    old != new && note(property, new, isValid: new.isFinite)
  }

  @inline(__always)
  private func note<Value>(_ property: StoredProperty, _ new: Value, isValid: Bool) -> Bool {
    guard isValid else {
      refuse(property, "\(new)")
      return false
    }
    noteChange(of: property)
    return true
  }

  @inline(never)
  private func refuse(_ property: StoredProperty, _ value: String) {
    warn("\(property.key) of \(debugName) cannot be \(value)")
  }

  /// Keeps the committed values before the first change after a commit, and tells the tree.
  final func noteChange(of property: StoredProperty) {
    written.insert(property)
    if defaults != nil || attachments != nil { noteExplicit(property) }
    guard let rendered else { return }
    if committed == nil { committed = modelValues }
    dirty.insert(property)
    rendered.noteChange(of: self)
  }

  /// For messages: the class and, where there is one, the name.
  final var debugName: String {
    let type = String(describing: Swift.type(of: self))
    return modelValues.client.name.map { "\(type) \"\($0)\"" } ?? type
  }
}

/// Writes one line for the programmer to standard error.
func warn(_ message: String) {
  FileHandle.standardError.write(Data("Lamina: \(message)\n".utf8))
}
