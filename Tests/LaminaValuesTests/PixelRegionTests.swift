import LaminaValues
import TestSupport
import Testing

@Suite("A region of pixels")
struct PixelRegionTests {
  private struct Pixel: Hashable {
    var x: Int
    var y: Int
  }

  private func pixels(of rect: PixelRect) -> Set<Pixel> {
    if rect.isEmpty { return [] }
    return Set(
      (rect.minX..<rect.maxX).flatMap { x in
        (rect.minY..<rect.maxY).map { Pixel(x: x, y: $0) }
      })
  }

  private func rect(_ random: inout SeededGenerator) -> PixelRect {
    let (x, y) = (random.below(20), random.below(20))
    return PixelRect(minX: x, minY: y, maxX: x + random.below(12), maxY: y + random.below(12))
  }

  @Test("has the pixels of its rectangle less those of all that was taken out, each once")
  func subtracts() {
    var random = SeededGenerator(seed: 1)
    var region = PixelRegion()
    for number in 0..<300 {
      let whole = PixelRect(minX: 2, minY: 3, maxX: 24, maxY: 27)
      region.set(.empty)
      #expect(region.isEmpty && region.area == 0)
      region.set(whole)
      var expected = pixels(of: whole)
      for _ in 0..<6 {
        let hole = rect(&random)
        let before = (area: region.area, rectCount: region.rects.count)
        let change = region.change(subtracting: hole)
        region.subtract(hole)
        expected.subtract(pixels(of: hole))
        #expect(region.area == before.area + change.area, "\(number)")
        #expect(region.rects.count == before.rectCount + change.rectCount, "\(number)")
        #expect(region.area == expected.count, "\(number)")
        #expect(region.rects.reduce(0) { $0 + $1.area } == expected.count, "\(number)")
        #expect(region.rects.allSatisfy { !$0.isEmpty }, "\(number)")
        #expect(region.rects.reduce(into: []) { $0.formUnion(pixels(of: $1)) } == expected)
        var copy: [PixelRect] = []
        region.append(to: &copy)
        #expect(copy == Array(region.rects) && copy.count == region.rectCount)
        #expect(region.isEmpty == expected.isEmpty)
      }
    }
  }

  @Test("keeps what is not worth taking out, and tells of each part how the rest is cut")
  func keeps() {
    var region = PixelRegion()
    region.add(PixelRect(minX: 0, minY: 0, maxX: 10, maxY: 10))
    region.add(PixelRect(minX: 10, minY: 0, maxX: 20, maxY: 10))
    var parts: [(PixelRect, Int)] = []
    region.subtract(PixelRect(minX: 5, minY: 0, maxX: 12, maxY: 4)) { part, restCount in
      parts.append((part, restCount))
      return part.area >= 10 * restCount
    }
    #expect(parts.count == 2)
    // Below and to the left of the first; below and to the right of the second, which is kept.
    #expect(parts[0] == (PixelRect(minX: 5, minY: 0, maxX: 10, maxY: 4), 2))
    #expect(parts[1] == (PixelRect(minX: 10, minY: 0, maxX: 12, maxY: 4), 2))
    #expect(region.area == 180)
    #expect(region.rects.contains(PixelRect(minX: 10, minY: 0, maxX: 20, maxY: 10)))
  }

  @Test("is made of rectangles that meet if they have a pixel in common")
  func meets() {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<2_000 {
      let (a, b) = (rect(&random), rect(&random))
      #expect(a.meets(b) == !pixels(of: a).isDisjoint(with: pixels(of: b)), "\(a) \(b)")
    }
    let all = PixelRect(minX: -1 << 30, minY: -1 << 30, maxX: 1 << 30, maxY: 1 << 30)
    #expect(all.meets(PixelRect(minX: 3, minY: 3, maxX: 4, maxY: 4)))
    #expect(!all.meets(.empty))
  }
}
