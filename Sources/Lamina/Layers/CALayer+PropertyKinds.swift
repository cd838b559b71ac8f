import LaminaCommit

package typealias FieldKind = LaminaCommit.FieldKind

extension CALayer {
  /// The kind of value under a key of a class's layers; nil for an undefined key. `className` may be
  /// a class that this library lacks: the properties of CATiledLayer are known, and layers of unknown
  /// classes have CALayer's.
  package static func kind(ofKey key: String, className: String) -> FieldKind? {
    let kind = LayerKind(className: className) ?? .layer
    return kind.property(key: key)?.kind
  }
}
