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
    /// The line's number in the layout.
    var number: Int
    /// On the baseline, from the box's top left corner, with y up.
    var origin: CGPoint
  }

  /// Longest text that is laid out, in UTF-16 units: more of it never shows.
  private static let maximumLength = 100_000

  let layout: TextLayout
  let places: [Place]
  let ink: CGRect
  /// The size of the text: of its widest line, and of all lines together.
  package let size: CGSize

  package init(_ string: NSAttributedString, _ form: Form) {
    var string = string
    if string.length > Self.maximumLength {
      string = string.attributedSubstring(from: NSRange(location: 0, length: Self.maximumLength))
    }
    layout = TextLayout(string, blanks: []) { form.apply(to: $0, of: $1) }
    let lines = Self.lines(of: layout, form)
    places = lines.places
    ink = lines.ink
    size = lines.size
  }

  /// The fonts of the text that were not found, and the families used instead.
  package var missingFonts: [(name: String, substitute: String)] {
    layout.runs.compactMap { run in run.font.substitute.map { (run.font.name, $0) } }
  }

  var runs: [TextRun] { layout.runs }

  func withLines(coloring: TextRun.Coloring?, _ body: ([TextLayout.Line]) -> Void) {
    _ = layout.withLayout(coloring: coloring) { layout in
      var lines: [TextLayout.Line] = []
      var rest = places[...]
      layout.forEachLine { number, line, _ in
        if let place = rest.first, place.number == number {
          lines.append(TextLayout.Line(pointer: line, origin: place.origin))
          rest.removeFirst()
        }
        return !rest.isEmpty
      }
      body(lines)
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

  private static func lines(
    of layout: TextLayout, _ form: Form
  ) -> (places: [Place], ink: CGRect, size: CGSize) {
    var (places, ink, size): ([Place], CGRect, CGSize) = ([], .null, .zero)
    let alignments = layout.runs.map { ($0.bytes.lowerBound, $0.alignment) }
    _ = layout.withLayout { pango in
      pango.forEachLine { number, line, iterator in
        var (inked, logical) = (PangoRectangle(), PangoRectangle())
        pango_layout_line_get_extents(line, &inked, &logical)
        let baseline = CGFloat(pango: pango_layout_iter_get_baseline(iterator))
        let width = CGFloat(pango: logical.width)
        let top = baseline + CGFloat(pango: logical.y)
        if form.keepsWholeLines {
          // A box of the text's own size holds all of it, whatever the rounding.
          guard top + CGFloat(pango: logical.height) <= form.size.height + 0.01 else {
            return false
          }
        } else {
          guard number == 0 || top < form.size.height else { return false }
        }
        let start = Int(pango_layout_line_get_start_index(line))
        let side = form.side(of: line, alignments.last { $0.0 <= start }?.1 ?? .natural)
        let origin = CGPoint(x: (form.size.width - width) * side, y: -baseline)
        places.append(Place(number: number, origin: origin))
        let box = CGRect(pango: inked)
        if !box.isEmpty { ink = ink.union(box.offsetBy(dx: origin.x, dy: origin.y)) }
        size.width = max(size.width, width)
        size.height = max(size.height, top + CGFloat(pango: logical.height))
        return true
      }
    }
    return (places, ink.isNull ? .zero : ink, size)
  }
}

extension TextFrame.Form {
  /// Sets the properties of a layout that has no text yet.
  fileprivate func apply(to layout: OpaquePointer, of runs: [TextRun]) {
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
    let alignments = alignment == .natural ? runs.map(\.alignment) : [alignment]
    if isWrapped, alignments.allSatisfy({ $0 == .justified }) {
      pango_layout_set_justify(layout, 1)
    }
  }

  /// The share of the space beside a line that lies on its left.
  fileprivate func side(of line: OpaquePointer, _ paragraph: CTTextAlignment) -> CGFloat {
    switch alignment == .natural ? paragraph : alignment {
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
