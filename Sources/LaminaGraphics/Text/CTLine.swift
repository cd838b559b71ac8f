import CPango
import Foundation
import LaminaValues

/// A line of laid-out text.
public final class CTLine: DrawnLines, Hashable, Sendable {
  let layout: TextLayout
  /// The line's number in the layout.
  private let number: Int
  /// The index, in UTF-16 units, at which the layout's text begins in the whole string.
  let start: Int
  /// The line's part of the string.
  private var string: NSAttributedString {
    let range = stringRange
    return layout.string.attributedSubstring(
      from: NSRange(location: range.location - start, length: range.length))
  }

  /// A line of a frame's layout.
  init(_ layout: TextLayout, number: Int, start: Int) {
    (self.layout, self.number, self.start) = (layout, number, start)
  }

  /// A line by itself. `form` sets more of the layout's properties, with the text engine locked.
  private init(_ string: NSAttributedString, form: (OpaquePointer) -> Void = { _ in }) {
    // A line has no line breaks.
    layout = TextLayout(string, blanks: ["\n", "\r"]) { layout, _ in
      pango_layout_set_single_paragraph_mode(layout, 1)
      form(layout)
    }
    (number, start) = (0, 0)
  }

  public static func == (a: CTLine, b: CTLine) -> Bool { a === b }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// Calls `body` with the line; does not call it if there is no font.
  func withLine<Result>(
    coloring: TextRun.Coloring? = nil, _ body: (OpaquePointer) -> Result
  ) -> Result? {
    layout.withLayout(coloring: coloring) { layout in
      pango_layout_get_line_readonly(layout, Int32(number)).map(body)
    } ?? nil
  }

  func withLines(coloring: TextRun.Coloring?, _ body: ([TextLayout.Line]) -> Void) {
    _ = withLine(coloring: coloring) { body([TextLayout.Line(pointer: $0)]) }
  }

  /// Calls `body` with each run of glyphs and the distance, in Pango's units, at which it begins.
  func forEachRun(_ body: (PangoGlyphItem, Int32) -> Void) {
    _ = layout.withLayout { layout in
      guard let iterator = pango_layout_get_iter(layout) else { return }
      defer { pango_layout_iter_free(iterator) }
      for _ in 0..<number {
        if pango_layout_iter_next_line(iterator) == 0 { return }
      }
      var x: Int32 = 0
      // After a line's last run comes nil.
      while let run = pango_layout_iter_get_run(iterator)?.pointee {
        x &+= run.start_x_offset
        body(run, x)
        if let glyphs = run.glyphs?.pointee {
          for index in 0..<Int(glyphs.count) { x &+= glyphs.glyphs[index].width }
        }
        x &+= run.end_x_offset
        guard pango_layout_iter_next_run(iterator) != 0 else { return }
      }
    }
  }

  /// The inked area, and the area of the fonts' metrics, from the line's origin with y up.
  fileprivate var extents: (ink: CGRect, logical: CGRect) {
    withLine { line in
      var (ink, logical) = (PangoRectangle(), PangoRectangle())
      pango_layout_line_get_extents(line, &ink, &logical)
      return (CGRect(pango: ink), CGRect(pango: logical))
    } ?? (.zero, .zero)
  }

  var ink: CGRect { extents.ink }
  var runs: [TextRun] { layout.runs }
  fileprivate var leading: CGFloat { layout.runs.leading }

  /// The part of the whole string, in UTF-16 units, that the line shows.
  var stringRange: CFRange {
    let bytes = withLine {
      (pango_layout_line_get_start_index($0), pango_layout_line_get_length($0))
    }
    guard let bytes else { return CFRange(location: start, length: 0) }
    let first = layout.index(ofByte: bytes.0)
    return CFRange(location: start + first, length: layout.index(ofByte: bytes.0 + bytes.1) - first)
  }

  /// The line's text cut to `width`, with an ellipsis.
  fileprivate func truncated(to width: Double, _ type: CTLineTruncationType) -> CTLine {
    CTLine(string) { layout in
      pango_layout_set_ellipsize(layout, type.ellipsis)
      pango_layout_set_width(layout, max(0, CGFloat(width).pangoUnits))
    }
  }

  fileprivate static func line(_ string: NSAttributedString) -> CTLine { CTLine(string) }
}

/// Options for a line's bounds.
public struct CTLineBoundsOptions: OptionSet, Hashable, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Leaves out the fonts' leading below the line.
  public static let excludeTypographicLeading = CTLineBoundsOptions(rawValue: 1)
  /// Uses the inked area instead of the fonts' metrics.
  public static let useGlyphPathBounds = CTLineBoundsOptions(rawValue: 8)
}

/// Lays out a string in one line. The supported attributes are `kCTFontAttributeName` and those
/// beside it; line breaks count as spaces.
public func CTLineCreateWithAttributedString(_ string: CFAttributedString) -> CTLine {
  CTLine.line(string)
}

/// A line no wider than `width` points, with an ellipsis in the place of what `truncationType`
/// says; the line itself if it is not wider. The ellipsis is always "…": `truncationToken` is
/// ignored.
public func CTLineCreateTruncatedLine(
  _ line: CTLine, _ width: Double, _ truncationType: CTLineTruncationType,
  _ truncationToken: CTLine?
) -> CTLine? {
  CTLineGetTypographicBounds(line, nil, nil, nil) <= width
    ? line : line.truncated(to: width, truncationType)
}

/// The line's width in points, including the spaces at its end. Also stores the ascent, the descent
/// and the leading, all positive and in points, for each argument that is not nil.
@discardableResult
public func CTLineGetTypographicBounds(
  _ line: CTLine, _ ascent: UnsafeMutablePointer<CGFloat>?,
  _ descent: UnsafeMutablePointer<CGFloat>?, _ leading: UnsafeMutablePointer<CGFloat>?
) -> Double {
  let logical = line.extents.logical
  ascent?.pointee = logical.maxY
  descent?.pointee = -logical.minY
  leading?.pointee = line.leading
  return Double(logical.width)
}

/// The line's bounds in points, relative to its origin on the baseline, with y up.
public func CTLineGetBoundsWithOptions(_ line: CTLine, _ options: CTLineBoundsOptions) -> CGRect {
  let (ink, logical) = line.extents
  if options.contains(.useGlyphPathBounds) { return ink }
  let leading = options.contains(.excludeTypographicLeading) ? 0 : line.leading
  return CGRect(
    x: logical.minX, y: logical.minY - leading, width: logical.width,
    height: logical.height + leading)
}

/// The inked area of the line at the context's text position, or at zero without a context.
public func CTLineGetImageBounds(_ line: CTLine, _ context: CGContext?) -> CGRect {
  let position = context?.textPosition ?? .zero
  return line.extents.ink.offsetBy(dx: position.x, dy: position.y)
}

/// The part of the string, in UTF-16 units, that the line shows.
public func CTLineGetStringRange(_ line: CTLine) -> CFRange { line.stringRange }

/// How far to move the line to the right for it to lie at the left (`flushFactor` 0), in the middle
/// (0.5) or at the right (1) of `flushWidth` points; 0 if it is wider.
public func CTLineGetPenOffsetForFlush(
  _ line: CTLine, _ flushFactor: CGFloat, _ flushWidth: Double
) -> Double {
  let room = flushWidth - CTLineGetTypographicBounds(line, nil, nil, nil)
  return max(0, room) * Double(min(max(flushFactor, 0), 1))
}

/// The distance along the line, in points, at which a character begins. `index` is in UTF-16 units.
/// If `secondaryOffset` is not nil, stores there the end of the character before it, which differs
/// if the direction of writing changes.
public func CTLineGetOffsetForStringIndex(
  _ line: CTLine, _ index: CFIndex, _ secondaryOffset: UnsafeMutablePointer<CGFloat>?
) -> CGFloat {
  let byte = line.layout.byte(at: index - line.start)
  let previous = line.layout.byte(at: index - line.start - 1)
  let offsets: (CGFloat, CGFloat)? = line.withLine { layout in
    var (leading, trailing): (Int32, Int32) = (0, 0)
    pango_layout_line_index_to_x(layout, byte, 0, &leading)
    pango_layout_line_index_to_x(layout, previous, previous < byte ? 1 : 0, &trailing)
    return (CGFloat(pango: leading), CGFloat(pango: trailing))
  }
  secondaryOffset?.pointee = offsets?.1 ?? 0
  return offsets?.0 ?? 0
}

/// The index in the text, in UTF-16 units, at which a caret for a point of the line would stand.
public func CTLineGetStringIndexForPosition(_ line: CTLine, _ position: CGPoint) -> CFIndex {
  let place: (Int32, Int32)? = line.withLine { layout in
    var (byte, trailing): (Int32, Int32) = (0, 0)
    _ = pango_layout_line_x_to_index(layout, position.x.pangoUnits, &byte, &trailing)
    return (byte, trailing)
  }
  return place.map { line.start + line.layout.index(ofByte: $0.0, plus: $0.1) } ?? line.start
}

/// Draws the line at the context's text position, with its text matrix and text drawing mode.
/// Strokes have the context's stroke colour.
public func CTLineDraw(_ line: CTLine, _ context: CGContext) { context.draw(line) }
