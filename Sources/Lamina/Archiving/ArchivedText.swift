import Foundation
import LaminaGraphics
import LaminaValues

/// A font: its name, or a file's bytes, and its size unless it has none.
final class ArchivedFont: NSObject, ArchivedValue {
  let value: Any

  init(_ font: CTFont) { value = font }
  init(_ font: CGFont) { value = font }

  static var supportsSecureCoding: Bool { true }

  func encode(with coder: NSCoder) {
    let sized = value as? CTFont
    if let font = sized?.graphicsFont ?? value as? CGFont, let data = font.data {
      coder.encode(NSData(data: data), forKey: "data")
    } else {
      coder.encode((sized?.name ?? (value as? CGFont)?.name ?? "") as NSString, forKey: "name")
    }
    if let sized { coder.encode(Double(CTFontGetSize(sized)), forKey: "size") }
  }

  init?(coder: NSCoder) {
    let size = coder.archivedNumber(forKey: "size").map { CGFloat($0) }
    let name = coder.archivedValue(forKey: "name") as? String
    if let data = coder.archivedValue(forKey: "data") as? Data {
      guard let font = try? CGFont(data: data, named: "an archived font") else { return nil }
      value = size.map { CTFontCreateWithGraphicsFont(font, $0, nil, nil) } ?? font
    } else if let name, let size {
      value = CTFontCreateWithName(name, size, nil)
    } else if let name, let font = CGFont(name) {
      value = font
    } else {
      return nil
    }
  }
}

/// A paragraph's style.
final class ArchivedParagraphStyle: NSObject, ArchivedValue {
  private let style: CTParagraphStyle

  init(_ style: CTParagraphStyle) { self.style = style }

  static var supportsSecureCoding: Bool { true }

  func encode(with coder: NSCoder) {
    coder.encode(Int(style.alignment.rawValue), forKey: "alignment")
    coder.encode(Double(style.lineSpacing), forKey: "lineSpacing")
  }

  init?(coder: NSCoder) {
    guard
      let alignment = coder.archivedNumber(forKey: "alignment").flatMap({ UInt8(exactly: $0) })
        .flatMap(CTTextAlignment.init), let spacing = coder.archivedNumber(forKey: "lineSpacing")
    else { return nil }
    style = CTParagraphStyle(alignment: alignment, lineSpacing: spacing)
  }

  var value: Any { style }
}

/// An attributed string, as the texts and attributes of its runs.
final class ArchivedText: NSObject, ArchivedValue {
  private let string: NSAttributedString
  private let runs: [NSObject]

  /// Leaves out, with a warning, attributes that cannot be archived.
  init(_ string: NSAttributedString, by coder: NSCoder) {
    self.string = string
    var runs: [NSObject] = []
    let all = NSRange(location: 0, length: string.length)
    string.enumerateAttributes(in: all, options: []) { attributes, range, _ in
      var objects: [String: NSObject] = [
        Self.textKey: NSString(string: string.attributedSubstring(from: range).string)
      ]
      for (key, value) in attributes {
        let name = "\(key.rawValue) of an attributed string"
        objects[key.rawValue] = archivedObject(value, key: name, by: coder)
      }
      runs.append(ArchivedDictionary(objects))
    }
    self.runs = runs
  }

  /// The key of a run's text, beside those of its attributes.
  private static let textKey = "text"

  static var supportsSecureCoding: Bool { true }

  func encode(with coder: NSCoder) { coder.encode(NSArray(array: runs), forKey: "runs") }

  init?(coder: NSCoder) {
    guard let runs = coder.archivedValue(forKey: "runs") as? [Any] else { return nil }
    let string = NSMutableAttributedString(string: "")
    for run in runs {
      guard var objects = run as? [String: Any],
        let text = objects.removeValue(forKey: Self.textKey) as? String
      else { return nil }
      let attributes = objects.map { (NSAttributedString.Key($0.key), $0.value) }
      string.append(
        NSAttributedString(
          string: text, attributes: Dictionary(attributes, uniquingKeysWith: { first, _ in first }))
      )
    }
    self.string = string
    self.runs = []
  }

  var value: Any { string }
}
