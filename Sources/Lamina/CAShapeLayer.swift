import Foundation
import LaminaCommit
import LaminaValues

/// A layer that draws a path between its background and its sublayers: filled, and stroked above
/// the fill. The shape is not clipped to the bounds.
open class CAShapeLayer: CALayer {
  package override class var kind: LayerKind { .shape }

  /// The shape, in the layer's own space; a copy of what is set. Default: nil.
  ///
  /// An animation moves the points of paths whose moves, closings and numbers of segments agree,
  /// lines as curves where the other path has one; it switches half way between other paths.
  open var path: CGPath? {
    get { modelValues.shape.path.map { CGPath($0) } }
    set {
      let path = newValue?.storage
      change(.path, modelValues.shape.path, path) { $0.shape.path = path }
    }
  }

  /// nil fills nothing. Default: opaque black.
  open var fillColor: CGColor? {
    get { modelValues.shape.fillColor }
    set {
      change(.fillColor, modelValues.shape.fillColor, newValue) { $0.shape.fillColor = newValue }
    }
  }

  /// Default: `nonZero`.
  open var fillRule: CAShapeLayerFillRule {
    get { CAShapeLayerFillRule(modelValues.shape.fillRule) }
    set {
      change(.fillRule, modelValues.shape.fillRule, newValue.name) {
        $0.shape.fillRule = newValue.name
      }
    }
  }

  /// nil strokes nothing. Default: nil.
  open var strokeColor: CGColor? {
    get { modelValues.shape.strokeColor }
    set {
      change(.strokeColor, modelValues.shape.strokeColor, newValue) {
        $0.shape.strokeColor = newValue
      }
    }
  }

  /// Where along the path the stroke starts, as a fraction of its length; inside a curve that of the
  /// curve's length is its parameter, as on macOS. Default: 0.
  open var strokeStart: CGFloat {
    get { modelValues.shape.strokeStart }
    set {
      change(.strokeStart, modelValues.shape.strokeStart, newValue) {
        $0.shape.strokeStart = newValue
      }
    }
  }

  /// Where along the path the stroke ends, as a fraction of its length. Default: 1.
  open var strokeEnd: CGFloat {
    get { modelValues.shape.strokeEnd }
    set {
      change(.strokeEnd, modelValues.shape.strokeEnd, newValue) { $0.shape.strokeEnd = newValue }
    }
  }

  /// In points, centred on the path. Default: 1.
  open var lineWidth: CGFloat {
    get { modelValues.shape.lineWidth }
    set {
      change(.lineWidth, modelValues.shape.lineWidth, newValue) { $0.shape.lineWidth = newValue }
    }
  }

  /// The greatest length of a miter in line widths; longer ones are bevelled. Default: 10.
  open var miterLimit: CGFloat {
    get { modelValues.shape.miterLimit }
    set {
      change(.miterLimit, modelValues.shape.miterLimit, newValue) { $0.shape.miterLimit = newValue }
    }
  }

  /// Default: `butt`.
  open var lineCap: CAShapeLayerLineCap {
    get { CAShapeLayerLineCap(modelValues.shape.lineCap) }
    set {
      change(.lineCap, modelValues.shape.lineCap, newValue.name) {
        $0.shape.lineCap = newValue.name
      }
    }
  }

  /// Default: `miter`.
  open var lineJoin: CAShapeLayerLineJoin {
    get { CAShapeLayerLineJoin(modelValues.shape.lineJoin) }
    set {
      change(.lineJoin, modelValues.shape.lineJoin, newValue.name) {
        $0.shape.lineJoin = newValue.name
      }
    }
  }

  /// How far into the pattern the dashes begin, in points. Default: 0.
  open var lineDashPhase: CGFloat {
    get { modelValues.shape.lineDashPhase }
    set {
      change(.lineDashPhase, modelValues.shape.lineDashPhase, newValue) {
        $0.shape.lineDashPhase = newValue
      }
    }
  }

  /// The lengths of dashes and gaps in turn, in points. Default: nil, a solid line. A pattern with
  /// a negative length is refused with a warning.
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
