import Foundation
import LaminaValues

/// What fills or strokes are painted with.
enum Paint {
  case color(CGColor)
  /// `color` paints an uncoloured pattern; its alpha is the pattern's either way.
  case pattern(CGPattern, color: CGColor)
}

/// A shadow in pixels.
struct Shadow {
  /// Pixels, y down.
  var offset: CGVector
  var blur: Blur
  var color: CGColor
}

/// What `saveGState` saves and `restoreGState` brings back.
struct GraphicsState {
  /// From user space to device space.
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
  /// Coverage that drawing is multiplied by: `clip(to:mask:)`'s.
  var mask: CairoSurface?
}
