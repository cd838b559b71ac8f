import Foundation
import Lamina

/// An error in SVG path data.
package struct PathDataError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The place of the error, in Unicode scalars from the start of the text.
  package var offset: Int
  package var expected: String
  /// The text found there instead.
  package var found: String

  package var description: String {
    "path data, character \(offset): expected \(expected), found \(found)"
  }
}

extension Path {
  /// Reads SVG path data: the `d` of SVG's path element. Empty text is an empty path.
  package init(svgPathData text: String) throws(PathDataError) {
    var parser = PathDataParser(text)
    self = try parser.parse()
  }

  /// The path as SVG path data, absolute, in the shortest digits that read back equal. Segments
  /// before the first move are left out, since SVG does not allow them.
  package var svgPathData: String {
    var text = ""
    for element in elements.drop(while: { if case .move = $0 { false } else { true } }) {
      switch element {
      case .move(let p): text += "M" + Path.numbers(p)
      case .line(let p): text += "L" + Path.numbers(p)
      case .quad(let c, let p): text += "Q" + Path.numbers(c, p)
      case .cubic(let c1, let c2, let p): text += "C" + Path.numbers(c1, c2, p)
      case .close: text += "Z"
      }
    }
    return text
  }

  /// The largest coordinate. Beyond it, squares of differences would overflow in later geometry.
  fileprivate static let largestPathDataCoordinate: CGFloat = 1e30

  /// Whether path data can contain all points.
  var isWithinPathData: Bool {
    points.allSatisfy { max(abs($0.x), abs($0.y)) <= Self.largestPathDataCoordinate }
  }

  private static func numbers(_ points: CGPoint...) -> String {
    CAMLText.text(points.flatMap { [Double($0.x), Double($0.y)] })
  }
}

/// Reads path data from left to right. Every loop consumes at least a byte.
private struct PathDataParser {
  private let bytes: [UInt8]
  private var position = 0
  private var path = Path()
  /// The last control point if the last command was a cubic curve, and the same for a quadratic
  /// one: the points that S and T mirror.
  private var cubicControl: CGPoint?
  private var quadControl: CGPoint?

  init(_ text: String) { bytes = Array(text.utf8) }

  mutating func parse() throws(PathDataError) -> Path {
    skipSpace()
    while position < bytes.count {
      let command = bytes[position]
      let isFirst = path.isEmpty
      guard "MmLlHhVvCcSsQqTtAaZz".utf8.contains(command), !isFirst || command | 0x20 == 0x6d
      else { throw error(isFirst ? "M or m" : "a command or a number") }
      position += 1
      if command | 0x20 == 0x7a {
        path.close()
        (cubicControl, quadControl) = (nil, nil)
        skipSpace()
        continue
      }
      try parseArguments(of: command)
    }
    return path
  }

  /// Reads a command's arguments, including repeated sets of them.
  private mutating func parseArguments(of command: UInt8) throws(PathDataError) {
    let isRelative = command & 0x20 != 0
    var kind = command | 0x20
    skipSpace()
    repeat {
      let origin = isRelative ? path.currentPoint ?? .zero : .zero
      try parseSegment(kind, from: origin)
      // Pairs after the first one of a move are lines.
      if kind == UInt8(ascii: "m") { kind = UInt8(ascii: "l") }
    } while skipSeparator()
  }

  private mutating func parseSegment(
    _ kind: UInt8, from origin: CGPoint
  ) throws(PathDataError) {
    let current = path.currentPoint ?? .zero
    var (newCubic, newQuad): (CGPoint?, CGPoint?)
    switch kind {
    case UInt8(ascii: "m"): path.move(to: try point(from: origin))
    case UInt8(ascii: "l"): path.addLine(to: try point(from: origin))
    case UInt8(ascii: "h"): path.addLine(to: CGPoint(x: origin.x + (try number()), y: current.y))
    case UInt8(ascii: "v"): path.addLine(to: CGPoint(x: current.x, y: origin.y + (try number())))
    case UInt8(ascii: "c"), UInt8(ascii: "s"):
      let isSmooth = kind == UInt8(ascii: "s")
      let control1 =
        isSmooth
        ? mirrored(cubicControl, about: current) : try point(from: origin, followed: true)
      let control2 = try point(from: origin, followed: true)
      path.addCubic(control1: control1, control2: control2, end: try point(from: origin))
      newCubic = control2
    case UInt8(ascii: "q"), UInt8(ascii: "t"):
      let isSmooth = kind == UInt8(ascii: "t")
      let control =
        isSmooth
        ? mirrored(quadControl, about: current) : try point(from: origin, followed: true)
      path.addQuad(control: control, end: try point(from: origin))
      newQuad = control
    default: try parseArc(from: origin)
    }
    (cubicControl, quadControl) = (newCubic, newQuad)
  }

  private mutating func parseArc(from origin: CGPoint) throws(PathDataError) {
    let rx = try number(followed: true)
    let ry = try number(followed: true)
    let degrees = try number(followed: true)
    let isLarge = try flag()
    let isPositive = try flag()
    path.addEllipticalArc(
      to: try point(from: origin), radii: CGSize(width: rx, height: ry),
      rotation: degrees.truncatingRemainder(dividingBy: 360) * .pi / 180,
      isLarge: isLarge, isPositive: isPositive)
  }

  private func mirrored(_ control: CGPoint?, about p: CGPoint) -> CGPoint {
    control.map { CGPoint(x: 2 * p.x - $0.x, y: 2 * p.y - $0.y) } ?? p
  }

  private mutating func point(
    from origin: CGPoint, followed: Bool = false
  ) throws(PathDataError) -> CGPoint {
    let start = position
    let x = try number(followed: true)
    let y = try number(followed: followed)
    let point = CGPoint(x: origin.x + x, y: origin.y + y)
    guard abs(point.x) <= Self.limit, abs(point.y) <= Self.limit else {
      throw error("a point within ±1e30", at: start)
    }
    return point
  }

  private static let limit = Path.largestPathDataCoordinate

  /// Reads a number, and the separator after it if more arguments follow.
  private mutating func number(followed: Bool = false) throws(PathDataError) -> CGFloat {
    let start = position
    var end = position
    func byte(_ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }
    func skipDigits() -> Int {
      let first = end
      while byte(end) >= 0x30, byte(end) <= 0x39 { end += 1 }
      return end - first
    }
    func isSign(_ b: UInt8) -> Bool { b == UInt8(ascii: "-") || b == UInt8(ascii: "+") }
    if isSign(byte(end)) { end += 1 }
    var digits = skipDigits()
    if byte(end) == UInt8(ascii: ".") {
      end += 1
      digits += skipDigits()
    }
    guard digits > 0 else { throw error("a number") }
    if byte(end) | 0x20 == UInt8(ascii: "e") {
      let mantissaEnd = end
      end += 1
      if isSign(byte(end)) { end += 1 }
      if skipDigits() == 0 { end = mantissaEnd }
    }
    // Double accepts all text of this form; the limit refuses numbers that it makes infinite.
    let text = String(decoding: bytes[start..<end], as: UTF8.self)
    guard let value = Double(text), abs(value) <= Self.limit else {
      throw error("a number within ±1e30", at: start)
    }
    position = end
    if followed { _ = skipSeparator() }
    return CGFloat(value)
  }

  /// Reads an arc's flag, 0 or 1, which needs no separator after it.
  private mutating func flag() throws(PathDataError) -> Bool {
    guard position < bytes.count, bytes[position] == 0x30 || bytes[position] == 0x31 else {
      throw error("a flag, 0 or 1")
    }
    let value = bytes[position] == 0x31
    position += 1
    _ = skipSeparator()
    return value
  }

  private mutating func skipSpace() {
    while position < bytes.count, [0x20, 0x09, 0x0a, 0x0c, 0x0d].contains(bytes[position]) {
      position += 1
    }
  }

  /// Skips white space and one comma. Returns whether another argument follows, as it must after a
  /// comma.
  private mutating func skipSeparator() -> Bool {
    skipSpace()
    guard position < bytes.count else { return false }
    if bytes[position] == UInt8(ascii: ",") {
      position += 1
      skipSpace()
      return true
    }
    return "+-.0123456789".utf8.contains(bytes[position])
  }

  private func error(_ expected: String, at index: Int? = nil) -> PathDataError {
    let index = index ?? position
    let rest = String(decoding: bytes[index...], as: UTF8.self)
    let token = rest.prefix(24).prefix { !$0.isWhitespace && $0 != "," }
    let found = rest.isEmpty ? "the end" : "\"\(token.isEmpty ? rest.prefix(1) : token)\""
    return PathDataError(
      offset: String(decoding: bytes[..<index], as: UTF8.self).unicodeScalars.count,
      expected: expected, found: found)
  }
}
