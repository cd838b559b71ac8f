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

  // Measured on Apple's QuartzCore by others.
  @Test("A layer and its sublayers fade as one, unless it allows no group opacity")
  func opacity() throws {
    let root = square(.red, whole)
    root.opacity = 0.5
    root.addSublayer(square(CGColor(red: 0, green: 1, blue: 0, alpha: 1), whole))
    let faded = try render(root).pixel(x: 0, y: 0)
    #expect(faded.red == 0 && faded.green == 128 && faded.blue == 0 && faded.alpha == 128)
    root.allowsGroupOpacity = false
    // The second layer covers half of what the first lets through: 1 - 0.5 * 0.5.
    let apart = try render(root).pixel(x: 0, y: 0)
    #expect(abs(Int(apart.alpha) - 191) <= 1 && abs(Int(apart.red) - 64) <= 1)
  }

  @Test("Contents and border fade as one")
  func opacityOfPieces() throws {
    let layer = square(.red, whole)
    layer.opacity = 0.5
    (layer.borderWidth, layer.borderColor) = (2, .blue)
    let border = try render(layer).pixel(x: 0, y: 0)
    #expect(border.alpha == 128 && border.red == 0)
  }

  @Test("More faded layers in each other than there are groups are drawn as well")
  func manyGroups() throws {
    let root = square(.red, whole)
    var last = root
    for _ in 0..<200 {
      let next = square(.red, whole)
      next.opacity = 0.999
      last.addSublayer(next)
      last = next
    }
    #expect(try render(root).pixel(x: 4, y: 4).red == 255)
  }

  @Test("Contents are placed by gravity, upright")
  func contents() throws {
    let layer = CALayer()
    layer.bounds = whole
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
  }

  @Test("Contents are tinted, and continue beyond the image's edge, as in a renderer")
  func contentsParts() throws {
    let layer = CALayer()
    layer.bounds = whole
    layer.contents = try CGImage(
      width: 1, height: 2, unpremultipliedRGBA: [255, 255, 255, 255, 0, 0, 255, 255])
    layer.setValue(
      CGColor(red: 1, green: 0.5, blue: 0, alpha: 0.5), forKey: "contentsMultiplyColor")
    layer.contentsRect = CGRect(x: 0, y: -1, width: 1, height: 2)
    layer.magnificationFilter = .nearest
    let image = try render(layer)
    let drawn = try Drawer.renderProcess.draw(layer, 8, 8)
    #expect(try image.difference(from: drawn).greatest <= 1)
    #expect(image.pixel(x: 0, y: 0).red == 128 && image.pixel(x: 0, y: 0).green == 64)
  }

  // Measured on Apple's QuartzCore by others.
  @Test("Layers that need to be displayed are displayed first, in the model")
  func display() throws {
    final class Drawing: CALayer {
      var count = 0
      override func draw(in ctx: CGContext) {
        count += 1
        ctx.setFillColor(.red)
        ctx.fill(CGRect(x: 0, y: 0, width: 8, height: 2))
      }
    }
    let (root, layer, hidden) = (CALayer(), Drawing(), Drawing())
    root.bounds = whole
    root.sublayers = [layer, hidden]
    (layer.frame, hidden.frame, hidden.isHidden) = (whole, whole, true)
    layer.setNeedsDisplay()
    hidden.setNeedsDisplay()
    #expect(try render(root).ink == CGRect(x: 0, y: 0, width: 8, height: 2))
    #expect(!layer.needsDisplay() && layer.contents != nil && layer.count == 1)
    #expect(hidden.count == 0 && hidden.needsDisplay())
    _ = try render(root)
    #expect(layer.count == 1)
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

  @Test("A mask lies in its layer's plane, which the sublayer transform does not move")
  func maskUnderSublayerTransform() throws {
    let layer = square(.red, whole)
    layer.sublayerTransform = CATransform3DMakeTranslation(4, 0, 0)
    layer.mask = square(.blue, CGRect(x: 2, y: 0, width: 3, height: 8))
    #expect(try render(layer).ink == CGRect(x: 2, y: 0, width: 3, height: 8))
  }

  // Measured on Apple's QuartzCore by others.
  @Test("A gradient with alpha under an alpha mask has the product of both alphas, at any opacity")
  func gradientUnderMask() throws {
    let clear = CGColor.black.copy(alpha: 0)!
    let (layer, mask) = (CAGradientLayer(), CAGradientLayer())
    for gradient in [layer, mask] {
      gradient.frame = CGRect(x: 0, y: 0, width: 8, height: 8)
      gradient.colors = [CGColor.black, clear]
    }
    (mask.startPoint, mask.endPoint) = (CGPoint(x: 0, y: 0.5), CGPoint(x: 1, y: 0.5))
    layer.mask = mask
    let root = square(.white, whole)
    root.addSublayer(layer)
    for opacity: Float in [1, 0.5] {
      layer.opacity = opacity
      let image = try render(root)
      for (x, y) in [(0, 0), (3, 4), (7, 1), (5, 5)] {
        let alpha = (1 - (Double(x) + 0.5) / 8) * (1 - (Double(y) + 0.5) / 8) * Double(opacity)
        let green = Double(image.pixel(x: x, y: y).green)
        #expect(abs(green - (1 - alpha) * 255) <= 2, "\(x), \(y) at \(opacity): \(green)")
      }
    }
  }

  // Measured on Apple's QuartzCore by others, as far as the mode is "xor".
  @Test("A compositing filter composites the layer as a whole with what lies behind it")
  func compositingFilters() throws {
    let (root, matte, hole) = (CALayer(), CALayer(), square(.blue, whole))
    (root.bounds, matte.frame) = (whole, whole)
    root.sublayers = [square(.red, whole), matte]
    matte.sublayers = [hole]
    hole.bounds.size.width = 4
    hole.position.x = 6
    matte.compositingFilter = "xor"
    #expect(try render(root).ink == CGRect(x: 0, y: 0, width: 4, height: 8))
    // What is in a group does not see what lies behind the group.
    root.opacity = 0.5
    #expect(try render(root).ink == CGRect(x: 0, y: 0, width: 4, height: 8))
    root.opacity = 1
    (matte.compositingFilter, hole.compositingFilter) = (nil, "xor")
    #expect(try render(root).ink == CGRect(x: 0, y: 0, width: 4, height: 8))
    matte.opacity = 0.5
    #expect(try render(root).pixel(x: 6, y: 0).blue == 128)
    (matte.opacity, hole.compositingFilter) = (1, CAFilter(type: "multiplyBlendMode"))
    #expect(try render(root).pixel(x: 6, y: 0).blue == 0)
    let disabled = CAFilter(type: "xor")
    disabled.isEnabled = false
    hole.compositingFilter = disabled
    #expect(try render(root).pixel(x: 6, y: 0).blue == 255)
    // Modes that clear what lies behind do so within the bounds.
    hole.backgroundColor = nil
    hole.compositingFilter = "copy"
    #expect(try render(root).ink == CGRect(x: 0, y: 0, width: 4, height: 8))
  }

  @Test("A mask's own compositing filter does not count")
  func compositingFilterOfMask() throws {
    let layer = square(.red, whole)
    let mask = square(.blue, CGRect(x: 2, y: 0, width: 3, height: 8))
    mask.compositingFilter = "destinationOut"
    layer.mask = mask
    #expect(try render(layer).ink == CGRect(x: 2, y: 0, width: 3, height: 8))
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
