import LaminaValues
import TestSupport
import Testing

@testable import LaminaSoftware

/// On a processor without AVX2 there are only the plain ones.
@Suite("A loop over pixels for AVX2 or AVX-512, where the processor has it")
struct PixelRowsTests {
  private let plain = PixelRows(.baseline)

  /// Rows of all lengths that begin in all places of a vector, with room around them that must stay
  /// as it is.
  private static let rows = (Array(0...70) + [128, 129, 255]).flatMap { count in
    (0..<8).map { (count, start: $0) }
  }
  private static let room = 280

  @Test("paints a colour as the plain one does, to the bit")
  func tint() {
    expectEqualRows(seed: 1) { rows, target, count, height, color in
      rows.tint(target, count, rows: height, stride: Self.room, color)
    }
  }

  @Test("fills pixels as the plain one does, and no others")
  func fill() {
    expectEqualRows(seed: 9) { rows, target, count, height, color in
      rows.fill(target, count, rows: height, stride: Self.room, color)
    }
  }

  @Test("paints every alpha over every channel as the plain one does, to the bit")
  func everyAlpha() {
    let channels = (0..<256).map { UInt32($0) * 0x0101_0101 }
    for alpha in 0..<256 as Range<UInt32> {
      expectEqual("alpha \(alpha)", channels) { rows, target in
        rows.tint(target, channels.count, alpha << 24)
      }
    }
  }

  @Test("paints pixels as the plain one does, to the bit", arguments: [255, 0, 1, 128, 254])
  func over(opacity: UInt32) {
    var random = SeededGenerator(seed: 2 + opacity)
    for (count, start) in Self.rows {
      let (target, source) = (random.pixels(Self.room), random.pixels(Self.room))
      let sourceStart = random.below(8)
      let height = 1 + random.below(3)
      let room = target + random.pixels(2 * Self.room)
      expectEqual("\(height) rows of \(count) pixels from \(start)", room) { rows, target in
        source.withUnsafeBufferPointer {
          rows.over(
            target + start, $0.baseAddress! + sourceStart, count, rows: height, stride: Self.room,
            opacity: opacity)
        }
      }
    }
  }

  @Test("paints a colour through a mask as the plain one does, to the bit")
  func mask() {
    var random = SeededGenerator(seed: 3)
    for (count, start) in Self.rows {
      let (target, color) = (random.pixels(Self.room), random.color())
      let mask = (0..<Self.room).map { _ in UInt32(random.pick([0, 255, random.below(256)])) }
      let maskStart = random.below(8)
      expectEqual("\(count) pixels from \(start)", target) { rows, target in
        mask.withUnsafeBufferPointer {
          rows.mask(target + start, $0.baseAddress! + maskStart, count, color)
        }
      }
    }
  }

  @Test(
    "paints mixed neighbours as the plain one does, to the bit", arguments: [255, 1, 128])
  func mixOver(opacity: UInt32) {
    var random = SeededGenerator(seed: 8 + opacity)
    for (count, start) in Self.rows {
      let height = 1 + random.below(3)
      let target = random.pixels(3 * Self.room)
      let source = random.pixels(4 * Self.room)
      let sourceStart = random.below(8)
      // Of two that are 0, nothing is mixed.
      let (x, y) = (UInt32(1 + random.below(255)), UInt32(random.below(256)))
      expectEqual("\(height) rows of \(count) pixels from \(start)", target) { rows, target in
        source.withUnsafeBufferPointer {
          rows.mixOver(
            target + start, stride: Self.room, $0.baseAddress! + sourceStart,
            sourceStride: Self.room, count, rows: height, fractionX: x, fractionY: y,
            opacity: opacity)
        }
      }
      let right = sourceStart + random.below(2)
      expectEqual("\(height) rows of a column", target) { rows, target in
        source.withUnsafeBufferPointer {
          rows.mixColumnOver(
            target + start, stride: Self.room, $0.baseAddress! + sourceStart,
            $0.baseAddress! + right, sourceStride: Self.room, rows: height, fractionX: x,
            fractionY: y, opacity: opacity)
        }
      }
    }
  }

  @Test("mixes neighbours as the plain one does, to the bit")
  func mix() {
    var random = SeededGenerator(seed: 4)
    for (count, start) in Self.rows {
      let target = random.pixels(Self.room)
      let (upper, lower) = (random.pixels(Self.room), random.pixels(Self.room))
      func fraction() -> UInt32 { UInt32(random.pick([0, 1, 255, random.below(256)])) }
      let (x, y) = (fraction(), fraction())
      let (above, below) = (random.below(8), random.below(8))
      expectEqual("\(count) pixels from \(start) by \(x), \(y)", target) { rows, target in
        upper.withUnsafeBufferPointer { upper in
          lower.withUnsafeBufferPointer { lower in
            rows.mix(
              target + start, upper.baseAddress! + above, lower.baseAddress! + below, count,
              fractionX: x, fractionY: y)
          }
        }
      }
    }
  }

  @Test(
    "samples an image as the plain one does, to the bit, also beyond its edges and nowhere at all",
    arguments: [1, 2, 3, 40])
  func sample(width: Int) {
    var random = SeededGenerator(seed: 5 + width)
    for (count, start) in Self.rows {
      let target = random.pixels(Self.room)
      let image = random.image(width, 1 + random.below(20))
      let places = random.places(width, image.size.height)
      expectEqual("\(count) pixels from \(start) at \(places)", target) { rows, target in
        rows.sample(target + start, image.texels, places, count)
      }
    }
  }

  @Test(
    "paints samples between edges as the plain one does, to the bit, over parts of any rows",
    arguments: [255, 0, 1, 128])
  func sampleOver(opacity: UInt32) {
    var random = SeededGenerator(seed: 6 + opacity)
    var (partly, wholly) = (0, 0)
    for (count, start) in Self.rows {
      // Some are longer than what goes through the steps at once.
      let count = random.one(in: 20) ? count + Painter.spanLimit : count
      let stride = 2 * Self.room
      let target = random.pixels(3 * stride)
      let image = random.image(2 + random.below(40), 2 + random.below(20))
      let places = random.places(image.size.width, image.size.height)
      let edges = random.one(in: 4) ? nil : random.edges(column: places.column, count)
      let parts = (0..<1 + random.below(3)).map { row in
        let first = row == 0 ? start : random.below(start + count + 1)
        let end = row == 0 ? start + count : first + random.below(start + count + 1 - first)
        return PixelRows.Part(first: Int32(first), count: Int32(end - first))
      }
      for (row, part) in parts.enumerated() where edges != nil {
        let line = RowOfEdges(
          first: Float(places.column + Int(part.first)),
          start: edges!.row(Float(places.row + row)), across: edges!.across)
        for i in Swift.stride(from: 0, to: Int(part.count), by: 4) {
          let coverage = line.coverage(from: i)
          for lane in 0..<min(4, Int(part.count) - i) {
            if coverage[lane] >= 1 { wholly += 1 } else if coverage[lane] > 0 { partly += 1 }
          }
        }
      }
      var scratch = [UInt32](repeating: 0, count: Painter.spanLimit)
      expectEqual("\(parts) at \(places) between \(edges as Any)", target) { rows, target in
        scratch.withUnsafeMutableBufferPointer { scratch in
          parts.withUnsafeBufferPointer {
            rows.sampleOver(
              target, stride: stride, $0, image.texels, places, edges, opacity: opacity,
              through: scratch.baseAddress!)
          }
        }
      }
    }
    #expect(partly > 1000 && wholly > 1000)
  }

  /// Expects the same of what paints some rows with a colour, for all those lengths and places.
  private func expectEqualRows(
    seed: UInt64,
    _ paint: (PixelRows, PixelRows.Target, _ count: Int, _ rows: Int, _ color: UInt32) -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var random = SeededGenerator(seed: seed)
    for (count, start) in Self.rows {
      let (target, color) = (random.pixels(3 * Self.room), random.color())
      let height = 1 + random.below(3)
      expectEqual(
        "\(height) rows of \(count) pixels from \(start)", target,
        { rows, target in paint(rows, target + start, count, height, color) },
        sourceLocation: sourceLocation)
    }
  }

  /// Expects all to make the same pixels of `target`.
  private func expectEqual(
    _ what: @autoclosure () -> String, _ target: [UInt32],
    _ paint: (PixelRows, PixelRows.Target) -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var wanted = target
    wanted.withUnsafeMutableBufferPointer { paint(plain, $0.baseAddress!) }
    for instructions in InstructionSet.available where instructions != .baseline {
      var made = target
      made.withUnsafeMutableBufferPointer { paint(PixelRows(instructions), $0.baseAddress!) }
      guard let place = zip(made, wanted).enumerated().first(where: { $1.0 != $1.1 }) else {
        continue
      }
      Issue.record(
        """
        \(what()) with \(instructions): pixel \(place.offset) is \(place.element.0), \
        not \(place.element.1)
        """, sourceLocation: sourceLocation)
    }
  }
}

extension SeededGenerator {
  /// Any bits: channels may be greater than alpha.
  fileprivate mutating func color() -> UInt32 {
    switch below(8) {
    case 0: 0
    case 1: .max
    default: UInt32(truncatingIfNeeded: next())
    }
  }

  fileprivate mutating func pixels(_ count: Int) -> [UInt32] {
    (0..<count).map { _ in color() }
  }

  fileprivate mutating func image(_ width: Int, _ height: Int) -> Bitmap {
    let image = Bitmap(PixelSize(width: width, height: height), .bgra8)
    for y in 0..<height {
      for x in 0..<width { image.texels.bytes(y)[x] = color() }
    }
    return image
  }

  /// Edges of which some cross a row of that many pixels.
  fileprivate mutating func edges(column: Int, _ count: Int) -> EdgePlanes {
    func number(_ range: ClosedRange<Float>) -> Float { .random(in: range, using: &self) }
    var planes = EdgePlanes.zero
    for edge in 0..<4 {
      // Opposite edges lean to opposite sides.
      let side: Float = edge % 2 == 0 ? 1 : -1
      planes.across[edge] = one(in: 3) ? 0 : side * number(one(in: 2) ? 0...0.1 : 0...1)
      let place = side > 0 ? number(-5...10) : Float(count) - number(-5...10)
      planes.start[edge] =
        planes.across[edge] == 0
        ? number(-0.2...2) : -planes.across[edge] * (Float(column) + place)
      planes.down[edge] = number(-0.01...0.01)
    }
    let senseless: [Float] = [.nan, .infinity, -.infinity]
    if one(in: 20) { planes.start[below(4)] = pick(senseless) }
    if one(in: 20) { planes.across[below(4)] = pick(senseless) }
    if one(in: 20) { planes.down[below(4)] = pick(senseless) }
    return planes
  }

  fileprivate mutating func places(_ width: Int, _ height: Int) -> PixelRows.Places {
    func number(_ range: ClosedRange<Float>) -> Float { .random(in: range, using: &self) }
    /// Of an image's width or height.
    func plane(_ side: Int) -> Plane {
      Plane(across: number(-2...2), down: number(-2...2), start: number(-10...Float(side) + 10))
    }
    var places = PixelRows.Places(
      column: below(500), row: below(9) - 4, x: plane(width), y: plane(height))
    if one(in: 4) { (places.x.across, places.y.across) = (1, 0) }
    if one(in: 4) {
      // At the middle of pixels.
      (places.column, places.row) = (0, 0)
      (places.x.start, places.y.start) = (Float(below(width)) + 0.5, Float(below(height)) + 0.5)
      (places.x.across, places.y.across) = (pick([0, 0.5, 1, -1]), pick([0, 0.25, 1, -1]))
    }
    if one(in: 4) {
      // Some at the middle of pixels, others next to it.
      func fraction() -> Float { Float(pick([0, 1, 2, 254, 255])) / 256 }
      (places.column, places.row) = (0, 0)
      places.x.start = Float(below(width)) + 0.5 + fraction()
      places.y.start = Float(below(height)) + 0.5 + fraction()
      places.x.across = pick([1, -1, 255]) / 256
      places.y.across = pick([0, 1, -1, 255]) / 256
    }
    if one(in: 2) {
      places.w = Plane(
        across: number(-0.01...0.01), down: number(-0.01...0.01), start: number(-1...3))
    }
    let senseless: [Float] = [.nan, .infinity, -.infinity, .greatestFiniteMagnitude, -1e30]
    if one(in: 8) { places.x.start = pick(senseless) }
    if one(in: 8) { places.y.across = pick(senseless) }
    if one(in: 8) { places.x.down = pick(senseless) }
    if one(in: 8) { places.w?.start = pick(senseless + [0]) }
    return places
  }
}
