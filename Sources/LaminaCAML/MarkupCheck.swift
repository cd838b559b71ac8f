import Foundation

/// Looks through a file before libxml2 reads it, for markup that would take long to read, since
/// libxml2 compares each attribute of an element with all those before it, or that ends the
/// program, as some texts do that libxml2 takes for another encoding, and processing instructions
/// without data, of which Foundation reads the data. Entities, in which either could hide, are
/// refused; no document declares any.
struct MarkupCheck {
  static let maximumAttributeCount = 1024
  /// The declarations of elements and default attributes in a file, in bytes.
  static let maximumDeclarationSize = 4096

  /// What is wrong, and the byte at which it begins.
  struct Refusal: Error {
    var message: String
    var offset: Int
  }

  /// Checks a text in UTF-8.
  static func run(_ data: Data) throws(Refusal) {
    var result: Result<Void, Refusal> = .success(())
    data.withUnsafeBytes { bytes in
      do throws(Refusal) {
        var check = MarkupCheck(bytes: bytes)
        try check.checkEncoding()
        try check.checkMarkup()
      } catch {
        result = .failure(error)
      }
    }
    try result.get()
  }

  private let bytes: UnsafeRawBufferPointer
  /// The bytes of declarations so far.
  private var declarationSize = 0

  private init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Throws where libxml2 would look for another encoding than UTF-8, at some of which it ends the
  /// program: at zeros, and at the marks of UTF-16 and EBCDIC. A mark may come after another one,
  /// and zeros from UTF-16.
  private func checkEncoding() throws(Refusal) {
    if let zero = find(0, from: 0) {
      throw Refusal(message: "a character that XML does not allow", offset: zero)
    }
    if [[0xfe], [0xff], [0x4c, 0x6f, 0xa7, 0x94]].contains(where: { bytes.starts(with: $0) }) {
      throw Refusal(message: "the file begins with no XML in UTF-8", offset: 0)
    }
  }

  /// Goes from each < to the next one. There is none within a tag.
  private mutating func checkMarkup() throws(Refusal) {
    var place = find(UInt8(ascii: "<"), from: 0)
    while let start = place {
      place = find(UInt8(ascii: "<"), from: start + 1)
      let end = place ?? bytes.count
      guard end - start > 2 else { continue }
      switch (bytes[start + 1], bytes[start + 2]) {
      case (UInt8(ascii: "!"), UInt8(ascii: "A")...UInt8(ascii: "Z")):
        guard !bytes[start..<end].starts(with: Array("<!ENTITY".utf8)) else {
          throw Refusal(message: "entities cannot be declared", offset: start)
        }
        declarationSize += end - start
        guard declarationSize <= Self.maximumDeclarationSize else {
          throw Refusal(
            message: "the declarations are longer than \(Self.maximumDeclarationSize) bytes",
            offset: start)
        }
      case (UInt8(ascii: "?"), _): try checkInstruction(start, end)
      case (UInt8(ascii: "!"), _), (UInt8(ascii: "/"), _): break
      default:
        // The shortest attribute has five bytes: a space and a="".
        if end - start > 5 * Self.maximumAttributeCount { try checkTag(start, end) }
      }
    }
  }

  /// Checks the processing instruction that begins at `start`. One in a comment counts too: what is
  /// a comment, libxml2 alone knows.
  private func checkInstruction(_ start: Int, _ end: Int) throws(Refusal) {
    let blanks = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    let target = bytes[start + 2..<end].prefix { !blanks.contains($0) }
    guard zip(target, target.dropFirst()).contains(where: { $0 == (0x3f, 0x3e) }) else { return }
    throw Refusal(message: "a processing instruction without data cannot be read", offset: start)
  }

  /// Checks the attributes of the start tag between two places.
  private func checkTag(_ start: Int, _ end: Int) throws(Refusal) {
    var count = 0
    var place = start
    while place < end, bytes[place] != UInt8(ascii: ">") {
      if bytes[place] == UInt8(ascii: "\"") || bytes[place] == UInt8(ascii: "'") {
        count += 1
        guard count <= Self.maximumAttributeCount else {
          throw Refusal(
            message: "an element has more than \(Self.maximumAttributeCount) attributes",
            offset: start)
        }
        place = find(bytes[place], from: place + 1) ?? end
      }
      place += 1
    }
  }

  private func find(_ byte: UInt8, from start: Int) -> Int? {
    guard start < bytes.count, let base = bytes.baseAddress,
      let found = memchr(base + start, Int32(byte), bytes.count - start)
    else { return nil }
    return UnsafeRawPointer(found) - base
  }
}
