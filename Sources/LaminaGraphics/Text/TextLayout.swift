import CCairo
import CPango
import Foundation
import LaminaValues

/// Text that Pango has laid out, in one line or several.
final class TextLayout: @unchecked Sendable {
  /// A line and the place of its origin on the baseline, in the text's space, whose y points up.
  struct Line {
    var pointer: OpaquePointer
    var origin = CGPoint.zero
  }

  let text: String
  let runs: [TextRun]
  /// The string that was laid out; never changed.
  let string: NSAttributedString
  /// Used only while the text engine is locked; nil if there is no font at all.
  private var state: State?

  private struct State {
    var layout: OpaquePointer
    var coloring: TextRun.Coloring
  }

  /// Lays out a string. Characters in `blanks`, and NULs, which Pango's text cannot have, count as
  /// spaces. `form` sets the layout's properties, with the text engine locked.
  init(
    _ string: NSAttributedString, blanks: Set<Unicode.Scalar>,
    form: (OpaquePointer, [TextRun]) -> Void
  ) {
    let blanks = blanks.union(["\0"])
    let text = String(
      String.UnicodeScalarView(string.string.unicodeScalars.map { blanks.contains($0) ? " " : $0 }))
    self.text = text
    self.string = NSAttributedString(attributedString: string)
    let runs = TextRun.runs(of: string, text: text)
    self.runs = runs
    let coloring = TextRun.Coloring(space: CGColorSpace(.sRGB), alpha: 1)
    state = TextEngine.shared.withLock { engine in
      guard let context = engine.context, let layout = pango_layout_new(context) else { return nil }
      form(layout, runs)
      pango_layout_set_text(layout, text, Int32(clamping: text.utf8.count))
      return State(layout: layout, coloring: coloring)
    }
    TextEngine.shared.withLock { _ in setAttributes(coloring) }
  }

  deinit {
    TextEngine.shared.withLock { _ in
      if let state { g_object_unref(UnsafeMutableRawPointer(state.layout)) }
    }
  }

  /// Sets the layout's attributes. Call it with the text engine locked.
  private func setAttributes(_ coloring: TextRun.Coloring) {
    guard let layout = state?.layout, let list = runs.attributes(coloring) else { return }
    for bytes in text.blanksWithMarks {
      guard let attribute = pango_attr_allow_breaks_new(0) else { continue }
      attribute.pointee.start_index = UInt32(clamping: bytes.lowerBound)
      attribute.pointee.end_index = UInt32(clamping: bytes.upperBound)
      pango_attr_list_insert(list, attribute)
    }
    pango_layout_set_attributes(layout, list)
    pango_attr_list_unref(list)
    state?.coloring = coloring
    if pango_layout_is_ellipsized(layout) != 0 { layout.narrowEllipses() }
    if runs.contains(where: { $0.kern != 0 }) { moveKern(in: layout) }
  }

  /// Puts the space that runs add to their glyphs behind each glyph. Pango has half of it before
  /// and half behind, and none at a line's ends. In runs from right to left it stays so.
  private func moveKern(in layout: OpaquePointer) {
    guard let iterator = pango_layout_get_iter(layout) else { return }
    defer { pango_layout_iter_free(iterator) }
    let isJustified = pango_layout_get_justify(layout) != 0
    var line: [PangoGlyphItem] = []
    repeat {
      if let run = pango_layout_iter_get_run(iterator) {
        line.append(run.pointee)
      } else {
        moveKern(in: line, isJustified: isJustified)
        line = []
      }
    } while pango_layout_iter_next_run(iterator) != 0
  }

  private func moveKern(in line: [PangoGlyphItem], isJustified: Bool) {
    for (index, run) in line.enumerated() {
      guard let item = run.item?.pointee, item.level & 1 == 0,
        Int(item.flags) & LAMINA_PANGO_ANALYSIS_IS_ELLIPSIS == 0, let string = run.glyphs?.pointee
      else { continue }
      let kern = kern(ofByte: Int(item.offset))
      // Zeroed glyphs are spaces at the end of a wrapped line.
      let glyphs = UnsafeMutableBufferPointer(start: string.glyphs, count: Int(string.count))
      guard kern != 0, let first = glyphs.firstIndex(where: { $0.width != 0 }),
        let last = glyphs.lastIndex(where: { $0.width != 0 })
      else { continue }
      var before = kern / 2
      let unit = Int32(LAMINA_PANGO_SCALE)
      if kern % unit == 0 { before = (before + unit / 2) & ~(unit - 1) }
      let begins = index == 0 || isTab(line[index - 1])
      let ends = index == line.count - 1 || isTab(line[index + 1])
      if !begins, first == 0 {
        glyphs[first].x_offset -= before
        glyphs[first].width -= before
      }
      if !ends {
        glyphs[last].width += before
      } else if last == glyphs.count - 1, !isJustified {
        glyphs[last].width += kern
      }
    }
  }

  private func kern(ofByte byte: Int) -> Int32 {
    runs.last { $0.bytes.lowerBound <= byte }?.kern.pangoUnits ?? 0
  }

  private func isTab(_ run: PangoGlyphItem) -> Bool {
    guard let offset = run.item?.pointee.offset else { return false }
    return text.utf8.dropFirst(Int(offset)).first == UInt8(ascii: "\t")
  }

  /// The place of a byte of the text in UTF-16 units.
  func utf16Offset(ofByte byte: Int) -> Int {
    let place = text.utf8.index(
      text.utf8.startIndex, offsetBy: min(max(byte, 0), text.utf8.count))
    return text.utf16.distance(from: text.utf16.startIndex, to: place)
  }

  /// Calls `body` with Pango's layout, coloured for `coloring` if that is not nil, and with the
  /// text engine locked; does not call it if there is no font.
  func withLayout<Result>(
    coloring: TextRun.Coloring? = nil, _ body: (OpaquePointer) -> Result
  ) -> Result? {
    TextEngine.shared.withLock { _ in
      if let coloring, state?.coloring != coloring { setAttributes(coloring) }
      guard let layout = state?.layout else { return nil }
      return body(layout)
    }
  }
}

// MARK: - Indices

extension TextLayout {
  /// The byte offset of an index of the text in UTF-16 units.
  func byte(at index: Int) -> Int32 {
    let utf16 = text.utf16
    let place = utf16.index(utf16.startIndex, offsetBy: min(max(index, 0), utf16.count))
    return Int32(clamping: text.utf8.distance(from: text.utf8.startIndex, to: place))
  }

  /// The index, in UTF-16 units, that lies `characters` Unicode scalars after a byte offset.
  func index(ofByte byte: Int32, plus characters: Int32 = 0) -> Int {
    let scalars = text.unicodeScalars
    let start = text.utf8.index(
      text.utf8.startIndex, offsetBy: min(max(Int(byte), 0), text.utf8.count))
    let place =
      scalars.index(start, offsetBy: Int(characters), limitedBy: scalars.endIndex)
      ?? scalars.endIndex
    return text.utf16.distance(from: text.utf16.startIndex, to: place)
  }
}

extension String {
  /// The places, in bytes, of blanks with the combining marks that follow them. Lines break there
  /// for Pango, and letters do not, of which it ends the program in narrow lines.
  fileprivate var blanksWithMarks: [Range<Int>] {
    guard utf8.contains(where: { $0 >= 0x80 }) else { return [] }
    var places: [Range<Int>] = []
    var (offset, last) = (0, 0)
    var isBlank = false
    for scalar in unicodeScalars {
      let length = UTF8.width(scalar)
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .spacingMark, .enclosingMark:
        if isBlank { places.append(last..<offset + length) }
      default: (isBlank, last) = (scalar.properties.isWhitespace, offset)
      }
      offset += length
    }
    return places
  }
}

/// A layout of Pango's.
extension OpaquePointer {
  /// Gives ellipses their own width: Pango widens them until their lines are as wide as the layout.
  fileprivate func narrowEllipses() {
    guard let iterator = pango_layout_get_iter(self) else { return }
    defer { pango_layout_iter_free(iterator) }
    repeat {
      guard let run = pango_layout_iter_get_run(iterator)?.pointee, let item = run.item,
        Int(item.pointee.flags) & LAMINA_PANGO_ANALYSIS_IS_ELLIPSIS != 0,
        let glyphs = run.glyphs?.pointee, glyphs.count > 0
      else { continue }
      let last = glyphs.glyphs + Int(glyphs.count - 1)
      var (ink, logical) = (PangoRectangle(), PangoRectangle())
      pango_font_get_glyph_extents(item.pointee.font, last.pointee.glyph, &ink, &logical)
      last.pointee.width = min(last.pointee.width, logical.width)
    } while pango_layout_iter_next_run(iterator) != 0
  }
}

/// Something that a context draws as text.
protocol DrawnText {
  /// The largest font size, in points.
  var fontSize: CGFloat { get }
  /// The inked area in the text's space, whose y points up.
  var ink: CGRect { get }
  /// Draws the glyphs, or adds their outlines to `cairo`'s path, coloured for `coloring` if that is
  /// not nil. `toPixels` maps the text's space to `cairo`'s, whose matrix is the identity before
  /// and after.
  func show(
    on cairo: OpaquePointer, in toPixels: CGAffineTransform, asPath: Bool,
    coloring: TextRun.Coloring?)
}

/// Text of Pango's lines.
protocol DrawnLines: DrawnText {
  var runs: [TextRun] { get }
  /// Calls `body` with the lines, in one part or two, coloured for `coloring` if that is not nil,
  /// and with the text engine locked.
  func withLines(coloring: TextRun.Coloring?, _ body: ([TextLayout.Line]) -> Void)
}

extension DrawnLines {
  var fontSize: CGFloat { runs.fontSize }

  func show(
    on cairo: OpaquePointer, in toPixels: CGAffineTransform, asPath: Bool,
    coloring: TextRun.Coloring?
  ) {
    // Outlines have no colours of their own, unlike glyphs.
    if asPath, let coloring, let color = runs.first?.color,
      runs.allSatisfy({ $0.color == color })
    {
      cairo.setSource(color, coloring)
    }
    withLines(coloring: coloring) { lines in
      for line in lines {
        cairo.showText(at: line.origin, in: toPixels, asPath: asPath) {
          if asPath {
            pango_cairo_layout_line_path(cairo, line.pointer)
          } else {
            pango_cairo_show_layout_line(cairo, line.pointer)
          }
        }
      }
    }
  }
}

/// A context of Cairo's.
extension OpaquePointer {
  /// Sets the source to the colour of text.
  func setSource(_ color: CGColor, _ coloring: TextRun.Coloring) {
    guard color.isFinite else { return }
    let (red, green, blue, alpha) = color.components(in: coloring.space)
    cairo_set_source_rgba(self, red, green, blue, alpha * coloring.alpha)
  }

  /// Calls `show` with Pango's space, whose y points down, in place of the text's, and its origin
  /// at `origin` in the text's.
  func showText(
    at origin: CGPoint, in toPixels: CGAffineTransform, asPath: Bool, _ show: () -> Void
  ) {
    let place = CGAffineTransform(
      a: 1, b: 0, c: 0, d: -1, tx: origin.x, ty: origin.y
    ).concatenating(toPixels)
    guard var matrix = place.cairo else { return }
    cairo_set_matrix(self, &matrix)
    cairo_move_to(self, 0, 0)
    show()
    if !asPath { cairo_new_path(self) }
    cairo_identity_matrix(self)
  }
}

extension CGRect {
  /// Pango's y points down.
  init(pango r: PangoRectangle) {
    self.init(
      x: CGFloat(pango: r.x), y: -CGFloat(pango: r.y) - CGFloat(pango: r.height),
      width: CGFloat(pango: r.width), height: CGFloat(pango: r.height))
  }
}
