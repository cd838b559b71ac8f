import Foundation
import LaminaCAML
import LaminaGraphics
import LaminaValues
import Testing

@Suite("Paths")
struct CGPathTests {
  private let unit = CGRect(x: 0, y: 0, width: 10, height: 20)

  @Test("A rectangle starts at its least corner and goes along x first")
  func rectangle() {
    let path = CGPath(rect: CGRect(x: 10, y: 20, width: -10, height: -20), transform: nil)
    #expect(path.storage.svgPathData == "M0 0L10 0L10 20L0 20Z")
    #expect(path.currentPoint == .zero)
    var move = CGAffineTransform(translationX: 5, y: 0)
    #expect(CGPath(rect: unit, transform: &move).storage.svgPathData == "M5 0L15 0L15 20L5 20Z")
  }

  @Test("An ellipse touches its rectangle's sides exactly, starting on the right")
  func ellipse() {
    let path = CGPath(ellipseIn: unit, transform: nil)
    let ends = path.storage.elements.compactMap { element -> CGPoint? in
      switch element {
      case .move(let p), .cubic(_, _, let p): p
      default: nil
      }
    }
    #expect(
      ends == [
        CGPoint(x: 10, y: 10), CGPoint(x: 5, y: 20), CGPoint(x: 0, y: 10), CGPoint(x: 5, y: 0),
        CGPoint(x: 10, y: 10),
      ])
    #expect(path.boundingBox == unit)
    #expect(path.boundingBoxOfPath == unit)
  }

  @Test("A rounded rectangle's corners are cut to half a side, and none make a rectangle")
  func roundedRectangle() {
    let path = CGPath(roundedRect: unit, cornerWidth: 50, cornerHeight: 5, transform: nil)
    #expect(path.boundingBoxOfPath == unit)
    #expect(path.storage.elements.first == .move(CGPoint(x: 10, y: 10)))
    let plain = CGPath(roundedRect: unit, cornerWidth: 0, cornerHeight: 0, transform: nil)
    #expect(plain == CGPath(rect: unit, transform: nil))
  }

  /// Start, end, direction and swept angle; angles are in quarter turns.
  static let arcs: [(start: Double, end: Double, clockwise: Bool, sweep: Double)] = [
    (0, 1, false, 1), (0, 1, true, -3), (0, -1, false, 3), (0, -1, true, -1), (0, 4, false, 4),
    (0, 4, true, -4), (0, 14, false, 4), (0.5, 0.5, false, 0), (0.3, 2.9, false, 2.6),
  ]

  @Test("An arc runs the way it is told", arguments: arcs)
  func sweepsArc(start: Double, end: Double, clockwise: Bool, sweep: Double) {
    let (start, end, sweep) = (start * .pi / 2, end * .pi / 2, sweep * .pi / 2)
    let path = CGMutablePath()
    path.addArc(
      center: CGPoint(x: 3, y: 4), radius: 10, startAngle: start, endAngle: end,
      clockwise: clockwise)
    #expect(abs(path.storage.length - abs(sweep) * 10) < 0.02)
    let last = path.currentPoint
    #expect(abs(last.x - (3 + 10 * cos(start + sweep))) < 1e-9)
    #expect(abs(last.y - (4 + 10 * sin(start + sweep))) < 1e-9)
    for point in path.storage.flattened(tolerance: 0.01).points {
      #expect(abs(hypot(point.x - 3, point.y - 4) - 10) < 0.02)
    }
  }

  @Test("An arc between tangents touches both lines, on either side", arguments: [1.0, -1])
  func tangentArc(side: Double) {
    let path = CGMutablePath()
    path.move(to: .zero)
    path.addArc(
      tangent1End: CGPoint(x: 10, y: 0), tangent2End: CGPoint(x: 10, y: 10 * side), radius: 4)
    let elements = path.storage.elements
    #expect(elements.count == 3)
    if case .line(let p) = elements[1] { #expect(abs(p.x - 6) < 1e-9 && abs(p.y) < 1e-9) }
    #expect(abs(path.currentPoint.x - 10) < 1e-9)
    #expect(abs(path.currentPoint.y - 4 * side) < 1e-9)
    #expect(abs(path.storage.length - (6 + 2 * .pi)) < 0.01)
  }

  @Test("Segments need a current point, and after closing start where the subpath did")
  func currentPoint() {
    let path = CGMutablePath()
    path.addLine(to: CGPoint(x: 1, y: 1))
    path.addQuadCurve(to: .zero, control: .zero)
    path.closeSubpath()
    #expect(path.isEmpty)
    #expect(path.boundingBox.isNull && path.boundingBoxOfPath.isNull)
    path.addLines(between: [CGPoint(x: 1, y: 2), CGPoint(x: 5, y: 2), CGPoint(x: 5, y: 6)])
    path.closeSubpath()
    path.closeSubpath()
    path.addLine(to: CGPoint(x: 9, y: 9))
    #expect(path.storage.svgPathData == "M1 2L5 2L5 6ZM1 2L9 9")
  }

  @Test("The bounding box has the control points, the path's own does not")
  func bounds() {
    let path = CGMutablePath()
    path.move(to: .zero)
    path.addQuadCurve(to: CGPoint(x: 10, y: 0), control: CGPoint(x: 5, y: 10))
    path.addCurve(
      to: CGPoint(x: 20, y: 0), control1: CGPoint(x: 10, y: -8), control2: CGPoint(x: 20, y: -8))
    #expect(path.boundingBox == CGRect(x: 0, y: -8, width: 20, height: 18))
    #expect(path.boundingBoxOfPath == CGRect(x: 0, y: -6, width: 20, height: 11))
  }

  @Test("Copies do not follow the original, and equal paths hash alike")
  func copies() throws {
    let path = CGMutablePath()
    path.addRect(unit)
    let copy = try #require(path.copy())
    #expect(copy == path && copy.hashValue == path.hashValue)
    path.addPath(path, transform: CGAffineTransform(scaleX: 2, y: 2))
    #expect(copy != path)
    #expect(path.boundingBox == CGRect(x: 0, y: 0, width: 20, height: 40))
    var flip = CGAffineTransform(scaleX: 1, y: -1)
    #expect(copy.copy(using: &flip)?.boundingBox.minY == -20)
    #expect(try #require(copy.mutableCopy()) == copy)
  }

  @Test("Elements are shown in order, with their points")
  func elements() {
    let path = CGMutablePath()
    path.move(to: CGPoint(x: 1, y: 0))
    path.addCurve(
      to: CGPoint(x: 4, y: 0), control1: CGPoint(x: 2, y: 0), control2: CGPoint(x: 3, y: 0))
    path.closeSubpath()
    var seen: [String] = []
    path.applyWithBlock { element in
      let count = [1, 1, 2, 3, 0][Int(element.pointee.type.rawValue)]
      let xs = (0..<count).map { Int(element.pointee.points[$0].x) }
      seen.append("\(element.pointee.type) \(xs)")
    }
    #expect(seen == ["moveToPoint [1]", "addCurveToPoint [2, 3, 4]", "closeSubpath []"])
  }
}
