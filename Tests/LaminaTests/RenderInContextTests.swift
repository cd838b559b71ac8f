import Foundation
import LaminaGraphics
import LaminaValues
import TestSupport
import Testing

@testable import Lamina

@Suite("Rendering in a context") struct RenderInContextTests {
  /// An image of `width` x `height` pixels, y down, into which the layer is rendered.
  private func render(_ layer: CALayer, _ width: Int = 8, _ height: Int = 8) throws -> CGImage {
    try Drawer.context.draw(layer, width, height)
  }

  private func square(_ color: CGColor, _ frame: CGRect) -> CALayer {
    let layer = CALayer()
    layer.frame = frame
    layer.backgroundColor = color
    return layer
  }

  private let whole = CGRect(x: 0, y: 0, width: 8, height: 8)

  @Test("The layer's own position and transform do not count; the origin of its bounds does")
  func ownGeometry() throws {
    let layer = square(.red, CGRect(x: 3, y: 4, width: 2, height: 2))
    layer.transform = CATransform3DMakeScale(3, 3, 1)
    #expect(try render(layer).ink == CGRect(x: 0, y: 0, width: 2, height: 2))
    layer.bounds.origin = CGPoint(x: 5, y: 1)
    #expect(try render(layer).ink == CGRect(x: 5, y: 1, width: 2, height: 2))
    layer.isHidden = true
    #expect(try render(layer).ink.isNull)
  }

  @Test("Sublayers are placed by position, transform, and the sublayer transform")
  func sublayers() throws {
    let root = CALayer()
    root.bounds = whole
    let child = square(.red, CGRect(x: 1, y: 2, width: 2, height: 1))
    root.addSublayer(child)
    #expect(try render(root).ink == child.frame)
    child.transform = CATransform3DMakeRotation(.pi / 2, 0, 0, 1)
    #expect(try render(root).ink == CGRect(x: 1.5, y: 1.5, width: 1, height: 2).integral)
    child.transform = CATransform3DIdentity
    root.sublayerTransform = CATransform3DMakeTranslation(4, 0, 0)
    #expect(try render(root).ink == CGRect(x: 5, y: 2, width: 2, height: 1))
    root.masksToBounds = true
    root.bounds.size.width = 6
    root.sublayerTransform = CATransform3DIdentity
    child.frame = CGRect(x: 5, y: 2, width: 2, height: 1)
    #expect(try render(root).ink == CGRect(x: 5, y: 2, width: 1, height: 1))
    child.isHidden = true
    #expect(try render(root).ink.isNull)
  }

  @Test("Siblings are drawn by zPosition, those of the same in their order")
  func order() throws {
    let root = CALayer()
    root.bounds = whole
    let (front, back) = (square(.red, whole), square(.blue, whole))
    root.sublayers = [front, back]
    #expect(try render(root).pixel(x: 0, y: 0).blue == 255)
    front.zPosition = 1
    #expect(try render(root).pixel(x: 0, y: 0).red == 255)
  }

  @Test("Opacity multiplies what each layer draws, without groups")
  func opacity() throws {
    let root = square(.red, whole)
    root.opacity = 0.5
    root.addSublayer(square(.red, whole))
    // The second layer covers half of what the first lets through: 1 - 0.5 * 0.5.
    let alpha = try render(root).pixel(x: 0, y: 0).alpha
    #expect(abs(Int(alpha) - 191) <= 1)
  }

  @Test("Contents are placed by gravity, upright, and never drawn anew")
  func contents() throws {
    final class Drawing: CALayer {
      var count = 0
      override func draw(in ctx: CGContext) { count += 1 }
    }
    let layer = Drawing()
    layer.bounds = whole
    layer.setNeedsDisplay()
    layer.contents = try CGImage(
      width: 1, height: 2, unpremultipliedRGBA: [255, 0, 0, 255, 0, 0, 255, 255])
    layer.contentsGravity = .topLeft
    let image = try render(layer)
    #expect(image.ink == CGRect(x: 0, y: 6, width: 1, height: 2))
    #expect(image.pixel(x: 0, y: 6).red == 255 && image.pixel(x: 0, y: 7).blue == 255)
    layer.contentsGravity = .resize
    layer.contentsRect = CGRect(x: 0, y: 0.5, width: 1, height: 0.5)
    layer.magnificationFilter = .nearest
    #expect(try render(layer).pixel(x: 0, y: 0).blue == 255)
    #expect(layer.count == 0 && layer.needsDisplay())
  }

  @Test("What a layer drew is drawn from its store")
  func store() throws {
    final class Drawing: CALayer {
      override func draw(in ctx: CGContext) {
        ctx.setFillColor(.red)
        ctx.fill(CGRect(x: 0, y: 0, width: 8, height: 2))
      }
    }
    let layer = Drawing()
    layer.bounds = whole
    layer.setNeedsDisplay()
    #expect(try render(layer).ink.isNull)
    layer.displayIfNeeded()
    #expect(try render(layer).ink == CGRect(x: 0, y: 0, width: 8, height: 2))
  }

  @Test("Shapes are filled, then stroked; borders lie inside, above the sublayers")
  func shapesAndBorders() throws {
    let shape = CAShapeLayer()
    shape.bounds = whole
    shape.path = CGPath(rect: CGRect(x: 2, y: 2, width: 4, height: 4), transform: nil)
    shape.fillColor = .blue
    shape.strokeColor = .red
    shape.lineWidth = 2
    let image = try render(shape)
    #expect(image.pixel(x: 1, y: 1).red == 255 && image.pixel(x: 3, y: 3).blue == 255)
    #expect(image.ink == CGRect(x: 1, y: 1, width: 6, height: 6))

    let framed = square(.blue, whole)
    framed.borderWidth = 1
    framed.borderColor = .red
    framed.addSublayer(square(.blue, whole))
    let border = try render(framed)
    #expect(border.pixel(x: 0, y: 4).red == 255 && border.pixel(x: 1, y: 4).blue == 255)
  }

  @Test("Round corners round background and border, and contents with masksToBounds")
  func corners() throws {
    let layer = square(.red, whole)
    layer.cornerRadius = 4
    layer.maskedCorners = [.layerMinXMinYCorner]
    let image = try render(layer)
    #expect(image.pixel(x: 0, y: 0).alpha == 0 && image.pixel(x: 7, y: 7).alpha == 255)
    layer.addSublayer(square(.blue, whole))
    #expect(try render(layer).pixel(x: 0, y: 0).blue == 255)
    layer.masksToBounds = true
    #expect(try render(layer).pixel(x: 0, y: 0).alpha == 0)
  }

  @Test("A mask leaves what its alpha covers")
  func mask() throws {
    let layer = square(.red, whole)
    layer.mask = square(.blue, CGRect(x: 2, y: 0, width: 3, height: 8))
    let image = try render(layer)
    #expect(image.ink == CGRect(x: 2, y: 0, width: 3, height: 8))
    #expect(image.pixel(x: 3, y: 3).red == 255)
  }

  @Test("It looks as in a renderer, and leaves the context as it was")
  func likeRenderer() throws {
    let root = square(.red, whole)
    root.cornerRadius = 3
    let child = square(.blue, CGRect(x: 2, y: 3, width: 4, height: 2))
    root.addSublayer(child)
    let buffer = try PixelBuffer(width: 8, height: 8, format: .bgra8, use: .store)
    buffer.clear()
    let context = try #require(CGContext(buffer: buffer))
    let before = context.ctm
    root.render(in: context)
    #expect(context.ctm == before && context.boundingBoxOfClipPath == whole)
    context.fill(CGRect(x: 0, y: 0, width: 1, height: 1))  // Black is the initial fill colour.
    let image = CGImage(buffer)
    #expect(image.pixel(x: 0, y: 0).red == 0 && image.pixel(x: 0, y: 0).alpha == 255)
    #expect(image.pixel(x: 3, y: 3).blue == 255 && image.pixel(x: 1, y: 4).red == 255)
  }
}
