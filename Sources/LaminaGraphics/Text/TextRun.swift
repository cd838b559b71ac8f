import CPango
import Foundation
import LaminaValues

/// A run of text with the same attributes.
struct TextRun {
  /// In the text's UTF-8.
  var bytes: Range<Int>
  var font: CTFont
  /// Nil for the context's fill colour.
  var color: CGColor?
  var kern: CGFloat
  var isUnderlined: Bool
  /// Nil for the style that all text has by itself.
  var paragraph: CTParagraphStyle?

  /// The properties of a context that colours depend on: colours are attributes of a layout.
  struct Coloring: Equatable {
    var space: CGColorSpace
    var alpha: CGFloat
  }

  static let defaultFont = CTFontCreateWithName("Helvetica", 12, nil)

  private init(bytes: Range<Int>, _ attributes: [NSAttributedString.Key: Any]) {
    func value(_ name: CFString) -> Any? { attributes[NSAttributedString.Key(name)] }
    let usesContext = (value(kCTForegroundColorFromContextAttributeName) as? Bool) ?? false
    let color = value(kCTForegroundColorAttributeName) ?? attributes[.foregroundColor]
    self.bytes = bytes
    font = value(kCTFontAttributeName) as? CTFont ?? Self.defaultFont
    self.color = usesContext ? nil : color as? CGColor ?? .black
    kern = Self.number(value(kCTKernAttributeName))
    isUnderlined = Self.number(value(kCTUnderlineStyleAttributeName)) != 0
    paragraph = value(kCTParagraphStyleAttributeName) as? CTParagraphStyle
  }

  /// The value of a number of any type; 0 for anything else.
  static func number(_ value: Any?) -> CGFloat {
    switch value {
    case let value as CGFloat: value
    case let value as Int: CGFloat(value)
    case let value as Int32: CGFloat(value)
    case let value as Float: CGFloat(value)
    case let value as NSNumber: CGFloat(value.doubleValue)
    default: 0
    }
  }

  /// The runs of a string. `text` is its text, of equal length in UTF-16 units.
  static func runs(of string: NSAttributedString, text: String) -> [TextRun] {
    var runs: [TextRun] = []
    let utf16 = text.utf16
    var (place, unit, byte) = (utf16.startIndex, 0, 0)
    let all = NSRange(location: 0, length: min(string.length, utf16.count))
    string.enumerateAttributes(in: all, options: []) { attributes, range, _ in
      let end = utf16.index(place, offsetBy: range.location + range.length - unit)
      let count = text.utf8.distance(from: place, to: end)
      runs.append(TextRun(bytes: byte..<byte + count, attributes))
      (place, unit, byte) = (end, range.location + range.length, byte + count)
    }
    return runs
  }
}

extension [TextRun] {
  /// The largest font size, in points.
  var fontSize: CGFloat { map { CTFontGetSize($0.font) }.max() ?? 0 }

  /// The largest gap between lines that a font has, in points.
  var leading: CGFloat { map { CTFontGetLeading($0.font) }.max() ?? 0 }

  /// Pango's attributes for the runs, which the caller releases; nil without memory.
  func attributes(_ coloring: TextRun.Coloring) -> OpaquePointer? {
    guard let list = pango_attr_list_new() else { return nil }
    for run in self {
      func add(_ attribute: UnsafeMutablePointer<PangoAttribute>?) {
        guard let attribute else { return }
        attribute.pointee.start_index = UInt32(clamping: run.bytes.lowerBound)
        attribute.pointee.end_index = UInt32(clamping: run.bytes.upperBound)
        pango_attr_list_insert(list, attribute)
      }
      add(pango_attr_font_desc_new(run.font.description))
      if run.kern != 0 { add(pango_attr_letter_spacing_new(run.kern.pangoUnits)) }
      if run.isUnderlined { add(pango_attr_underline_new(1)) }
      if let color = run.color, color.isFinite {
        let (red, green, blue, alpha) = color.components(in: coloring.space)
        func word(_ v: Double) -> UInt16 { UInt16((v * 65_535).rounded()) }
        add(pango_attr_foreground_new(word(red), word(green), word(blue)))
        // Pango takes an alpha of 0 for opaque.
        add(pango_attr_foreground_alpha_new(Swift.max(1, word(alpha * coloring.alpha))))
      }
    }
    return list
  }
}
