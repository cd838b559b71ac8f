import Foundation
import LaminaValues
import TestSupport
import Testing

@Suite("Colours")
struct CGColorTests {
  private func components(_ color: CGColor, in name: String) throws -> [CGFloat] {
    let space = try #require(CGColorSpace(name: name))
    return try #require(color.converted(to: space, intent: .defaultIntent)?.components)
  }

  private let p3Red = CGColor(kind: .displayP3, 1, 0, 0, alpha: 0.5)

  @Test("Display P3's red lies outside sRGB: extended keeps it, plain sRGB clamps it")
  func displayP3() throws {
    // From CSS Color 4's sample conversion.
    expectClose(
      try components(p3Red, in: CGColorSpace.extendedSRGB), [1.0931, -0.2267, -0.1501, 0.5], 1e-4)
    #expect(try components(p3Red, in: CGColorSpace.sRGB) == [1, 0, 0, 0.5])
  }

  static let colors: [(red: Double, green: Double, blue: Double)] = [
    (1, 0, 0), (0, 1, 0), (0, 0, 1), (0.2, 0.5, 0.8), (0, 0, 0), (1, 1, 1),
  ]

  @Test("sRGB to Display P3 and back changes nothing", arguments: colors)
  func roundTrip(red: Double, green: Double, blue: Double) throws {
    let color = CGColor(srgbRed: red, green: green, blue: blue, alpha: 0.3)
    let space = try #require(CGColorSpace(name: CGColorSpace.displayP3))
    let p3 = try #require(color.converted(to: space, intent: .defaultIntent))
    expectClose(try components(p3, in: CGColorSpace.sRGB), [red, green, blue, 0.3], 1e-6)
  }

  @Test("Gray has sRGB's curve, and is luminance")
  func gray() throws {
    let gray = CGColor(gray: 0.5, alpha: 1)
    #expect(try components(gray, in: CGColorSpace.sRGB) == [0.5, 0.5, 0.5, 1])
    let rgb = CGColor(srgbRed: 0.5, green: 0.5, blue: 0.5, alpha: 1)
    expectClose(try components(rgb, in: CGColorSpace.genericGrayGamma2_2), [0.5, 1], 1e-9)
  }
}
