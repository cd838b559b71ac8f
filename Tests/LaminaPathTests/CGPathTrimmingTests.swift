import Foundation
import LaminaCAML
import LaminaValues
import Testing

@Suite("Trimming and measuring paths")
struct CGPathTrimmingTests {
  private let square = "M0 0L10 0L10 10L0 10Z"

  static let trims: [(from: Double, to: Double, expected: String)] = [
    (0, 1, "M0 0L10 0L10 10L0 10Z"), (-1, 2, "M0 0L10 0L10 10L0 10Z"),
    (0, 0.5, "M0 0L10 0L10 10"), (0.125, 0.375, "M5 0L10 0L10 5"), (0.875, 1, "M0 5L0 0"),
    (0.5, 0.5, ""), (0.6, 0.4, ""), (.nan, 1, ""), (0, .nan, ""),
  ]

  @Test("What is left between two fractions of the length", arguments: trims)
  func trimming(from: Double, to: Double, expected: String) throws {
    let trimmed = try Path(svgPathData: square).trimmed(from: from, to: to)
    #expect(trimmed.svgPathData == expected)
  }

  @Test("Subpaths count one after the other, and those wholly inside stay closed")
  func subpaths() throws {
    let path = try Path(svgPathData: square + "M20 0L60 0")
    #expect(path.trimmed(from: 0, to: 0.5).svgPathData == square)
    #expect(path.trimmed(from: 0, to: 0.75).svgPathData == square + "M20 0L40 0")
    #expect(path.trimmed(from: 0.4375, to: 0.75).svgPathData == "M0 5L0 0M20 0L40 0")
    #expect(path.trimmed(from: 0.5, to: 1).svgPathData == "M20 0L60 0")
  }

  @Test("A dot without length stays")
  func dot() throws {
    let dot = try Path(svgPathData: "M5 5L5 5")
    #expect(dot.trimmed(from: 0.2, to: 0.4) == dot)
  }

  @Test(
    "Segments share the length as they are long, and a curve is cut by its parameter",
    arguments: [0.1, 0.25, 0.5, 0.9])
  func curves(fraction: Double) throws {
    // A curve that starts slowly and ends fast, between lines of the same length.
    let curve = "C0 0 0 0 100 50"
    let length = try Path(svgPathData: "M0 0" + curve).length
    #expect(abs(length - hypot(100, 50)) < 1e-4)
    let path = try Path(svgPathData: "M0 0" + curve)
    var whole = Path([.move(CGPoint(x: -length, y: 0)), .line(.zero)])
    whole.elements += path.elements.dropFirst()
    whole.elements.append(.line(CGPoint(x: 100, y: 50 + length)))
    // The curve is the middle third of the whole.
    let (head, tail) = (
      whole.trimmed(from: 0, to: (1 + fraction) / 3),
      whole.trimmed(from: (1 + fraction) / 3, to: 1)
    )
    let t = pow(fraction, 3)
    let cut = CGPoint(x: 100 * t, y: 50 * t)
    let ends = try (#require(head.points.last), #require(tail.points.first))
    for end in [ends.0, ends.1] { #expect(hypot(end.x - cut.x, end.y - cut.y) < 1e-3) }
    #expect(abs(head.length + tail.length - 3 * length) < 1e-3)
  }

  @Test("The length of a path is that of many short lines")
  func length() throws {
    let path = try Path(svgPathData: "M0 0C0 0 0 0 100 50Q100 100 20 100C300 0 -300 0 20 100")
    #expect(abs(path.flattened(tolerance: 1e-4).length - path.length) < 1e-3 * path.length)
  }

  @Test("A circle's quarter ends where the next begins")
  func circle() {
    var path = Path()
    path.addEllipse(in: CGRect(x: -10, y: -10, width: 20, height: 20))
    let quarter = path.trimmed(from: 0.125, to: 0.375)
    let start = quarter.points[0]
    let end = quarter.points[quarter.points.count - 1]
    #expect(abs(start.x - end.x + 2 * 10 * cos(3 * .pi / 4)) < 1e-3)
    #expect(abs(start.y - end.y) < 1e-3)
  }

  @Test("Flattening keeps within its tolerance", arguments: [1.0, 0.1, 0.01])
  func flattening(tolerance: Double) {
    var path = Path()
    path.addEllipse(in: CGRect(x: -100, y: -100, width: 200, height: 200))
    let flat = path.flattened(tolerance: tolerance)
    for segment in flat.subpaths.flatMap(\.segments) {
      let middle = segment.point(at: 0.5)
      // The cubic itself is off the circle by up to 0.03.
      #expect(abs(hypot(middle.x, middle.y) - 100) < tolerance + 0.03)
    }
    #expect(path.flattened(tolerance: tolerance * 4).elements.count < flat.elements.count)
  }

  @Test("Flattening is bounded, for any tolerance and any number")
  func bounded() {
    let wild = Path([
      .move(.zero),
      .cubic(
        control1: CGPoint(x: 1e300, y: 0), control2: CGPoint(x: CGFloat.nan, y: 0),
        end: CGPoint(x: 1, y: 1)),
      .quad(control: CGPoint(x: CGFloat.infinity, y: 0), end: .zero), .close,
    ])
    #expect(wild.flattened(tolerance: 0).elements.count <= 2 * PathSegment.flatteningLimit + 2)
    _ = wild.trimmed(from: 0.2, to: 0.7)
    _ = wild.tightBounds
  }
}
