import Foundation
import LaminaGraphics
import TestSupport
import Testing

@Suite("Damaged images")
struct DamagedImageTests {
  private static let rgba = ImageSamples.gradient(width: 40, height: 30)

  static let files: [(name: String, bytes: [UInt8])] = [
    (
      "gradient.png",
      (try? CGImage(width: 40, height: 30, unpremultipliedRGBA: rgba).pngData()).map(Array.init)
        ?? []
    ),
    ("interlaced.png", ImageSamples.interlaced),
    (
      "gradient.jpg",
      ImageSamples.jpeg(
        width: 40, height: 30, rgba: rgba,
        exif: ImageSamples.exif(orientation: 6, littleEndian: false))
    ),
    ("lossy.webp", ImageSamples.webP(width: 40, height: 30, rgba: rgba, isLossless: false)),
    ("lossless.webp", ImageSamples.webP(width: 40, height: 30, rgba: rgba, isLossless: true)),
  ]

  @Test("A truncated file is an error that names it, wherever it ends", arguments: files.indices)
  func truncated(index: Int) throws {
    let (name, bytes) = Self.files[index]
    _ = try CGImage(data: Data(bytes), named: name)
    let lengths = Set(0..<min(bytes.count, 400)).union(bytes.count - 40..<bytes.count)
      .union(stride(from: 0, to: bytes.count, by: 37))
    for length in lengths.sorted() where length < bytes.count && length >= 0 {
      let error = #expect(throws: ImageError.self, "\(length) of \(bytes.count) bytes") {
        try CGImage(data: Data(bytes.prefix(length)), named: name)
      }
      #expect(error?.name == name)
      #expect(error?.description.hasPrefix(name + ": ") == true)
    }
  }

  @Test("Changed bits give an image or an error, never a crash", arguments: files.indices)
  func changedBits(index: Int) {
    let (name, bytes) = Self.files[index]
    // The limit prevents a changed size from taking long.
    var limits = ImageLimits()
    limits.maximumPixelCount = 1 << 16
    for position in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 250)) {
      for bit in [0, 3, 7] {
        var changed = bytes
        changed[position] ^= 1 << bit
        for wants16Bits in [false, true] {
          _ = try? CGImage(
            data: Data(changed), named: name, limits: limits, wants16Bits: wants16Bits)
        }
      }
    }
  }

  private func problem(_ bytes: [UInt8]) -> ImageError.Problem? {
    do {
      _ = try CGImage(data: Data(bytes), named: "x")
      return nil
    } catch {
      return error.problem
    }
  }

  @Test("A size beyond the limits, of nothing, or without the data for it is refused")
  func sizes() {
    #expect(
      problem(ImageSamples.huge)
        == .tooManyPixels(width: 60_000, height: 60_000, limits: ImageLimits()))
    #expect(problem(ImageSamples.empty) == .emptySize(width: 0, height: 5))
    #expect(
      problem(ImageSamples.lying) == .damaged(format: "PNG", reason: "too little data for its size")
    )
  }

  @Test("What is no image says how it starts")
  func garbage() {
    #expect(problem([]) == .unknownFormat(start: ""))
    #expect(
      problem(Array("GIF89a and more".utf8)) == .unknownFormat(start: "47 49 46 38 39 61 20 61"))
    var random = SeededGenerator(seed: 1)
    for length in 1..<200 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      for start in [[], Array(ImageSamples.gray.prefix(8)), [0xff, 0xd8, 0xff]] as [[UInt8]] {
        #expect(problem(start + bytes) != nil)
      }
    }
  }
}
