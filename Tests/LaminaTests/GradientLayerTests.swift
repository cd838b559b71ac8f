import Foundation
import LaminaGraphics
import LaminaValues
import TestSupport
import Testing

@testable import Lamina

@Suite("Gradient layers") struct GradientLayerTests {
  @Test("A new layer has Apple's defaults")
  func defaults() {
    let layer = CAGradientLayer()
    #expect(layer.colors == nil && layer.locations == nil)
    #expect(layer.startPoint == CGPoint(x: 0.5, y: 0))
    #expect(layer.endPoint == CGPoint(x: 0.5, y: 1))
    #expect(layer.type == .axial)
    #expect(CAGradientLayer.defaultValue(forKey: "type") as? String == "axial")
    #expect(CAGradientLayer.defaultValue(forKey: "endPoint") as? CGPoint == CGPoint(x: 0.5, y: 1))
    #expect(CAGradientLayer.defaultValue(forKey: "colors") == nil)
  }

  @Test("Key-value coding reaches every property")
  func keys() {
    let layer = CAGradientLayer()
    layer.setValue([CGColor.red, .blue], forKey: "colors")
    layer.setValue([0, 0.5], forKey: "locations")
    layer.setValue(0.25, forKeyPath: "startPoint.x")
    layer.setValue("conic", forKey: "type")
    #expect(layer.colors as? [CGColor] == [.red, .blue])
    #expect(layer.locations == [0, 0.5])
    #expect(layer.startPoint == CGPoint(x: 0.25, y: 0))
    #expect(layer.type == .conic)
    #expect((layer.value(forKey: "colors") as? [Any])?.first as? CGColor == .red)
  }

  @Test("What is no list of colours is refused")
  func refused() {
    let layer = CAGradientLayer()
    layer.colors = [CGColor.red, CGColor.blue]
    layer.colors = [CGColor.red, "blue"]
    #expect(layer.colors as? [CGColor] == [.red, .blue])
    layer.colors = []
    #expect(layer.colors?.isEmpty == true)
    layer.colors = nil
    #expect(layer.colors == nil)
    layer.startPoint = CGPoint(x: CGFloat.nan, y: 0)
    #expect(layer.startPoint == CGPoint(x: 0.5, y: 0))
  }
}

@Suite("Gradients in a context") struct ContextGradientTests {
  private func layer(_ size: CGSize, _ colors: [CGColor]) -> CAGradientLayer {
    let layer = CAGradientLayer()
    layer.bounds = CGRect(origin: .zero, size: size)
    layer.colors = colors
    return layer
  }

  /// The green channels of a picture drawn by Apple's QuartzCore, 300 rows from Generic RGB red to
  /// Generic RGB yellow (pointfreeco/swift-snapshot-testing, testCALayerWithGradient).
  @Test(
    "Colours are mixed in Generic RGB, as in Apple's picture",
    arguments: [
      (0, 38), (50, 67), (75, 88), (100, 109), (150, 147), (200, 184), (250, 219), (299, 251),
    ])
  func genericRGB(row: Int, green: Int) throws {
    // Both colours in sRGB; some of their components lie outside 0 to 1.
    let space = CGColorSpace(.extendedSRGB)
    let (r, y) = (
      CGColor(colorSpace: space, components: [1.0110, 0.1489, -0.0229, 1])!,
      CGColor(colorSpace: space, components: [0.9995, 0.9855, -0.0425, 1])!
    )
    let image = try Drawer.context.draw(
      layer(CGSize(width: 4, height: 300), [r, y]), 4, 300)
    let pixel = image.pixel(x: 2, y: row)
    #expect(abs(Int(pixel.green) - green) <= 1, "\(pixel.green)")
    #expect(pixel.red >= 254 && pixel.blue <= 2)
  }

  @Test("The gradient lies over the background, under the contents, within round corners")
  func order() throws {
    let layer = layer(CGSize(width: 8, height: 8), [.red, .red])
    layer.backgroundColor = .blue
    layer.cornerRadius = 4
    let image = try Drawer.context.draw(layer, 8, 8)
    #expect(image.pixel(x: 4, y: 4).red == 255 && image.pixel(x: 0, y: 0).alpha == 0)
    layer.contents = try CGImage(width: 1, height: 1, unpremultipliedRGBA: [0, 255, 0, 255])
    #expect(try Drawer.context.draw(layer, 8, 8).pixel(x: 4, y: 4).green == 255)
  }

  @Test("Radial and conic gradients have their hard edges where the ellipse and the angles are")
  func types() throws {
    let layer = layer(CGSize(width: 16, height: 8), [.red, .red, .blue, .blue])
    layer.startPoint = CGPoint(x: 0.5, y: 0.5)
    layer.endPoint = CGPoint(x: 1, y: 1)
    layer.locations = [0, 0.5, 0.5, 1]
    layer.type = .radial
    let radial = try Drawer.context.draw(layer, 16, 8)
    #expect(radial.pixel(x: 10, y: 4).red == 255 && radial.pixel(x: 13, y: 4).blue == 255)
    #expect(radial.pixel(x: 8, y: 5).red == 255 && radial.pixel(x: 8, y: 7).blue == 255)
    layer.type = .conic
    layer.endPoint = CGPoint(x: 1, y: 0.5)
    let conic = try Drawer.context.draw(layer, 16, 8)
    for x in [0, 7, 8, 15] {
      #expect(conic.pixel(x: x, y: 7).red == 255 && conic.pixel(x: x, y: 0).blue == 255)
    }
    #expect(conic.ink == CGRect(x: 0, y: 0, width: 16, height: 8))
  }

  @Test("Locations may lie outside of 0 to 1, and two at the start are a hard edge there")
  func locations() throws {
    let layer = layer(CGSize(width: 4, height: 8), [.red, .blue, .blue])
    layer.locations = [-1, -1, 2]
    #expect(try Drawer.context.draw(layer, 4, 8).pixel(x: 1, y: 0).blue == 255)
    layer.locations = [0.5, 0.5, 1]
    let image = try Drawer.context.draw(layer, 4, 8)
    #expect(image.pixel(x: 1, y: 3).red == 255 && image.pixel(x: 1, y: 4).blue == 255)
    layer.locations = [0, 1]
    #expect(try Drawer.context.draw(layer, 4, 8).ink.isNull)
  }
}
