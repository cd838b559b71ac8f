import Foundation
import LaminaGraphics
import LaminaValues
import TestSupport
import Testing

@Suite("Lines of text, in whatever font there is")
struct TextTests {
  private func line(
    _ text: String, size: CGFloat = 20, _ more: [String: Any] = [:]
  ) -> CTLine {
    var attributes: [NSAttributedString.Key: Any] = [
      NSAttributedString.Key(kCTFontAttributeName): CTFontCreateWithName("DejaVu Sans", size, nil)
    ]
    for (name, value) in more { attributes[NSAttributedString.Key(name)] = value }
    return CTLineCreateWithAttributedString(
      NSAttributedString(string: text, attributes: attributes) as CFAttributedString)
  }

  /// The smallest rectangle around the pixels that are not transparent, y up; null if there are
  /// none.
  private func inked(_ image: CGImage) -> CGRect {
    var points: [CGPoint] = []
    for y in 0..<image.height {
      for x in 0..<image.width where pixel(of: image, x, y).alpha > 0 {
        points.append(CGPoint(x: x, y: image.height - 1 - y))
        points.append(CGPoint(x: x + 1, y: image.height - y))
      }
    }
    return CGRect(enclosing: points)
  }

  private func isNear(_ a: CGRect, _ b: CGRect, within t: CGFloat) -> Bool {
    abs(a.minX - b.minX) <= t && abs(a.minY - b.minY) <= t && abs(a.maxX - b.maxX) <= t
      && abs(a.maxY - b.maxY) <= t
  }

  @Test("A line is inked where its image bounds say, whatever the matrices and the mode")
  func bounds() throws {
    let text = line("Hxg")
    for mode in [CGTextDrawingMode.fill, .stroke, .fillStroke] {
      let image = try drawing(200, 120) { context in
        context.setTextDrawingMode(mode)
        context.setLineWidth(0.2)
        context.translateBy(x: 10, y: 0)
        context.scaleBy(x: 2, y: 2)
        context.textPosition = CGPoint(x: 5, y: 20)
        #expect(context.textMatrix.tx == 5)
        CTLineDraw(text, context)
        let bounds = CTLineGetImageBounds(text, context)
        #expect(bounds.minY < 20 && bounds.maxY > 20 && bounds.minX > 4)
      }
      let box = CTLineGetBoundsWithOptions(text, .useGlyphPathBounds)
      let wanted = CGRect(
        x: 20 + box.minX * 2, y: 40 + box.minY * 2, width: box.width * 2, height: box.height * 2)
      #expect(isNear(inked(image), wanted, within: 1.6), "\(inked(image)), not \(wanted)")
    }
  }

  @Test("Widths add up and scale, and the metrics are the font's")
  func metrics() {
    var (ascent, descent, leading): (CGFloat, CGFloat, CGFloat) = (0, 0, -1)
    let width = CTLineGetTypographicBounds(line("mm"), &ascent, &descent, &leading)
    #expect(width > 10)
    #expect(abs(width - 2 * CTLineGetTypographicBounds(line("m"), nil, nil, nil)) < 0.1)
    #expect(
      abs(width * 2 - CTLineGetTypographicBounds(line("mm", size: 40), nil, nil, nil)) < 0.2)
    let font = CTFontCreateWithName("DejaVu Sans", 20, nil)
    #expect(abs(ascent - CTFontGetAscent(font)) < 0.1)
    #expect(abs(descent - CTFontGetDescent(font)) < 0.1)
    #expect(leading == CTFontGetLeading(font))
    #expect(CTFontGetSize(CTFontCreateWithName("Helvetica-BoldOblique", 0, nil)) == 12)
    #expect(!CTFontCopyFamilyName(font).isEmpty)
    let spaced = CTLineGetTypographicBounds(line("mm", [kCTKernAttributeName: 3]), nil, nil, nil)
    #expect(spaced > width + 2.9)
  }

  @Test("Text is black, or its attribute's colour, or the context's, all with the state's alpha")
  func colors() throws {
    func colors(_ attributes: [String: Any], alpha: CGFloat = 1) throws -> Set<Pixel> {
      let image = try drawing(40, 40) { context in
        context.setFillColor(.green)
        context.setAlpha(alpha)
        context.textPosition = CGPoint(x: -20, y: -40)
        CTLineDraw(line("■█", size: 200, attributes), context)
      }
      return Set((0..<40).map { pixel(of: image, $0, $0) }.filter { $0.alpha > 120 })
    }
    let fromContext = [kCTForegroundColorFromContextAttributeName: true]
    try #require(try !colors([:]).isEmpty)
    #expect(try colors([:]).isSubset(of: [.black]))
    #expect(try colors([kCTForegroundColorAttributeName: CGColor.red]).isSubset(of: [.red]))
    #expect(try colors(fromContext).isSubset(of: [.green]))
    let half = try colors([kCTForegroundColorAttributeName: CGColor.red], alpha: 0.5)
    #expect(half.allSatisfy { $0.isNear(Pixel(128, 0, 0, 128)) })
  }

  @Test("Text that clips cuts what is drawn after it, and invisible text draws nothing")
  func clipping() throws {
    let image = try drawing(60, 30) { context in
      context.textPosition = CGPoint(x: 2, y: 8)
      context.setTextDrawingMode(.invisible)
      CTLineDraw(line("Hx"), context)
      context.setTextDrawingMode(.clip)
      CTLineDraw(line("Hx"), context)
      context.fill(.red, 0, 0, 60, 30)
    }
    let box = CTLineGetBoundsWithOptions(line("Hx"), .useGlyphPathBounds).offsetBy(dx: 2, dy: 8)
    #expect(isNear(inked(image), box, within: 1.5))
    let red = picture(of: image).joined().filter { $0 == "R" }.count
    #expect(red > 10 && red < Int(box.width * box.height))
  }

  @Test("Carets and characters correspond, also beyond the basic plane")
  func carets() {
    let text = line("a😀b")
    #expect(CTLineGetOffsetForStringIndex(text, 0, nil) == 0)
    let b = CTLineGetOffsetForStringIndex(text, 3, nil)
    let end = CTLineGetOffsetForStringIndex(text, 4, nil)
    #expect(b > 0 && end > b)
    #expect(CTLineGetStringIndexForPosition(text, CGPoint(x: b + 0.5, y: 0)) == 3)
    #expect(CTLineGetStringIndexForPosition(text, CGPoint(x: end + 50, y: 0)) == 4)
    #expect(CTLineGetStringIndexForPosition(text, CGPoint(x: -50, y: 0)) == 0)
    #expect(CTLineGetStringIndexForPosition(text, CGPoint(x: CGFloat.nan, y: 0)) == 0)
  }

  @Test(
    "Strange text and sizes draw what they can",
    arguments: ["", "\n\0\r", "\u{202E}abc", "אבג abc", String(repeating: "x", count: 3000)])
  func strangeText(_ text: String) throws {
    for size in [CGFloat.nan, -1, 1e-6, 12, 3000, 1e9, .infinity] {
      _ = try drawing(20, 20) { context in
        context.setShouldAntialias(size != 12)
        context.setShadow(offset: .zero, blur: 2)
        CTLineDraw(line(text, size: size), context)
        context.setTextDrawingMode(.fillStrokeClip)
        CTLineDraw(line(String(text.prefix(4)), size: size), context)
      }
    }
  }

  @Test("Lines may be drawn on many threads at once")
  func threads() async {
    let text = line("shared")
    let widths = await withTaskGroup(of: Double.self) { group in
      for _ in 0..<20 {
        group.addTask {
          _ = try? drawing(40, 20) { CTLineDraw(text, $0) }
          return CTLineGetTypographicBounds(text, nil, nil, nil)
        }
      }
      return await group.reduce(into: Set<Double>()) { $0.insert($1) }
    }
    #expect(widths.count == 1)
  }
}
