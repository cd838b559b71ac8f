import Foundation
import LaminaGraphics
import LaminaValues
import TestSupport
import Testing

@Suite("Glyphs, runs and frames of text, in whatever font there is")
struct GlyphTests {
  private let font = CTFontCreateWithName("DejaVu Sans" as CFString, 20, nil)

  private func string(_ text: String, _ more: [CFString: Any] = [:]) -> NSAttributedString {
    var attributes: [NSAttributedString.Key: Any] = [
      NSAttributedString.Key(kCTFontAttributeName as String): font
    ]
    for (name, value) in more { attributes[NSAttributedString.Key(name as String)] = value }
    return NSAttributedString(string: text, attributes: attributes)
  }

  private func glyphs(_ text: String, of font: CTFont? = nil) -> [CGGlyph] {
    let units = Array(text.utf16)
    var glyphs = [CGGlyph](repeating: 99, count: units.count)
    _ = CTFontGetGlyphsForCharacters(font ?? self.font, units, &glyphs, units.count)
    return glyphs
  }

  private func runs(_ line: CTLine) throws -> [CTRun] {
    try #require(CTLineGetGlyphRuns(line) as? [CTRun])
  }

  private func positions(_ run: CTRun) -> [CGPoint] {
    var positions = [CGPoint](repeating: .zero, count: CTRunGetGlyphCount(run))
    CTRunGetPositions(run, CFRangeMake(0, 0), &positions)
    return positions
  }

  @Test("Characters have glyphs, equal ones equal ones, and those that the font lacks 0")
  func characters() {
    let found = glyphs("aba")
    #expect(found[0] == found[2] && found[0] != found[1] && !found.contains(0))
    var two: [CGGlyph] = [9, 9]
    // A private character outside the plane of 16 bits.
    let units = Array("\u{100000}".utf16)
    #expect(!CTFontGetGlyphsForCharacters(font, units, &two, 2) && two == [0, 0])
    #expect(glyphs("𝄞").count == 2 && glyphs("𝄞")[1] == 0)
    #expect(glyphs("").isEmpty)
  }

  @Test("A glyph's outline lies in its bounds, scales with the font and follows the matrix")
  func outlines() throws {
    let glyph = glyphs("g")
    let path = try #require(CTFontCreatePathForGlyph(font, glyph[0], nil))
    let bounds = CTFontGetBoundingRectsForGlyphs(font, .default, glyph, nil, 1)
    let box = path.boundingBoxOfPath
    #expect(isClose(box, bounds, within: 0.05), "\(box) \(bounds)")
    #expect(box.minY < -1 && box.maxY > 5)
    let large = CTFontCreateCopyWithAttributes(font, 200, nil, nil)
    let largeBox = try #require(CTFontCreatePathForGlyph(large, glyph[0], nil)).boundingBoxOfPath
    #expect(abs(largeBox.height - box.height * 10) < 0.05)
    var flip = CGAffineTransform(scaleX: 1, y: -1)
    let flipped = try #require(CTFontCreatePathForGlyph(font, glyph[0], &flip)).boundingBoxOfPath
    #expect(abs(flipped.minY + box.maxY) < 1e-9)
    #expect(CTFontCreatePathForGlyph(font, glyphs(" ")[0], nil) == nil)
    #expect(CTFontGetCapHeight(font) > CTFontGetXHeight(font))
    #expect(CTFontGetXHeight(font) > 5 && CTFontGetCapHeight(font) < 20)
  }

  private func isClose(_ a: CGRect, _ b: CGRect, within t: CGFloat) -> Bool {
    abs(a.minX - b.minX) <= t && abs(a.minY - b.minY) <= t && abs(a.maxX - b.maxX) <= t
      && abs(a.maxY - b.maxY) <= t
  }

  @Test("Advances add up to a line's width, and say where its glyphs are")
  func advances() throws {
    let found = glyphs("Hill")
    var advances = [CGSize](repeating: .zero, count: 4)
    let sum = CTFontGetAdvancesForGlyphs(font, .horizontal, found, &advances, 4)
    let line = CTLineCreateWithAttributedString(string("Hill"))
    #expect(abs(sum - CTLineGetTypographicBounds(line, nil, nil, nil)) < 0.01)
    let run = try #require(runs(line).first)
    var (same, lengths, indices) = (
      [CGGlyph](repeating: 0, count: 4), [CGSize](repeating: .zero, count: 4), [0, 0, 0, 0]
    )
    CTRunGetGlyphs(run, CFRangeMake(0, 0), &same)
    CTRunGetAdvances(run, CFRangeMake(0, 4), &lengths)
    CTRunGetStringIndices(run, CFRangeMake(0, 0), &indices)
    #expect(same == found && lengths == advances && indices == [0, 1, 2, 3])
    var x: CGFloat = 0
    for (position, advance) in zip(positions(run), advances) {
      #expect(abs(position.x - x) < 0.01 && position.y == 0)
      x += advance.width
    }
    var part: [CGGlyph] = [0, 0]
    CTRunGetGlyphs(run, CFRangeMake(1, 2), &part)
    #expect(part == Array(found[1...2]))
    #expect(CTLineGetGlyphCount(line) == 4)
    #expect(CTLineGetStringRange(line) == CFRangeMake(0, 4))
  }

  @Test("Runs are parts of equal attributes, with their font and their place in the string")
  func attributes() throws {
    let text = NSMutableAttributedString(attributedString: string("𝄞ab"))
    text.addAttribute(
      NSAttributedString.Key(kCTForegroundColorAttributeName), value: CGColor.red,
      range: NSRange(location: 3, length: 1))
    let line = CTLineCreateWithAttributedString(text as CFAttributedString)
    let last = try #require(runs(line).last)
    #expect(CTRunGetStringRange(last) == CFRangeMake(3, 1) && CTRunGetGlyphCount(last) == 1)
    let attributes = try #require(CTRunGetAttributes(last) as? [CFString: Any])
    #expect(attributes[kCTForegroundColorAttributeName] as? CGColor == .red)
    #expect(attributes[kCTFontAttributeName] as? CTFont == font)
    #expect(CTRunGetStatus(last) == [])
    var (ascent, descent): (CGFloat, CGFloat) = (0, 0)
    #expect(
      CTRunGetTypographicBounds(last, CFRangeMake(0, 0), &ascent, &descent, nil) > 5)
    #expect(ascent == CTFontGetAscent(font) && descent == CTFontGetDescent(font))
    let box = CTRunGetImageBounds(last, nil, CFRangeMake(0, 0))
    #expect(box.minX >= positions(last)[0].x && box.maxY > 10)
  }

  @Test("Text from right to left says so, and its glyphs lie from left to right")
  func rightToLeft() throws {
    let line = CTLineCreateWithAttributedString(string("אב"))
    let run = try #require(runs(line).first)
    #expect(CTRunGetStatus(run).contains(.rightToLeft))
    var indices = [0, 0]
    CTRunGetStringIndices(run, CFRangeMake(0, 0), &indices)
    #expect(indices == [1, 0])
    #expect(positions(run)[0].x < positions(run)[1].x)
  }

  /// The greatest difference of a channel.
  private func difference(_ a: CGImage, _ b: CGImage) throws -> Int {
    Int(try ImageDifference(a, b).maximum.max())
  }

  @Test(
    "Lines, their runs and their glyphs draw the same, in the text's colour",
    arguments: [20.0, 300.0])
  func drawsTheSame(size: CGFloat) throws {
    let font = CTFontCreateWithName("DejaVu Sans" as CFString, size, nil)
    let color = CGColor(red: 1, green: 0, blue: 0, alpha: 0.5)
    let text = string(
      "Age", [kCTFontAttributeName: font, kCTForegroundColorAttributeName: color])
    let line = CTLineCreateWithAttributedString(text)
    let run = try #require(runs(line).first)
    let opaque = CTLineCreateWithAttributedString(string("x"))
    func image(_ draw: (CGContext) -> Void) throws -> CGImage {
      // The opacity of other text must not stay.
      _ = try LaminaGraphicsTests.drawing(16, 16) { CTLineDraw(opaque, $0) }
      return try LaminaGraphicsTests.drawing(Int(size * 2.5), Int(size * 1.5)) { context in
        context.textPosition = CGPoint(x: size / 10, y: size / 3)
        draw(context)
      }
    }
    let lined = try image { CTLineDraw(line, $0) }
    let ran = try image { CTRunDraw(run, $0, CFRangeMake(0, 0)) }
    let drawn = try image { context in
      context.setFillColor(color)
      var glyphs = [CGGlyph](repeating: 0, count: 3)
      CTRunGetGlyphs(run, CFRangeMake(0, 0), &glyphs)
      CTFontDrawGlyphs(font, glyphs, positions(run), 3, context)
    }
    #expect(try difference(lined, ran) <= 2)
    #expect(try difference(lined, drawn) <= 2)
    let pixels = lined.unpremultipliedRGBA
    #expect(pixels.contains(128))
    let red = stride(from: 0, to: pixels.count, by: 4).contains { pixels[$0] == 255 }
    #expect(red)
    let part = try image { CTRunDraw(run, $0, CFRangeMake(1, 1)) }
    #expect(try difference(lined, part) > 100)
  }

  @Test("A line too long gets an ellipsis, and the room beside a line is shared out")
  func truncation() throws {
    let line = CTLineCreateWithAttributedString(string("A rather long line"))
    let width = CTLineGetTypographicBounds(line, nil, nil, nil)
    #expect(CTLineCreateTruncatedLine(line, width + 1, .end, nil) === line)
    let short = try #require(CTLineCreateTruncatedLine(line, width / 2, .end, nil))
    #expect(CTLineGetTypographicBounds(short, nil, nil, nil) <= width / 2)
    #expect(CTLineGetGlyphCount(short) < CTLineGetGlyphCount(line))
    #expect(abs(CTLineGetPenOffsetForFlush(line, 0.5, width + 10) - 5) < 1e-9)
    #expect(CTLineGetPenOffsetForFlush(line, 1, width - 10) == 0)
  }

  private let prose = "The quick brown fox jumps over the lazy dog. And then it sleeps."

  private func makeFrame(_ text: NSAttributedString, _ box: CGRect) -> CTFrame {
    let path = CGMutablePath()
    path.addRect(box)
    return CTFramesetterCreateFrame(
      CTFramesetterCreateWithAttributedString(text), CFRangeMake(0, 0), path, nil)
  }

  @Test("A frame's lines cover its string, one below the other, within its box")
  func frames() throws {
    let frame = makeFrame(string(prose), CGRect(x: 10, y: 20, width: 200, height: 400))
    let lines = try #require(CTFrameGetLines(frame) as? [CTLine])
    #expect(lines.count > 2)
    var origins = [CGPoint](repeating: .zero, count: lines.count)
    CTFrameGetLineOrigins(frame, CFRangeMake(0, 0), &origins)
    var end = 0
    for (index, line) in lines.enumerated() {
      let range = CTLineGetStringRange(line)
      #expect(range.location >= end && range.location <= end + 1)
      end = range.location + range.length
      #expect(CTLineGetTypographicBounds(line, nil, nil, nil) <= 206)
      #expect(origins[index].x == 0 && origins[index].y < 400 && origins[index].y > 0)
      if index > 0 { #expect(origins[index].y < origins[index - 1].y - 15) }
    }
    #expect(end == prose.utf16.count)
    var second = [CGPoint.zero]
    CTFrameGetLineOrigins(frame, CFRangeMake(1, 1), &second)
    #expect(second[0] == origins[1])
    #expect(CTFrameGetVisibleStringRange(frame) == CFRangeMake(0, prose.utf16.count))
    #expect(CTFrameGetStringRange(frame) == CFRangeMake(0, prose.utf16.count))
    #expect(CTFrameGetPath(frame).boundingBoxOfPath.minX == 10)
  }

  @Test("A frame draws its lines at their origins")
  func frameDrawing() throws {
    let frame = makeFrame(string(prose), CGRect(x: 10, y: 20, width: 200, height: 150))
    let lines = try #require(CTFrameGetLines(frame) as? [CTLine])
    var origins = [CGPoint](repeating: .zero, count: lines.count)
    CTFrameGetLineOrigins(frame, CFRangeMake(0, 0), &origins)
    let whole = try LaminaGraphicsTests.drawing(220, 180) { CTFrameDraw(frame, $0) }
    let pieces = try LaminaGraphicsTests.drawing(220, 180) { context in
      for (line, origin) in zip(lines, origins) {
        context.textPosition = CGPoint(x: origin.x + 10, y: origin.y + 20)
        CTLineDraw(line, context)
      }
    }
    #expect(try difference(whole, pieces) <= 2)
    #expect(whole.unpremultipliedRGBA.contains(255))
  }

  @Test("Lines that do not fit whole are left out, and the rest makes the next frame")
  func columns() throws {
    let setter = CTFramesetterCreateWithAttributedString(string(prose))
    let path = CGMutablePath()
    path.addRect(CGRect(x: 0, y: 0, width: 150, height: 60))
    let first = CTFramesetterCreateFrame(setter, CFRangeMake(0, 0), path, nil)
    let visible = CTFrameGetVisibleStringRange(first)
    #expect(visible.location == 0 && visible.length > 5 && visible.length < prose.utf16.count)
    let second = CTFramesetterCreateFrame(setter, CFRangeMake(visible.length, 0), path, nil)
    let line = try #require((CTFrameGetLines(second) as? [CTLine])?.first)
    #expect(CTLineGetStringRange(line).location == visible.length)
    let run = try #require(runs(line).first)
    #expect(CTRunGetStringRange(run).location == visible.length)
    #expect(CTLineGetOffsetForStringIndex(line, visible.length, nil) == 0)
    #expect(CTLineGetStringIndexForPosition(line, .zero) == visible.length)
    #expect(
      CTFrameGetLines(makeFrame(string(prose), CGRect(x: 0, y: 0, width: 90, height: 3))).isEmpty)
  }

  @Test("The suggested size holds the text, and says what fits")
  func suggestedSize() throws {
    let setter = CTFramesetterCreateWithAttributedString(string(prose))
    let most = CGFloat.greatestFiniteMagnitude
    var fit = CFRange()
    let line = CTFramesetterSuggestFrameSizeWithConstraints(
      setter, CFRangeMake(0, 0), nil, CGSize(width: most, height: most), &fit)
    let width = CTLineGetTypographicBounds(
      CTLineCreateWithAttributedString(string(prose)), nil, nil, nil)
    #expect(abs(line.width - width) < 0.1 && fit == CFRangeMake(0, prose.utf16.count))
    let tall = CTFramesetterSuggestFrameSizeWithConstraints(
      setter, CFRangeMake(0, 0), nil, CGSize(width: 150, height: most), nil)
    #expect(tall.width <= 156 && tall.height > line.height * 3)
    let again = makeFrame(string(prose), CGRect(x: 0, y: 0, width: 150, height: tall.height))
    #expect(CTFrameGetVisibleStringRange(again).length == prose.utf16.count)
    let low = CTFramesetterSuggestFrameSizeWithConstraints(
      setter, CFRangeMake(0, 0), nil, CGSize(width: 150, height: 30), &fit)
    #expect(low.height <= 30 && fit.length < prose.utf16.count)
  }

  @Test("Paragraphs are aligned as their styles say")
  func alignment() throws {
    var alignment = CTTextAlignment.right
    let style = withUnsafePointer(to: &alignment) { value in
      CTParagraphStyleCreate(
        [CTParagraphStyleSetting(spec: .alignment, valueSize: 1, value: value)], 1)
    }
    let frame = makeFrame(
      string("Hi", [kCTParagraphStyleAttributeName: style]),
      CGRect(x: 0, y: 0, width: 200, height: 100))
    let line = try #require((CTFrameGetLines(frame) as? [CTLine])?.first)
    var origins = [CGPoint.zero]
    CTFrameGetLineOrigins(frame, CFRangeMake(0, 0), &origins)
    let width = CTLineGetTypographicBounds(line, nil, nil, nil)
    #expect(abs(origins[0].x + CGFloat(width) - 200) < 0.1)
  }

  @Test("User interfaces have fonts, and sizes are kept")
  func fonts() throws {
    for type in [CTFontUIFontType.system, .emphasizedSystem, .userFixedPitch, .smallSystem, .user] {
      #expect(CTFontCreateUIFontForLanguage(type, 15, nil).map(CTFontGetSize) == 15)
    }
    let copy = CTFontCreateCopyWithAttributes(font, 0, nil, nil)
    #expect(copy == font)
    let context = try LaminaGraphicsTests.drawing(1, 1) { context in
      context.setShouldSmoothFonts(true)
      context.setAllowsFontSmoothing(false)
      context.setShouldSubpixelPositionFonts(false)
      context.setAllowsFontSubpixelPositioning(false)
      context.setShouldSubpixelQuantizeFonts(false)
      context.setAllowsFontSubpixelQuantization(false)
    }
    #expect(picture(of: context) == ["."])
  }
}
