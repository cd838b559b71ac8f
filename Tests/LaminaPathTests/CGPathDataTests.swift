import Foundation
import LaminaCAML
import LaminaGraphics
import LaminaValues
import Testing

@Suite("SVG path data")
struct CGPathDataTests {
  static let commands: [(text: String, expected: String)] = [
    ("", ""), (" \n ", ""), ("M1,2", "M1 2"), ("m1 2 3 4", "M1 2L4 6"),
    ("M1 2 3 4 5 6", "M1 2L3 4L5 6"), ("M0 0H5V6h-1v-2z", "M0 0L5 0L5 6L4 6L4 4Z"),
    ("M1 1l2 2Zl3 3", "M1 1L3 3ZM1 1L4 4"), ("M1 1l2 2zm5 5", "M1 1L3 3ZM6 6"),
    ("M0 0C1 2 3 4 5 6S9 8 10 10", "M0 0C1 2 3 4 5 6C7 8 9 8 10 10"),
    ("M1 1c1 1 2 2 3 3s1 1 2 2", "M1 1C2 2 3 3 4 4C5 5 5 5 6 6"),
    ("M1 1s1 1 2 2", "M1 1C1 1 2 2 3 3"), ("M0 0Q1 2 3 4T9 9", "M0 0Q1 2 3 4Q5 6 9 9"),
    ("M1 1q1 1 2 2t1 1 1 1", "M1 1Q2 2 3 3Q4 4 4 4Q4 4 5 5"), ("M1 1t2 2", "M1 1Q1 1 3 3"),
    ("M1e-3.5.5-.25", "M0.001 0.5L0.5 -0.25"), ("M+1-2", "M1 -2"), ("M1.2E+2 0", "M120 0"),
    ("M0 0a0 5 0 0 1 3 4", "M0 0L3 4"), ("M3 4A5 5 0 0 1 3 4", "M3 4"),
  ]

  @Test("Every command is read, relative and absolute", arguments: commands)
  func readsCommand(text: String, expected: String) throws {
    let path = try Path(svgPathData: text)
    #expect(path.svgPathData == expected)
    #expect(try Path(svgPathData: path.svgPathData) == path)
  }

  static let arcs: [(text: String, center: CGPoint, halfTurns: Double)] = [
    // Arcs from (0, 0) to (10, 10) on circles of radius 10, their centres, and their lengths in
    // half turns.
    ("M0 0A10 10 0 0 1 10 10", CGPoint(x: 0, y: 10), 0.5),
    ("M0 0A10 10 0 0010 10", CGPoint(x: 10, y: 0), 0.5),
    ("M0 0a10,10,0,1110,10", CGPoint(x: 10, y: 0), 1.5),
    ("M0 0A10 10 0 1 0 10 10", CGPoint(x: 0, y: 10), 1.5),
  ]

  @Test(
    "Arcs take the side and the sweep their flags say, also without separators", arguments: arcs)
  func readsArc(text: String, center: CGPoint, halfTurns: Double) throws {
    let path = try Path(svgPathData: text)
    #expect(path.currentPoint == CGPoint(x: 10, y: 10))
    #expect(abs(path.length - halfTurns * .pi * 10) < 0.02)
    for point in path.flattened(tolerance: 0.001).points {
      #expect(abs(hypot(point.x - center.x, point.y - center.y) - 10) < 0.01)
    }
  }

  @Test("An ellipse's arc turns with its axes, and radii grow to reach")
  func ellipticalArcs() throws {
    let turned = try Path(svgPathData: "M0 0A20 10 90 0 1 0 40")
    #expect(abs(turned.tightBounds.maxX - 10) < 1e-6)
    let grown = try Path(svgPathData: "M0 0A1 1 0 0 1 20 0")
    #expect(abs(grown.length - 10 * .pi) < 0.02)
    #expect(abs(grown.tightBounds.minY + 10) < 1e-6)
  }

  static let errors: [(text: String, offset: Int, expected: String)] = [
    ("L1 1", 0, "M or m"), ("M1", 2, "a number"), ("M1 2x", 4, "a command or a number"),
    ("M1 2L", 5, "a number"), ("M1 2 3", 6, "a number"), ("M1 2,", 5, "a number"),
    ("M0 0A1 1 0 2 0 1 1", 11, "a flag, 0 or 1"), ("M1e999 0", 1, "a number within ±1e30"),
    ("é", 0, "M or m"), ("M0 0L é", 6, "a number"), ("M0 0Z1", 5, "a command or a number"),
    ("M..5 0", 1, "a number"), ("M0 0Cé", 5, "a number"),
    ("M1 2nan 3", 4, "a command or a number"),
  ]

  @Test("What is wrong is found at its character", arguments: errors)
  func findsError(text: String, offset: Int, expected: String) {
    let error = #expect(throws: PathDataError.self) { try Path(svgPathData: text) }
    #expect(error?.offset == offset)
    #expect(error?.expected == expected)
  }

  @Test("Numbers are written in the shortest digits that read back equal")
  func numbers() throws {
    let path = Path([
      .move(CGPoint(x: 0.1, y: 1e-20)), .line(CGPoint(x: 1.0 / 3, y: -123_456_789.125)),
      .quad(control: CGPoint(x: -0.0, y: 1e25), end: CGPoint(x: 2, y: 5)), .close,
    ])
    #expect(try Path(svgPathData: path.svgPathData) == path)
  }
}
