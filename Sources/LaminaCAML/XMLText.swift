import Foundation

/// The text of an XML file in UTF-8, whatever its own encoding is: with others libxml2 ends the
/// program at some files.
enum XMLText {
  /// Returns a file's bytes in UTF-8. If they had to be converted, blanks take the place of the
  /// declaration that names the encoding, so that all else stays in its place.
  static func utf8(_ data: Data) throws(MarkupCheck.Refusal) -> Data {
    let start = [UInt8](data.prefix(4))
    // With four bytes a character, or in EBCDIC.
    if start.starts(with: [0, 0]) || start == [0xff, 0xfe, 0, 0] || start == [0x3c, 0, 0, 0]
      || start.starts(with: [0x4c, 0x6f])
    {
      throw MarkupCheck.Refusal(message: "the file is neither in UTF-8 nor in UTF-16", offset: 0)
    }
    if let encoding = utf16(start) { return try convert(data, from: encoding, "UTF-16") }
    let isMarked = data.starts(with: [0xef, 0xbb, 0xbf])
    let body = isMarked ? Data(data.dropFirst(3)) : data
    guard let declaration = try declaration(of: body),
      let name = try encoding(in: body[declaration])
    else { return body }
    if ["utf-8", "utf8", "us-ascii", "ascii"].contains(name) { return body }
    if isMarked { return try blanked(body) }
    guard let encoding = encodings[name] else {
      throw MarkupCheck.Refusal(
        message: "the encoding \(name.prefix(40)) is not supported: UTF-8 and UTF-16 are", offset: 0
      )
    }
    return try convert(body, from: encoding, name)
  }

  /// The bytes of the declaration at the start of a text; nil without one.
  private static func declaration(of text: Data) throws(MarkupCheck.Refusal) -> Range<Int>? {
    guard text.starts(with: Array("<?xml".utf8)), text.count > 5,
      isBlank(text[text.startIndex + 5])
    else { return nil }
    guard let end = text.range(of: Data("?>".utf8)) else {
      throw MarkupCheck.Refusal(message: "the XML declaration has no end", offset: 0)
    }
    return text.startIndex..<end.upperBound
  }

  /// The encoding that a declaration names, in small letters; nil if it names none.
  private static func encoding(in declaration: Data) throws(MarkupCheck.Refusal) -> String? {
    var rest = declaration.dropFirst("<?xml".utf8.count).dropLast("?>".utf8.count)
    while true {
      rest = rest.drop(while: isBlank)
      if rest.isEmpty { return nil }
      let name = rest.prefix { !isBlank($0) && $0 != UInt8(ascii: "=") }
      rest = rest[name.endIndex...].drop(while: isBlank)
      let equals = rest.popFirst()
      rest = rest.drop(while: isBlank)
      let quote = rest.popFirst()
      guard equals == UInt8(ascii: "="), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
        let end = rest.firstIndex(where: { $0 == quote })
      else {
        throw MarkupCheck.Refusal(
          message: "the XML declaration is not like <?xml version=\"1.0\" encoding=\"UTF-8\"?>",
          offset: 0)
      }
      if name.elementsEqual("encoding".utf8) {
        return String(decoding: rest[..<end], as: UTF8.self).lowercased()
      }
      rest = rest[(end + 1)...]
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (9...10).contains(byte) || byte == 13
  }

  private static func utf16(_ start: [UInt8]) -> String.Encoding? {
    if start.starts(with: [0xfe, 0xff]) || start.starts(with: [0, 0x3c]) {
      return .utf16BigEndian
    }
    if start.starts(with: [0xff, 0xfe]) || start.starts(with: [0x3c, 0]) {
      return .utf16LittleEndian
    }
    return nil
  }

  private static let encodings: [String: String.Encoding] = [
    "iso-8859-1": .isoLatin1, "iso-8859-2": .isoLatin2, "windows-1250": .windowsCP1250,
    "windows-1251": .windowsCP1251, "windows-1252": .windowsCP1252,
    "windows-1253": .windowsCP1253, "windows-1254": .windowsCP1254,
  ]

  private static func convert(
    _ data: Data, from encoding: String.Encoding, _ name: String
  ) throws(MarkupCheck.Refusal) -> Data {
    guard let text = String(data: data, encoding: encoding) else {
      throw MarkupCheck.Refusal(message: "the file is not in the encoding \(name)", offset: 0)
    }
    return try blanked(Data((text.first == "\u{feff}" ? text.dropFirst() : text[...]).utf8))
  }

  /// A text without its declaration.
  private static func blanked(_ text: Data) throws(MarkupCheck.Refusal) -> Data {
    var text = text
    for place in try declaration(of: text) ?? 0..<0 where text[place] != UInt8(ascii: "\n") {
      text[place] = UInt8(ascii: " ")
    }
    return text
  }
}
