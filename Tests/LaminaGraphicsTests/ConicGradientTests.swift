import Foundation
import LaminaGraphics
import LaminaValues
import Testing

@Suite("Conic gradients")
struct ConicGradientTests {
  /// Red, green, blue and white, a quarter turn each.
  private func quarters() throws -> CGGradient {
    let colors: [CGColor] = [.red, .red, .green, .green, .blue, .blue, .white, .white]
    let locations: [CGFloat] = [0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1]
    return try #require(
      CGGradient(colorsSpace: nil, colors: colors as CFArray, locations: locations))
  }

  @Test("Colours go around the centre from the angle on, from +x toward +y")
  func direction() throws {
    let gradient = try quarters()
    let up = try drawing(4, 4) {
      $0.drawConicGradient(gradient, center: CGPoint(x: 2, y: 2), angle: 0)
    }
    #expect(picture(of: up) == ["GGRR", "GGRR", "BBWW", "BBWW"])
    let turned = try drawing(4, 4) {
      $0.drawConicGradient(gradient, center: CGPoint(x: 2, y: 2), angle: .pi / 2)
    }
    #expect(picture(of: turned) == ["RRWW", "RRWW", "GGBB", "GGBB"])
  }

  @Test("The matrix, the clip and the alpha apply")
  func state() throws {
    let gradient = try quarters()
    let image = try drawing(6, 4) { context in
      context.clip(to: CGRect(x: 1, y: 1, width: 4, height: 2))
      context.translateBy(x: 0, y: 4)
      context.scaleBy(x: 1, y: -1)
      context.drawConicGradient(gradient, center: CGPoint(x: 3, y: 2), angle: 0)
    }
    #expect(picture(of: image) == ["......", ".BBWW.", ".GGRR.", "......"])
    let faint = try drawing(2, 2) { context in
      context.setAlpha(0.5)
      context.drawConicGradient(gradient, center: .zero, angle: -1)
    }
    #expect(pixel(of: faint, 0, 0).isNear(Pixel(0, 128, 0, 128), within: 128))
    #expect(pixel(of: faint, 0, 0).alpha == 128)
  }

  @Test("Colours are mixed straight, as along a line")
  func mixing() throws {
    let gradient = try #require(
      CGGradient(
        colorsSpace: CGColorSpaceCreateDeviceRGB(),
        colors: [CGColor.clear, CGColor.white] as CFArray, locations: nil))
    let image = try drawing(64, 64) {
      $0.drawConicGradient(gradient, center: CGPoint(x: 32, y: 32), angle: 0)
    }
    for (x, y) in [(50, 20), (3, 40), (31, 60), (60, 33)] {
      let angle = atan2(32 - (Double(y) + 0.5), Double(x) + 0.5 - 32)
      let t = (angle < 0 ? angle + 2 * .pi : angle) / (2 * .pi)
      let (gray, alpha) = (UInt8((t * t * 255).rounded()), UInt8((t * 255).rounded()))
      #expect(pixel(of: image, x, y).isNear(Pixel(gray, gray, gray, alpha)), "\(x) \(y)")
    }
  }

  @Test("In a space of its own a gradient mixes there; numbers that are not finite draw nothing")
  func spaces() throws {
    let components: [CGFloat] = [1, 0, 0, 1, 0, 1, 0, 1]
    let p3 = CGColorSpace(.displayP3)
    let gradient = try #require(
      CGGradient(colorSpace: p3, colorComponents: components, locations: nil, count: 2))
    let image = try drawing(8, 8) {
      $0.drawConicGradient(gradient, center: CGPoint(x: 4, y: 4), angle: 0)
    }
    let middle = CGColor(kind: .displayP3, 0.5, 0.5, 0, alpha: 1)
      .converted(to: CGColorSpaceCreateDeviceRGB(), intent: .defaultIntent)
    let expected = try #require(middle?.components).map { UInt8(($0 * 255).rounded()) }
    // Half a turn lies to the left, within the twentieth of a turn that a pixel is high.
    #expect(
      pixel(of: image, 0, 4).isNear(Pixel(expected[0], expected[1], expected[2], 255), within: 12))
    let empty = try drawing(2, 2) { context in
      context.drawConicGradient(gradient, center: CGPoint(x: CGFloat.nan, y: 0), angle: 0)
      context.drawConicGradient(gradient, center: .zero, angle: .infinity)
      context.scaleBy(x: 0, y: 1)
      context.drawConicGradient(gradient, center: .zero, angle: 0)
    }
    #expect(picture(of: empty) == ["..", ".."])
  }
}
