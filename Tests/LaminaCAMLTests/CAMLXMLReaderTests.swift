import Foundation
import Testing

@testable import LaminaCAML

@Suite("XML that is not well formed")
struct CAMLXMLReaderTests {
  private func read(_ text: String) throws(CAMLError) -> CAMLElement {
    try CAMLXMLReader.read(Data(text.utf8), file: "x.caml")
  }

  private func error(_ text: String) throws -> CAMLError {
    try #require(throws: CAMLError.self) { try read(text) }
  }

  @Test("An element that is closed by another is an error with its line and column")
  func mismatch() throws {
    let error = try error("<caml>\n  <CALayer>\n  </caml>\n")
    #expect(error.code == .malformed)
    #expect(error.location == CAMLLocation(file: "x.caml", line: 3, column: 10))
    #expect("\(error)".hasPrefix("x.caml:3:10: "))
    #expect(error.message.contains("<CALayer> of line 2"))
  }

  @Test(
    "Each of these is an error with a line and a column",
    arguments: [
      "", " ", "text", "<caml", "<caml><a>", "<caml></a></caml>", "<caml a=1/>",
      "<caml a='1' a='2'/>", "<caml>&unknown;</caml>", "<caml/><caml/>", "<caml>\u{1}</caml>",
      "<caml a='<'/>", "<!-- <caml/>",
    ])
  func malformed(text: String) throws {
    let error = try error(text)
    #expect(error.code == .malformed)
    #expect(error.location.line >= 1)
    #expect(error.location.column >= 1)
    #expect(!error.message.contains("\n"))
  }

  @Test(
    "Namespaces are of no account",
    arguments: ["<a xmlns='x'/>", "<a b:c='1'/>", "<a xmlns:b='u'><c b:d='1'/></a>"])
  func namespaces(text: String) throws {
    #expect(try read(text).name == "a")
  }

  @Test("Bytes that are no text are an error")
  func binary() {
    #expect(throws: CAMLError.self) {
      try CAMLXMLReader.read(Data([0x3c, 0x61, 0xff, 0xfe, 0x00]), file: "x")
    }
  }

  @Test("Elements nest to the limit and no deeper")
  func depth() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    }
    _ = try read(nested(CAMLXMLReader.maximumDepth))
    let error = try error(nested(CAMLXMLReader.maximumDepth + 1))
    #expect(error.message.contains("deeper than 512"))
    #expect(throws: CAMLError.self) { try read(nested(100_000)) }
  }

  @Test(
    "No entity can be declared, be it text, markup, a file or a parameter",
    arguments: ["e 'text'", "e '<b/>'", "e SYSTEM 'file:///etc/passwd'", "% e '&#60;?x?>'"])
  func entities(_ declaration: String) throws {
    let error = try error("<!DOCTYPE a [\n<!ENTITY \(declaration)>]><a>&e;</a>")
    #expect("\(error)" == "x.caml:2:1: entities cannot be declared")
  }

  @Test("An element has attributes to the limit and no more, in UTF-8 and in UTF-16")
  func attributes() throws {
    func tag(_ count: Int, _ quote: String) -> String {
      "<caml>\n <a" + (0..<count).map { " a\($0)=\(quote)>\(quote)" }.joined() + "/></caml>"
    }
    let limit = MarkupCheck.maximumAttributeCount
    for quote in ["'", "\""] {
      #expect(try read(tag(limit, quote)).children[0].attributes.count == limit)
      let error = try error(tag(limit + 1, quote))
      #expect("\(error)" == "x.caml:2:2: an element has more than 1024 attributes")
      for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian] {
        let marked = "\u{feff}" + tag(limit + 1, quote).replacing("a9", with: "\u{3c3e}\u{3c}3")
        let data = try #require(marked.data(using: encoding))
        #expect(throws: CAMLError.self) { try CAMLXMLReader.read(data, file: "x") }
        let few = try #require("\u{feff}<caml b=\"\u{3c3e}\"/>".data(using: encoding))
        #expect(try CAMLXMLReader.read(few, file: "x")["b"] == "\u{3c3e}")
      }
    }
    let long = String(repeating: "\"'=", count: 5_000)
    let text = "<caml><!-- \(long) --><a b='\(long.filter { $0 != "'" })'/>\(long)</caml>"
    #expect(try read(text).children.count == 1)
    // Attributes that a tag does not have in the file.
    let declared = (0..<1000).map { "a\($0) CDATA '1'" }.joined(separator: " ")
    #expect(throws: CAMLError.self) { try read("<!DOCTYPE a [<!ATTLIST a \(declared)>]><a/>") }
    let entity = (0..<1000).map { " a\($0)='1'" }.joined()
    #expect(throws: CAMLError.self) {
      try read("<!DOCTYPE a [<!ENTITY e \"&#60;a\(entity)/>\">]><a>&e;</a>")
    }
  }

  @Test(
    "A processing instruction without data is refused with its place, and others are passed over")
  func instructions() throws {
    #expect(try read("<?a b?><a><?a b?><?c ?><?d\t?></a><?e f?>").name == "a")
    for text in [
      "<?x?><a/>", "<a><?x?></a>", "<a/><?x?>", "<?xml?><a/>", "<!DOCTYPE a [<?x?>]><a/>",
    ] {
      let error = try error(text)
      #expect("\(error)".hasSuffix(": a processing instruction without data cannot be read"))
      let data = try #require(("\u{feff}" + text).data(using: .utf16LittleEndian))
      #expect(throws: CAMLError.self) { try CAMLXMLReader.read(data, file: "x") }
    }
    #expect("\(try error("<a>\n <?x?></a>"))".hasPrefix("x.caml:2:2: "))
  }

  @Test(
    "Encodings that hide markup are refused by name, and the usual ones are read",
    arguments: [
      ("UTF-8", true), ("utf-8", true), ("ISO-8859-1", true), ("US-ASCII", true), ("UTF-7", false),
      ("IBM037", false), ("ISO-2022-JP", false), ("UTF-16", false),
    ])
  func encodings(_ name: String, _ isRead: Bool) throws {
    let text = "<?xml version='1.0' encoding='\(name)'?><caml/>"
    if isRead {
      #expect(try read(text).name == "caml")
    } else {
      #expect(try error(text).message.contains("the encoding \(name.lowercased())"))
    }
  }

  @Test(
    "Text in another encoding is the same text, in the same place",
    arguments: [
      ("UTF-16", String.Encoding.utf16LittleEndian), ("UTF-16", .utf16BigEndian),
      ("ISO-8859-1", .isoLatin1), ("windows-1252", .windowsCP1252), ("iso-8859-2", .isoLatin2),
      ("UTF-8", .utf8),
    ])
  func otherEncodings(_ name: String, _ encoding: String.Encoding) throws {
    let mark = name == "UTF-16" ? "\u{feff}" : ""
    let text = "\(mark)<?xml version='1.0'\nencoding='\(name)'?><a>\n<b c='é'>ü&#x20ac;</b><"
    let data = try #require((text + "/a>").data(using: encoding))
    let root = try CAMLXMLReader.read(data, file: "x")
    #expect(root.children[0]["c"] == "é")
    #expect(root.children[0].text == "ü€")
    #expect(root.children[0].line == 3)
    let broken = try #require((text + "/b>").data(using: encoding))
    let error = #expect(throws: CAMLError.self) { try CAMLXMLReader.read(broken, file: "x") }
    #expect(error?.location.line == 3)
  }

  @Test(
    "Nonsense in UTF-16, at some of which libxml2 ends the program, is an error",
    arguments: [
      [0xfe, 0xff, 0xd8, 0xff, 8, 0, 0, 0xc3, 0x7f, 0x2a, 0x3c, 0x7f], [0xff, 0xfe, 0xd8],
      [0xfe, 0xff, 0xdc, 0, 0xd8, 0], [0xff, 0xfe, 0, 0, 0x3c, 0, 0, 0], [0, 0x3c, 0xd8, 0],
    ] as [[UInt8]])
  func brokenUTF16(bytes: [UInt8]) {
    #expect(throws: CAMLError.self) { try CAMLXMLReader.read(Data(bytes), file: "x") }
  }

  @Test(
    "What libxml2 would take for another encoding is an error, also after a mark or from UTF-16",
    arguments: [
      // U+0000 three times and <, which as UTF-8 looks like 32 bits a character.
      [0xfe, 0xff, 0, 0, 0, 0, 0, 0, 0, 0x3c, 0x3f, 0x78, 0x6d, 0x6c],
      [0xef, 0xbb, 0xbf, 0, 0, 0, 0x3c, 0x61], [0xef, 0xbb, 0xbf, 0xfe, 0xff, 0, 0x3c, 0, 0x61],
      [0xef, 0xbb, 0xbf, 0xff, 0xfe, 0x3c, 0, 0x61, 0],
      [0xef, 0xbb, 0xbf, 0x4c, 0x6f, 0xa7, 0x94], [0x3c, 0x61, 0, 0x2f, 0x3e],
    ] as [[UInt8]])
  func mistakenEncodings(bytes: [UInt8]) throws {
    let error = #expect(throws: CAMLError.self) {
      try CAMLXMLReader.read(Data(bytes), file: "x")
    }
    let messages = [
      "a character that XML does not allow", "the file begins with no XML in UTF-8",
    ]
    #expect(messages.contains(try #require(error).message))
  }

  @Test("An encoding named late, after another, or against the file's mark, is no way around that")
  func hiddenEncodings() throws {
    let blanks = String(repeating: " ", count: 5000)
    for version in ["'1.0'\n\(blanks)", #""encoding='UTF-8'" "#, "'1.0' sencoding='UTF-8' "] {
      let error = try error("<?xml version=\(version)encoding = 'UTF-16'?><a/>")
      #expect(error.message == "the encoding utf-16 is not supported: UTF-8 and UTF-16 are")
    }
    let endless = try self.error("<?xml version='1.0' encoding='UTF-16'")
    #expect(endless.message == "the XML declaration has no end")
    let marked = "\u{feff}<?xml\nversion='1.0' encoding='ISO-8859-1'?>\n<a b='é'/>"
    let root = try CAMLXMLReader.read(Data(marked.utf8), file: "x")
    #expect(root["b"] == "é")
    #expect(root.line == 3)
  }

  @Test(
    "A declaration that is not one is an error",
    arguments: [
      "encoding=UTF-8", "encoding='UTF-8", "encoding", "= 'UTF-8'?", "version '1.0'", "?",
    ])
  func brokenDeclarations(_ rest: String) throws {
    let error = try error("<?xml \(rest)?><a/>")
    #expect(error.message.hasPrefix("the XML declaration is not like <?xml version="))
  }

  @Test("An element knows its line, and its text is in one piece")
  func places() throws {
    let root = try read("<a>\n<b c='1'>x &amp; y</b>\n\n<d/></a>")
    #expect(root.children.map(\.line) == [2, 4])
    #expect(root.children[0].text == "x & y")
    #expect(root.children[0]["c"] == "1")
  }
}
