import CPango
import Foundation
import LaminaValues

/// Text laid out in a box: the first line at the top, each line beside the others as its paragraph
/// is aligned.
package final class TextFrame: DrawnLines, Sendable {
  package struct Form: Hashable, Sendable {
    /// The box's size in points. Lines that begin below it are left out.
    package var size: CGSize
    /// Whether lines are left out that reach below the box, even the first one.
    var keepsWholeLines = false
    /// Whether lines end at the box's right edge; otherwise only where paragraphs end.
    package var isWrapped = false
    /// The part of a line too long for the box, or of the rest of a wrapped text too high for it,
    /// that an ellipsis replaces; nil for none.
    package var truncation: CTLineTruncationType?
    package var alignment = CTTextAlignment.natural

    package init(size: CGSize) { self.size = size }
  }

  struct Place {
    /// The line's number in the layouts.
    var number: Int
    /// On the baseline, from the box's top left corner, with y up.
    var origin: CGPoint
    /// Whether the line is one of `loose`.
    var isLoose: Bool
  }

  /// Longest text that is laid out, in UTF-16 units: more of it never shows.
  private static let maximumLength = 100_000

  private let layout: TextLayout
  /// The same lines as in `layout`, none of them spread from edge to edge; nil if none is drawn.
  private let loose: TextLayout?
  /// From the top.
  let places: [Place]
  let ink: CGRect
  /// The size of the text: of its widest line, and of all lines together.
  package let size: CGSize

  package init(_ string: NSAttributedString, _ form: Form) {
    var string = string
    if string.length > Self.maximumLength {
      string = string.attributedSubstring(from: NSRange(location: 0, length: Self.maximumLength))
    }
    var layout = TextLayout(string, blanks: []) { form.apply(to: $0, of: $1) }
    if form.isWrapped, let truncation = form.truncation,
      let start = layout.firstParagraph(beyond: form.size.height),
      let shortened = string.truncated(atParagraph: start, truncation)
    {
      string = shortened
      layout = TextLayout(string, blanks: []) { form.apply(to: $0, of: $1) }
    }
    let runs = layout.runs
    let looseLines = form.justifies(runs) ? form.looseLines(of: layout) : []
    let loose =
      looseLines.isEmpty
      ? nil
      : TextLayout(string, blanks: []) { form.apply(to: $0, of: $1, mayJustify: false) }
    (self.layout, self.loose) = (layout, loose)
    var (places, ink, size): ([Place], CGRect, CGSize) = ([], .null, .zero)
    for (layout, isLoose) in [(layout, false), (loose, true)] {
      layout?.forEachLine(in: form.size.height, isWhole: form.keepsWholeLines) {
        number, line, baseline in
        guard looseLines.contains(number) == isLoose else { return }
        var (inked, logical) = (PangoRectangle(), PangoRectangle())
        pango_layout_line_get_extents(line, &inked, &logical)
        let width = CGFloat(pango: logical.width)
        let side = form.side(of: line, runs)
        let origin = CGPoint(x: (form.size.width - width) * side, y: -baseline)
        places.append(Place(number: number, origin: origin, isLoose: isLoose))
        let box = CGRect(pango: inked)
        if !box.isEmpty { ink = ink.union(box.offsetBy(dx: origin.x, dy: origin.y)) }
        size.width = max(size.width, width)
        size.height = max(size.height, baseline + CGFloat(pango: logical.y + logical.height))
      }
    }
    places.sort { $0.number < $1.number }
    (self.places, self.ink, self.size) = (places, ink.isNull ? .zero : ink, size)
  }

  /// The layout that has the line of a place.
  func layout(of place: Place) -> TextLayout { place.isLoose ? loose ?? layout : layout }

  /// The fonts of the text that were not found, and the families used instead.
  package var missingFonts: [(name: String, substitute: String)] {
    layout.runs.compactMap { run in run.font.substitute.map { (run.font.name, $0) } }
  }

  var runs: [TextRun] { layout.runs }

  func withLines(coloring: TextRun.Coloring?, _ body: ([TextLayout.Line]) -> Void) {
    for (layout, isLoose) in [(layout, false), (loose, true)] {
      guard let layout else { continue }
      var rest = places.filter { $0.isLoose == isLoose }[...]
      _ = layout.withLayout(coloring: coloring) { pango in
        var lines: [TextLayout.Line] = []
        pango.forEachLine { number, line, _ in
          if let place = rest.first, place.number == number {
            lines.append(TextLayout.Line(pointer: line, origin: place.origin))
            rest.removeFirst()
          }
          return !rest.isEmpty
        }
        body(lines)
      }
    }
  }

  /// Draws the text upright with the box's top left corner at `corner`, a point of the context's
  /// space. `isYUp` says whether y points up there.
  package func draw(in context: CGContext, at corner: CGPoint, isYUp: Bool) {
    let matrix = context.textMatrix
    defer { context.textMatrix = matrix }
    context.textMatrix = CGAffineTransform(
      a: 1, b: 0, c: 0, d: isYUp ? 1 : -1, tx: corner.x, ty: corner.y)
    context.draw(self)
  }
}

extension TextFrame.Form {
  /// Sets the properties of a layout that has no text yet.
  fileprivate func apply(
    to layout: OpaquePointer, of runs: [TextRun], mayJustify: Bool = true
  ) {
    if let truncation {
      pango_layout_set_ellipsize(layout, truncation.ellipsis)
      if isWrapped { pango_layout_set_height(layout, max(1, size.height.pangoUnits)) }
    }
    if isWrapped || truncation != nil {
      pango_layout_set_width(layout, max(0, size.width.pangoUnits))
    }
    // Words too long for a line are broken.
    pango_layout_set_wrap(layout, UInt32(LAMINA_PANGO_WRAP_WORD_CHAR))
    let spacing = runs.leading + (runs.compactMap { $0.paragraph?.lineSpacing }.max() ?? 0)
    if spacing > 0 { pango_layout_set_spacing(layout, spacing.pangoUnits) }
    if mayJustify, justifies(runs) { pango_layout_set_justify(layout, 1) }
  }

  /// Whether any line may be spread from edge to edge.
  fileprivate func justifies(_ runs: [TextRun]) -> Bool {
    guard isWrapped else { return false }
    return alignment == .natural
      ? runs.contains { $0.alignment == .justified } : alignment == .justified
  }

  /// The lines of a justified layout that stay as they are: those of paragraphs that are aligned
  /// otherwise, and lone words, whose letters Pango would space.
  fileprivate func looseLines(of layout: TextLayout) -> Set<Int> {
    var numbers: Set<Int> = []
    _ = layout.withLayout { pango in
      pango.forEachLine { number, line, _ in
        if alignment(of: line, layout.runs) != .justified || layout.isLoneWord(line) {
          numbers.insert(number)
        }
        return true
      }
    }
    return numbers
  }

  /// How a line lies in the box: as the layer says, else as its paragraph does.
  private func alignment(of line: OpaquePointer, _ runs: [TextRun]) -> CTTextAlignment {
    guard alignment == .natural else { return alignment }
    let start = Int(pango_layout_line_get_start_index(line))
    return runs.last { $0.bytes.lowerBound <= start }?.alignment ?? .natural
  }

  /// The share of the space beside a line that lies on its left.
  fileprivate func side(of line: OpaquePointer, _ runs: [TextRun]) -> CGFloat {
    switch alignment(of: line, runs) {
    case .left: 0
    case .right: 1
    case .center: 0.5
    case .natural, .justified:
      pango_layout_line_get_resolved_direction(line) == UInt32(LAMINA_PANGO_DIRECTION_RTL) ? 1 : 0
    }
  }
}

extension CTLineTruncationType {
  var ellipsis: UInt32 {
    switch self {
    case .start: UInt32(LAMINA_PANGO_ELLIPSIZE_START)
    case .middle: UInt32(LAMINA_PANGO_ELLIPSIZE_MIDDLE)
    case .end: UInt32(LAMINA_PANGO_ELLIPSIZE_END)
    }
  }
}

extension NSAttributedString {
  /// The string for a box that has no room for the paragraph that begins at `start`, in UTF-16
  /// units, nor for those behind it; nil if nothing of these would show. The paragraph before ends
  /// with an ellipsis. If starts or middles are truncated, it goes on with the other paragraphs
  /// instead, so that its last line gets an ellipsis as that of a single paragraph does.
  fileprivate func truncated(
    atParagraph start: Int, _ truncation: CTLineTruncationType
  ) -> NSAttributedString? {
    let text = string as NSString
    guard start > 0, text.substring(from: start).contains(where: { !$0.isWhitespace })
    else { return nil }
    let isPair =
      start > 1 && text.substring(with: NSRange(location: start - 2, length: 2)) == "\r\n"
    let end = start - (isPair ? 2 : 1)
    let result = NSMutableAttributedString(
      attributedString: attributedSubstring(from: NSRange(location: 0, length: end)))
    if truncation == .end {
      let attributes = attributes(at: max(0, end - 1), effectiveRange: nil)
      result.append(NSAttributedString(string: "\u{2026}", attributes: attributes))
      return result
    }
    let rest = NSRange(location: end, length: length - end)
    enumerateAttributes(in: rest, options: []) { attributes, range, _ in
      let part = text.substring(with: range).map { $0.isNewline ? " " : $0 }
      result.append(NSAttributedString(string: String(part), attributes: attributes))
    }
    return result
  }
}

extension TextLayout {
  /// Calls `body` with each line that begins above `height`, its number and its baseline, and with
  /// the text engine locked. The first line is one of them whatever the height. If `isWhole`, only
  /// with those that end above `height`.
  fileprivate func forEachLine(
    in height: CGFloat, isWhole: Bool = false, _ body: (Int, OpaquePointer, CGFloat) -> Void
  ) {
    _ = withLayout { pango in
      pango.forEachLine { number, line, iterator in
        var logical = PangoRectangle()
        pango_layout_line_get_extents(line, nil, &logical)
        let baseline = CGFloat(pango: pango_layout_iter_get_baseline(iterator))
        let top = baseline + CGFloat(pango: logical.y)
        // A box of the text's own size holds all of it, whatever the rounding.
        let fits =
          isWhole
          ? top + CGFloat(pango: logical.height) <= height + 0.01 : number == 0 || top < height
        guard fits else { return false }
        body(number, line, baseline)
        return true
      }
    }
  }

  /// The place in the text, in UTF-16 units, of the first paragraph whose first line does not end
  /// above `height`, or that Pango left out for that; nil if there is none. The text's first line
  /// always counts as fitting.
  fileprivate func firstParagraph(beyond height: CGFloat) -> Int? {
    var (place, end): (Int?, Int) = (nil, 0)
    forEachLine(in: .infinity) { number, line, baseline in
      let start = Int(pango_layout_line_get_start_index(line))
      end = start + Int(pango_layout_line_get_length(line))
      guard place == nil, number > 0, pango_layout_line_is_paragraph_start(line) != 0 else {
        return
      }
      var logical = PangoRectangle()
      pango_layout_line_get_extents(line, nil, &logical)
      let bottom = baseline + CGFloat(pango: logical.y + logical.height)
      // Pango's units are coarser than the height.
      if bottom > height + 1 / CGFloat(LAMINA_PANGO_SCALE) { place = start }
    }
    if place == nil, let separator = text.utf8.dropFirst(end).first {
      let isPair = separator == UInt8(ascii: "\r") && text.utf8.dropFirst(end + 1).first == 10
      // A paragraph separator, U+2029, has three bytes.
      place = end + (isPair ? 2 : separator < 128 ? 1 : 3)
    }
    return place.map(utf16Offset)
  }

  /// Whether a line has no spaces between words, and no script that is written without them.
  fileprivate func isLoneWord(_ line: OpaquePointer) -> Bool {
    let start = Int(pango_layout_line_get_start_index(line))
    let bytes = text.utf8.dropFirst(start).prefix(Int(pango_layout_line_get_length(line)))
    let words = String(Substring(bytes)).trimmingCharacters(in: .whitespacesAndNewlines)
    return words.unicodeScalars.allSatisfy { scalar in
      !scalar.properties.isWhitespace && !scalar.isWrittenWithoutSpaces
    }
  }
}

extension Unicode.Scalar {
  /// Whether the character belongs to a script of East or South East Asia that has no spaces
  /// between words.
  fileprivate var isWrittenWithoutSpaces: Bool {
    switch value {
    case 0x0e00...0x0eff, 0x1000...0x109f, 0x1780...0x17ff, 0x3040...0x30ff: true
    default: properties.isIdeographic
    }
  }
}

/// A layout of Pango's.
extension OpaquePointer {
  /// Calls `body` with each line, its number and an iterator at it, until it returns false.
  fileprivate func forEachLine(_ body: (Int, OpaquePointer, OpaquePointer) -> Bool) {
    guard let iterator = pango_layout_get_iter(self) else { return }
    defer { pango_layout_iter_free(iterator) }
    var number = 0
    repeat {
      guard let line = pango_layout_iter_get_line_readonly(iterator), body(number, line, iterator)
      else { return }
      number += 1
    } while pango_layout_iter_next_line(iterator) != 0
  }
}

extension TextRun {
  /// The alignment that the paragraph's style asks for.
  fileprivate var alignment: CTTextAlignment { paragraph?.alignment ?? .natural }
}
