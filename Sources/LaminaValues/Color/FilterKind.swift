/// The effect of a filter on the picture of a layer, or on its backdrop.
@usableFromInline package enum FilterKind: String, Sendable, CaseIterable {
  /// A Gaussian blur with a standard deviation of `inputRadius` points.
  case gaussianBlur
  /// A Gaussian blur whose standard deviation is `inputRadius` points times the alpha of
  /// `inputMaskImage` there.
  case variableBlur
  /// `inputColorMatrix` has four rows, for red, green, blue and alpha. Each has factors for the
  /// four straight components, and a summand.
  case colorMatrix
  /// Multiplies the distance from gray by `inputAmount`.
  case colorSaturate
  /// Adds `inputAmount` to each colour component.
  case colorBrightness
  /// Multiplies the distance from the middle by `inputAmount`.
  case colorContrast
  /// Rotates the hue by `inputAngle` radians.
  case colorHueRotate
  case colorInvert
  /// Multiplies by `inputColor`, including alpha.
  case multiplyColor

  /// The kind with that name; nil for an unknown one. Colour filters also have short names.
  package init?(type: String) {
    if let kind = Self(rawValue: type) {
      self = kind
      return
    }
    switch type {
    case "saturate": self = .colorSaturate
    case "brightness": self = .colorBrightness
    case "contrast": self = .colorContrast
    case "hueRotate": self = .colorHueRotate
    case "invert": self = .colorInvert
    case "colorMultiply": self = .multiplyColor
    default: return nil
    }
  }

  /// The input that is an image; nil for kinds without one.
  package var imageKey: String? { self == .variableBlur ? "inputMaskImage" : nil }

  /// The inputs with their default values, without an input that is an image: its default is none.
  package var defaults: [FilterValues.Input] {
    switch self {
    case .gaussianBlur, .variableBlur:
      [
        .init(key: "inputNormalizeEdges", value: .number(0)),
        .init(key: "inputRadius", value: .number(10)),
      ]
    case .colorMatrix:
      [.init(key: "inputColorMatrix", value: .numbers(ColorMatrix.identity.numbers))]
    case .colorSaturate, .colorContrast: [.init(key: "inputAmount", value: .number(1))]
    case .colorBrightness: [.init(key: "inputAmount", value: .number(0))]
    case .colorHueRotate: [.init(key: "inputAngle", value: .number(0))]
    case .colorInvert: []
    case .multiplyColor: [.init(key: "inputColor", value: .color(.white))]
    }
  }
}

/// The way in which a layer is combined with its backdrop.
@usableFromInline package enum BlendMode: String, Sendable, CaseIterable {
  // The sixteen modes of the W3C's compositing specification.
  case normal, multiply, screen, overlay, darken, lighten, colorDodge, colorBurn, hardLight
  case softLight, difference, exclusion, hue, saturation, color, luminosity
  // Further modes of Core Animation and Core Image.
  case linearLight, pinLight, subtract, divide
  case plusLighter, plusDarker
  // Porter and Duff's modes.
  case clear, copy, sourceIn, sourceOut, sourceAtop, destinationOver, destinationIn
  case destinationOut, destinationAtop, xor

  /// The mode with that name, such as "multiplyBlendMode" or plain "multiply", or with that of Core
  /// Image's filter, "CIMultiplyBlendMode"; nil for an unknown one.
  package init?(type: String) {
    if let mode = Self.coreImage[type] {
      self = mode
      return
    }
    let suffix = "BlendMode"
    var name = type.hasSuffix(suffix) ? String(type.dropLast(suffix.count)) : type
    if type.hasSuffix(suffix), name.hasPrefix("CI") {
      name.removeFirst(2)
      name = name.prefix(1).lowercased() + name.dropFirst()
    }
    if let mode = Self(rawValue: name) {
      self = mode
      return
    }
    switch name {
    case "sourceOver": self = .normal
    case "plusL", "linearDodge": self = .plusLighter
    case "plusD", "linearBurn": self = .plusDarker
    case "destOver": self = .destinationOver
    case "destIn": self = .destinationIn
    case "destOut": self = .destinationOut
    case "destAtop": self = .destinationAtop
    default: return nil
    }
  }

  /// Core Image's compositing filters that are modes.
  private static let coreImage: [String: BlendMode] = [
    "CISourceOverCompositing": .normal, "CISourceInCompositing": .sourceIn,
    "CISourceOutCompositing": .sourceOut, "CISourceAtopCompositing": .sourceAtop,
    "CIAdditionCompositing": .plusLighter,
  ]

  /// Whether what lies behind does not change where the source is transparent.
  package var isBounded: Bool {
    switch self {
    case .clear, .copy, .sourceIn, .sourceOut, .destinationIn, .destinationAtop: false
    default: true
    }
  }
}
