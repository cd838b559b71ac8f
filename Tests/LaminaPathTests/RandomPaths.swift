import LaminaGraphics
import LaminaValues
import TestSupport

import struct Foundation.CGPoint
import struct Foundation.CGRect

/// Numbers, paths and pens that are the same for the same seed.
struct SeededNumbers {
  private var random: SeededGenerator

  // If the factor were a multiple of the generator's step, one seed's numbers would be the next
  // one's, shifted.
  init(seed: Int) { random = SeededGenerator(seed: UInt64(seed) &* 0xD1B5_4A32_D192_ED03) }

  /// Between two numbers, in 256ths: the grid of all of Cairo's coordinates.
  mutating func number(_ low: Double, _ high: Double) -> Double {
    let unit = Double(random.next() >> 11) / Double(1 << 53)
    return ((low + unit * (high - low)) * 256).rounded() / 256
  }

  mutating func integer(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

  mutating func point() -> CGPoint { CGPoint(x: number(2, 62), y: number(2, 62)) }

  /// One to three subpaths.
  mutating func path() -> Path {
    var path = Path()
    for _ in 0...integer(3) { path.elements += subpath().elements }
    return path
  }

  /// Lines and curves, closed or not, an oval or a rounded rectangle.
  mutating func subpath() -> Path {
    var path = Path()
    switch integer(8) {
    case 0:
      path.addEllipse(in: rect())
    case 1:
      path.addRoundedRect(in: rect(), cornerWidth: number(1, 10), cornerHeight: number(1, 10))
    default:
      path.move(to: point())
      for _ in 0...integer(4) { addSegment(to: &path) }
      if integer(2) == 0 { path.close() }
    }
    return path
  }

  private mutating func rect() -> CGRect {
    let (a, b) = (point(), point())
    return CGRect(
      x: min(a.x, b.x), y: min(a.y, b.y), width: abs(a.x - b.x) + 1, height: abs(a.y - b.y) + 1)
  }

  private mutating func addSegment(to path: inout Path) {
    switch integer(4) {
    case 0: path.addQuad(control: point(), end: point())
    case 1: path.addCubic(control1: point(), control2: point(), end: point())
    default: path.addLine(to: point())
    }
  }

  mutating func pen() -> Pen {
    Pen(
      width: number(0.5, 10), cap: CGLineCap(rawValue: Int32(integer(3))) ?? .butt,
      join: CGLineJoin(rawValue: Int32(integer(3))) ?? .miter, miterLimit: number(1, 12))
  }
}
