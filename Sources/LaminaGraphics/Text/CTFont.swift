import CPango
import Foundation
import LaminaValues

/// A font at a size. If fontconfig finds no font of the name, its substitute is used.
public final class CTFont: Hashable, @unchecked Sendable {
  /// The requested name.
  package let name: String
  let size: CGFloat
  /// The family used because there is none of the name; nil if there is one.
  package let substitute: String?
  /// The font of a file, from which this one was made.
  package let graphicsFont: CGFont?
  /// Pango's description of the font; never changed after the initialiser.
  let description: OpaquePointer
  fileprivate let metrics: Metrics

  /// The font's measures in points. The descent is positive, the underline's position negative if
  /// it is below the baseline.
  struct Metrics {
    var family = ""
    var ascent: CGFloat
    var descent: CGFloat
    var leading: CGFloat
    var underlinePosition: CGFloat
    var underlineThickness: CGFloat
  }

  /// Largest size, in points: FreeType fails at sizes beyond 16 bits, and Cairo never recovers from
  /// a failure.
  private static let largestSize: CGFloat = 10_000

  package init(name: String, size: CGFloat, graphicsFont: CGFont? = nil) {
    let points = size > 0 && size.isFinite ? min(size, CTFont.largestSize) : 12
    self.name = name
    self.size = points
    self.graphicsFont = graphicsFont
    (description, metrics, substitute) = TextEngine.shared.withLock { engine in
      let (family, description) = CTFont.description(of: name)
      pango_font_description_set_absolute_size(
        description, Double(points) * Double(LAMINA_PANGO_SCALE))
      return (
        description, CTFont.metrics(of: description, size: points, in: engine.context),
        graphicsFont == nil ? engine.substitute(for: family) : nil
      )
    }
  }

  /// The font that Pango took for characters that another one lacks. Takes over `description`, of
  /// Pango's, which has the size.
  init(substitute description: OpaquePointer, name: String, size: CGFloat) {
    (self.name, self.size, self.description) = (name, size, description)
    (graphicsFont, substitute) = (nil, nil)
    metrics = TextEngine.shared.withLock { engine in
      CTFont.metrics(of: description, size: size, in: engine.lockedContext.pointer)
    }
  }

  /// The family of the font that was found.
  var family: String { metrics.family }

  /// The same font at another size.
  package func sized(_ size: CGFloat) -> CTFont {
    size == self.size ? self : CTFont(name: name, size: size, graphicsFont: graphicsFont)
  }

  deinit { pango_font_description_free(description) }

  public static func == (a: CTFont, b: CTFont) -> Bool { a.name == b.name && a.size == b.size }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(size)
  }

  /// Pango's description for a family's name, "DejaVu Sans", or a PostScript name,
  /// "DejaVuSans-BoldOblique".
  private static func description(
    of name: String
  ) -> (family: String, description: OpaquePointer) {
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
    return (plain, pango_font_description_from_string("\(plain), \(style)"))
  }

  private static let styleWords: Set<String> = [
    "Regular", "Roman", "Bold", "Italic", "Oblique", "Light", "Medium", "Thin", "Black", "Heavy",
    "Book", "SemiBold", "Semibold", "DemiBold", "Demibold", "ExtraBold", "UltraBold", "UltraLight",
    "ExtraLight", "Condensed", "SemiCondensed", "ExtraCondensed", "Expanded",
  ]

  private static func metrics(
    of description: OpaquePointer, size: CGFloat, in context: OpaquePointer?
  ) -> Metrics {
    guard let context,
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

/// A font by its family name or PostScript name. `size` is in points: 12 if it is not positive, and
/// at most 10,000. Unlike Apple's fonts it has no matrix, and `matrix` is ignored: slant text with
/// a context's `textMatrix`.
public func CTFontCreateWithName(
  _ name: CFString, _ size: CGFloat, _ matrix: UnsafePointer<CGAffineTransform>?
) -> CTFont {
  CTFont(name: name, size: size)
}

/// The font with another size, or its own if `size` is 0. `matrix` and `attributes` are ignored.
public func CTFontCreateCopyWithAttributes(
  _ font: CTFont, _ size: CGFloat, _ matrix: UnsafePointer<CGAffineTransform>?, _ attributes: Any?
) -> CTFont {
  size > 0 ? font.sized(size) : font
}

/// A use of text in user interfaces.
public enum CTFontUIFontType: UInt32, Sendable {
  /// Text of the user's.
  case user = 0
  /// Other uses: of equal advances, of controls, in bold, and of small controls.
  case userFixedPitch, system, emphasizedSystem, smallSystem
}

/// The font for a use: that which fontconfig has for "Sans", or for "Monospace". `size` is 12
/// points if it is not positive. `language` is ignored. Never nil.
public func CTFontCreateUIFontForLanguage(
  _ uiType: CTFontUIFontType, _ size: CGFloat, _ language: CFString?
) -> CTFont? {
  let name =
    switch uiType {
    case .user, .system, .smallSystem: "Sans"
    case .userFixedPitch: "Monospace"
    case .emphasizedSystem: "Sans-Bold"
    }
  return CTFont(name: name, size: size)
}

/// The font's size in points.
public func CTFontGetSize(_ font: CTFont) -> CGFloat { font.size }
/// The distance that the font reaches above the baseline, in points.
public func CTFontGetAscent(_ font: CTFont) -> CGFloat { font.metrics.ascent }
/// The distance that the font reaches below the baseline, in points; positive.
public func CTFontGetDescent(_ font: CTFont) -> CGFloat { font.metrics.descent }
/// The font's gap between one line's descent and the next one's ascent, in points.
public func CTFontGetLeading(_ font: CTFont) -> CGFloat { font.metrics.leading }
/// The underline's distance from the baseline, in points; negative below.
public func CTFontGetUnderlinePosition(_ font: CTFont) -> CGFloat { font.metrics.underlinePosition }
/// The underline's thickness in points.
public func CTFontGetUnderlineThickness(_ font: CTFont) -> CGFloat {
  font.metrics.underlineThickness
}
/// The family name of the font that was found.
public func CTFontCopyFamilyName(_ font: CTFont) -> CFString { font.metrics.family }
