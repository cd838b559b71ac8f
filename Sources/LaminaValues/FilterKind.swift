/// What a filter does to the picture of a layer, or to what is behind it.
package enum FilterKind: String, Sendable, CaseIterable {
  /// A Gaussian of `inputRadius` points' standard deviation.
  case gaussianBlur
  /// `inputColorMatrix`: four rows, for red, green, blue and alpha, each the factors of the four
  /// straight components and what is added.
  case colorMatrix
  /// Away from gray, `inputAmount` times as far.
  case colorSaturate
  /// Adds `inputAmount`.
  case colorBrightness
  /// Away from the middle, `inputAmount` times as far.
  case colorContrast
  /// Turns the hue by `inputAngle` radians.
  case colorHueRotate
  case colorInvert
  /// Times `inputColor`, alpha included.
  case multiplyColor

  /// The kind of that name; nil for an unknown one. The colour filters have their short names too.
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

  /// Its inputs, each as it is when nothing sets it.
  package var defaults: [FilterValues.Input] {
    switch self {
    case .gaussianBlur: [.init(key: "inputRadius", value: .number(10))]
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

/// How a layer and what is behind it become one.
package enum BlendMode: String, Sendable, CaseIterable {
  // The sixteen of W3C's compositing specification.
  case normal, multiply, screen, overlay, darken, lighten, colorDodge, colorBurn, hardLight
  case softLight, difference, exclusion, hue, saturation, color, luminosity
  case plusLighter, plusDarker
  // Porter and Duff's.
  case clear, copy, sourceIn, sourceOut, sourceAtop, destinationOver, destinationIn
  case destinationOut, destinationAtop, xor

  /// The mode of that name, as "multiplyBlendMode" or plain "multiply"; nil for an unknown one.
  package init?(type: String) {
    let suffix = "BlendMode"
    let name = type.hasSuffix(suffix) ? String(type.dropLast(suffix.count)) : type
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
}
