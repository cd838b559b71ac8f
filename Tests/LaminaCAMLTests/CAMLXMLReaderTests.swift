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

  @Test("Entities that multiply end in an error, and external ones are not loaded")
  func entities() throws {
    var bomb = "<!DOCTYPE a [<!ENTITY e0 'lots and lots of text'>"
    for i in 1...20 {
      bomb += "<!ENTITY e\(i) '" + String(repeating: "&e\(i - 1);", count: 10) + "'>"
    }
    #expect(throws: CAMLError.self) { try read(bomb + "]><a b='&e20;'/>") }

    let secret = FileManager.default.temporaryDirectory
      .appendingPathComponent("LaminaCAMLTests-\(UUID().uuidString)")
    try Data("secret".utf8).write(to: secret)
    defer { try? FileManager.default.removeItem(at: secret) }
    let root = try? read("<!DOCTYPE a [<!ENTITY x SYSTEM '\(secret.absoluteString)'>]><a>&x;</a>")
    #expect(root?.text.contains("secret") != true)
  }

  @Test("An element knows its line, and its text is in one piece")
  func places() throws {
    let root = try read("<a>\n<b c='1'>x &amp; y</b>\n\n<d/></a>")
    #expect(root.children.map(\.line) == [2, 4])
    #expect(root.children[0].text == "x & y")
    #expect(root.children[0]["c"] == "1")
  }
}
