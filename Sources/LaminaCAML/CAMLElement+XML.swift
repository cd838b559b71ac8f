import Foundation

extension CAMLElement {
  /// The element as an XML file with the element at its root. The same element gives the same text:
  /// the ID comes first, then the other attributes by name.
  var xmlFile: String {
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    write(to: &text, indent: "")
    return text
  }

  /// Elements nest no deeper than `CAMLXMLReader.maximumDepth`.
  private func write(to text: inout String, indent: String) {
    text += "\(indent)<\(name)"
    if let id = self["id"] { text += " id=\"\(Self.escaped(id))\"" }
    for (name, value) in sortedAttributes where name != "id" {
      text += " \(name)=\"\(Self.escaped(value))\""
    }
    guard !children.isEmpty else {
      text += "/>\n"
      return
    }
    text += ">\n"
    for child in children { child.write(to: &text, indent: indent + "  ") }
    text += "\(indent)</\(name)>\n"
  }

  private static let special = Array("&<>\"".utf8)

  /// An attribute's value. White space other than spaces would be read as spaces, so it is escaped.
  /// Characters that XML cannot contain become U+FFFD.
  private static func escaped(_ value: String) -> String {
    let isPlain = value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f && !special.contains($0) }
    if isPlain { return value }
    var text = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "\t", "\n", "\r": text += "&#\(scalar.value);"
      default: text.unicodeScalars.append(canContain(scalar) ? scalar : "\u{fffd}")
      }
    }
    return text
  }

  /// Whether XML can contain the text: it has no control characters other than white space, and
  /// neither U+FFFE nor U+FFFF.
  static func canContain(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(canContain) }

  private static func canContain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x9, 0xa, 0xd: true
    case 0..<0x20, 0xfffe, 0xffff: false
    default: true
    }
  }

  /// The attributes of this element and those in it with characters that XML cannot contain, as
  /// text.
  var unwritableAttributes: [String] {
    subtree.flatMap { element in
      element.sortedAttributes.filter { !Self.canContain($0.value) }
        .map { "\($0.name) of <\(element.name)>" }
    }
  }
}
