import Foundation
import LaminaCommit

extension CALayer {
  /// Whether a property is to be set to `new`: it differs from `old` and is a value that the
  /// property may have. The change is then noted, and the caller makes it.
  @inline(__always)
  final func change<Field: LayerField>(
    _ property: LayerProperty, _ old: Field, _ new: Field
  ) -> Bool {
    guard old != new else { return false }
    // What would not survive the way to the render process is refused here.
    guard Field(new.animationValue) != nil else {
      warn("\(property.key) of \(debugName) cannot be \(new)")
      return false
    }
    noteChange(of: property)
    return true
  }

  /// Keeps the committed values before the first change after a commit, and tells the tree.
  final func noteChange(of property: LayerProperty) {
    written.insert(property)
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
