import LaminaAnimation
import LaminaCommit
import LaminaValues

package typealias FieldKind = LaminaCommit.FieldKind

extension CALayer {
  /// The kind of value under a key of a class's layers; nil for an undefined key. Layers of classes
  /// that this library lacks have the properties of CALayer.
  package static func kind(ofKey key: String, className: String) -> FieldKind? {
    let kind = LayerKind(className: className) ?? .layer
    return kind.property(key: key)?.kind
  }
}

extension CAEmitterCell {
  /// The kind of value under a key; nil for an undefined key and for `emitterCells`.
  package static func kind(ofKey key: String) -> FieldKind? {
    guard let property = EmitterCellProperty(rawValue: key) else { return nil }
    if property.number != nil { return .number }
    return switch property {
    case .name: .string
    case .enabled, .autoreverses: .bool
    case .fillMode: .name(FillMode.allCases.map(\.rawValue))
    case .minificationFilter, .magnificationFilter:
      .name(ContentsFilter.allCases.map(\.rawValue))
    case .particleType: .name(ParticleType.allCases.map(\.rawValue))
    case .color: .color
    case .contents: .image
    case .contentsRect: .rect
    default: nil
    }
  }
}
