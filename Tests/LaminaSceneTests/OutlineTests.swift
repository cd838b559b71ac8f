import Foundation
import Lamina
import LaminaInProcess
import LaminaValues
import TestSupport
import Testing

@Suite("Round corners")
struct OutlineTests {
  /// Every kind of layer that is drawn inside a rounded outline, each turned and scaled, and
  /// stretched by a factor that shows in no pixel.
  private func root(
    stretch: Double, curve: CALayerCornerCurve
  ) throws -> CALayer {
    let root = CALayer()
    root.bounds = CGRect(x: 0, y: 0, width: 240, height: 180)
    root.position = CGPoint(x: 120, y: 90)
    root.backgroundColor = CGColor(gray: 0.9, alpha: 1)
    let turns = [0, 0.3, -1.2, 2.5]
    for place in 0..<12 {
      let layer = place % 4 == 3 ? CAGradientLayer() : CALayer()
      layer.bounds = CGRect(x: 0, y: 0, width: 44, height: 36)
      layer.position = CGPoint(x: 34.3 + Double(place % 4) * 57, y: 32.6 + Double(place / 4) * 56)
      layer.cornerRadius = 4 + Double(place)
      layer.cornerCurve = curve
      let turned = CATransform3DMakeRotation(turns[place / 3], 0, 0, 1)
      let scale = 0.8 + Double(place % 3) * 0.25
      layer.transform = CATransform3DScale(turned, scale * stretch, scale, 1)
      layer.backgroundColor = CGColor(red: 0.2, green: 0.4, blue: 0.8, alpha: 1)
      switch place % 4 {
      case 0:
        layer.borderWidth = 3
        layer.borderColor = CGColor(red: 1, green: 0.3, blue: 0.1, alpha: 0.7)
      case 1:
        layer.contents = try picture()
        layer.masksToBounds = true
      case 2:
        let child = CALayer()
        child.frame = CGRect(x: -5, y: 10, width: 60, height: 14)
        child.backgroundColor = CGColor(red: 0, green: 0.8, blue: 0.3, alpha: 1)
        layer.addSublayer(child)
        layer.masksToBounds = true
        layer.opacity = 0.7
      default:
        let gradient = try #require(layer as? CAGradientLayer)
        gradient.type = place < 8 ? .radial : .conic
        (gradient.startPoint, gradient.endPoint) = (CGPoint(x: 0.5, y: 0.5), CGPoint(x: 1, y: 1))
        gradient.colors = [
          CGColor(gray: 1, alpha: 1), CGColor(red: 1, green: 0, blue: 0, alpha: 1),
        ]
      }
      root.addSublayer(layer)
    }
    return root
  }

  /// A picture in which no two pixels are alike.
  private func picture() throws -> CGImage {
    var pixels: [UInt8] = []
    for y in 0..<18 {
      for x in 0..<22 { pixels += [UInt8(11 * x), UInt8(14 * y), 90, 255] }
    }
    return try CGImage(width: 22, height: 18, unpremultipliedRGBA: pixels)
  }

  @Test(
    "are the same, to 2 of 255, whether or not they are stretched by a hundred thousandth",
    arguments: [CALayerCornerCurve.circular, .continuous])
  func stretched(curve: CALayerCornerCurve) throws {
    let size = CGSize(width: 240, height: 180)
    let renderer = try CARenderer(size: size, platform: .surfaceless, server: .inProcess)
    renderer.layer = try root(stretch: 1, curve: curve)
    let even = try renderer.image(at: 0)
    renderer.layer = try root(stretch: 1 + 1e-5, curve: curve)
    let difference = try even.difference(from: try renderer.image(at: 0))
    #expect(difference.maximum.max() <= 2, "\(difference)")
    #expect(even.unpremultipliedRGBA.contains { $0 == 0 })
  }
}
