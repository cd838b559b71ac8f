import Foundation
import Lamina
import TestSupport
import Testing

@testable import LaminaCAML

@Suite("Text layers in documents") struct TextTests {
  private let documents: TemporaryDocuments

  init() throws { documents = try TemporaryDocuments() }

  private func text(_ layer: String, warnings: Warnings = Warnings()) throws -> CATextLayer {
    try #require(try documents.root(layer, warnings: warnings) as? CATextLayer)
  }

  @Test("Attributes and elements set every property of a text layer")
  func properties() throws {
    let warnings = Warnings()
    let plain = try text(
      """
      <CATextLayer bounds="0 0 10 10" string="a &amp; b&#10;c" font="DejaVu Serif" fontSize="12.5"
        foregroundColor="1 0 0" wrapped="1" truncationMode="middle" alignmentMode="justified"
        allowsFontSubpixelQuantization="1" contentsScale="2"/>
      """, warnings: warnings)
    #expect(plain.string as? String == "a & b\nc" && plain.font as? String == "DejaVu Serif")
    #expect(plain.fontSize == 12.5 && plain.foregroundColor == .red && plain.isWrapped)
    #expect(plain.truncationMode == .middle && plain.alignmentMode == .justified)
    #expect(plain.allowsFontSubpixelQuantization && plain.contentsScale == 2)
    let elements = try text(
      """
      <CATextLayer bounds="0 0 10 10"><string>two  words</string>
      <font type="string" value="Serif"/><fontSize type="real" value="9"/>
      <foregroundColor opacity="0.5" value="0 0 1"/></CATextLayer>
      """, warnings: warnings)
    #expect(elements.string as? String == "two  words" && elements.font as? String == "Serif")
    #expect(elements.fontSize == 9 && elements.foregroundColor?.alpha == 0.5)
    #expect(warnings.all.isEmpty)
  }

  @Test("Runs are the characters of an attributed string with their attributes")
  func runs() throws {
    let warnings = Warnings()
    let layer = try text(
      """
      <CATextLayer bounds="0 0 10 10"><string type="NSAttributedString" alignmentMode="right">
      <run font="DejaVu Sans" fontSize="20" foregroundColor="1 0 0 0.5">Red </run>
      <run kern="2" underlineStyle="1" alignmentMode="left">more</run><run value="&#10;end"/>
      </string></CATextLayer>
      """, warnings: warnings)
    let string = try #require(layer.string as? NSAttributedString)
    #expect(string.string == "Red more\nend")
    func value(_ key: NSAttributedString.Key, _ place: Int) -> Any? {
      string.attribute(key, at: place, effectiveRange: nil)
    }
    #expect(CTFontGetSize(try #require(value(.font, 0) as? CTFont)) == 20)
    #expect(CTFontGetSize(try #require(value(.font, 5) as? CTFont)) == 12)
    #expect(
      value(.foregroundColor, 0) as? CGColor == CGColor(red: 1, green: 0, blue: 0, alpha: 0.5))
    #expect(value(.foregroundColor, 5) == nil && value(.kern, 5) as? Double == 2)
    #expect(value(.underlineStyle, 5) as? Double == 1 && value(.underlineStyle, 0) == nil)
    let styles = [0, 5, 9].map { (value(.paragraphStyle, $0) as? CTParagraphStyle)?.alignment }
    #expect(styles == [.right, .left, .right])
    #expect(warnings.all.isEmpty)
  }

  @Test("A font's file comes from the bundle, and from nowhere else")
  func fontFiles() throws {
    try documents.write(BlockFont.file(), to: "assets/my font.ttf")
    let outside = FileManager.default.temporaryDirectory
      .appendingPathComponent("outside-\(UUID().uuidString).ttf")
    try BlockFont.file().write(to: outside)
    defer { try? FileManager.default.removeItem(at: outside) }
    try FileManager.default.createSymbolicLink(
      at: documents.folder.appendingPathComponent("assets/link.ttf"), withDestinationURL: outside)
    try documents.write("no font", to: "assets/broken.ttf")
    func font(_ src: String) throws -> (font: CGFont?, said: [String]) {
      let warnings = Warnings()
      let layer = try text(
        "<CATextLayer bounds=\"0 0 9 9\"><font src=\"\(src)\"/></CATextLayer>", warnings: warnings)
      return (layer.font as? CGFont, warnings.all.map(\.message))
    }
    let inside = try font("assets/my%20font.ttf")
    #expect(inside.font == (try CGFont(data: BlockFont.file(), named: "blocks")))
    #expect(inside.said.isEmpty)
    #expect(try font("data:font/ttf;base64,\(BlockFont.file().base64EncodedString())").font != nil)
    for (src, wanted) in [
      ("../\(outside.lastPathComponent)", "outside the bundle"),
      ("assets/link.ttf", "outside the bundle"), (outside.path, "no file"),
      ("assets/broken.ttf", "is no font"), ("assets/none.ttf", "no file"),
      ("data:,nothing", "is no font"),
    ] {
      let refused = try font(src)
      #expect(refused.font == nil, "\(src)")
      #expect(refused.said.count == 1 && refused.said[0].contains(wanted), "\(refused.said)")
    }
  }

  @Test("Fonts of files are written as files, or within a single one, and others by their names")
  func writtenFonts() throws {
    let blocks = try CGFont(data: BlockFont.file(), named: "blocks")
    let string = NSMutableAttributedString(
      string: "blocks", attributes: [.font: CTFontCreateWithGraphicsFont(blocks, 20, nil, nil)])
    string.append(
      NSAttributedString(
        string: "letters", attributes: [.font: CTFontCreateWithName("DejaVu Serif", 15, nil)]))
    let root = CALayer()
    root.bounds = CGRect(x: 0, y: 0, width: 90, height: 20)
    root.position = CGPoint(x: 45, y: 10)
    let named = try #require(CGFont("DejaVu Sans"))
    let fonts: [CFTypeRef] = [
      blocks, CTFontCreateWithGraphicsFont(blocks, 7, nil, nil), named,
      CTFontCreateWithName("DejaVu Serif", 7, nil), "Serif" as CFTypeRef,
    ]
    for font in fonts {
      let layer = CATextLayer()
      layer.font = font
      layer.string = string
      root.addSublayer(layer)
    }
    let warnings = Warnings()
    let bundle = documents.folder.appendingPathComponent("fonts.ca")
    try CAMLWriter(layer: root).writeBundle(to: bundle, warnings: warnings.add)
    let assets = bundle.appendingPathComponent("assets")
    #expect(try FileManager.default.contentsOfDirectory(atPath: assets.path) == ["font.ttf"])
    #expect(try Data(contentsOf: assets.appendingPathComponent("font.ttf")) == BlockFont.file())
    let file = try documents.write(
      CAMLWriter(layer: root).fileText(warnings: warnings.add), to: "fonts.caml")
    for url in [bundle, file] {
      let layers =
        try CAMLDocument(contentsOf: url, warnings: warnings.add).rootLayer
        .sublayers?.first?.sublayers as? [CATextLayer]
      let read = try #require(layers)
      #expect(read.prefix(2).allSatisfy { $0.font as? CGFont == blocks })
      #expect(
        read.dropFirst(2).map { $0.font as? String } == ["DejaVu Sans", "DejaVu Serif", "Serif"])
      for layer in read {
        let text = try #require(layer.string as? NSAttributedString)
        let font = text.attribute(.font, at: 0, effectiveRange: nil) as? CTFont
        #expect(font == CTFontCreateWithGraphicsFont(blocks, 20, nil, nil))
        let other = text.attribute(.font, at: 6, effectiveRange: nil) as? CTFont
        #expect(other == CTFontCreateWithName("DejaVu Serif", 15, nil))
      }
    }
    #expect(warnings.messages == [])
    let again = documents.folder.appendingPathComponent("again.ca")
    try CAMLWriter(CAMLDocument(contentsOf: bundle)).writeBundle(to: again)
    for path in ["main.caml", "assets/font.ttf"] {
      let files = try [bundle, again].map { try Data(contentsOf: $0.appendingPathComponent(path)) }
      #expect(files[0] == files[1], "\(path)")
    }
  }

  @Test("What is wrong in a text gets one warning that names it, and the rest is read")
  func warnings() throws {
    let warnings = Warnings()
    let layer = try text(
      """
      <CATextLayer bounds="0 0 10 10" alignmentMode="sideways" fontSize="big" colour="1 0 0">
      <string type="NSAttributedString" alignmentMode="up"><run fontSize="x" foregroundColor="?">a</run>
      <b>c</b></string></CATextLayer>
      """, warnings: warnings)
    #expect((layer.string as? NSAttributedString)?.string == "a")
    #expect(layer.fontSize == 36 && layer.alignmentMode == .natural)
    for part in [
      "sideways", "big", "unknown attribute colour", "=\"up\"", "=\"x\"", "=\"?\"", "<b>",
    ] {
      #expect(warnings.all.filter { $0.message.contains(part) }.count == 1, "\(part)")
    }
    #expect(warnings.all.count == 7)
  }

  @Test("States set what text layers show, and animations of their size are read")
  func states() throws {
    let document = try documents.document(
      """
      <CALayer bounds="0 0 10 10"><sublayers>
      <CATextLayer id="#1" bounds="0 0 10 10" string="one"><animations>
      <animation type="CABasicAnimation" key="grow" keyPath="fontSize" duration="1">
      <toValue type="real" value="20"/></animation></animations></CATextLayer></sublayers>
      <states><LKState name="Two"><elements>
      <LKStateSetValue targetId="#1" keyPath="string"><value type="string" value="two"/></LKStateSetValue>
      <LKStateSetValue targetId="#1" keyPath="fontSize"><value type="real" value="9"/></LKStateSetValue>
      </elements></LKState></states></CALayer>
      """)
    let root = try #require(document.rootLayer.sublayers?.first)
    let layer = try #require(root.sublayers?.first as? CATextLayer)
    try document.apply(state: "Two")
    #expect(layer.string as? String == "two" && layer.fontSize == 9)
    try document.apply(states: [])
    #expect(layer.string as? String == "one" && layer.fontSize == 36)
    #expect(layer.animationKeys() == ["grow"])
  }

  @Test("An archive keeps texts, fonts and paragraph styles, read by either reader")
  func archives() throws {
    let blocks = try CGFont(data: BlockFont.file(), named: "blocks")
    let style = CTParagraphStyle(alignment: .center, lineSpacing: 3)
    let string = NSMutableAttributedString(
      string: "red",
      attributes: [
        .font: CTFontCreateWithName("DejaVu Sans", 15, nil),
        .foregroundColor: CGColor(red: 1, green: 0, blue: 0, alpha: 1), .paragraphStyle: style,
      ])
    string.append(
      NSAttributedString(
        string: " blocks",
        attributes: [
          .font: CTFontCreateWithGraphicsFont(blocks, 20, nil, nil), .kern: 1.5,
          .underlineStyle: 1.0,
        ]))
    let layer = CATextLayer()
    layer.bounds = CGRect(x: 0, y: 0, width: 10, height: 10)
    layer.string = string
    layer.font = blocks
    layer.fontSize = 12
    layer.isWrapped = true
    let data = try NSKeyedArchiver.archivedData(withRootObject: layer, requiringSecureCoding: true)
    let copy = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CATextLayer.self, from: data))
    let keyed = try NSKeyedArchiver.archivedData(
      withRootObject: ["rootLayer": layer] as NSDictionary, requiringSecureCoding: false)
    let url = try documents.write(keyed, to: "text.caar")
    let warnings = Warnings()
    let document = try CAMLDocument(contentsOf: url, warnings: warnings.add)
    let read = try #require(document.rootLayer.sublayers?.first as? CATextLayer)
    #expect(warnings.all.map(\.message) == [])
    for other in [copy, read] {
      #expect(other.font as? CGFont == blocks && other.fontSize == 12 && other.isWrapped)
      let text = try #require(other.string as? NSAttributedString)
      #expect(text.string == "red blocks")
      for place in [0, 3] {
        func value<Value: Equatable>(_ key: NSAttributedString.Key, _: Value.Type) -> Bool {
          text.attribute(key, at: place, effectiveRange: nil) as? Value
            == string.attribute(key, at: place, effectiveRange: nil) as? Value
        }
        #expect(value(.font, CTFont.self) && value(.paragraphStyle, CTParagraphStyle.self))
        for key in [NSAttributedString.Key.kern, .underlineStyle] {
          let numbers = [text, string].map {
            ($0.attribute(key, at: place, effectiveRange: nil) as? NSNumber)?.doubleValue
              ?? $0.attribute(key, at: place, effectiveRange: nil) as? Double
          }
          #expect(numbers[0] == numbers[1], "\(key.rawValue) at \(place)")
        }
      }
      let color = text.attribute(.foregroundColor, at: 0, effectiveRange: nil) as? CGColor
      #expect(color == CGColor(red: 1, green: 0, blue: 0, alpha: 1))
    }
  }
}
