import LaminaCAML
import LaminaGraphics
import LaminaValues
import Testing

import struct Foundation.CGPoint
import struct Foundation.CGRect

@Suite("Combining areas")
struct CombiningTests {
  /// An operation on two areas, and its rule for points: whether a point is inside the result,
  /// given whether it is inside each area.
  struct Operation: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let combine: @Sendable (CGPath, CGPath, CGPathFillRule) -> CGPath
    let isInside: @Sendable (Bool, Bool) -> Bool
  }

  static let operations = [
    Operation(
      testDescription: "normalized", combine: { a, _, rule in a.normalized(using: rule) },
      isInside: { a, _ in a }),
    Operation(
      testDescription: "union", combine: { $0.union($1, using: $2) }, isInside: { $0 || $1 }),
    Operation(
      testDescription: "intersection", combine: { $0.intersection($1, using: $2) },
      isInside: { $0 && $1 }),
    Operation(
      testDescription: "subtracting", combine: { $0.subtracting($1, using: $2) },
      isInside: { $0 && !$1 }),
    Operation(
      testDescription: "symmetricDifference",
      combine: { $0.symmetricDifference($1, using: $2) }, isInside: { $0 != $1 }),
  ]

  @Test(
    "Pixels that Cairo fills or leaves whole are as the operation says", arguments: operations)
  func agreesWithCairo(operation: Operation) {
    for seed in 1...20 {
      var numbers = SeededNumbers(seed: seed)
      let (a, b) = (numbers.path(), numbers.path())
      let rule = seed % 2 == 0 ? CGPathFillRule.winding : .evenOdd
      let (first, second) = (CairoRaster(filling: a, rule), CairoRaster(filling: b, rule))
      let combined = operation.combine(CGPath(a), CGPath(b), rule).storage
      // Edges do not cross, so either rule fills the same.
      let bitmaps = [
        CairoRaster(filling: combined, .winding), CairoRaster(filling: combined, .evenOdd),
      ]
      var wrong = 0
      for (index, (x, y)) in zip(first.coverage, second.coverage).enumerated() {
        guard x == 0 || x == 255, y == 0 || y == 255 else { continue }
        let expected: Int = operation.isInside(x == 255, y == 255) ? 255 : 0
        wrong += bitmaps.count { abs(Int($0.coverage[index]) - expected) > 8 }
      }
      #expect(wrong == 0, "seed \(seed): \(wrong) in \(a.svgPathData) and \(b.svgPathData)")
    }
  }

  private func square(_ x: Double, _ y: Double, _ side: Double) -> CGPath {
    CGPath(rect: CGRect(x: x, y: y, width: side, height: side), transform: nil)
  }

  @Test("Squares beside each other touch, and do not intersect")
  func touching() {
    #expect(!square(0, 0, 4).intersects(square(4, 0, 4)))
    #expect(square(0, 0, 4).intersects(square(3.99, 0, 4)))
    #expect(square(0, 0, 9).intersects(square(2, 2, 1)))
    #expect(square(0, 0, 4).intersection(square(4, 0, 4)).isEmpty)
    #expect(square(0, 0, 4).subtracting(square(0, 0, 4)).isEmpty)
    #expect(square(0, 0, 4).union(square(0, 0, 4)) == square(0, 0, 4))
  }

  @Test("Curves stay curves")
  func curves() {
    let disc = CGPath(ellipseIn: CGRect(x: 0, y: 0, width: 10, height: 10), transform: nil)
    let half = disc.intersection(square(0, 5, 10))
    #expect(half.storage.elements.count <= 6)
    let height = half.boundingBoxOfPath.height
    #expect(abs(height - 5) < 1e-3)
    #expect(disc.normalized().storage.elements.count == disc.storage.elements.count)
  }

  @Test("A line is split where it enters and leaves an area")
  func lines() throws {
    let line = CGPath(try Path(svgPathData: "M0 5L10 5"))
    let area = square(2, 2, 4)
    #expect(line.lineIntersection(area).storage.svgPathData == "M2 5L6 5")
    #expect(line.lineSubtracting(area).storage.svgPathData == "M0 5L2 5M6 5L10 5")
  }

  @Test("Components come apart with their holes, islands by themselves")
  func components() {
    let path = CGMutablePath()
    for (place, side) in [(0.0, 20.0), (2, 16), (4, 12), (6, 8)] {
      path.addPath(square(place, place, side))
    }
    path.addPath(square(30, 0, 5))
    let parts = path.componentsSeparated(using: .evenOdd)
    #expect(parts.map(\.boundingBox.width).sorted() == [5, 12, 20])
    #expect(parts.allSatisfy { $0.contains(CGPoint(x: 10, y: 10)) == false })
  }
}
