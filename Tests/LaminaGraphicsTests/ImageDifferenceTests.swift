import LaminaGraphics
import LaminaValues
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

  @Test("Images of two sizes cannot be compared")
  func sizes() throws {
    let (a, b) = (try image([0, 0, 0, 0]), try image([0, 0, 0, 0, 0, 0, 0, 0]))
    #expect(
      throws: ImageDifference.SizeMismatch(
        first: PixelSize(width: 1, height: 1), second: PixelSize(width: 2, height: 1))
    ) { try ImageDifference(a, b) }
  }
}
