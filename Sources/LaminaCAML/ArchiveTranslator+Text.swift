import Foundation
import Lamina

/// Attributed strings and fonts in archives, of Lamina's own classes and of Foundation's, AppKit's
/// and UIKit's.
extension ArchiveTranslator {
  /// A font of an archive: its name or its file's bytes.
  struct Font {
    var name = ""
    var file: Data?
    var size: Double?
  }

  /// Nil if the archive does not say which font it is.
  func font(_ values: [String: Value]) throws(Damage) -> Font? {
    var font = Font()
    for key in ["name", "NSName", "UIFontName", "NSFontNameAttribute"] {
      if case .string(let name)? = try resolved(values[key]) { font.name = name }
    }
    for key in ["size", "NSSize", "UIFontPointSize", "NSFontSizeAttribute"] {
      if case .number(let size)? = try resolved(values[key]) { font.size = size }
    }
    font.file = try data(values["data"])
    return font.name.isEmpty && font.file == nil ? nil : font
  }

  func fontElement(_ font: Font, named name: String) -> CAMLElement {
    guard let file = font.file else {
      return CAMLElement(name: name, attributes: ["type": "string", "value": font.name])
    }
    return CAMLElement(
      name: name, attributes: ["src": "data:font/ttf;base64," + file.base64EncodedString()])
  }

  /// The element of an attributed string.
  func text(_ record: KeyedArchive.Record, named name: String?) throws(Damage) -> CAMLElement {
    let element = CAMLElement(
      name: name ?? "string", attributes: ["type": "NSAttributedString"])
    let runs =
      record.className == "ArchivedText" ? try ownRuns(record) : try foundationRuns(record)
    for run in runs { element.append(try self.run(run.text, run.attributes)) }
    return element
  }

  private typealias Run = (text: String, attributes: [String: Value])

  private func ownRuns(_ record: KeyedArchive.Record) throws(Damage) -> [Run] {
    var runs: [Run] = []
    for value in try list(record.values["runs"]) {
      guard let run = try self.record(value) else { continue }
      let keys = try list(run.values["keys"])
      let values = try list(run.values["values"])
      var entries: [String: Value] = [:]
      for (key, value) in zip(keys, values) {
        if case .string(let key) = try archive.resolve(key) { entries[key] = value }
      }
      guard case .string(let text)? = try resolved(entries["text"]) else { continue }
      entries["text"] = nil
      runs.append((text, entries))
    }
    return runs
  }

  /// The runs of Foundation's own archives: the whole text, the dictionaries of attributes, and if
  /// there is more than one, pairs of a run's length and its dictionary's number.
  private func foundationRuns(_ record: KeyedArchive.Record) throws(Damage) -> [Run] {
    var text = try resolved(record.values["NSString"]) ?? .null
    if case .object(let uid) = text {
      text = try resolved(archive.record(uid)?.values["NS.string"]) ?? .null
    }
    guard case .string(let text) = text else { return [] }
    let attributes = record.values["NSAttributes"]
    guard let info = try data(record.values["NSAttributeInfo"]) else {
      let only = try attributes.flatMap { value throws(Damage) in try self.record(value) }
      return [(text, try only.map { record throws(Damage) in try entries(record) } ?? [:])]
    }
    let dictionaries = try list(attributes)
    var runs: [Run] = []
    var rest = text.utf16[...]
    var bytes = info[...]
    while !rest.isEmpty, let length = Self.number(&bytes), let index = Self.number(&bytes) {
      let part = rest.prefix(length)
      rest = rest.dropFirst(length)
      guard !part.isEmpty, dictionaries.indices.contains(index),
        let record = try self.record(dictionaries[index])
      else { throw Damage("the runs of an attributed string are damaged") }
      runs.append((String(decoding: part, as: UTF16.self), try entries(record)))
    }
    if !rest.isEmpty { runs.append((String(decoding: rest, as: UTF16.self), [:])) }
    return runs
  }

  /// A number of seven bits a byte, the lowest first; each byte but the last has its highest bit
  /// set.
  private static func number(_ bytes: inout Data.SubSequence) -> Int? {
    var (number, shift) = (0, 0)
    while let byte = bytes.popFirst(), shift < 28 {
      number |= Int(byte & 127) << shift
      if byte < 128 { return number }
      shift += 7
    }
    return nil
  }

  private func run(_ text: String, _ values: [String: Value]) throws(Damage) -> CAMLElement {
    var attributes = ["value": text]
    var file: CAMLElement?
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      switch key {
      case "NSFont", "CTFont":
        guard
          let font = try record(value).flatMap({ record throws(Damage) in
            try self.font(record.values)
          })
        else { continue }
        attributes["fontSize"] = font.size.map { "\($0)" }
        if font.file == nil {
          attributes["font"] = font.name
        } else {
          file = fontElement(font, named: "font")
        }
      case "NSColor", "CTForegroundColor":
        attributes["foregroundColor"] = try record(value).flatMap { record throws(Damage) in
          try color(record.values)
        }
      case "NSKern", "NSUnderline":
        let name = key == "NSKern" ? "kern" : "underlineStyle"
        switch try archive.resolve(value) {
        case .number(let number): attributes[name] = "\(number)"
        case .bool(let flag): attributes[name] = flag ? "1" : "0"
        default: continue
        }
      case "NSParagraphStyle":
        if let style = try record(value) { attributes.merge(Self.paragraph(style)) { $1 } }
      default: warn("\(key.prefix(60)) of an attributed string is left out")
      }
    }
    let run = CAMLElement(name: "run", attributes: attributes)
    if let file { run.append(file) }
    return run
  }

  private func color(_ values: [String: Value]) throws(Damage) -> String? {
    let named = [
      ["r", "g", "b", "a"], ["UIRed", "UIGreen", "UIBlue", "UIAlpha"], ["UIWhite", "UIAlpha"],
    ]
    for keys in named {
      if let text = numberText(keys, of: values) { return text }
    }
    // AppKit's colours are texts of numbers.
    for key in ["NSRGB", "NSWhite"] {
      if let data = try data(values[key]) {
        return String(decoding: data.prefix { $0 != 0 }, as: UTF8.self)
      }
    }
    return nil
  }

  private static func paragraph(_ style: KeyedArchive.Record) -> [String: String] {
    var attributes: [String: String] = [:]
    if case .number(let spacing) = style.values["lineSpacing"] ?? style.values["NSLineSpacing"] {
      attributes["lineSpacing"] = "\(spacing)"
    }
    // Lamina's numbers are Core Text's, and so are AppKit's; UIKit's are others for the centre and
    // the right, which an archive does not tell.
    let alignment = style.values["alignment"] ?? style.values["NSAlignment"]
    if case .number(let number) = alignment, number >= 0, number < 5 {
      attributes["alignmentMode"] =
        ["left", "right", "center", "justified", "natural"][Int(number)]
    }
    return attributes
  }

  // MARK: Values

  private func resolved(_ value: Value?) throws(Damage) -> Value? {
    guard let value else { return nil }
    return try archive.resolve(value)
  }

  private func record(_ value: Value) throws(Damage) -> KeyedArchive.Record? {
    guard case .object(let uid) = try archive.resolve(value) else { return nil }
    return try archive.record(uid)
  }

  /// The elements of an array, or of an archived list's object.
  private func list(_ value: Value?) throws(Damage) -> [Value] {
    switch try resolved(value) {
    case .array(let values)?: return values
    case .object(let uid)?:
      guard case .array(let values)? = try archive.record(uid)?.values["NS.objects"] else {
        return []
      }
      return values
    default: return []
    }
  }

  private func data(_ value: Value?) throws(Damage) -> Data? {
    var value = try resolved(value)
    if case .object(let uid)? = value {
      value = try resolved(archive.record(uid)?.values["NS.data"])
    }
    if case .data(let data)? = value { return data }
    return nil
  }
}
