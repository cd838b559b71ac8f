import Foundation
import LaminaValues
import TestSupport
import Testing

@Suite("Rectangles") struct RectangleTests {
  @Test("The overlap of two is their intersection, which may be a side or a corner")
  func overlap() {
    var random = SeededGenerator(seed: 1)
    func number() -> CGFloat { CGFloat(random.below(9) - 4) }
    for _ in 0..<1000 {
      let pair = (0..<2).map { _ in
        CGRect(x: number(), y: number(), width: number(), height: number())
      }
      #expect(pair[0].overlap(with: pair[1]) == pair[0].intersection(pair[1]))
    }
    let unit = CGRect(x: 0, y: 0, width: 1, height: 1)
    #expect(unit.overlap(with: .null) == .null)
    #expect(unit.overlap(with: .infinite) == unit)
    #expect(unit.overlap(with: CGRect(x: 0, y: 0, width: CGFloat.infinity, height: 1)) == unit)
  }

  @Test("Where a side is no number there is no overlap")
  func noNumbers() {
    let numbers: [CGFloat] = [.nan, .infinity, -.infinity, 1e308, -1e308, 0]
    let unit = CGRect(x: 0, y: 0, width: 1, height: 1)
    for x in numbers {
      for width in numbers {
        let rect = CGRect(x: x, y: 0, width: width, height: 1)
        let isNone = unit.overlap(with: rect).isNull
        if rect.minX.isNaN || rect.maxX.isNaN { #expect(isNone) }
        #expect(rect.overlap(with: unit).isNull == isNone)
        #expect(CGRectIntersectsRect(rect, unit) == !isNone)
      }
    }
  }
}
