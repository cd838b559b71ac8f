import CPango
import Foundation
import LaminaValues

/// Attributed text, of which frames are made.
public final class CTFramesetter: Hashable, @unchecked Sendable {
  /// Never changed.
  private let string: NSAttributedString

  fileprivate init(_ string: NSAttributedString) {
    self.string = NSAttributedString(attributedString: string)
  }

  public static func == (a: CTFramesetter, b: CTFramesetter) -> Bool { a === b }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// A part of the string; a length of 0 stands for all that follows.
  fileprivate func part(_ range: CFRange) -> (start: Int, string: NSAttributedString) {
    let start = min(max(range.location, 0), string.length)
    let length = range.length > 0 ? range.length : string.length
    let whole = NSRange(location: start, length: min(length, string.length - start))
    return (start, string.attributedSubstring(from: whole))
  }

  fileprivate func frame(_ range: CFRange, in size: CGSize) -> (start: Int, frame: TextFrame) {
    let (start, string) = part(range)
    var form = TextFrame.Form(size: size)
    (form.isWrapped, form.keepsWholeLines) = (true, true)
    return (start, TextFrame(string, form))
  }
}

/// Text laid out in a path's bounding box, the first line at its top, each line beside the others
/// as its paragraph is aligned. Lines that do not fit whole are left out.
public final class CTFrame: Hashable, Sendable {
  fileprivate let frame: TextFrame
  fileprivate let path: CGPath
  /// The top left corner of the path's bounding box.
  fileprivate let corner: CGPoint
  fileprivate let range: CFRange
  fileprivate let lines: [CTLine]

  fileprivate init(_ setter: CTFramesetter, _ range: CFRange, _ path: CGPath) {
    let box = path.boundingBoxOfPath
    let (start, frame) = setter.frame(range, in: box.isNull ? .zero : box.size)
    (self.frame, self.path) = (frame, path)
    corner = box.isNull ? .zero : CGPoint(x: box.minX, y: box.maxY)
    self.range = CFRange(location: start, length: setter.part(range).string.length)
    lines = frame.places.map { CTLine(frame.layout(of: $0), number: $0.number, start: start) }
  }

  public static func == (a: CTFrame, b: CTFrame) -> Bool { a === b }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  fileprivate var visibleRange: CFRange {
    guard let last = lines.last?.stringRange else {
      return CFRange(location: range.location, length: 0)
    }
    // The line break after the last line belongs to it.
    let end = last.location + last.length
    let isAll = end + 1 >= range.location + range.length
    return CFRange(
      location: range.location, length: isAll ? range.length : end - range.location)
  }
}

/// Makes a framesetter of the text, which sets it in lines.
public func CTFramesetterCreateWithAttributedString(
  _ string: CFAttributedString
) -> CTFramesetter {
  CTFramesetter(string)
}

/// Lays out a part of the string, or all from its location on if its length is 0, in the bounding
/// box of `path`; other shapes than rectangles are not followed. `attributes` are ignored. Of a
/// text of more than 100,000 UTF-16 units the rest is left out.
public func CTFramesetterCreateFrame(
  _ framesetter: CTFramesetter, _ range: CFRange, _ path: CGPath, _ attributes: CFDictionary?
) -> CTFrame {
  CTFrame(framesetter, range, path)
}

/// The size of a part of the string, in points, wrapped to the width of `constraints` and cut to
/// its height; `CGFloat.greatestFiniteMagnitude` stands for no limit. Also stores the part that
/// fits, unless `fitRange` is nil.
public func CTFramesetterSuggestFrameSizeWithConstraints(
  _ framesetter: CTFramesetter, _ range: CFRange, _ attributes: CFDictionary?,
  _ constraints: CGSize, _ fitRange: UnsafeMutablePointer<CFRange>?
) -> CGSize {
  // Numbers beyond this have no room for Pango's units.
  func limited(_ length: CGFloat) -> CGFloat { length.isNaN ? 0 : min(max(length, 0), 1e6) }
  let box = CGSize(width: limited(constraints.width), height: limited(constraints.height))
  let path = CGMutablePath()
  path.addRect(CGRect(origin: .zero, size: box))
  let frame = CTFrame(framesetter, range, path)
  fitRange?.pointee = frame.visibleRange
  return frame.frame.size
}

/// The lines of a frame from the top: an array of `CTLine`.
public func CTFrameGetLines(_ frame: CTFrame) -> CFArray { frame.lines }

/// Stores the origins of a range of lines, in points from the lower left corner of the path's
/// bounding box, with y up; of a length of 0, of all lines from its location on.
public func CTFrameGetLineOrigins(
  _ frame: CTFrame, _ range: CFRange, _ origins: UnsafeMutablePointer<CGPoint>
) {
  let places = frame.frame.places
  let height = frame.path.boundingBoxOfPath.height
  let start = min(max(range.location, 0), places.count)
  let length = range.length > 0 ? range.length : places.count
  for (index, place) in places.dropFirst(start).prefix(length).enumerated() {
    origins[index] = CGPoint(x: place.origin.x, y: height + place.origin.y)
  }
}

/// The path that the frame was made with.
public func CTFrameGetPath(_ frame: CTFrame) -> CGPath { frame.path }

/// The part of the string, in UTF-16 units, that the frame was made of.
public func CTFrameGetStringRange(_ frame: CTFrame) -> CFRange { frame.range }

/// The part of the string, in UTF-16 units, that fits.
public func CTFrameGetVisibleStringRange(_ frame: CTFrame) -> CFRange { frame.visibleRange }

/// Draws the frame's lines in the path's place of user space, with the text matrix's directions, so
/// upright if y points up. The text position is not used.
public func CTFrameDraw(_ frame: CTFrame, _ context: CGContext) {
  let matrix = context.textMatrix
  defer { context.textMatrix = matrix }
  context.textPosition = frame.corner
  context.draw(frame.frame)
}
