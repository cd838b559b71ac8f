import Foundation
@testable import LaminaGraphics
import LaminaValues
import TestSupport
import Testing

@Suite("Differences of images")
struct ImageDifferenceTests {
  private func image(_ rgba: [UInt8]) throws -> CGImage {
    try CGImage(width: rgba.count / 4, height: 1, unpremultipliedRGBA: rgba)
  }

  @Test("Differences are counted by channel, pixel and tolerance")
  func counts() throws {
    let a = try image([10, 20, 30, 255, 0, 0, 0, 255, 100, 100, 100, 255])
    let b = try image([10, 22, 30, 255, 0, 0, 9, 255, 100, 100, 100, 255])
    let difference = try ImageDifference(a, b, tolerance: 2)
    #expect(difference.maximum == [0, 2, 9, 0])
    #expect(difference.differingPixelCount == 1)
    #expect(difference.mean == 11.0 / 12)
    #expect(difference.pixelCount == 3)
    #expect(
      try difference.picture().unpremultipliedRGBA
        == [2, 5, 7, 255, 255, 0, 0, 255, 25, 25, 25, 255])
    #expect(try ImageDifference(a, a).differingPixelCount == 0)
  }

  @Test("The differing pixels lie in a box, and there is none if no pixel differs")
  func box() throws {
    func image(_ marks: [(x: Int, y: Int)]) throws -> CGImage {
      var pixels = [UInt8](repeating: 255, count: 8 * 6 * 4)
      for mark in marks { pixels[(mark.y * 8 + mark.x) * 4] = 100 }
      return try CGImage(width: 8, height: 6, unpremultipliedRGBA: pixels)
    }
    let (plain, marked) = (try image([]), try image([(6, 1), (2, 4), (3, 3)]))
    let difference = try marked.difference(from: plain)
    #expect(difference.box == CGRect(x: 2, y: 1, width: 5, height: 4))
    #expect(difference.greatest == 155)
    #expect(try plain.difference(from: plain).box == nil)
    #expect(try marked.difference(from: plain, tolerance: 155).box == nil)
  }

  @Test("CIELAB's coordinates of sRGB's primaries are those that are published")
  func lab() {
    func expect(_ color: LabColor, _ lightness: Double, _ a: Double, _ b: Double) {
      expectClose([color.lightness, color.a, color.b], [lightness, a, b], 0.02)
    }
    expect(LabColor(red: 1, green: 0, blue: 0), 53.24, 80.09, 67.20)
    expect(LabColor(red: 0, green: 1, blue: 0), 87.74, -86.18, 83.18)
    expect(LabColor(red: 0, green: 0, blue: 1), 32.30, 79.20, -107.86)
    expect(LabColor(red: 1, green: 1, blue: 1), 100, 0, 0)
    expect(LabColor(red: 0, green: 0, blue: 0), 0, 0, 0)
  }

  @Test("Differences of chroma and of hue count for less the more colourful the reference is")
  func weights() {
    let gray = LabColor(lightness: 50, a: 0, b: 0)
    #expect(isClose(gray.difference(from: LabColor(lightness: 40, a: 0, b: 0)), 10, 1e-9))
    #expect(isClose(gray.difference(from: LabColor(lightness: 50, a: 3, b: 4)), 5, 1e-9))
    let red = LabColor(lightness: 50, a: 50, b: 0)
    #expect(isClose(red.difference(from: LabColor(lightness: 50, a: 40, b: 0)), 10 / 3.25, 1e-9))
    #expect(
      isClose(
        red.difference(from: LabColor(lightness: 50, a: 0, b: 50)), 50 * 2.0.squareRoot() / 1.75,
        1e-9))
  }

  @Test(
    "Black and white are a hundred apart; what only its alpha hides is seen over white or black")
  func perceived() throws {
    let reference = try image([0, 0, 0, 255, 9, 9, 9, 255, 255, 255, 255, 255, 0, 0, 0, 0])
    let other = try image([255, 255, 255, 255, 10, 9, 9, 255, 255, 255, 255, 0, 0, 0, 0, 0])
    let perceived = try other.difference(from: reference).perceived()
    #expect(isClose(perceived.greatest, 100, 1e-3))
    #expect(perceived.pixelCount(above: 99) == 2)
    #expect(perceived.pixelCount(above: 2) == 2)
    #expect(perceived.pixelCount(above: 0) == 3)
    #expect(isClose(perceived.mean, 50, 0.2))
    #expect("\(perceived)".hasPrefix("the largest ΔE is 100.000, the mean 50."))
    #expect(try other.difference(from: other).perceived().greatest == 0)
  }

  @Test("A difference says how many pixels differ, by how much, and where")
  func description() throws {
    let reference = try image([0, 0, 0, 255, 9, 9, 9, 255, 9, 9, 9, 255, 0, 0, 0, 255])
    let other = try image([0, 0, 0, 255, 12, 9, 9, 255, 9, 9, 9, 255, 1, 0, 0, 255])
    #expect(
      try "\(other.difference(from: reference, tolerance: 1))"
        == "1 of 4 pixels (25 %) differ by more than 1; the largest difference is 3, "
        + "the mean 0.250; all of it within 1x1 at 1,0")
    #expect(
      try "\(other.difference(from: other))"
        == "0 of 4 pixels (0 %) differ by more than 0; the largest difference is 0, the mean 0.000")
  }

  @Test("Images of two sizes cannot be compared")
  func sizes() throws {
    let (a, b) = (try image([0, 0, 0, 0]), try image([0, 0, 0, 0, 0, 0, 0, 0]))
    #expect(
      throws: ImageDifference.SizeMismatch(
        first: PixelSize(width: 1, height: 1), second: PixelSize(width: 2, height: 1))
    ) { try ImageDifference(a, b) }
  }
}
