import CCairo
import CPango
import Foundation
import LaminaValues

/// A glyph's number in its font; 0 stands for a character that the font lacks.
public typealias CGGlyph = UInt16
/// A UTF-16 unit.
public typealias UniChar = UInt16

/// The direction in which text runs. There is no vertical text: `vertical` counts as `horizontal`.
public enum CTFontOrientation: UInt32, Sendable {
  /// The font's own, which is horizontal.
  case `default` = 0
  /// Along x, or along y.
  case horizontal, vertical
}

extension CTFont {
  /// Calls `body` with Pango's font, and with the text engine locked; does not call it if there is
  /// no font at all.
  func withPangoFont<Result>(_ body: (OpaquePointer) -> Result) -> Result? {
    TextEngine.shared.withLock { engine in
      guard let context = engine.lockedContext.pointer,
        let font = pango_context_load_font(context, description)
      else { return nil }
      defer { g_object_unref(UnsafeMutableRawPointer(font)) }
      return body(font)
    }
  }

  /// The inked area and the advance of glyphs, in points with y up.
  func extents(of glyphs: some Sequence<CGGlyph>) -> [(ink: CGRect, advance: CGFloat)] {
    withPangoFont { font in
      glyphs.map { glyph in
        var (ink, logical) = (PangoRectangle(), PangoRectangle())
        pango_font_get_glyph_extents(font, UInt32(glyph), &ink, &logical)
        return (CGRect(pango: ink), CGFloat(pango: logical.width))
      }
    } ?? glyphs.map { _ in (.zero, 0) }
  }

  fileprivate func glyph(of character: Unicode.Scalar) -> CGGlyph {
    withPangoFont { pango_fc_font_get_glyph($0, character.value) }.flatMap(CGGlyph.init(exactly:))
      ?? 0
  }

  /// The height in points to which a character is inked.
  fileprivate func height(of character: Unicode.Scalar) -> CGFloat {
    max(0, extents(of: [glyph(of: character)])[0].ink.maxY)
  }

  /// A glyph's outline in points, with y up.
  fileprivate func outline(of glyph: CGGlyph) -> Path {
    // Cairo's outlines are rounded to 1/256 of a pixel, so they are made of large glyphs.
    let scale = 4096 / size
    return withPangoFont { font in
      guard let surface = CairoSurface(PixelRect(minX: 0, minY: 0, maxX: 1, maxY: 1)) else {
        return Path()
      }
      var path = Path()
      surface.draw { cairo in
        cairo_scale(cairo, scale, scale)
        cairo.add([glyph], of: font, at: [.zero], asPath: true)
        path = Path(of: cairo).applying(CGAffineTransform(scaleX: 1, y: -1))
      }
      return path
    } ?? Path()
  }
}

extension OpaquePointer {
  /// Draws glyphs of a Pango font on this context of Cairo's, or adds their outlines to its path,
  /// at places in points with y up. Pango's own function for it draws with the opacity of the last
  /// text that was drawn in the process, if that had one.
  fileprivate func add(
    _ glyphs: [CGGlyph], of font: OpaquePointer, at positions: [CGPoint], asPath: Bool
  ) {
    guard let scaledFont = pango_cairo_font_get_scaled_font(font) else { return }
    cairo_set_scaled_font(self, scaledFont)
    let placed = zip(glyphs, positions).map { glyph, position in
      cairo_glyph_t(
        index: UInt(glyph), x: CGFloat(pango: position.x.pangoUnits),
        y: CGFloat(pango: (-position.y).pangoUnits))
    }
    let count = Int32(clamping: placed.count)
    if asPath {
      cairo_glyph_path(self, placed, count)
    } else {
      cairo_show_glyphs(self, placed, count)
    }
  }
}

/// Glyphs of one font at places of the text's space.
struct DrawnGlyphs: DrawnText {
  let font: CTFont
  let glyphs: [CGGlyph]
  let positions: [CGPoint]
  /// Nil for the context's fill colour.
  let color: CGColor?

  var fontSize: CGFloat { font.size }

  var ink: CGRect {
    zip(font.extents(of: glyphs), positions).reduce(CGRect.null) { area, glyph in
      glyph.0.ink.isEmpty
        ? area : area.union(glyph.0.ink.offsetBy(dx: glyph.1.x, dy: glyph.1.y))
    }
  }

  func show(
    on cairo: OpaquePointer, in toPixels: CGAffineTransform, asPath: Bool,
    coloring: TextRun.Coloring?
  ) {
    if let coloring, let color { cairo.setSource(color, coloring) }
    _ = font.withPangoFont { font in
      cairo.showText(at: .zero, in: toPixels, asPath: asPath) {
        cairo.add(glyphs, of: font, at: positions, asPath: asPath)
      }
    }
  }
}

// MARK: - Core Text's functions

/// Stores the glyphs of `count` UTF-16 units; of two that make up one character, the second gets 0.
/// False if the font lacks a character, whose glyph is 0 then.
public func CTFontGetGlyphsForCharacters(
  _ font: CTFont, _ characters: UnsafePointer<UniChar>, _ glyphs: UnsafeMutablePointer<CGGlyph>,
  _ count: CFIndex
) -> Bool {
  let units = Array(UnsafeBufferPointer(start: characters, count: max(0, count)))
  for index in units.indices { glyphs[index] = 0 }
  return font.withPangoFont { pango in
    var (index, hasAll) = (0, true)
    while index < units.count {
      var scalar = UInt32(units[index])
      var length = 1
      if UTF16.isLeadSurrogate(units[index]), index + 1 < units.count,
        UTF16.isTrailSurrogate(units[index + 1])
      {
        scalar = 0x10000 + (scalar - 0xd800) << 10 + (UInt32(units[index + 1]) - 0xdc00)
        length = 2
      }
      glyphs[index] = CGGlyph(exactly: pango_fc_font_get_glyph(pango, scalar)) ?? 0
      if glyphs[index] == 0 { hasAll = false }
      index += length
    }
    return hasAll
  } ?? false
}

/// A glyph's outline in points, with y up from the baseline, mapped by `matrix`. Nil if it has
/// none, as a space's.
public func CTFontCreatePathForGlyph(
  _ font: CTFont, _ glyph: CGGlyph, _ matrix: UnsafePointer<CGAffineTransform>?
) -> CGPath? {
  let outline = font.outline(of: glyph)
  guard !outline.isEmpty else { return nil }
  let path = CGMutablePath()
  path.addPath(CGPath(outline), transform: matrix?.pointee ?? .identity)
  return path
}

/// The sum of the glyphs' advances in points. Also stores each of them, unless `advances` is nil.
@discardableResult
public func CTFontGetAdvancesForGlyphs(
  _ font: CTFont, _ orientation: CTFontOrientation, _ glyphs: UnsafePointer<CGGlyph>,
  _ advances: UnsafeMutablePointer<CGSize>?, _ count: CFIndex
) -> Double {
  let extents = font.extents(of: UnsafeBufferPointer(start: glyphs, count: max(0, count)))
  for (index, glyph) in extents.enumerated() {
    advances?[index] = CGSize(width: glyph.advance, height: 0)
  }
  return Double(extents.reduce(0) { $0 + $1.advance })
}

/// The smallest rectangle around the glyphs' inked areas, in points with y up, were they all at the
/// origin. Also stores each area, unless `boundingRects` is nil.
@discardableResult
public func CTFontGetBoundingRectsForGlyphs(
  _ font: CTFont, _ orientation: CTFontOrientation, _ glyphs: UnsafePointer<CGGlyph>,
  _ boundingRects: UnsafeMutablePointer<CGRect>?, _ count: CFIndex
) -> CGRect {
  let extents = font.extents(of: UnsafeBufferPointer(start: glyphs, count: max(0, count)))
  for (index, glyph) in extents.enumerated() { boundingRects?[index] = glyph.ink }
  return extents.reduce(CGRect.null) { $1.ink.isEmpty ? $0 : $0.union($1.ink) }
}

/// The height of capital letters, in points: that of the font's H.
public func CTFontGetCapHeight(_ font: CTFont) -> CGFloat { font.height(of: "H") }
/// The height of small letters, in points: that of the font's x.
public func CTFontGetXHeight(_ font: CTFont) -> CGFloat { font.height(of: "x") }

/// Draws glyphs at positions of the text matrix's space, in the context's fill colour and text
/// drawing mode.
public func CTFontDrawGlyphs(
  _ font: CTFont, _ glyphs: UnsafePointer<CGGlyph>, _ positions: UnsafePointer<CGPoint>,
  _ count: Int, _ context: CGContext
) {
  guard count > 0 else { return }
  context.draw(
    DrawnGlyphs(
      font: font, glyphs: Array(UnsafeBufferPointer(start: glyphs, count: count)),
      positions: Array(UnsafeBufferPointer(start: positions, count: count)), color: nil))
}
