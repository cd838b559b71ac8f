/// A set of pixels, as rectangles that do not overlap. It keeps its memory when it is emptied.
@usableFromInline package struct PixelRegion: Sendable {
  /// The rectangles, in no particular order, and after them room for more.
  @usableFromInline var memory: [PixelRect] = []
  @usableFromInline var count = 0
  /// Number of pixels.
  @usableFromInline package private(set) var area = 0

  @inlinable package init() {}

  @inlinable package var isEmpty: Bool { count == 0 }
  @inlinable package var rectCount: Int { count }
  @inlinable package var rects: ArraySlice<PixelRect> { memory[..<count] }

  /// Becomes one rectangle, or none if that is empty.
  @inlinable package mutating func set(_ rect: PixelRect) {
    (count, area) = (0, 0)
    add(rect)
  }

  /// Adds a rectangle, which must not overlap the others.
  @inlinable package mutating func add(_ rect: PixelRect) {
    if rect.isEmpty { return }
    reserve(count + 1)
    memory[count] = rect
    count += 1
    area += rect.area
  }

  @inlinable package func append(to rects: inout [PixelRect]) {
    memory.withUnsafeBufferPointer { rects.append(contentsOf: $0[..<count]) }
  }

  @inlinable mutating func reserve(_ count: Int) {
    if memory.count < count {
      memory += repeatElement(.empty, count: 2 * count - memory.count)
    }
  }

  /// The numbers of pixels and of rectangles by which `subtract` would change it.
  @inlinable package func change(subtracting hole: PixelRect) -> (area: Int, rectCount: Int) {
    var change = (area: 0, rectCount: 0)
    memory.withUnsafeBufferPointer { memory in
      for place in 0..<count where memory[place].meets(hole) {
        change.area -= memory[place].intersection(hole).area
        change.rectCount += memory[place].partCount(outside: hole) - 1
      }
    }
    return change
  }

  /// Takes out of each rectangle the part that lies in another one, if `isWorthIt`. That is told
  /// the part and into how many rectangles the rest is cut.
  @inlinable package mutating func subtract(
    _ hole: PixelRect, where isWorthIt: (_ part: PixelRect, _ restCount: Int) -> Bool
  ) {
    reserve(4 * count)
    (count, area) = memory.withUnsafeMutableBufferPointer { [count, area] memory in
      var (count, area) = (count, area)
      // What is added lies outside.
      var (place, end) = (0, count)
      while place < end {
        let rect = memory[place]
        guard rect.meets(hole) else {
          place += 1
          continue
        }
        let part = rect.intersection(hole)
        guard isWorthIt(part, rect.partCount(outside: hole)) else {
          place += 1
          continue
        }
        area -= part.area
        // The last one that was not seen yet takes its place, and the last of all that one's.
        end -= 1
        memory[place] = memory[end]
        memory[end] = memory[count - 1]
        // Each part is written, and stays if it has any pixels.
        func isKept(_ minX: Int, _ minY: Int, _ maxX: Int, _ maxY: Int, at place: Int) -> Int {
          memory[place] = PixelRect(minX: minX, minY: minY, maxX: maxX, maxY: maxY)
          return minX < maxX && minY < maxY ? 1 : 0
        }
        count -= 1
        count += isKept(rect.minX, rect.minY, rect.maxX, part.minY, at: count)
        count += isKept(rect.minX, part.minY, part.minX, part.maxY, at: count)
        count += isKept(part.maxX, part.minY, rect.maxX, part.maxY, at: count)
        count += isKept(rect.minX, part.maxY, rect.maxX, rect.maxY, at: count)
      }
      return (count, area)
    }
  }

  /// Takes a rectangle's pixels out.
  @inlinable package mutating func subtract(_ hole: PixelRect) {
    subtract(hole) { _, _ in true }
  }
}

extension PixelRect {
  /// Number of rectangles that are left of it without one that it meets.
  @inlinable func partCount(outside hole: PixelRect) -> Int {
    (minY < hole.minY ? 1 : 0) + (minX < hole.minX ? 1 : 0) + (hole.maxX < maxX ? 1 : 0)
      + (hole.maxY < maxY ? 1 : 0)
  }
}
