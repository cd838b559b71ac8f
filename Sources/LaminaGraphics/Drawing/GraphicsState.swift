import Foundation
import LaminaValues

/// The colour or pattern that fills or strokes are painted with.
enum Paint {
  case color(CGColor)
  /// `color` is the colour of an uncoloured pattern; its alpha applies to coloured ones too.
  case pattern(CGPattern, color: CGColor)
}

/// A shadow in pixels.
struct Shadow {
  /// Pixels, y down.
  var offset: CGVector
  var blur: Blur
  var color: CGColor
}

/// The state that `saveGState` saves and `restoreGState` restores.
struct GraphicsState {
  /// The transform from user space to device space.
  var ctm = CGAffineTransform.identity
  var fill = Paint.color(.black)
  var stroke = Paint.color(.black)
  var fillSpace = CGColorSpace(.gray)
  var strokeSpace = CGColorSpace(.gray)
  var lineWidth: CGFloat = 1
  var lineCap = CGLineCap.butt
  var lineJoin = CGLineJoin.miter
  var miterLimit: CGFloat = 10
  var dashPhase: CGFloat = 0
  var dashLengths: [CGFloat] = []
  var flatness: CGFloat = 0
  var alpha: CGFloat = 1
  var blendMode = CGBlendMode.normal
  var shouldAntialias = true
  var allowsAntialiasing = true
  var interpolationQuality = CGInterpolationQuality.default
  var shadow: Shadow?
  var patternPhase = CGSize.zero
  var textDrawingMode = CGTextDrawingMode.fill
  var clips: [ClipShape] = []
  /// The coverage from `clip(to:mask:)`, which drawing is multiplied by.
  var mask: CairoSurface?
}
