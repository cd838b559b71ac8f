import LaminaFramePlan
import LaminaValues
import TestSupport
import Testing

@testable import LaminaSoftware

@Suite("8-bit pixels at another resolution")
struct ResamplingRowsTests {
  @Test("at a quarter of it are six by six, weighted 1 3 4 4 3 1, at and beyond edges too")
  func quartered() {
    var random = SeededGenerator(seed: 3)
    let weights = [1, 3, 4, 4, 3, 1]
    for _ in 0..<300 {
      let (image, count) = (Image(&random), 1 + random.below(Painter.spanLimit))
      let rows = image.row(count) { ResamplingRows().quarter(image.window, into: $0, count) }
      let expected = image.bytes(count) { pixel, channel in
        var sum = 128
        for y in 0..<6 {
          for x in 0..<6 { sum += weights[x] * weights[y] * channel(4 * pixel + x, y) }
        }
        return sum / 256
      }
      #expect(rows == expected, "\(count) pixels of \(image.window)")
    }
  }

  @Test("at half of it are four by four, weighted 1 3 3 1, at and beyond edges too")
  func halved() {
    var random = SeededGenerator(seed: 1)
    let weights = [1, 3, 3, 1]
    for _ in 0..<300 {
      let (image, count) = (Image(&random), 1 + random.below(Painter.spanLimit))
      let rows = image.row(count) { ResamplingRows().halve(image.window, into: $0, count) }
      let expected = image.bytes(count) { pixel, channel in
        var sum = 32
        for y in 0..<4 {
          for x in 0..<4 { sum += weights[x] * weights[y] * channel(2 * pixel + x, y) }
        }
        return sum / 64
      }
      #expect(rows == expected, "\(count) pixels of \(image.window)")
    }
  }

  @Test(
    "at twice of it lie a quarter of the way to their neighbours, at and beyond edges too",
    arguments: [0, 4, 7])
  func doubled(lift: Int) {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<300 {
      let (image, count) = (Image(&random), 1 + random.below(Painter.spanLimit))
      let (isRight, isLower) = (random.one(in: 2), random.one(in: 2))
      let resampling = ResamplingRows()
      let rows = image.row(count) {
        resampling.double(
          image.window, isRight: isRight, isLower: isLower, into: $0, count
        ) { resampling.mixDoubled($0, $1, rounding: UInt16(8 + lift), $2) }
      }
      let expected = image.bytes(count) { pixel, channel in
        let place = pixel + (isRight ? 1 : 0)
        let (near, far) = (place / 2 + 1, place / 2 + (place % 2 == 0 ? 0 : 2))
        let row = isLower ? 1 : -1
        let sum =
          9 * channel(near, 0) + 3 * (channel(far, 0) + channel(near, row)) + channel(far, row)
        return min((sum + 8 + lift) / 16, 255)
      }
      #expect(rows == expected, "\(count) pixels of \(image.window)")
    }
  }

  @Test("at twice of it are rounded down along rows, and then along columns")
  func doubledDown() {
    var random = SeededGenerator(seed: 4)
    for _ in 0..<300 {
      let (image, count) = (Image(&random), 1 + random.below(Painter.spanLimit))
      let (isRight, isLower) = (random.one(in: 2), random.one(in: 2))
      let resampling = ResamplingRows()
      let rows = image.row(count) {
        resampling.double(
          image.window, isRight: isRight, isLower: isLower, into: $0, count
        ) { resampling.mixDoubledDown($0, $1, $2) }
      }
      let expected = image.bytes(count) { pixel, channel in
        let place = pixel + (isRight ? 1 : 0)
        let (near, far) = (place / 2 + 1, place / 2 + (place % 2 == 0 ? 0 : 2))
        let (first, second) = (0, isLower ? 1 : -1)
        func row(_ row: Int) -> Int { (3 * channel(near, row) + channel(far, row)) / 4 }
        return (3 * row(first) + row(second)) / 4
      }
      #expect(rows == expected, "\(count) pixels of \(image.window)")
    }
  }

  @Test("at four times of it are rounded down along rows, and then along columns")
  func quadrupledDown() {
    var random = SeededGenerator(seed: 6)
    for _ in 0..<300 {
      let (image, count) = (Image(&random), 1 + random.below(Painter.spanLimit))
      let places = (0..<2).map { _ in EnlargedPlace(of: random.below(40) - 20, bits: 3) }
      let rows = image.row(count) {
        ResamplingRows().quadrupleDown(image.window, places[0], places[1], into: $0, count)
      }
      let expected = image.bytes(count) { pixel, channel in
        let (across, down) = (places[0].step + 2 * pixel, places[1].step)
        func row(_ row: Int) -> Int {
          let (left, right) = (channel(across / 8, row), channel(across / 8 + 1, row))
          return (left * (8 - across % 8) + right * (across % 8)) / 8
        }
        return (row(0) * (8 - down) + row(1) * down) / 8
      }
      #expect(rows == expected, "\(count) pixels of \(image.window)")
    }
  }

  @Test("Enlarged pixels lie in the middle of their parts of those between which they are")
  func places() {
    for (bits, times) in [(2, 2), (3, 4)] {
      for pixel in -40..<40 {
        let place = EnlargedPlace(of: pixel, bits: bits)
        let exact = (Double(pixel) + 0.5) / Double(times) - 0.5
        #expect(Double(place.first) + Double(place.step) / Double(1 << bits) == exact)
        #expect((0..<1 << bits).contains(place.step))
        let end = EnlargedPlace(of: pixel + 6, bits: bits)
        #expect(place.first + place.last(of: 7) == end.first)
      }
    }
  }
}

/// An image of random pixels, and a part of it that may begin and end outside.
private struct Image {
  let window: TexelWindow
  private let bitmap: Bitmap

  init(_ random: inout SeededGenerator) {
    bitmap = Bitmap(PixelSize(width: 1 + random.below(40), height: 1 + random.below(12)), .bgra8)
    for y in 0..<bitmap.size.height {
      for x in 0..<bitmap.size.width {
        bitmap.texels.bytes(y)[x] = UInt32(truncatingIfNeeded: random.next())
      }
    }
    window = TexelWindow(
      source: bitmap.texels, x: random.below(60) - 15, y: random.below(30) - 10,
      repeatsEdges: random.one(in: 2))
  }

  /// The bytes of a row of pixels that `write` writes.
  func row(_ count: Int, _ write: (UnsafeMutablePointer<UInt32>) -> Void) -> [Int] {
    let pixels = UnsafeMutablePointer<UInt32>.allocate(capacity: count)
    defer { pixels.deallocate() }
    write(pixels)
    return (0..<4 * count).map { Int(pixels[$0 / 4] >> (8 * UInt32($0 % 4)) & 255) }
  }

  /// The bytes of a row of pixels. `value` gets the pixel, and a function for its channel in the
  /// window's pixels.
  func bytes(_ count: Int, _ value: (Int, (Int, Int) -> Int) -> Int) -> [Int] {
    (0..<4 * count).map { byte in
      value(byte / 4) { x, y in
        let (x, y) = (window.x + x, window.y + y)
        let (column, row) = (clamped(x, bitmap.size.width), clamped(y, bitmap.size.height))
        guard window.repeatsEdges || (column == x && row == y) else { return 0 }
        return Int(bitmap.texels.bytes(row)[column] >> (8 * UInt32(byte % 4)) & 255)
      }
    }
  }
}
