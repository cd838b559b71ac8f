import CCairo
import LaminaValues

/// How drawing is combined with what is there.
///
/// D is what is there, S what is drawn, both premultiplied; Da and Sa are their alphas. Only pixels
/// within the drawn shape change: its coverage blends from D to the result.
public enum CGBlendMode: Int32, Sendable, CaseIterable {
  /// S + D × (1 − Sa).
  case normal = 0
  /// A function of both colours, channel by channel, as in W3C's Compositing and Blending.
  case multiply, screen, overlay, darken, lighten, colorDodge, colorBurn, softLight, hardLight
  /// A function of both colours as in W3C's Compositing and Blending; the last four are by hue.
  case difference, exclusion, hue, saturation, color, luminosity
  /// 0.
  case clear
  /// S.
  case copy
  /// S × Da.
  case sourceIn
  /// S × (1 − Da).
  case sourceOut
  /// S × Da + D × (1 − Sa).
  case sourceAtop
  /// S × (1 − Da) + D.
  case destinationOver
  /// D × Sa.
  case destinationIn
  /// D × (1 − Sa).
  case destinationOut
  /// S × (1 − Da) + D × Sa.
  case destinationAtop
  /// S × (1 − Da) + D × (1 − Sa).
  case xor
  /// The sum of both darknesses, alpha less colour, taken from the alpha: a − (Sa − S) − (Da − D),
  /// at least 0, with the alpha a = min(1, Sa + Da).
  case plusDarker
  /// min(1, S + D).
  case plusLighter

  /// Cairo's operator; nil for `plusDarker`, which Cairo lacks.
  var cairo: cairo_operator_t? {
    switch self {
    case .normal: CAIRO_OPERATOR_OVER
    case .multiply: CAIRO_OPERATOR_MULTIPLY
    case .screen: CAIRO_OPERATOR_SCREEN
    case .overlay: CAIRO_OPERATOR_OVERLAY
    case .darken: CAIRO_OPERATOR_DARKEN
    case .lighten: CAIRO_OPERATOR_LIGHTEN
    case .colorDodge: CAIRO_OPERATOR_COLOR_DODGE
    case .colorBurn: CAIRO_OPERATOR_COLOR_BURN
    case .softLight: CAIRO_OPERATOR_SOFT_LIGHT
    case .hardLight: CAIRO_OPERATOR_HARD_LIGHT
    case .difference: CAIRO_OPERATOR_DIFFERENCE
    case .exclusion: CAIRO_OPERATOR_EXCLUSION
    case .hue: CAIRO_OPERATOR_HSL_HUE
    case .saturation: CAIRO_OPERATOR_HSL_SATURATION
    case .color: CAIRO_OPERATOR_HSL_COLOR
    case .luminosity: CAIRO_OPERATOR_HSL_LUMINOSITY
    case .clear: CAIRO_OPERATOR_CLEAR
    case .copy: CAIRO_OPERATOR_SOURCE
    case .sourceIn: CAIRO_OPERATOR_IN
    case .sourceOut: CAIRO_OPERATOR_OUT
    case .sourceAtop: CAIRO_OPERATOR_ATOP
    case .destinationOver: CAIRO_OPERATOR_DEST_OVER
    case .destinationIn: CAIRO_OPERATOR_DEST_IN
    case .destinationOut: CAIRO_OPERATOR_DEST_OUT
    case .destinationAtop: CAIRO_OPERATOR_DEST_ATOP
    case .xor: CAIRO_OPERATOR_XOR
    case .plusDarker: nil
    case .plusLighter: CAIRO_OPERATOR_ADD
    }
  }

  /// Whether Cairo's operator also changes pixels outside the drawn shape.
  var reachesBeyondShapes: Bool {
    switch self {
    case .sourceIn, .sourceOut, .destinationIn, .destinationAtop: true
    default: false
    }
  }

  /// Whether a transparent source changes what is there, so that coverage cannot be multiplied into
  /// the source.
  var replaces: Bool { self == .clear || self == .copy || reachesBeyondShapes }
}

/// Which parts of a path are painted.
public enum CGPathDrawingMode: Int32, Sendable {
  /// The interior by the winding rule.
  case fill = 0
  /// The interior by the even-odd rule.
  case eoFill
  /// The line.
  case stroke
  /// The interior by the winding rule, then the line.
  case fillStroke
  /// The interior by the even-odd rule, then the line.
  case eoFillStroke

  var fillRule: CGPathFillRule? {
    switch self {
    case .fill, .fillStroke: .winding
    case .eoFill, .eoFillStroke: .evenOdd
    case .stroke: nil
    }
  }

  var strokes: Bool { self == .stroke || self == .fillStroke || self == .eoFillStroke }
}

/// How an image is resampled when it is scaled.
public enum CGInterpolationQuality: Int32, Sendable {
  /// The same as `medium`.
  case `default` = 0
  /// The nearest pixel.
  case none = 1
  /// Bilinear, whatever the scale.
  case low = 2
  /// Bilinear, and averaged if the image shrinks.
  case medium = 4
  /// The sharpest resampling that Cairo has.
  case high = 3

  var cairo: cairo_filter_t {
    switch self {
    case .none: CAIRO_FILTER_NEAREST
    case .low: CAIRO_FILTER_BILINEAR
    case .default, .medium: CAIRO_FILTER_GOOD
    case .high: CAIRO_FILTER_BEST
    }
  }
}

extension CGPathFillRule {
  var cairo: cairo_fill_rule_t {
    self == .winding ? CAIRO_FILL_RULE_WINDING : CAIRO_FILL_RULE_EVEN_ODD
  }
}

extension CGLineCap {
  var cairo: cairo_line_cap_t {
    switch self {
    case .butt: CAIRO_LINE_CAP_BUTT
    case .round: CAIRO_LINE_CAP_ROUND
    case .square: CAIRO_LINE_CAP_SQUARE
    }
  }
}

extension CGLineJoin {
  var cairo: cairo_line_join_t {
    switch self {
    case .miter: CAIRO_LINE_JOIN_MITER
    case .round: CAIRO_LINE_JOIN_ROUND
    case .bevel: CAIRO_LINE_JOIN_BEVEL
    }
  }
}
