import Foundation

/// Looks through a file before libxml2 reads it, for markup that would take long to read, since
/// libxml2 compares each attribute of an element with all those before it, or that ends the program:
/// Foundation reads the data of a processing instruction also if there is none. Entities, in which
/// either could hide, are refused; no document declares any.
struct MarkupCheck {
  static let maximumAttributeCount = 1024
  /// The declarations of elements and default attributes in a file, in bytes.
  static let maximumDeclarationSize = 4096

  /// What is wrong, and the byte at which it begins.
  struct Refusal: Error {
    var message: String
    var offset: Int
  }

  /// Checks a file's bytes.
  static func run(_ data: Data) throws(Refusal) {
    var result: Result<Void, Refusal> = .success(())
    let bytes = isUTF16(data) ? Self.bytes(ofUTF16: data) : data
    bytes.withUnsafeBytes { bytes in
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

  // MARK: Encodings

  private static func isUTF16(_ data: Data) -> Bool {
    let start = Array(data.prefix(2))
    return [[0xfe, 0xff], [0xff, 0xfe], [0, 0x3c], [0x3c, 0]].contains(start)
  }

  /// A byte for each unit of a file in UTF-16. Markup is ASCII; what else there is does not matter.
  private static func bytes(ofUTF16 data: Data) -> Data {
    let isLittleEndian = data.prefix(2) == Data([0xff, 0xfe]) || data.prefix(2) == Data([0x3c, 0])
    let units = [UInt8](data)
    var bytes = Data(capacity: units.count / 2)
    for index in stride(from: 0, to: units.count - 1, by: 2) {
      let (low, high) = (
        units[index + (isLittleEndian ? 0 : 1)], units[index + (isLittleEndian ? 1 : 0)]
      )
      bytes.append(high == 0 ? low : 0xff)
    }
    return bytes
  }

  /// Refuses encodings in which a < may be written otherwise than in ASCII.
  private func checkEncoding() throws(Refusal) {
    let start = String(decoding: bytes.prefix(256), as: UTF8.self)
    // What begins with a zero has four bytes a character, with an L it is EBCDIC.
    if let first = bytes.first(where: { $0 != 0xff }), first == 0 || first == 0x4c {
      throw Refusal(message: "the file is neither in UTF-8 nor in UTF-16", offset: 0)
    }
    guard start.prefix(8).contains("<?xml"), let end = start.range(of: "?>"),
      let match = start[..<end.lowerBound].firstMatch(of: /encoding\s*=\s*["']([^"']*)["']/)
    else { return }
    let name = match.1.lowercased()
    let isKnown =
      ["utf-8", "utf8", "us-ascii", "ascii"].contains(name)
      || ["utf-16", "iso-8859-", "windows-125"].contains { name.hasPrefix($0) }
    guard isKnown else {
      throw Refusal(
        message: "the encoding \(name.prefix(40)) is not supported: UTF-8 and UTF-16 are", offset: 0
      )
    }
  }

  // MARK: Markup

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
