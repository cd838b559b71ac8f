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
/// Text attribute: the space added after each glyph, a number of points; 0 by default.
public let kCTKernAttributeName: CFString = "NSKern"
/// Text attribute: the underline, a number: 0, the default, for none, any other for a single one.
public let kCTUnderlineStyleAttributeName: CFString = "NSUnderline"

/// A line of laid-out text.
public final class CTLine: @unchecked Sendable {
  /// A run of text with the same attributes.
  private struct Run {
    var bytes: Range<Int>
    var font: CTFont
    /// Nil for the context's fill colour.
    var color: CGColor?
    var kern: CGFloat
    var isUnderlined: Bool
  }

  /// The properties of a context that colours depend on: colours are attributes of the layout.
  struct Coloring: Equatable {
    var space: CGColorSpace
    var alpha: CGFloat
  }

  private struct State {
    var layout: OpaquePointer
    var coloring: Coloring
  }

  private let text: String
  private let runs: [Run]
  /// Used only while the text engine is locked; nil if there is no font at all.
  private var state: State?

  fileprivate init(_ string: NSAttributedString) {
    // A line has no line breaks, and Pango's text no NULs.
    let breaks: Set<Unicode.Scalar> = ["\n", "\r", "\0"]
    text = String(
      String.UnicodeScalarView(string.string.unicodeScalars.map { breaks.contains($0) ? " " : $0 }))
    runs = CTLine.runs(of: string, text: text)
    let coloring = Coloring(space: CGColorSpace(.sRGB), alpha: 1)
    state = TextEngine.shared.withLock { engine in
      guard let context = engine.context, let layout = pango_layout_new(context) else { return nil }
      pango_layout_set_single_paragraph_mode(layout, 1)
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

  private static func runs(of string: NSAttributedString, text: String) -> [Run] {
    var runs: [Run] = []
    let utf16 = text.utf16
    func bytes(before offset: Int) -> Int {
      let index = utf16.index(utf16.startIndex, offsetBy: offset)
      return text.utf8.distance(from: text.utf8.startIndex, to: index)
    }
    let all = NSRange(location: 0, length: string.length)
    string.enumerateAttributes(in: all, options: []) { attributes, range, _ in
      func value(_ name: CFString) -> Any? { attributes[NSAttributedString.Key(name)] }
      let usesContext = (value(kCTForegroundColorFromContextAttributeName) as? Bool) ?? false
      runs.append(
        Run(
          bytes: bytes(before: range.location)..<bytes(before: range.location + range.length),
          font: value(kCTFontAttributeName) as? CTFont ?? defaultFont,
          color: usesContext
            ? nil : value(kCTForegroundColorAttributeName) as? CGColor ?? .black,
          kern: number(value(kCTKernAttributeName)),
          isUnderlined: number(value(kCTUnderlineStyleAttributeName)) != 0))
    }
    return runs
  }

  private static let defaultFont = CTFontCreateWithName("Helvetica", 12, nil)

  private static func number(_ value: Any?) -> CGFloat {
    switch value {
    case let value as CGFloat: value
    case let value as Int: CGFloat(value)
    case let value as Int32: CGFloat(value)
    case let value as Float: CGFloat(value)
    case let value as NSNumber: CGFloat(value.doubleValue)
    default: 0
    }
  }

  /// Sets the layout's attributes. Call it with the text engine locked.
  private func setAttributes(_ coloring: Coloring) {
    guard let layout = state?.layout, let list = pango_attr_list_new() else { return }
    for run in runs {
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
        add(pango_attr_foreground_alpha_new(max(1, word(alpha * coloring.alpha))))
      }
    }
    pango_layout_set_attributes(layout, list)
    pango_attr_list_unref(list)
    state?.coloring = coloring
  }

  /// Calls `body` with the line laid out and, if `coloring` is not nil, coloured for it; does not
  /// call it if there is no font.
  func withLayout<Result>(
    coloring: Coloring? = nil, _ body: (OpaquePointer) -> Result
  ) -> Result? {
    TextEngine.shared.withLock { _ in
      if let coloring, state?.coloring != coloring { setAttributes(coloring) }
      guard let layout = state?.layout, let line = pango_layout_get_line_readonly(layout, 0)
      else { return nil }
      return body(line)
    }
  }

  /// The inked area, and the area of the fonts' metrics, from the line's origin with y up.
  var extents: (ink: CGRect, logical: CGRect) {
    withLayout { line in
      var (ink, logical) = (PangoRectangle(), PangoRectangle())
      pango_layout_line_get_extents(line, &ink, &logical)
      return (CGRect(pango: ink), CGRect(pango: logical))
    } ?? (.zero, .zero)
  }

  /// The largest font size in the line, in points.
  var fontSize: CGFloat { runs.map { CTFontGetSize($0.font) }.max() ?? 0 }

  fileprivate var leading: CGFloat { runs.map { CTFontGetLeading($0.font) }.max() ?? 0 }

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

extension CGRect {
  /// Pango's y points down.
  fileprivate init(pango r: PangoRectangle) {
    self.init(
      x: CGFloat(pango: r.x), y: -CGFloat(pango: r.y) - CGFloat(pango: r.height),
      width: CGFloat(pango: r.width), height: CGFloat(pango: r.height))
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
  let offsets: (CGFloat, CGFloat)? = line.withLayout { layout in
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
  let place: (Int32, Int32)? = line.withLayout { layout in
    var (byte, trailing): (Int32, Int32) = (0, 0)
    _ = pango_layout_line_x_to_index(layout, position.x.pangoUnits, &byte, &trailing)
    return (byte, trailing)
  }
  return place.map { line.index(ofByte: $0.0, plus: $0.1) } ?? 0
}

/// Draws the line at the context's text position, with its text matrix and text drawing mode.
/// Strokes have the context's stroke colour.
public func CTLineDraw(_ line: CTLine, _ context: CGContext) { context.draw(line) }
