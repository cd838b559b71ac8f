import Foundation
import LaminaCommit
import LaminaValues

/// A layer that draws a path between its background and its sublayers: filled, and stroked above
/// the fill. The shape is not clipped to the bounds.
open class CAShapeLayer: CALayer {
  package override class var kind: LayerKind { .shape }

  /// The path to draw, in the layer's own space; a copy is stored. Default: nil.
  ///
  /// An animation moves the points of one path to those of the other if the moves, closings and
  /// numbers of segments of both agree; a line moves like a curve if its counterpart is one.
  /// Between other paths it switches half way.
  open var path: CGPath? {
    get { modelValues.shape.path.map { CGPath($0) } }
    set {
      let path = newValue?.storage
      change(.path, modelValues.shape.path, path) { $0.shape.path = path }
    }
  }

  /// The colour that fills the path; nil fills nothing. Default: opaque black.
  open var fillColor: CGColor? {
    get { modelValues.shape.fillColor }
    set {
      change(.fillColor, modelValues.shape.fillColor, newValue) { $0.shape.fillColor = newValue }
    }
  }

  /// The rule for which points the path encloses when it is filled. Default: `nonZero`.
  open var fillRule: CAShapeLayerFillRule {
    get { CAShapeLayerFillRule(modelValues.shape.fillRule) }
    set {
      change(.fillRule, modelValues.shape.fillRule, newValue.name) {
        $0.shape.fillRule = newValue.name
      }
    }
  }

  /// The colour that strokes the path; nil strokes nothing. Default: nil.
  open var strokeColor: CGColor? {
    get { modelValues.shape.strokeColor }
    set {
      change(.strokeColor, modelValues.shape.strokeColor, newValue) {
        $0.shape.strokeColor = newValue
      }
    }
  }

  /// The start of the stroke, as a fraction of the path's length. Within a curve, a fraction of the
  /// curve's length is taken as the curve's parameter, as on macOS. Default: 0.
  open var strokeStart: CGFloat {
    get { modelValues.shape.strokeStart }
    set {
      change(.strokeStart, modelValues.shape.strokeStart, newValue) {
        $0.shape.strokeStart = newValue
      }
    }
  }

  /// The end of the stroke, as a fraction of the path's length, like `strokeStart`. Default: 1.
  open var strokeEnd: CGFloat {
    get { modelValues.shape.strokeEnd }
    set {
      change(.strokeEnd, modelValues.shape.strokeEnd, newValue) { $0.shape.strokeEnd = newValue }
    }
  }

  /// The width of the stroke, in points, centred on the path. Default: 1.
  open var lineWidth: CGFloat {
    get { modelValues.shape.lineWidth }
    set {
      change(.lineWidth, modelValues.shape.lineWidth, newValue) { $0.shape.lineWidth = newValue }
    }
  }

  /// The greatest length of a miter, in line widths; longer ones are bevelled. Default: 10.
  open var miterLimit: CGFloat {
    get { modelValues.shape.miterLimit }
    set {
      change(.miterLimit, modelValues.shape.miterLimit, newValue) { $0.shape.miterLimit = newValue }
    }
  }

  /// The shape of the ends of the stroke. Default: `butt`.
  open var lineCap: CAShapeLayerLineCap {
    get { CAShapeLayerLineCap(modelValues.shape.lineCap) }
    set {
      change(.lineCap, modelValues.shape.lineCap, newValue.name) {
        $0.shape.lineCap = newValue.name
      }
    }
  }

  /// The shape of the corners of the stroke. Default: `miter`.
  open var lineJoin: CAShapeLayerLineJoin {
    get { CAShapeLayerLineJoin(modelValues.shape.lineJoin) }
    set {
      change(.lineJoin, modelValues.shape.lineJoin, newValue.name) {
        $0.shape.lineJoin = newValue.name
      }
    }
  }

  /// The distance into the pattern at which the dashes begin, in points. Default: 0.
  open var lineDashPhase: CGFloat {
    get { modelValues.shape.lineDashPhase }
    set {
      change(.lineDashPhase, modelValues.shape.lineDashPhase, newValue) {
        $0.shape.lineDashPhase = newValue
      }
    }
  }

  /// The lengths of dashes and gaps in turn, in points. A pattern with a length that is negative or
  /// not finite is refused with a warning. Default: nil, a solid line.
  open var lineDashPattern: [NSNumber]? {
    get { modelValues.shape.lineDashPattern?.map { NSNumber(value: $0) } }
    set {
      let lengths = newValue?.map(\.doubleValue)
      if let lengths, lengths.contains(where: { !($0 >= 0 && $0.isFinite) }) {
        warn("lineDashPattern of \(debugName) cannot be \(lengths)")
        return
      }
      change(.lineDashPattern, modelValues.shape.lineDashPattern, lengths) {
        $0.shape.lineDashPattern = lengths
      }
    }
  }
}
