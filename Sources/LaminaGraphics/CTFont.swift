import CPango
import Foundation
import LaminaValues

/// A font at a size. What fontconfig finds for its name: a stand-in where there is none of it.
public final class CTFont: Hashable, @unchecked Sendable {
  /// The name it was asked for.
  fileprivate let name: String
  fileprivate let size: CGFloat
  /// Pango's description of it; nobody changes it any more.
  let description: OpaquePointer
  fileprivate let metrics: Metrics

  /// In points; positive, also what lies below the baseline.
  struct Metrics {
    var family = ""
    var ascent: CGFloat
    var descent: CGFloat
    var leading: CGFloat
    var underlinePosition: CGFloat
    var underlineThickness: CGFloat
  }

  /// FreeType fails at sizes beyond 16 bits, and Cairo does not forget a failure.
  private static let largestSize: CGFloat = 10_000

  fileprivate init(name: String, size: CGFloat) {
    let points = size > 0 && size.isFinite ? min(size, CTFont.largestSize) : 12
    self.name = name
    self.size = points
    (description, metrics) = TextEngine.shared.withLock { engine in
      let description = CTFont.description(of: name)
      pango_font_description_set_absolute_size(
        description, Double(points) * Double(LAMINA_PANGO_SCALE))
      return (description, CTFont.metrics(of: description, size: points, in: engine))
    }
  }

  deinit { pango_font_description_free(description) }

  public static func == (a: CTFont, b: CTFont) -> Bool { a.name == b.name && a.size == b.size }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(size)
  }

  /// A name may be a family's, "DejaVu Sans", or a PostScript one, "DejaVuSans-BoldOblique".
  private static func description(of name: String) -> OpaquePointer {
    var (family, style) = (Substring(name), "")
    if let dash = name.lastIndex(of: "-") {
      let words = name[name.index(after: dash)...].reduce(into: "") { words, letter in
        if letter.isUppercase, !words.isEmpty, !words.hasSuffix("Semi"), !words.hasSuffix("Demi"),
          !words.hasSuffix("Extra"), !words.hasSuffix("Ultra")
        {
          words += " "
        }
        words.append(letter)
      }
      if words.split(separator: " ").allSatisfy({ styleWords.contains(String($0)) }) {
        (family, style) = (name[..<dash], words)
      }
    }
    let plain = family.filter { $0 != "," && $0 != "\0" }
    return pango_font_description_from_string("\(plain), \(style)")
  }

  private static let styleWords: Set<String> = [
    "Regular", "Roman", "Bold", "Italic", "Oblique", "Light", "Medium", "Thin", "Black", "Heavy",
    "Book", "SemiBold", "Semibold", "DemiBold", "Demibold", "ExtraBold", "UltraBold", "UltraLight",
    "ExtraLight", "Condensed", "SemiCondensed", "ExtraCondensed", "Expanded",
  ]

  private static func metrics(
    of description: OpaquePointer, size: CGFloat, in engine: TextEngine
  ) -> Metrics {
    guard let context = engine.context,
      let font = pango_context_load_font(context, description),
      let found = pango_font_get_metrics(font, nil)
    else {
      return Metrics(
        ascent: size * 0.8, descent: size * 0.2, leading: 0, underlinePosition: size * -0.1,
        underlineThickness: size * 0.05)
    }
    defer {
      pango_font_metrics_unref(found)
      g_object_unref(UnsafeMutableRawPointer(font))
    }
    let ascent = CGFloat(pango: pango_font_metrics_get_ascent(found))
    let descent = CGFloat(pango: pango_font_metrics_get_descent(found))
    let height = CGFloat(pango: pango_font_metrics_get_height(found))
    let actual = pango_font_describe(font)
    defer { pango_font_description_free(actual) }
    return Metrics(
      family: actual.flatMap(pango_font_description_get_family).map { String(cString: $0) } ?? "",
      ascent: ascent, descent: descent, leading: max(0, height - ascent - descent),
      underlinePosition: CGFloat(pango: pango_font_metrics_get_underline_position(found)),
      underlineThickness: CGFloat(pango: pango_font_metrics_get_underline_thickness(found)))
  }
}

/// A font by its family's or its PostScript name, `size` points large, 12 with 0 and
/// 10,000 at most. Unlike Apple's it
/// has no matrix of its own, and none is taken from `matrix`: a context's `textMatrix` slants text.
public func CTFontCreateWithName(
  _ name: CFString, _ size: CGFloat, _ matrix: UnsafePointer<CGAffineTransform>?
) -> CTFont {
  CTFont(name: name, size: size)
}

/// In points.
public func CTFontGetSize(_ font: CTFont) -> CGFloat { font.size }
/// How far above the baseline the font reaches, in points.
public func CTFontGetAscent(_ font: CTFont) -> CGFloat { font.metrics.ascent }
/// How far below the baseline the font reaches, in points; positive.
public func CTFontGetDescent(_ font: CTFont) -> CGFloat { font.metrics.descent }
/// How much the font wants between one line's descent and the next one's ascent, in points.
public func CTFontGetLeading(_ font: CTFont) -> CGFloat { font.metrics.leading }
/// The underline's distance from the baseline, in points; negative below.
public func CTFontGetUnderlinePosition(_ font: CTFont) -> CGFloat { font.metrics.underlinePosition }
/// The underline's thickness in points.
public func CTFontGetUnderlineThickness(_ font: CTFont) -> CGFloat {
  font.metrics.underlineThickness
}
/// The family of the font that was found.
public func CTFontCopyFamilyName(_ font: CTFont) -> CFString { font.metrics.family }
