import Foundation
import FoundationXML

/// Reads a file's XML into a tree of elements. Foundation's parser recovers from errors and then
/// reports success, so this takes the first error that it reports as the result. External entities
/// are never loaded.
final class CAMLXMLReader: NSObject {
  /// The maximum depth of elements. Deeper documents are refused, since the tree is walked
  /// recursively. A sublayer takes two levels.
  static let maximumDepth = 512
  static let maximumFileSize = 64 << 20
  /// libxml2's own limit, in bytes.
  static let maximumAttributeSize = 10_000_000
  static let maximumElementCount = 1_000_000

  private let file: String
  private var root: CAMLElement?
  private var open: [CAMLElement] = []
  private var count = 0
  private var failure: CAMLError?

  private init(file: String) { self.file = file }

  /// Returns the root element of `data`. `file` is the path shown in errors.
  static func read(_ data: Data, file: String) throws(CAMLError) -> CAMLElement {
    guard data.count <= maximumFileSize else {
      throw CAMLError(
        .malformed, at: CAMLLocation(file: file),
        "larger than \(maximumFileSize >> 20) MiB")
    }
    var data = data
    do throws(MarkupCheck.Refusal) {
      data = try XMLText.utf8(data)
      try MarkupCheck.run(data)
    } catch {
      throw CAMLError(.malformed, at: location(of: error.offset, in: data, file), error.message)
    }
    let reader = CAMLXMLReader(file: file)
    // From a stream it reads in pieces: of bytes that come at once it takes ten million.
    let parser = XMLParser(stream: InputStream(data: data))
    parser.shouldResolveExternalEntities = false
    parser.delegate = reader
    _ = parser.parse()
    if let failure = reader.failure { throw failure }
    if let element = reader.open.last {
      throw reader.malformed(
        parser, "the file ends inside <\(element.name)> of line \(element.line)")
    }
    guard let root = reader.root else {
      throw CAMLError(
        .malformed, at: CAMLLocation(file: file, line: 1, column: 1),
        data.isEmpty ? "the file is empty" : "no XML element in the file")
    }
    return root
  }

  /// The line and column of a byte.
  private static func location(of offset: Int, in data: Data, _ file: String) -> CAMLLocation {
    let before = data.prefix(offset)
    let line = before.reduce(1) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
    let column = before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count + 1
    return CAMLLocation(file: file, line: line, column: column)
  }

  private func malformed(_ parser: XMLParser, _ message: String) -> CAMLError {
    let location = CAMLLocation(
      file: file, line: max(1, parser.lineNumber), column: max(1, parser.columnNumber))
    return CAMLError(.malformed, at: location, message)
  }

  private func fail(_ parser: XMLParser, _ message: String) {
    guard failure == nil else { return }
    failure = malformed(parser, message)
    parser.abortParsing()
  }

  /// The error numbers of libxml2's warnings and of namespace errors, which do not matter here.
  private static let harmlessCodes = Set([93, 98, 99, 100, 102, 107]).union(200...205)

  /// The text for one of libxml2's error numbers, which XMLParser reports without a text.
  private func message(for code: Int) -> String {
    switch code {
    case 1: "a tag or a text is longer than ten million bytes"
    case 5: "something follows the end of the document, or the file ends too early"
    case 9: "a character that XML does not allow, or that is no UTF-8"
    case 26, 27: "an entity that is not declared"
    case 38, 39, 40:
      "an attribute's value is not quoted, not closed, has a < in it or is longer than ten million"
        + " bytes"
    case 41, 65, 73: "a start tag is not well formed"
    case 42: "an attribute occurs twice in one tag"
    case 45: "a comment is not closed"
    case 76, 77:
      open.last.map { "the closing tag does not match <\($0.name)> of line \($0.line)" }
        ?? "a closing tag without an element"
    case 89: "entities expand into each other without end"
    default: "malformed XML (libxml2 error \(code))"
    }
  }
}

extension CAMLXMLReader: XMLParserDelegate {
  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String] = [:]
  ) {
    guard failure == nil else { return }
    count += 1
    guard open.count < Self.maximumDepth else {
      return fail(parser, "elements nest deeper than \(Self.maximumDepth)")
    }
    guard count <= Self.maximumElementCount else {
      return fail(parser, "more than \(Self.maximumElementCount) elements")
    }
    let element = CAMLElement(
      name: name, attributes: attributes, line: parser.lineNumber, column: parser.columnNumber)
    if let parent = open.last {
      parent.append(element)
    } else if root == nil {
      root = element
    }
    open.append(element)
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    guard failure == nil else { return }
    _ = open.popLast()
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    guard failure == nil else { return }
    open.last?.append(string)
  }

  func parser(_ parser: XMLParser, foundCDATA block: Data) {
    guard failure == nil else { return }
    open.last?.append(String(decoding: block, as: UTF8.self))
  }

  func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
    let code = (error as NSError).code
    if !Self.harmlessCodes.contains(code) { fail(parser, message(for: code)) }
  }
}
