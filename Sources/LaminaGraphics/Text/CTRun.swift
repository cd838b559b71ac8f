import CPango
import Foundation
import LaminaValues

/// How a run's glyphs lie.
public struct CTRunStatus: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The text runs from right to left.
  public static let rightToLeft = CTRunStatus(rawValue: 1)
  /// The glyphs' order is not that of the characters.
  public static let nonMonotonic = CTRunStatus(rawValue: 2)
  /// The text matrix is not the identity; never set.
  public static let hasNonIdentityMatrix = CTRunStatus(rawValue: 4)
}

/// Glyphs of one font and of the same attributes within a line, from left to right.
public final class CTRun: Hashable, @unchecked Sendable {
  fileprivate struct Glyph {
    var glyph: CGGlyph
    /// From the line's origin, in points with y up.
    var position: CGPoint
    var advance: CGFloat
    /// The index of its first character in the string, in UTF-16 units.
    var index: CFIndex
  }

  fileprivate let glyphs: [Glyph]
  fileprivate let font: CTFont
  fileprivate let color: CGColor?
  fileprivate let range: CFRange
  fileprivate let status: CTRunStatus
  /// Never changed.
  fileprivate let attributes: CFDictionary

  fileprivate init(_ found: FoundRun, in line: CTLine) {
    let layout = line.layout
    glyphs = found.glyphs.map { glyph in
      Glyph(
        glyph: glyph.number, position: glyph.position, advance: glyph.advance,
        index: line.start + layout.index(ofByte: glyph.byte))
    }
    let first = layout.index(ofByte: found.bytes.lowerBound)
    let last = layout.index(ofByte: found.bytes.upperBound)
    range = CFRange(location: line.start + first, length: last - first)
    status =
      found.isRightToLeft ? [.rightToLeft] : []
    let run = layout.runs.last { $0.bytes.lowerBound <= Int(found.bytes.lowerBound) }
    color = run?.color
    let wanted = run?.font ?? TextRun.defaultFont
    if wanted.family == found.family {
      font = wanted
      found.description.map { pango_font_description_free($0) }
    } else if let description = found.description {
      font = CTFont(substitute: description, name: found.family, size: wanted.size)
    } else {
      font = wanted
    }
    var attributes: CFDictionary = [:]
    if first < layout.string.length {
      for (key, value) in layout.string.attributes(at: first, effectiveRange: nil) {
        attributes[key.rawValue] = value
      }
    }
    attributes[kCTFontAttributeName] = font
    self.attributes = attributes
  }

  public static func == (a: CTRun, b: CTRun) -> Bool { a === b }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// The glyphs of a range; a length of 0 stands for all that follow.
  fileprivate func glyphs(in range: CFRange) -> ArraySlice<Glyph> {
    let start = min(max(range.location, 0), glyphs.count)
    let length = range.length > 0 ? range.length : glyphs.count
    return glyphs[start..<start + min(length, glyphs.count - start)]
  }

  fileprivate func drawn(_ range: CFRange) -> DrawnGlyphs {
    let glyphs = glyphs(in: range)
    return DrawnGlyphs(
      font: font, glyphs: glyphs.map(\.glyph), positions: glyphs.map(\.position), color: color)
  }
}

/// A run of Pango's, copied while the text engine was locked.
private struct FoundRun {
  struct Glyph {
    var number: CGGlyph
    var position: CGPoint
    var advance: CGFloat
    /// In the layout's text.
    var byte: Int32
  }

  var glyphs: [Glyph] = []
  var bytes: Range<Int32>
  var isRightToLeft: Bool
  /// The font's family and Pango's description of it, which the owner releases.
  var family = ""
  var description: OpaquePointer?

  /// Nil without a font.
  init?(_ run: PangoGlyphItem, x: Int32) {
    guard let item = run.item?.pointee, let string = run.glyphs?.pointee else { return nil }
    bytes = item.offset..<item.offset &+ max(0, item.length)
    isRightToLeft = item.level % 2 == 1
    description = item.font.flatMap(pango_font_describe)
    family =
      description.flatMap(pango_font_description_get_family).map { String(cString: $0) } ?? ""
    var x = x
    for index in 0..<Int(string.count) {
      let info = string.glyphs[index]
      defer { x &+= info.width }
      if info.glyph == UInt32(LAMINA_PANGO_GLYPH_EMPTY) { continue }
      let offset = run.y_offset &+ info.y_offset
      glyphs.append(
        Glyph(
          number: CGGlyph(exactly: info.glyph) ?? 0,
          position: CGPoint(
            x: CGFloat(pango: x &+ info.x_offset), y: -CGFloat(pango: offset)),
          advance: CGFloat(pango: info.width), byte: item.offset &+ string.clusters[index]))
    }
  }
}

// MARK: - Core Text's functions

/// The runs of a line, from left to right: an array of `CTRun`.
public func CTLineGetGlyphRuns(_ line: CTLine) -> CFArray {
  var found: [FoundRun] = []
  line.forEachRun { run, x in
    if let run = FoundRun(run, x: x) { found.append(run) }
  }
  return found.map { CTRun($0, in: line) }
}

/// The number of glyphs in all runs of a line.
public func CTLineGetGlyphCount(_ line: CTLine) -> CFIndex {
  CTLineGetGlyphRuns(line).reduce(0) { $0 + (($1 as? CTRun)?.glyphs.count ?? 0) }
}

/// The number of glyphs in a run.
public func CTRunGetGlyphCount(_ run: CTRun) -> CFIndex { run.glyphs.count }

/// The attributes of the run's text by their names. The font is that which has the glyphs, even if
/// the text asks for one that lacks them.
public func CTRunGetAttributes(_ run: CTRun) -> CFDictionary { run.attributes }

/// The direction of a run, and whether its glyphs are in the order of the characters.
public func CTRunGetStatus(_ run: CTRun) -> CTRunStatus { run.status }

/// Stores the glyphs of a range; of a length of 0, all from its location on.
public func CTRunGetGlyphs(
  _ run: CTRun, _ range: CFRange, _ buffer: UnsafeMutablePointer<CGGlyph>
) {
  for (index, glyph) in run.glyphs(in: range).enumerated() { buffer[index] = glyph.glyph }
}

/// Stores the glyphs' positions, in points from the line's origin with y up, as `CTRunGetGlyphs`
/// does.
public func CTRunGetPositions(
  _ run: CTRun, _ range: CFRange, _ buffer: UnsafeMutablePointer<CGPoint>
) {
  for (index, glyph) in run.glyphs(in: range).enumerated() { buffer[index] = glyph.position }
}

/// Stores the glyphs' advances in points, as `CTRunGetGlyphs` does.
public func CTRunGetAdvances(
  _ run: CTRun, _ range: CFRange, _ buffer: UnsafeMutablePointer<CGSize>
) {
  for (index, glyph) in run.glyphs(in: range).enumerated() {
    buffer[index] = CGSize(width: glyph.advance, height: 0)
  }
}

/// Stores the index of each glyph's first character in the string, in UTF-16 units, as
/// `CTRunGetGlyphs` does.
public func CTRunGetStringIndices(
  _ run: CTRun, _ range: CFRange, _ buffer: UnsafeMutablePointer<CFIndex>
) {
  for (index, glyph) in run.glyphs(in: range).enumerated() { buffer[index] = glyph.index }
}

/// The part of the string, in UTF-16 units, that the run shows.
public func CTRunGetStringRange(_ run: CTRun) -> CFRange { run.range }

/// The width of a range of glyphs in points. Also stores the font's ascent, descent and leading,
/// all positive, for each argument that is not nil.
@discardableResult
public func CTRunGetTypographicBounds(
  _ run: CTRun, _ range: CFRange, _ ascent: UnsafeMutablePointer<CGFloat>?,
  _ descent: UnsafeMutablePointer<CGFloat>?, _ leading: UnsafeMutablePointer<CGFloat>?
) -> Double {
  ascent?.pointee = CTFontGetAscent(run.font)
  descent?.pointee = CTFontGetDescent(run.font)
  leading?.pointee = CTFontGetLeading(run.font)
  return Double(run.glyphs(in: range).reduce(0) { $0 + $1.advance })
}

/// The inked area of a range of glyphs at the context's text position, or at zero without a
/// context; null if nothing is inked.
public func CTRunGetImageBounds(_ run: CTRun, _ context: CGContext?, _ range: CFRange) -> CGRect {
  let position = context?.textPosition ?? .zero
  return run.drawn(range).ink.offsetBy(dx: position.x, dy: position.y)
}

/// Draws a range of glyphs where the line has them, the line at the context's text position,
/// without underlines.
public func CTRunDraw(_ run: CTRun, _ context: CGContext, _ range: CFRange) {
  context.draw(run.drawn(range))
}
