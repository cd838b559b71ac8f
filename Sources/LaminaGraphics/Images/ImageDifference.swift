import LaminaValues

/// The difference between two images of one size, in straight 8-bit RGBA of sRGB.
package struct ImageDifference: Sendable {
  /// Why two images cannot be compared.
  package struct SizeMismatch: Error, Hashable, Sendable, CustomStringConvertible {
    package var first: PixelSize
    package var second: PixelSize

    package init(first: PixelSize, second: PixelSize) {
      self.first = first
      self.second = second
    }

    package var description: String { "sizes differ: \(first) and \(second)" }
  }

  package let size: PixelSize
  /// The allowed difference of each channel, of 255.
  package let tolerance: Int
  /// The greatest difference of each channel: red, green, blue, alpha.
  package private(set) var maximum = SIMD4<UInt8>.zero
  /// The mean difference over all pixels and channels, of 255.
  package private(set) var mean = 0.0
  /// How many pixels have a channel that differs by more than the tolerance.
  package private(set) var differingPixelCount = 0

  /// The first image's pixels, and for each pixel whether it differs: `picture()` is made of them.
  private let firstPixels: [UInt8]
  private var differs: [Bool]

  package init(
    _ first: CGImage, _ second: CGImage, tolerance: Int = 0
  ) throws(SizeMismatch) {
    guard first.buffer.size == second.buffer.size else {
      throw SizeMismatch(first: first.buffer.size, second: second.buffer.size)
    }
    size = first.buffer.size
    self.tolerance = tolerance
    let (a, b) = (first.inSRGB.unpremultipliedRGBA, second.inSRGB.unpremultipliedRGBA)
    firstPixels = a
    differs = [Bool](repeating: false, count: a.count / 4)
    var sum = 0
    for pixel in differs.indices {
      var largest = 0
      for channel in 0..<4 {
        let (x, y) = (Int(a[pixel * 4 + channel]), Int(b[pixel * 4 + channel]))
        guard x != y else { continue }
        let difference = abs(x - y)
        sum += difference
        largest = max(largest, difference)
        maximum[channel] = max(maximum[channel], UInt8(difference))
      }
      if largest > tolerance {
        differs[pixel] = true
        differingPixelCount += 1
      }
    }
    mean = Double(sum) / Double(a.count)
  }

  package var pixelCount: Int { differs.count }

  /// The share of pixels that differ by more than the tolerance, in percent.
  package var differingPercent: Double { Double(differingPixelCount) * 100 / Double(pixelCount) }

  /// The first image at a quarter of its brightness, over black, with the differing pixels red.
  package func picture() throws(ImageError) -> CGImage {
    var pixels = firstPixels
    for pixel in differs.indices {
      let start = pixel * 4
      if differs[pixel] {
        pixels.replaceSubrange(start..<start + 4, with: [255, 0, 0, 255])
      } else {
        for channel in start..<start + 3 {
          pixels[channel] = Premultiplication.premultiplied(pixels[channel], pixels[start + 3]) / 4
        }
        pixels[start + 3] = 255
      }
    }
    return try CGImage(width: size.width, height: size.height, unpremultipliedRGBA: pixels)
  }
}
