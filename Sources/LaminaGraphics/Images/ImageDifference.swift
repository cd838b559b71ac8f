import Foundation
import LaminaValues

extension CGImage {
  /// Compares the image with a reference of the same size, pixel by pixel, as both look in sRGB.
  ///
  /// A pixel counts as different if one of its channels, straight and from 0 to 255, differs by
  /// more than `tolerance`. Throws `ImageDifference.SizeMismatch` if the sizes differ.
  public func difference(
    from reference: CGImage, tolerance: Int = 0
  ) throws(ImageDifference.SizeMismatch) -> ImageDifference {
    try ImageDifference(reference, self, tolerance: tolerance)
  }
}

/// The difference between two images of one size, in straight 8-bit RGBA of sRGB.
public struct ImageDifference: Sendable {
  /// Why two images cannot be compared.
  public struct SizeMismatch: Error, Hashable, Sendable, CustomStringConvertible {
    package var first: PixelSize
    package var second: PixelSize

    package init(first: PixelSize, second: PixelSize) {
      self.first = first
      self.second = second
    }

    public var description: String { "sizes differ: \(first) and \(second)" }
  }

  package let size: PixelSize
  /// How far a channel may differ without counting, of 255.
  public let tolerance: Int
  /// The greatest difference of each channel: red, green, blue, alpha.
  package private(set) var maximum = SIMD4<UInt8>.zero
  /// The mean difference over all pixels and channels, of 255.
  public private(set) var mean = 0.0
  /// How many pixels have a channel that differs by more than the tolerance.
  public private(set) var differingPixelCount = 0
  /// The smallest rectangle around those pixels.
  private var differing = PixelRect.empty

  /// The images, in sRGB.
  private let first: CGImage
  private let second: CGImage

  package init(
    _ first: CGImage, _ second: CGImage, tolerance: Int = 0
  ) throws(SizeMismatch) {
    guard first.buffer.size == second.buffer.size else {
      throw SizeMismatch(first: first.buffer.size, second: second.buffer.size)
    }
    size = first.buffer.size
    self.tolerance = tolerance
    (self.first, self.second) = (first.inSRGB, second.inSRGB)
    // What is usual in tests takes no look at each pixel.
    if self.first.buffer.hasPixels(of: self.second.buffer) { return }
    let (a, b) = (self.first.unpremultipliedRGBA, self.second.unpremultipliedRGBA)
    var sum = 0
    for y in 0..<size.height {
      for x in 0..<size.width {
        let start = (y * size.width + x) * 4
        var largest = 0
        for channel in 0..<4 {
          let (v, w) = (Int(a[start + channel]), Int(b[start + channel]))
          guard v != w else { continue }
          let difference = abs(v - w)
          sum += difference
          largest = max(largest, difference)
          maximum[channel] = max(maximum[channel], UInt8(difference))
        }
        if largest > tolerance {
          differingPixelCount += 1
          differing = differing.union(PixelRect(minX: x, minY: y, maxX: x + 1, maxY: y + 1))
        }
      }
    }
    mean = Double(sum) / Double(a.count)
  }

  /// The number of pixels of each image.
  public var pixelCount: Int { size.width * size.height }

  /// The greatest difference of any channel, of 255.
  public var greatest: Int { Int(maximum.max()) }

  /// The share of pixels that differ by more than the tolerance, in percent.
  public var differingPercent: Double { Double(differingPixelCount) * 100 / Double(pixelCount) }

  /// The smallest rectangle around the pixels that differ by more than the tolerance, in pixels
  /// from the top left corner; nil if there are none.
  public var box: CGRect? { differing.isEmpty ? nil : differing.cgRect }

  // MARK: Perception

  /// How different the images look: the colour difference ΔE of CIE 1994 in CIELAB, from 0 to about
  /// 100, which is that of black and white. One of about 2 is just noticeable.
  public struct Perceived: Sendable, CustomStringConvertible {
    /// The greatest of any pixel.
    public private(set) var greatest = 0.0
    /// The mean over all pixels.
    public private(set) var mean = 0.0
    /// Of the pixels that differ at all.
    private var values: [Float] = []

    /// How many pixels differ by more than that.
    public func pixelCount(above difference: Double) -> Int {
      values.reduce(0) { $0 + (Double($1) > difference ? 1 : 0) }
    }

    /// The greatest and the mean: "the largest ΔE is 12.500, the mean 0.031".
    public var description: String {
      "the largest ΔE is \(ImageDifference.number(greatest)), the mean \(ImageDifference.number(mean))"
    }

    fileprivate init(_ values: [Float], pixelCount: Int) {
      self.values = values
      greatest = Double(values.max() ?? 0)
      mean = values.reduce(0) { $0 + Double($1) } / Double(pixelCount)
    }
  }

  /// The difference as it is perceived. Pixels that are not opaque are compared over black and over
  /// white, and the greater difference counts.
  public func perceived() -> Perceived {
    var values: [Float] = []
    guard greatest > 0 else { return Perceived(values, pixelCount: pixelCount) }
    let (firstPixels, secondPixels) = (first.unpremultipliedRGBA, second.unpremultipliedRGBA)
    for start in stride(from: 0, to: firstPixels.count, by: 4) {
      let (a, b) = (straight(firstPixels, start), straight(secondPixels, start))
      if a == b { continue }
      var difference = LabColor(a, over: 0).difference(from: LabColor(b, over: 0))
      if a.w < 255 || b.w < 255 {
        difference = max(
          difference, LabColor(a, over: 255).difference(from: LabColor(b, over: 255)))
      }
      values.append(Float(difference))
    }
    return Perceived(values, pixelCount: pixelCount)
  }

  private func straight(_ pixels: [UInt8], _ start: Int) -> SIMD4<UInt8> {
    [pixels[start], pixels[start + 1], pixels[start + 2], pixels[start + 3]]
  }

  // MARK: Picture

  /// The first image at a quarter of its brightness, over black, with the differing pixels red.
  public func picture() throws(ImageError) -> CGImage {
    var pixels = first.unpremultipliedRGBA
    let others = second.unpremultipliedRGBA
    for start in stride(from: 0, to: pixels.count, by: 4) {
      let (pixel, other) = (straight(pixels, start), straight(others, start))
      if (0..<4).contains(where: { abs(Int(pixel[$0]) - Int(other[$0])) > tolerance }) {
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

extension ImageDifference: CustomStringConvertible {
  /// How many pixels differ, by how much, and where: "12 of 28000 pixels (0.04286 %) differ by more
  /// than 0; the largest difference is 90, the mean 0.012; all of it within 6x2 at 29,20".
  public var description: String {
    Self.describe(
      differing: differingPixelCount, of: pixelCount, byMoreThan: "\(tolerance)",
      "the largest difference is \(greatest), the mean \(Self.number(mean))", within: box)
  }

  /// The same of any numbers.
  package static func describe(
    differing count: Int, of pixelCount: Int, byMoreThan limit: String, _ amounts: String,
    within box: CGRect?
  ) -> String {
    let percent = String(format: "%.4g", Double(count) * 100 / Double(pixelCount))
    let place = box.map { box in
      let (x, y) = (Int(box.minX), Int(box.minY))
      return "; all of it within \(Int(box.width))x\(Int(box.height)) at \(x),\(y)"
    }
    return "\(count) of \(pixelCount) pixels (\(percent) %) differ by more than \(limit); "
      + amounts + (place ?? "")
  }

  fileprivate static func number(_ value: Double) -> String { String(format: "%.3f", value) }
}
