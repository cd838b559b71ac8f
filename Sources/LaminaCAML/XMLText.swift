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
    let text = String(decoding: data.prefix(256), as: UTF8.self)
    guard let declaration = text.firstMatch(of: /^\u{feff}?<\?xml[^>]*\?>/),
      let match = declaration.0.firstMatch(of: /encoding\s*=\s*["']([^"']*)["']/)
    else { return data }
    let name = match.1.lowercased()
    if ["utf-8", "utf8", "us-ascii", "ascii"].contains(name) { return data }
    guard let encoding = encodings[name] else {
      throw MarkupCheck.Refusal(
        message: "the encoding \(name.prefix(40)) is not supported: UTF-8 and UTF-16 are", offset: 0
      )
    }
    return try convert(data, from: encoding, name)
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
    var bytes = Data((text.first == "\u{feff}" ? text.dropFirst() : text[...]).utf8)
    if bytes.starts(with: Array("<?xml ".utf8)), let end = bytes.range(of: Data("?>".utf8)) {
      for place in bytes.startIndex..<end.upperBound where bytes[place] != UInt8(ascii: "\n") {
        bytes[place] = UInt8(ascii: " ")
      }
    }
    return bytes
  }
}
