import CCairo
import CPango
import Foundation
import LaminaValues

/// Pango's fonts and the context that lays out text with them. Pango supports one thread at a time,
/// so all use of it goes through `shared`.
struct TextEngine {
  static let shared = Lock(TextEngine())

  private let fonts: OpaquePointer?
  /// Nil if Pango finds no font at all: then no text can be laid out.
  private(set) var context: OpaquePointer?

  private init() {
    fonts = pango_cairo_font_map_new()
    context = fonts.flatMap(pango_font_map_create_context)
    guard let context else { return }
    // Text looks the same at every position and scale, because what is drawn once becomes a texture
    // that moves.
    let options = cairo_font_options_create()
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
    pango_cairo_context_set_font_options(context, options)
    cairo_font_options_destroy(options)
    pango_context_set_round_glyph_positions(context, 0)
    let anyFont = pango_font_description_from_string("Sans 12")
    defer { pango_font_description_free(anyFont) }
    guard let font = pango_context_load_font(context, anyFont) else {
      self.context = nil
      return
    }
    g_object_unref(UnsafeMutableRawPointer(font))
  }
}

/// Lengths in Pango's units.
extension CGFloat {
  init(pango units: Int32) { self = CGFloat(units) / CGFloat(LAMINA_PANGO_SCALE) }

  var pangoUnits: Int32 {
    Int32(clamping: Int((self * CGFloat(LAMINA_PANGO_SCALE)).clamped(to: 1e9).rounded()))
  }

  func clamped(to limit: CGFloat) -> CGFloat {
    isNaN ? 0 : Swift.min(Swift.max(self, -limit), limit)
  }
}
