import CoreGraphics
import CoreText
import Foundation

// A chart of bars on a grid, with a title, names below the bars, values on top of them, and a
// paragraph beside them.

struct BarChart {
  struct Bar {
    var name: String
    var value: Double
    var color: CGColor
  }

  var title: String
  var note: String
  var bars: [Bar]
  var fontName = "DejaVu Sans"

  /// Where the bars are, with y up.
  func plot(in size: CGSize) -> CGRect {
    CGRect(x: 40, y: 40, width: size.width * 0.65 - 40, height: size.height - 100)
  }

  /// The rectangle of a bar, with y up.
  func frame(ofBar index: Int, in size: CGSize) -> CGRect {
    let plot = plot(in: size)
    let pitch = plot.width / CGFloat(bars.count)
    let height = plot.height * CGFloat(bars[index].value / ceiling)
    return CGRect(
      x: plot.minX + pitch * (CGFloat(index) + 0.2), y: plot.minY, width: pitch * 0.6,
      height: height)
  }

  /// The value at the top of the plot: the next power of ten, or a half or a fifth of it.
  private var ceiling: Double {
    let largest = bars.map(\.value).max() ?? 1
    let power = pow(10, ceil(log10(max(largest, 1e-9))))
    return [power / 5, power / 2].first { $0 >= largest } ?? power
  }

  func image(size: CGSize) -> CGImage? {
    guard
      let context = CGContext(
        data: nil, width: Int(size.width), height: Int(size.height), bitsPerComponent: 8,
        bytesPerRow: 0, space: CGColorSpaceCreateDeviceRGB(),
        bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
    else { return nil }
    context.setFillColor(gray: 1, alpha: 1)
    context.fill(CGRect(origin: .zero, size: size))
    drawGrid(in: context, size)
    for index in bars.indices { drawBar(index, in: context, size) }
    drawTitle(in: context, size)
    drawNote(in: context, size)
    return context.makeImage()
  }

  private func text(_ string: String, size: CGFloat, gray: CGFloat = 0) -> CFAttributedString {
    let attributes: [NSAttributedString.Key: Any] = [
      NSAttributedString.Key(kCTFontAttributeName as String): CTFontCreateWithName(
        fontName as CFString, size, nil),
      NSAttributedString.Key(kCTForegroundColorAttributeName as String): CGColor(
        gray: gray, alpha: 1),
    ]
    return NSAttributedString(string: string, attributes: attributes) as CFAttributedString
  }

  /// Draws a line of text with its middle at a point of the baseline.
  private func draw(
    _ string: String, size: CGFloat, at point: CGPoint, turnedBy angle: CGFloat = 0,
    in context: CGContext
  ) {
    let line = CTLineCreateWithAttributedString(text(string, size: size, gray: 0.2))
    let width = CGFloat(CTLineGetTypographicBounds(line, nil, nil, nil))
    context.saveGState()
    context.translateBy(x: point.x, y: point.y)
    context.rotate(by: angle)
    context.textMatrix = .identity
    context.textPosition = CGPoint(x: -width / 2, y: 0)
    CTLineDraw(line, context)
    context.restoreGState()
  }

  private func drawGrid(in context: CGContext, _ size: CGSize) {
    let plot = plot(in: size)
    context.setStrokeColor(gray: 0.85, alpha: 1)
    context.setLineWidth(1)
    for step in 0...4 {
      let y = (plot.minY + plot.height * CGFloat(step) / 4).rounded() + 0.5
      context.move(to: CGPoint(x: plot.minX, y: y))
      context.addLine(to: CGPoint(x: plot.maxX, y: y))
    }
    context.strokePath()
    for step in 0...4 {
      let label = String(Int(ceiling * Double(step) / 4))
      let line = CTLineCreateWithAttributedString(text(label, size: 9, gray: 0.4))
      let offset = CTLineGetPenOffsetForFlush(line, 1, Double(plot.minX - 6))
      context.textPosition = CGPoint(
        x: CGFloat(offset), y: plot.minY + plot.height * CGFloat(step) / 4 - 3)
      CTLineDraw(line, context)
    }
    draw("units", size: 9, at: CGPoint(x: 10, y: plot.midY), turnedBy: .pi / 2, in: context)
  }

  private func drawBar(_ index: Int, in context: CGContext, _ size: CGSize) {
    let (bar, frame) = (bars[index], frame(ofBar: index, in: size))
    guard let pale = bar.color.copy(alpha: 0.5),
      let gradient = CGGradient(
        colorsSpace: nil, colors: [pale, bar.color] as CFArray, locations: nil)
    else { return }
    context.saveGState()
    context.clip(to: frame)
    context.drawLinearGradient(
      gradient, start: CGPoint(x: frame.minX, y: frame.minY),
      end: CGPoint(x: frame.minX, y: frame.maxY), options: [])
    context.restoreGState()
    draw(bar.name, size: 11, at: CGPoint(x: frame.midX, y: frame.minY - 16), in: context)
    draw(
      String(Int(bar.value)), size: 10, at: CGPoint(x: frame.midX, y: frame.maxY + 4), in: context)
  }

  private func drawTitle(in context: CGContext, _ size: CGSize) {
    let line = CTLineCreateWithAttributedString(text(title, size: 20))
    var (ascent, descent): (CGFloat, CGFloat) = (0, 0)
    let width = CTLineGetTypographicBounds(line, &ascent, &descent, nil)
    let room = Double(size.width - 40)
    let shown = width > room ? CTLineCreateTruncatedLine(line, room, .end, nil) : line
    context.textPosition = CGPoint(x: 20, y: size.height - 12 - ascent)
    if let shown { CTLineDraw(shown, context) }
    context.setFillColor(gray: 0, alpha: 1)
    context.fill(
      CGRect(x: 20, y: size.height - 16 - ascent - descent, width: size.width - 40, height: 1))
  }

  private func drawNote(in context: CGContext, _ size: CGSize) {
    let string = NSMutableAttributedString(attributedString: text(note, size: 11, gray: 0.3))
    var alignment = CTTextAlignment.center
    let style = withUnsafePointer(to: &alignment) { value in
      CTParagraphStyleCreate(
        [
          CTParagraphStyleSetting(
            spec: .alignment, valueSize: MemoryLayout<CTTextAlignment>.size, value: value)
        ], 1)
    }
    string.addAttribute(
      NSAttributedString.Key(kCTParagraphStyleAttributeName as String), value: style,
      range: NSRange(location: 0, length: string.length))
    let setter = CTFramesetterCreateWithAttributedString(string as CFAttributedString)
    let box = noteBox(in: size)
    let needed = CTFramesetterSuggestFrameSizeWithConstraints(
      setter, CFRangeMake(0, 0), nil, CGSize(width: box.width, height: .greatestFiniteMagnitude),
      nil)
    // In the middle of the box.
    let height = min(needed.height, box.height)
    let path = CGPath(
      rect: CGRect(x: box.minX, y: box.midY - height / 2, width: box.width, height: height),
      transform: nil)
    CTFrameDraw(CTFramesetterCreateFrame(setter, CFRangeMake(0, 0), path, nil), context)
  }

  /// Where the paragraph is, with y up.
  func noteBox(in size: CGSize) -> CGRect {
    let left = size.width * 0.7
    return CGRect(x: left, y: 40, width: size.width - left - 20, height: size.height - 100)
  }
}
