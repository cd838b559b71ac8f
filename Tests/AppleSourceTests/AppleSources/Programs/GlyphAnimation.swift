import CoreGraphics
import CoreText
import Foundation
import QuartzCore

// Writes a word: the outlines of its glyphs are drawn one after another, then filled.

final class GlyphAnimation {
  /// The word's box; its text's origin lies `inset` from the lower left corner.
  let layer = CALayer()
  let inset: CGFloat
  private(set) var glyphLayers: [CAShapeLayer] = []
  let line: CTLine

  init(_ word: String, font: CTFont, color: CGColor, inset: CGFloat = 10) {
    self.inset = inset
    let attributes: [NSAttributedString.Key: Any] = [
      NSAttributedString.Key(kCTFontAttributeName as String): font,
      NSAttributedString.Key(kCTForegroundColorAttributeName as String): color,
    ]
    line = CTLineCreateWithAttributedString(
      NSAttributedString(string: word, attributes: attributes) as CFAttributedString)
    var (ascent, descent): (CGFloat, CGFloat) = (0, 0)
    let width = CTLineGetTypographicBounds(line, &ascent, &descent, nil)
    layer.bounds = CGRectMake(
      0, 0, (CGFloat(width) + inset * 2).rounded(.up), (ascent + descent + inset * 2).rounded(.up))
    layer.anchorPoint = CGPointZero
    layer.isGeometryFlipped = true
    baseline = inset + descent
    addGlyphs(color)
  }

  /// The baseline's distance from the lower edge.
  let baseline: CGFloat

  private func addGlyphs(_ color: CGColor) {
    guard let runs = CTLineGetGlyphRuns(line) as? [CTRun] else { return }
    for run in runs {
      let attributes = CTRunGetAttributes(run) as? [CFString: Any]
      guard let font = attributes?[kCTFontAttributeName] as? CTFont else { continue }
      let count = CTRunGetGlyphCount(run)
      var glyphs = [CGGlyph](repeating: 0, count: count)
      var positions = [CGPoint](repeating: CGPointZero, count: count)
      CTRunGetGlyphs(run, CFRangeMake(0, count), &glyphs)
      CTRunGetPositions(run, CFRangeMake(0, count), &positions)
      for (glyph, position) in zip(glyphs, positions) {
        var place = CGAffineTransformMakeTranslation(
          position.x + inset, position.y + baseline)
        // Spaces have no outline.
        guard let path = CTFontCreatePathForGlyph(font, glyph, &place) else { continue }
        add(path, color)
      }
    }
  }

  private func add(_ path: CGPath, _ color: CGColor) {
    let shape = CAShapeLayer()
    shape.frame = layer.bounds
    shape.path = path
    shape.fillColor = color
    shape.strokeColor = color
    shape.lineWidth = 0
    layer.addSublayer(shape)
    glyphLayers.append(shape)
  }

  /// The time from the start until all is written.
  var duration: CFTimeInterval { Double(glyphLayers.count) * 0.25 + 0.75 }

  /// Starts writing now.
  func start() {
    let now = CACurrentMediaTime()
    for (index, shape) in glyphLayers.enumerated() {
      let begin = now + Double(index) * 0.25
      let outline = CABasicAnimation(keyPath: "strokeEnd")
      outline.fromValue = 0
      outline.toValue = 1
      outline.duration = 0.75
      let width = CABasicAnimation(keyPath: "lineWidth")
      width.fromValue = 1.5
      width.toValue = 1.5
      width.duration = 0.75
      let fill = CAKeyframeAnimation(keyPath: "fillColor")
      if let color = shape.fillColor, let clear = color.copy(alpha: 0) {
        fill.values = [clear, clear, color]
        fill.keyTimes = [0, 0.6, 1]
      }
      fill.duration = 0.75
      let group = CAAnimationGroup()
      group.animations = [outline, width, fill]
      group.duration = 0.75
      group.beginTime = begin
      group.fillMode = .backwards
      shape.add(group, forKey: "write")
    }
  }

  /// How far the word's glyphs reach, in the layer's space with y up.
  var inkBounds: CGRect {
    glyphLayers.compactMap { $0.path?.boundingBoxOfPath }.reduce(CGRectNull, CGRectUnion)
  }

  /// The word drawn at once, for those who do not want to wait.
  func still(scale: CGFloat) -> CGImage? {
    guard
      let context = CGContext(
        data: nil, width: Int(layer.bounds.width * scale), height: Int(layer.bounds.height * scale),
        bitsPerComponent: 8, bytesPerRow: 0, space: CGColorSpaceCreateDeviceRGB(),
        bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
    else { return nil }
    context.concatenate(CGAffineTransformMakeScale(scale, scale))
    context.setAllowsFontSubpixelPositioning(true)
    context.textPosition = CGPointMake(inset, baseline)
    CTLineDraw(line, context)
    return context.makeImage()
  }
}
