import LaminaAnimation
import LaminaValues

// The closed lists of names that layer properties take, with Apple's raw strings. The order is the
// wire code: append only.

@usableFromInline package enum LayerKind: UInt8, Sendable, CaseIterable {
  case layer, shape, text, gradient, replicator, scroll, tiled, transform, emitter, backdrop
  /// A part of the contents of the layer that it is a sublayer of.
  case tile

  /// The class of that name, whether this library has it or not; nil for names of other classes.
  package init?(className: String) {
    guard let kind = Self.allCases.first(where: { $0.className == className }) else { return nil }
    self = kind
  }

  package var className: String {
    switch self {
    case .layer: "CALayer"
    case .shape: "CAShapeLayer"
    case .text: "CATextLayer"
    case .gradient: "CAGradientLayer"
    case .replicator: "CAReplicatorLayer"
    case .scroll: "CAScrollLayer"
    case .tiled: "CATiledLayer"
    case .transform: "CATransformLayer"
    case .emitter: "CAEmitterLayer"
    case .backdrop: "CABackdropLayer"
    case .tile: "tile"
    }
  }
}

/// Some classes of layers.
@usableFromInline package struct LayerKindSet: OptionSet, Hashable, Sendable {
  @usableFromInline package let rawValue: UInt16
  @usableFromInline package init(rawValue: UInt16) { self.rawValue = rawValue }
  package init(_ kind: LayerKind) { rawValue = 1 << UInt16(kind.rawValue) }

  package static let all = LayerKindSet(rawValue: .max)
  package static let shape = LayerKindSet(LayerKind.shape)
  package static let text = LayerKindSet(LayerKind.text)
  package static let gradient = LayerKindSet(LayerKind.gradient)
  package static let replicator = LayerKindSet(LayerKind.replicator)
  package static let scroll = LayerKindSet(LayerKind.scroll)
  package static let tiled = LayerKindSet(LayerKind.tiled)
  package static let emitter = LayerKindSet(LayerKind.emitter)
  package static let backdrop = LayerKindSet(LayerKind.backdrop)
}

@usableFromInline package enum ContentsGravity: String, LayerName {
  case resize, resizeAspect, resizeAspectFill, center, top, bottom, left, right
  case topLeft, topRight, bottomLeft, bottomRight
}

@usableFromInline package enum ContentsFormat: String, LayerName {
  case rgba8 = "RGBA8"
  case rgba16Float = "RGBAh"
  case gray8 = "Gray8"
  case automatic = "Automatic"
}

@usableFromInline package enum CornerCurve: String, LayerName {
  case circular, continuous
}

@usableFromInline package enum ToneMapMode: String, LayerName {
  case automatic, never, ifSupported
}

@usableFromInline package enum DynamicRange: String, LayerName {
  case automatic, standard, constrainedHigh, high
}

@usableFromInline package enum FillRule: String, LayerName {
  case nonZero = "non-zero"
  case evenOdd = "even-odd"
}

@usableFromInline package enum LineCap: String, LayerName {
  case butt, round, square
}

@usableFromInline package enum LineJoin: String, LayerName {
  case miter, round, bevel
}

@usableFromInline package enum TextTruncation: String, LayerName {
  case none, start, middle, end
}

@usableFromInline package enum TextAlignment: String, LayerName {
  case natural, left, right, center, justified
}

@usableFromInline package enum GradientType: String, LayerName {
  case axial, radial, conic
}

@usableFromInline package enum ScrollMode: String, LayerName {
  case both, none, vertically, horizontally
}

// These are where particles are computed.
extension EmitterShape: LayerName {}
extension EmitterMode: LayerName {}
extension EmitterRenderMode: LayerName {}
extension ParticleType: LayerName {}
extension ContentsFilter: LayerName {}
