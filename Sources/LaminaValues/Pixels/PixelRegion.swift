/// A set of pixels, as rectangles that do not overlap. It keeps its memory when it is emptied.
@usableFromInline package struct PixelRegion: Sendable {
  /// In no particular order.
  @usableFromInline package private(set) var rects: [PixelRect] = []
  /// Number of pixels.
  @usableFromInline package private(set) var area = 0

  @inlinable package init() {}

  @inlinable package var isEmpty: Bool { rects.isEmpty }

  @inlinable package mutating func removeAll() {
    rects.removeAll(keepingCapacity: true)
    area = 0
  }

  /// Adds a rectangle, which must not overlap the others.
  @inlinable package mutating func add(_ rect: PixelRect) {
    if rect.isEmpty { return }
    rects.append(rect)
    area += rect.area
  }

  @inlinable package func meets(_ rect: PixelRect) -> Bool {
    rects.contains { $0.meets(rect) }
  }

  /// The numbers of pixels and of rectangles by which `subtract` would change it.
  @inlinable package func change(subtracting hole: PixelRect) -> (area: Int, rectCount: Int) {
    var change = (area: 0, rectCount: 0)
    for rect in rects where rect.meets(hole) {
      change.area -= rect.intersection(hole).area
      change.rectCount += rect.partCount(outside: hole) - 1
    }
    return change
  }

  /// Takes out of each rectangle the part that lies in another one, if `isWorthIt`. That is told
  /// the part and into how many rectangles the rest is cut.
  @inlinable package mutating func subtract(
    _ hole: PixelRect, where isWorthIt: (_ part: PixelRect, _ restCount: Int) -> Bool
  ) {
    // What is added lies outside.
    var (place, end) = (0, rects.count)
    while place < end {
      let rect = rects[place]
      let part = rect.intersection(hole)
      guard !part.isEmpty, isWorthIt(part, rect.partCount(outside: hole)) else {
        place += 1
        continue
      }
      area -= part.area
      end -= 1
      rects.swapAt(place, end)
      rects.swapAt(end, rects.count - 1)
      rects.removeLast()
      rect.addParts(outside: part, to: &rects)
    }
  }

  /// Takes a rectangle's pixels out.
  @inlinable package mutating func subtract(_ hole: PixelRect) {
    subtract(hole) { _, _ in true }
  }
}

extension PixelRect {
  /// Number of rectangles that `addParts` adds for one that it meets.
  @inlinable func partCount(outside hole: PixelRect) -> Int {
    (minY < hole.minY ? 1 : 0) + (minX < hole.minX ? 1 : 0) + (hole.maxX < maxX ? 1 : 0)
      + (hole.maxY < maxY ? 1 : 0)
  }
}
