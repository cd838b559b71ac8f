import Foundation
import LaminaGraphics
import LaminaInProcess
import LaminaValues
import LayerSupport
import TestSupport
import Testing

@testable import Lamina

/// Draws a line of text by itself.
private final class LineLayer: CALayer {
  var line: CTLine?
  /// The place of the line's origin.
  var origin = CGPoint.zero
  override func draw(in ctx: CGContext) {
    ctx.textMatrix = CGAffineTransform(scaleX: 1, y: -1)
    ctx.textPosition = origin
    if let line { CTLineDraw(line, ctx) }
  }
}

@Suite("Text layers") struct TextLayerTests {
  /// A font whose characters are blocks, each an em wide: see BlockFont.
  let blocks: CGFont

  init() throws { blocks = try CGFont(data: BlockFont.file(), named: "blocks") }

  func box(_ x: CGFloat, _ y: CGFloat, _ width: CGFloat, _ height: CGFloat) -> CGRect {
    CGRect(x: x, y: y, width: width, height: height)
  }

  /// A layer of white blocks, 10 points each.
  func layer(_ text: Any?, _ width: CGFloat = 60, _ height: CGFloat = 10) -> CATextLayer {
    set(CATextLayer(), text, width, height)
  }

  func set<Layer: CATextLayer>(
    _ layer: Layer, _ text: Any?, _ width: CGFloat = 60, _ height: CGFloat = 10
  ) -> Layer {
    layer.bounds = box(0, 0, width, height)
    layer.font = blocks
    layer.fontSize = 10
    layer.string = text
    return layer
  }

  func image(_ layer: CALayer) throws -> CGImage {
    try Drawer.renderProcess.draw(layer, Int(layer.bounds.width), Int(layer.bounds.height))
  }

  /// A character for each 10 points of a line of blocks, by the block's height: a for a small
  /// letter, A for a capital, h for a Hebrew letter, … for an ellipsis, a space for nothing, ? for
  /// anything else.
  func blocks(in image: CGImage, line: Int = 0) -> String {
    String(
      (0..<image.width / 10).map { column -> Character in
        let pixels = (0..<100).map { index -> UInt8 in
          image.pixel(x: column * 10 + index % 10, y: line * 10 + index / 10).alpha
        }
        let rows = (0..<10).map { row in pixels[row * 10..<row * 10 + 10] }
        guard rows.allSatisfy({ Set($0).count == 1 && ($0.first == 0 || $0.first == 255) }) else {
          return "?"
        }
        return switch (rows.map { $0.first == 255 ? "#" : "." }).joined() {
        case "..........": " "
        case "########..": "a"
        case "...#####..": "A"
        case ".....###..": "h"
        case ".......#..": "…"
        default: "?"
        }
      })
  }

  @Test("A layer has Apple's defaults, and draws nothing without a string")
  func defaults() throws {
    let layer = CATextLayer()
    #expect(layer.string == nil && layer.font as? String == "Helvetica" && layer.fontSize == 36)
    #expect(layer.foregroundColor == .white && !layer.isWrapped)
    #expect(layer.truncationMode == .none && layer.alignmentMode == .natural)
    #expect(!layer.allowsFontSubpixelQuantization && layer.needsDisplayOnBoundsChange)
    #expect(CATextLayer.defaultValue(forKey: "fontSize") as? Double == 36)
    #expect(CATextLayer.defaultValue(forKey: "font") as? String == "Helvetica")
    #expect(CATextLayer.defaultValue(forKey: "foregroundColor") as? CGColor == .white)
    #expect(CATextLayer.needsDisplay(forKey: "fontSize"))
    #expect(CATextLayer.needsDisplay(forKey: "foregroundColor"))
    #expect(!CATextLayer.needsDisplay(forKey: "position"))
    layer.bounds = box(0, 0, 20, 20)
    layer.setNeedsDisplay()
    #expect(try image(layer).ink.isNull && layer.contents == nil)
  }

  @Test("Text in the default font looks as the same line drawn by a layer's own code")
  func sameAsLine() throws {
    let text = CATextLayer()
    text.bounds = box(0, 0, 300, 60)
    text.string = "Fjord, g"
    let font = CTFontCreateWithName("Helvetica", 36, nil)
    let line = LineLayer()
    line.bounds = text.bounds
    line.line = CTLineCreateWithAttributedString(
      NSAttributedString(
        string: "Fjord, g", attributes: [.font: font, .foregroundColor: CGColor.white]))
    line.origin = CGPoint(x: 0, y: CTFontGetAscent(font))
    line.setNeedsDisplay()
    let image = try image(text)
    #expect(image.ink.width > 60 && image.ink.height > 20)
    #expect(image.unpremultipliedRGBA == (try self.image(line)).unpremultipliedRGBA)
  }

  @Test(
    "Each alignment puts each direction of writing where it belongs",
    arguments: [
      (CATextLayerAlignmentMode.natural, "aaA   ", "   hhh"), (.left, "aaA   ", "hhh   "),
      (.right, "   aaA", "   hhh"), (.justified, "aaA   ", "   hhh"),
      (CATextLayerAlignmentMode(rawValue: "odd"), "aaA   ", "   hhh"),
    ])
  func alignment(
    _ mode: CATextLayerAlignmentMode, _ latin: String, _ hebrew: String
  ) throws {
    for (text, wanted) in [("xyZ", latin), ("אבג", hebrew)] {
      for isWrapped in [false, true] {
        let layer = layer(text)
        layer.alignmentMode = mode
        layer.isWrapped = isWrapped
        #expect(blocks(in: try image(layer)) == wanted)
      }
    }
  }

  @Test("Centred text lies in the middle, also if it is wider than the layer")
  func centred() throws {
    let short = layer("xX")
    short.alignmentMode = .center
    #expect(blocks(in: try image(short)) == "  aA  ")
    let long = layer("XxXxxXxX", 40)
    long.alignmentMode = .center
    #expect(blocks(in: try image(long)) == "Aaa" + "A")
  }

  @Test("The text's directions mix in one line, its first strong letter leading")
  func bidirectional() throws {
    #expect(blocks(in: try image(layer("xאבX"))) == "ahhA  ")
    // The line goes from right to left: the Hebrew letter first, then the Latin ones as a unit.
    #expect(blocks(in: try image(layer("אxX"))) == "   aAh")
  }

  @Test("Wrapped text breaks between words, and within those wider than the layer")
  func wrapping() throws {
    let wrapped = layer("xx X xxXxxXx", 50, 40)
    wrapped.isWrapped = true
    let lines = try image(wrapped)
    #expect((0..<4).map { blocks(in: lines, line: $0) } == ["aa A ", "aaAaa", "Aa   ", "     "])
    wrapped.isWrapped = false
    #expect(blocks(in: try image(wrapped)) == "aa A ")
  }

  @Test("Lines also end where the string breaks them, wrapped or not")
  func lineBreaks() throws {
    for separator in ["\n", "\r\n", "\r", "\u{2029}"] {
      let layer = layer("x\(separator)\(separator)XX", 20, 30)
      let image = try image(layer)
      #expect((0..<3).map { blocks(in: image, line: $0) } == ["a ", "  ", "AA"])
    }
  }

  @Test(
    "An ellipsis replaces the start, the middle or the end of what is too long",
    arguments: [
      (CATextLayerTruncationMode.none, "aAaAaa"), (.start, "…AaaaA"), (.middle, "aAa…aA"),
      (.end, "aAaAa…"),
    ])
  func truncation(_ mode: CATextLayerTruncationMode, _ wanted: String) throws {
    let layer = layer("xXxXxxXxXxxxX")
    layer.truncationMode = mode
    #expect(blocks(in: try image(layer)) == wanted)
    layer.string = "xX"
    #expect(blocks(in: try image(layer)) == "aA    ")
  }

  @Test("An ellipsis is as wide as it is, so that truncated lines are aligned")
  func truncatedAlignment() throws {
    for (mode, wanted) in [
      (CATextLayerAlignmentMode.left, "…AA "), (.right, " …AA"), (.natural, "…AA "),
    ] {
      let layer = layer("xx XX", 40)
      layer.truncationMode = .start
      layer.alignmentMode = mode
      // 35 points hold three blocks, and half of one is left.
      layer.bounds.size.width = 35
      let image = try image(layer)
      let shift: CGFloat = mode == .right ? 5 : 0
      #expect(image.ink == box(shift, 0, 30, 8).intersection(image.ink), "\(wanted)")
      #expect(image.ink.minX == shift && image.ink.maxX == shift + 30, "\(wanted)")
    }
  }

  @Test("Wrapped text too high for the layer ends with an ellipsis in the last line that fits")
  func wrappedTruncation() throws {
    let layer = layer("xx XX xx XX xx", 50, 25)
    layer.isWrapped = true
    layer.truncationMode = .end
    let image = try image(layer)
    #expect(blocks(in: image) == "aa AA" && blocks(in: image, line: 1) == "aa A…")
  }

  @Test(
    "An ellipsis also stands for paragraphs that have no room, unless they are blank",
    arguments: [
      (CATextLayerTruncationMode.end, "xx\nXX\nxx", ["aa    ", "AA…   "]),
      (.end, "xx\r\nXXXXXX\r\nxx", ["aa    ", "AAAAA…"]),
      (.end, "xx\u{2029}\n\nX", ["aa    ", "…     "]),
      (.end, "xx\nXX\n\n", ["aa    ", "AA    "]), (.end, "x X X X\nX", ["a A A ", "A…    "]),
      (.start, "xx\nXXXX\nxxxx", ["aa    ", "… aaaa"]),
      (.middle, "xx\nXXXX\nxxxx", ["aa    ", "AAA…aa"]),
      (.none, "xx\nXX\nxx", ["aa    ", "AA    "]),
    ])
  func truncatedParagraphs(
    _ mode: CATextLayerTruncationMode, _ text: String, _ wanted: [String]
  ) throws {
    let layer = layer(text, 60, 20)
    layer.isWrapped = true
    layer.truncationMode = mode
    let image = try image(layer)
    #expect((0..<2).map { blocks(in: image, line: $0) } == wanted)
  }

  @Test("The runs of paragraphs that go on behind an ellipsis keep their colours")
  func truncatedRuns() throws {
    let layer = layer(
      attributed([
        ("x\nX", [.foregroundColor: CGColor.red]), ("X\n", [.foregroundColor: CGColor.green]),
        ("xxxxx", [.foregroundColor: CGColor.blue]),
      ]), 60, 20)
    layer.isWrapped = true
    layer.truncationMode = .end
    let end = Picture(try image(layer))
    #expect(end[5, 15] == [255, 0, 0, 255] && end[15, 15] == [0, 255, 0, 255])
    #expect(end[25, 17] == [0, 255, 0, 255])
    layer.truncationMode = .start
    let start = Picture(try image(layer))
    #expect(start[55, 15] == [0, 0, 255, 255] && start[15, 15] == [0, 0, 255, 255])
  }

  @Test("A word alone in its line is not spread to the edges, and ideographs are")
  func loneWords() throws {
    let layer = layer("xX xxx X xxxxx", 50, 40)
    layer.isWrapped = true
    layer.alignmentMode = .justified
    var image = try image(layer)
    #expect(
      (0..<4).map { blocks(in: image, line: $0) } == ["aA   ", "aaa A", "aaaaa", "     "])
    layer.alignmentMode = .natural
    let styles = [CTTextAlignment.justified, .right].map { CTParagraphStyle(alignment: $0) }
    layer.string = attributed([
      ("x X xxxx\n", [.paragraphStyle: styles[0]]), ("x X xxxx", [.paragraphStyle: styles[1]]),
    ])
    image = try self.image(layer)
    #expect(
      (0..<4).map { blocks(in: image, line: $0) } == ["a   A", "aaaa ", "  a A", " aaaa"])
  }

  @Test("Justified lines reach both edges, except a paragraph's last one")
  func justified() throws {
    let layer = layer("x X xxxx", 50, 20)
    layer.isWrapped = true
    layer.alignmentMode = .justified
    let image = try image(layer)
    #expect(blocks(in: image) == "a   A" && blocks(in: image, line: 1) == "aaaa ")
  }

  @Test("Text is upright, its first line at the top, in whichever direction y points")
  func upright() throws {
    for flips in 0...2 {
      let root = CALayer()
      root.bounds = box(0, 0, 40, 30)
      let layer = layer("xX", 40, 30)
      layer.bounds.origin = CGPoint(x: 7, y: -5)
      layer.position = CGPoint(x: 20, y: 15)
      root.addSublayer(layer)
      root.isGeometryFlipped = flips > 0
      layer.isGeometryFlipped = flips > 1
      #expect(blocks(in: try image(root)) == "aA  ", "\(flips) flips")
    }
  }

  @Test("The contents' scale is the scale at which text is drawn")
  func scale() throws {
    let small = layer("xX", 20, 10)
    small.contentsScale = 3
    small.displayIfNeeded()
    let store = try #require(small.contents as? BackingStore)
    let large = layer("xX", 60, 30)
    large.fontSize = 30
    #expect(try #require(store.image).unpremultipliedRGBA == (try image(large)).unpremultipliedRGBA)
    #expect(try #require(store.image).ink == box(0, 0, 60, 24))
  }

  // MARK: Fonts

  @Test("A font is a name, a CTFont of any size, or a CGFont")
  func fonts() throws {
    let layer = layer("xX")
    #expect(layer.font as? CGFont == blocks)
    let wanted = try image(layer).unpremultipliedRGBA
    let sized = CTFontCreateWithGraphicsFont(blocks, 77, nil, nil)
    layer.font = sized
    #expect(layer.font as? CTFont == sized)
    #expect(try image(layer).unpremultipliedRGBA == wanted)
    layer.font = "DejaVu Sans" as CFTypeRef
    #expect(layer.font as? String == "DejaVu Sans")
    #expect(try image(layer).unpremultipliedRGBA != wanted)
    layer.font = nil
    #expect(layer.font as? String == "Helvetica")
    #expect(warnings { layer.font = 5 }.first?.contains("font of CATextLayer cannot be") == true)
    #expect(layer.font as? String == "Helvetica")
    #expect(warnings { layer.string = 5 }.first?.contains("string of CATextLayer") == true)
    #expect(layer.string as? String == "xX")
  }

  @Test("A missing font is replaced, and one warning per name says so")
  func missingFonts() throws {
    let said = try warnings {
      let drawn = try [("No Such Font", 10), ("No Such Font", 20), ("NorThis-Bold", 10)].map {
        let layer = layer("Hello", 100, 30)
        (layer.font, layer.fontSize) = ($0.0, $0.1)
        return try image(layer).ink
      }
      #expect(drawn.allSatisfy { !$0.isNull })
      // Nobody asked for the default font.
      let plain = layer("Hello")
      plain.font = nil
      let fresh = CATextLayer()
      fresh.bounds = box(0, 0, 50, 50)
      fresh.string = "Hello"
      _ = try image(fresh)
    }
    #expect(said.count == 2)
    #expect(said.first?.contains("there is no font \"No Such Font\"") == true)
    #expect(said.last?.contains("NorThis-Bold") == true)
  }

  @Test("However many fonts are missing, there is less than a screen of warnings")
  func manyMissingFonts() {
    let said = warnings {
      for number in 0..<100 {
        let layer = layer("x")
        layer.font = "Missing \(number)"
        layer.displayIfNeeded()
      }
    }
    #expect(said.count == 16 && said.last?.hasSuffix("others are not named") == true)
  }

  @Test("Marks on blanks, ligatures and both directions are wrapped to lines of any width")
  func marksOnBlanks() {
    var random = SeededGenerator(seed: 1)
    let characters = ["a", " ", "\n", "é", "字", "🙂", "\u{202e}", "\u{301}", "ﷺ"]
    let texts = (0..<60).map { _ in
      (0...random.below(40)).map { _ in random.pick(characters) }.joined()
    }
    // Pango ends the program at the first of these if lines may break before the mark.
    for string in ["éﷺ \u{301}a", "é\u{fdfa} \u{301}\u{301}a"] + texts {
      for width in [0, 1, 2, 5, 14, 60] {
        let text = CATextLayer()
        text.frame = CGRect(x: 0, y: 0, width: width, height: 580)
        (text.string, text.fontSize, text.isWrapped) = (string, 14, true)
        text.truncationMode = random.pick([.none, .start, .middle, .end])
        text.display()
        #expect((text.contents != nil) == (width > 0))
      }
    }
  }

  @Test("A file's font is found under no name, and the same bytes are the same font")
  func fileFonts() throws {
    let other = try CGFont(data: BlockFont.file(), named: "again")
    #expect(other == blocks)
    #expect(CTFontCreateWithName("Lamina Blocks", 10, nil).substitute != nil)
    for broken in [Data(), Data([1, 2, 3]), BlockFont.file().prefix(200)] {
      #expect(throws: FontError.notAFont("broken")) { try CGFont(data: broken, named: "broken") }
    }
    #expect(throws: FontError.unreadable("/nowhere/a.ttf", code: ENOENT)) {
      try CGFont(contentsOf: URL(fileURLWithPath: "/nowhere/a.ttf"))
    }
  }

  @Test("An emoji has its own colours, whatever the text's colour, and characters beside it do not")
  func emoji() throws {
    let layer = layer("😀x", 20, 10)
    layer.foregroundColor = .green
    let image = try image(layer)
    let picture = Picture(image)
    #expect(picture[5, 2] == [255, 0, 0, 255] && picture[5, 6] == [0, 0, 255, 255])
    #expect(picture[15, 5] == [0, 255, 0, 255])
  }

  @Test("An ideograph is drawn, and words of ideographs are wrapped between any two")
  func ideographs() throws {
    let layer = layer("漢漢漢", 25, 20)
    layer.isWrapped = true
    #expect(try image(layer).ink == box(0, 0, 20, 20))
  }

  // MARK: Attributed strings

  func attributed(
    _ parts: [(String, [NSAttributedString.Key: Any])]
  ) -> NSAttributedString {
    let string = NSMutableAttributedString(string: "")
    for (text, attributes) in parts {
      let font = CTFontCreateWithGraphicsFont(blocks, 10, nil, nil)
      string.append(
        NSAttributedString(
          string: text, attributes: attributes.merging([.font: font]) { own, _ in own }))
    }
    return string
  }

  @Test("Attributes set the font, colour, space and underline of their characters")
  func attributes() throws {
    let large = CTFontCreateWithGraphicsFont(blocks, 20, nil, nil)
    let layer = layer(
      attributed([
        ("x", [.foregroundColor: CGColor.red]),
        ("x", [.font: large, .foregroundColor: CGColor.blue]),
        ("x", [:]), ("xx", [.kern: 5]), ("X", [:]),
      ]), 100, 20)
    let image = try image(layer)
    let picture = Picture(image)
    // The baseline is the largest font's, 16 points down.
    #expect(picture[5, 12] == [255, 0, 0, 255] && picture[5, 6] == [0, 0, 0, 0])
    #expect(picture[20, 1] == [0, 0, 255, 255] && picture[35, 12] == [0, 0, 0, 255])
    // The space lies behind each character.
    let inked = (30..<90).map { picture[$0, 12] == [0, 0, 0, 255] ? "#" : "." }.joined()
    #expect(
      inked == "####################.....##########.....##########..........", "\(inked)")
    layer.string = attributed([("A", [.underlineStyle: 1]), ("A", [:])])
    let underlined = Picture(try self.image(layer))
    #expect((8..<12).contains { underlined[5, $0] == [0, 0, 0, 255] })
    #expect((8..<12).allSatisfy { underlined[15, $0] == [0, 0, 0, 0] })
  }

  @Test("A plain string's properties do not touch an attributed one; equal strings are equal")
  func attributedAlone() throws {
    let string = attributed([("xX", [.foregroundColor: CGColor.red])])
    let layer = set(CountedText(), string)
    #expect(layer.string as? NSAttributedString == string)
    layer.anchorPoint = .zero
    let renderer = try CARenderer(
      size: CGSize(width: 60, height: 10), server: .inProcess.on(.surfaceless))
    renderer.layer = layer
    let before = try renderer.image(at: 0).unpremultipliedRGBA
    withoutActions {
      layer.fontSize = 20
      layer.foregroundColor = .blue
      layer.font = "Sans"
      layer.string = attributed([("xX", [.foregroundColor: CGColor.red])])
    }
    #expect(try renderer.image(at: 1).unpremultipliedRGBA == before && layer.count == 1)
    withoutActions { layer.string = attributed([("xX", [.foregroundColor: CGColor.blue])]) }
    #expect(try renderer.image(at: 2).unpremultipliedRGBA != before && layer.count == 2)
  }

  @Test("A string that changes after it was set does not change the layer")
  func copied() {
    let string = NSMutableAttributedString(string: "one")
    let layer = layer(string)
    string.append(NSAttributedString(string: "two"))
    #expect((layer.string as? NSAttributedString)?.string == "one")
  }

  @Test("A paragraph's style aligns lines whose layer aligns them naturally, and spaces them")
  func paragraphs() throws {
    var alignment = CTTextAlignment.right
    var spacing: CGFloat = 10
    let style = withUnsafeBytes(of: &alignment) { alignment in
      withUnsafeBytes(of: &spacing) { spacing in
        CTParagraphStyleCreate(
          [
            CTParagraphStyleSetting(
              spec: .alignment, valueSize: 1, value: alignment.baseAddress!),
            CTParagraphStyleSetting(
              spec: .lineSpacingAdjustment, valueSize: 8, value: spacing.baseAddress!),
          ], 2)
      }
    }
    let layer = layer(attributed([("x\nX\n", [.paragraphStyle: style]), ("x", [:])]), 30, 50)
    let image = try image(layer)
    #expect(
      (0..<5).map { blocks(in: image, line: $0) } == ["  a", "   ", "  A", "   ", "a  "])
    layer.alignmentMode = .left
    #expect(blocks(in: try self.image(layer)) == "a  ")
  }
}
