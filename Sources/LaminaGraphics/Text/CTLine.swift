import CCairo
import CPango
import Foundation
import LaminaValues

/// Text attribute: the font, a `CTFont`; 12-point Helvetica by default.
public let kCTFontAttributeName: CFString = "NSFont"
/// Text attribute: the colour, a `CGColor`; black by default.
public let kCTForegroundColorAttributeName: CFString = "CTForegroundColor"
/// Text attribute: whether text is painted in the context's fill colour instead; false by default.
public let kCTForegroundColorFromContextAttributeName: CFString = "CTForegroundColorFromContext"
/// Text attribute: the space added behind each glyph, a number of points; 0 by default. In text
/// from right to left, half of it lies on either side.
public let kCTKernAttributeName: CFString = "NSKern"
/// Text attribute: the underline, a number: 0, the default, for none, any other for a single one.
public let kCTUnderlineStyleAttributeName: CFString = "NSUnderline"

/// The keys of AppKit's and UIKit's attributed strings that text here understands too.
extension NSAttributedString.Key {
  /// A `CTFont`, the same as `kCTFontAttributeName`.
  public static let font = NSAttributedString.Key("NSFont")
  /// A `CGColor`, like `kCTForegroundColorAttributeName`.
  public static let foregroundColor = NSAttributedString.Key("NSColor")
  /// The same as `kCTKernAttributeName`.
  public static let kern = NSAttributedString.Key("NSKern")
  /// The same as `kCTUnderlineStyleAttributeName`.
  public static let underlineStyle = NSAttributedString.Key("NSUnderline")
  /// A `CTParagraphStyle`, the same as `kCTParagraphStyleAttributeName`.
  public static let paragraphStyle = NSAttributedString.Key("NSParagraphStyle")
}

/// A line of laid-out text.
public final class CTLine: DrawnText, Sendable {
  private let layout: TextLayout
  private var text: String { layout.text }

  fileprivate init(_ string: NSAttributedString) {
    // A line has no line breaks.
    layout = TextLayout(string, blanks: ["\n", "\r"]) { layout, _ in
      pango_layout_set_single_paragraph_mode(layout, 1)
    }
  }

  /// Calls `body` with the line; does not call it if there is no font.
  func withLine<Result>(
    coloring: TextRun.Coloring? = nil, _ body: (OpaquePointer) -> Result
  ) -> Result? {
    layout.withLayout(coloring: coloring) { layout in
      pango_layout_get_line_readonly(layout, 0).map(body)
    } ?? nil
  }

  func withLines(coloring: TextRun.Coloring?, _ body: ([TextLayout.Line]) -> Void) {
    _ = withLine(coloring: coloring) { body([TextLayout.Line(pointer: $0)]) }
  }

  /// The inked area, and the area of the fonts' metrics, from the line's origin with y up.
  var extents: (ink: CGRect, logical: CGRect) {
    withLine { line in
      var (ink, logical) = (PangoRectangle(), PangoRectangle())
      pango_layout_line_get_extents(line, &ink, &logical)
      return (CGRect(pango: ink), CGRect(pango: logical))
    } ?? (.zero, .zero)
  }

  var ink: CGRect { extents.ink }
  var fontSize: CGFloat { layout.runs.fontSize }
  fileprivate var leading: CGFloat { layout.runs.leading }

  /// The byte offset of an index of the text in UTF-16 units.
  fileprivate func byte(at index: Int) -> Int32 {
    let utf16 = text.utf16
    let place = utf16.index(utf16.startIndex, offsetBy: min(max(index, 0), utf16.count))
    return Int32(clamping: text.utf8.distance(from: text.utf8.startIndex, to: place))
  }

  /// The index, in UTF-16 units, that lies `characters` Unicode scalars after a byte offset.
  fileprivate func index(ofByte byte: Int32, plus characters: Int32) -> Int {
    let scalars = text.unicodeScalars
    let start = text.utf8.index(
      text.utf8.startIndex, offsetBy: min(max(Int(byte), 0), text.utf8.count))
    let place =
      scalars.index(start, offsetBy: Int(characters), limitedBy: scalars.endIndex)
      ?? scalars.endIndex
    return text.utf16.distance(from: text.utf16.startIndex, to: place)
  }
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
  CTLine(string)
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

/// The distance along the line, in points, at which a character begins. `index` is in UTF-16 units.
/// If `secondaryOffset` is not nil, stores there the end of the character before it, which differs
/// if the direction of writing changes.
public func CTLineGetOffsetForStringIndex(
  _ line: CTLine, _ index: CFIndex, _ secondaryOffset: UnsafeMutablePointer<CGFloat>?
) -> CGFloat {
  let byte = line.byte(at: index)
  let offsets: (CGFloat, CGFloat)? = line.withLine { layout in
    var (leading, trailing): (Int32, Int32) = (0, 0)
    pango_layout_line_index_to_x(layout, byte, 0, &leading)
    let previous = line.byte(at: index - 1)
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
  return place.map { line.index(ofByte: $0.0, plus: $0.1) } ?? 0
}

/// Draws the line at the context's text position, with its text matrix and text drawing mode.
/// Strokes have the context's stroke colour.
public func CTLineDraw(_ line: CTLine, _ context: CGContext) { context.draw(line) }
