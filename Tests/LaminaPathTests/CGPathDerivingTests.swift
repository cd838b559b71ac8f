import Foundation
import LaminaCAML
import LaminaGraphics
import LaminaValues
import Testing

@Suite("Stroking, dashing and asking paths")
struct CGPathDerivingTests {
  private func path(_ data: String) throws -> CGPath { CGPath(try Path(svgPathData: data)) }

  private func outline(
    _ data: String, width: CGFloat = 2, cap: CGLineCap = .butt, join: CGLineJoin = .miter,
    miterLimit: CGFloat = 10
  ) throws -> CGPath {
    try path(data).copy(
      strokingWithWidth: width, lineCap: cap, lineJoin: join, miterLimit: miterLimit)
  }

  private func contains(_ path: CGPath, _ x: CGFloat, _ y: CGFloat) -> Bool {
    path.contains(CGPoint(x: x, y: y))
  }

  static let ends: [(cap: CGLineCap, bounds: CGRect, hasCorner: Bool)] = [
    (.butt, CGRect(x: 0, y: -1, width: 10, height: 2), false),
    (.round, CGRect(x: -1, y: -1, width: 12, height: 2), false),
    (.square, CGRect(x: -1, y: -1, width: 12, height: 2), true),
  ]

  @Test("A line ends as its cap says", arguments: ends)
  func caps(cap: CGLineCap, bounds: CGRect, hasCorner: Bool) throws {
    let line = try outline("M0 0L10 0", cap: cap)
    #expect(line.boundingBoxOfPath == bounds)
    #expect(contains(line, 10.9, 0.9) == hasCorner)
  }

  @Test(
    "What has no length is a dot where it has a segment",
    arguments: [
      ("M5 5", CGLineCap.round, CGRect.null), ("M5 5L5 5", .butt, .null), ("M5 5Z", .butt, .null),
      ("M5 5L5 5", .round, CGRect(x: 4, y: 4, width: 2, height: 2)),
      ("M5 5Z", .round, CGRect(x: 4, y: 4, width: 2, height: 2)),
      ("M5 5C5 5 5 5 5 5", .square, CGRect(x: 4, y: 4, width: 2, height: 2)),
    ])
  func dots(data: String, cap: CGLineCap, bounds: CGRect) throws {
    let dot = try outline(data, cap: cap)
    #expect(dot.boundingBoxOfPath == bounds)
    #expect(contains(dot, 4.05, 4.05) == (cap == .square))
  }

  @Test("A corner is mitred up to the limit, or round, or bevelled")
  func joins() throws {
    // A right angle's miter is √2 widths long.
    for (join, limit, reach) in [
      (CGLineJoin.miter, 1.42, 1.4), (.miter, 1.41, 0.7), (.round, 10, 0.99), (.bevel, 10, 0.7),
    ] {
      let corner = try outline("M0 0L10 0L10 10", join: join, miterLimit: limit)
      let step = reach / 2.0.squareRoot()
      #expect(contains(corner, 10 + step, -step), "\(join) \(limit)")
      #expect(!contains(corner, 10 + step + 0.02, -step - 0.02), "\(join) \(limit)")
    }
  }

  @Test(
    "A line that turns back on itself has a round end there, or none",
    arguments: [
      (CGLineJoin.round, true), (.bevel, false), (.miter, false),
    ])
  func turningBack(join: CGLineJoin, reaches: Bool) throws {
    let line = try outline("M0 0L10 0L5 0", join: join)
    #expect(contains(line, 10.9, 0) == reaches)
    #expect(contains(line, 9.9, 0.9) && contains(line, 0.1, -0.9))
  }

  @Test("A circle's stroke is a ring, and a disc where the pen reaches the middle")
  func circles() {
    let circle = CGPath(
      ellipseIn: CGRect(x: -10, y: -10, width: 20, height: 20), transform: nil)
    let ring = circle.copy(strokingWithWidth: 4, lineCap: .butt, lineJoin: .miter, miterLimit: 10)
    let disc = circle.copy(strokingWithWidth: 30, lineCap: .butt, lineJoin: .miter, miterLimit: 10)
    #expect(abs(ring.boundingBoxOfPath.width - 24) < 1e-6)
    for angle in stride(from: 0.05, to: 6.28, by: 0.1) {
      func point(_ radius: Double) -> CGPoint {
        CGPoint(x: radius * cos(angle), y: radius * sin(angle))
      }
      for radius in [8.03, 11.97] { #expect(ring.contains(point(radius))) }
      for radius in [7.97, 12.03] { #expect(!ring.contains(point(radius))) }
      for radius in stride(from: 0.01, to: 24.9, by: 1) { #expect(disc.contains(point(radius))) }
      #expect(!disc.contains(point(25.03)))
    }
  }

  @Test("The transform maps the outline, not the line")
  func transform() throws {
    let line = try path("M0 0L10 0").copy(
      strokingWithWidth: 2, lineCap: .butt, lineJoin: .miter, miterLimit: 10,
      transform: CGAffineTransform(scaleX: 1, y: 5))
    #expect(line.boundingBox == CGRect(x: 0, y: -5, width: 10, height: 10))
  }

  static let dashes: [(data: String, phase: CGFloat, lengths: [CGFloat], expected: String)] = [
    ("M0 0L10 0", 0, [3, 2], "M0 0L3 0M5 0L8 0"),
    ("M0 0L10 0", 4, [3, 2], "M1 0L4 0M6 0L9 0"),
    ("M0 0L10 0", -1, [3, 2], "M1 0L4 0M6 0L9 0"),
    ("M0 0L10 0", 0, [4], "M0 0L4 0M8 0L10 0"),
    ("M0 0L4 0L4 6", 0, [6, 2], "M0 0L4 0L4 2M4 4L4 6"),
    ("M0 0L4 0M0 5L4 5", 0, [3, 9], "M0 0L3 0M0 5L3 5"),
    (
      "M0 0L10 0L10 10L0 10Z", 2, [5, 5], "M0 2L0 0L3 0M8 0L10 0L10 3M10 8L10 10L7 10M2 10L0 10L0 7"
    ),
    ("M0 0L10 0L10 10L0 10Z", 0, [99, 1], "M0 0L10 0L10 10L0 10L0 0Z"),
    ("M0 0L8 0", 2, [0, 4], "M2 0L2 0M6 0L6 0"), ("M3 3L3 3", 0, [1, 1], "M3 3L3 3"),
    ("M3 3L3 3", 1, [1, 1], ""),
    ("M0 0L9 0", 0, [], "M0 0L9 0"), ("M0 0L9 0", 0, [0, 0], "M0 0L9 0"),
    ("M0 0L9 0", 0, [3, -1], "M0 0L9 0"), ("M0 0L9 0", .nan, [3], "M0 0L9 0"),
    ("M0 0L9 0", 0, [.infinity], "M0 0L9 0"), ("M0 0L9 0", 0, [1e-9], "M0 0L9 0"),
  ]

  @Test("Dashes and gaps take turns, from the phase on", arguments: dashes)
  func dashing(data: String, phase: CGFloat, lengths: [CGFloat], expected: String) throws {
    let dashed = try path(data).copy(dashingWithPhase: phase, lengths: lengths)
    #expect(dashed.storage.svgPathData == expected)
  }

  @Test("A point is inside by either rule, and the least edges belong to a rectangle")
  func containment() throws {
    let twice = try path("M0 0L10 0L10 10L0 10ZM2 2L8 2L8 8L2 8Z")
    let center = CGPoint(x: 5, y: 5)
    #expect(twice.contains(center) && !twice.contains(center, using: .evenOdd))
    let rect = CGRect(x: 1, y: 2, width: 3, height: 4)
    let rectangle = CGPath(rect: rect, transform: nil)
    for (x, y) in [(1.0, 2.0), (1, 4), (2, 2), (4, 2), (1, 6), (4, 4), (2, 6), (4, 6)] {
      let point = CGPoint(x: x, y: y)
      #expect(rectangle.contains(point) == rect.contains(point), "\(point)")
    }
    let open = try path("M0 0L10 0L0 10")
    #expect(contains(open, 1, 1) && !contains(open, 6, 6))
    #expect(
      rectangle.contains(.zero, transform: CGAffineTransform(translationX: 2, y: 3)))
  }

  @Test("A curve's inside is exact, where lines in its place would be off")
  func exactContainment() throws {
    let bulge = try path("M0 0Q0.5 1 1 0Z")
    for t in stride(from: 0.01, to: 1, by: 0.03) {
      // The curve passes (t, 2t(1 - t)).
      #expect(contains(bulge, t, 2 * t * (1 - t) - 1e-12))
      #expect(!contains(bulge, t, 2 * t * (1 - t) + 1e-12))
    }
  }

  static let rectangles: [(data: String, rect: CGRect?)] = [
    ("M0 0L4 0L4 3L0 3Z", CGRect(x: 0, y: 0, width: 4, height: 3)),
    ("M4 3L4 0L0 0L0 3L4 3", CGRect(x: 0, y: 0, width: 4, height: 3)),
    ("M4 3L4 0L0 0L0 3", CGRect(x: 0, y: 0, width: 4, height: 3)), ("M0 0L4 0L4 3Z", nil),
    ("M0 0L4 0L4 3L1 3Z", nil), ("M0 0L4 0Q4 1 4 3L0 3Z", nil), ("", nil),
    ("M0 0L4 0L4 3L0 3ZM0 0L1 1", nil), ("M0 0L4 0L2 0L4 0Z", nil),
  ]

  @Test("A path knows whether it is a rectangle", arguments: rectangles)
  func recognisesRectangle(data: String, rect: CGRect?) throws {
    var found = CGRect.null
    #expect(try path(data).isRect(&found) == (rect != nil))
    #expect(found == rect ?? .null)
  }

  @Test("Flattening leaves lines only, and elements are applied with their info")
  func flattening() throws {
    let flat = try path("M0 0Q5 10 10 0C10 5 0 5 0 0Z").flattened(threshold: 0.1)
    var count = 0
    flat.apply(info: &count) { info, element in
      info?.assumingMemoryBound(to: Int.self).pointee += 1
      #expect(element.pointee.type != .addCurveToPoint)
      #expect(element.pointee.type != .addQuadCurveToPoint)
    }
    #expect(count == flat.storage.elements.count && count > 10)
  }
}
