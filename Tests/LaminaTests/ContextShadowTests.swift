import Lamina
import LaminaGraphics
import LaminaValues
import TestSupport
import Testing

@Suite("Shadows in a context") struct ContextShadowTests {
  private func box(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> CGRect {
    CGRect(x: x, y: y, width: width, height: height)
  }

  private func layer(_ frame: CGRect, _ color: CGColor? = .red) -> CALayer {
    let layer = CALayer()
    layer.frame = frame
    layer.backgroundColor = color
    return layer
  }

  /// A layer whose shadow is its own shape, moved to the right.
  private func caster(_ frame: CGRect, _ color: CGColor? = .red, by width: CGFloat) -> CALayer {
    let layer = layer(frame, color)
    layer.shadowOpacity = 1
    layer.shadowRadius = 0
    layer.shadowOffset = CGSize(width: width, height: 0)
    return layer
  }

  private func root(_ sublayers: CALayer...) -> CALayer {
    let root = layer(box(0, 0, 80, 40), nil)
    root.sublayers = sublayers
    return root
  }

  // Measured on Apple's QuartzCore by others.
  @Test(
    "A shadow reaches twice its radius, which grows with the layer", arguments: [0, 1, 2.5, 4, 6])
  func reach(radius: CGFloat) throws {
    let child = caster(CGRect(x: 40, y: 40, width: 20, height: 20), by: 0)
    child.shadowRadius = radius
    let root = layer(box(0, 0, 100, 100), nil)
    root.sublayers = [child]
    let ink = try Drawer.context.draw(root, 100, 100).ink
    #expect(ink == child.frame.insetBy(dx: -2 * radius, dy: -2 * radius))
    child.bounds.size = CGSize(width: 10, height: 10)
    child.transform = CATransform3DMakeScale(2, 2, 1)
    let scaled = try Drawer.context.draw(root, 100, 100).ink
    // At the edge of a large blur, the last pixel's alpha rounds to 0 of 255.
    let limit = child.frame.insetBy(dx: -4 * radius, dy: -4 * radius)
    #expect(limit.contains(scaled) && scaled.contains(limit.insetBy(dx: 1, dy: 1)))
  }

  @Test("Two boxes blur it: at a straight edge it is half, and falls off with the square")
  func profile() throws {
    let child = caster(box(-300, -300, 340, 640), by: 100)
    child.position.x -= 100
    child.shadowRadius = 8
    let image = try Drawer.context.draw(root(child), 80, 40)
    for distance in 0..<20 {
      // The part that lies beyond, of a triangle that reaches 17 pixels to either side.
      let beyond = max(16 - Double(distance), 0)
      let expected = 255 * beyond * (beyond + 1) / 2 / (17 * 17)
      let alpha = Double(image.pixel(x: 40 + distance, y: 20).alpha)
      #expect(abs(alpha - expected) <= 1, "\(distance): \(alpha)")
    }
  }

  @Test("The offset is in the layer's own space, whichever way y points")
  func offsets() throws {
    for (isFlipped, turn, expected) in [
      (false, 0.0, box(20, 7, 4, 4)), (true, 0, box(20, 29, 4, 4)),
      (false, .pi / 2, box(23, 10, 4, 4)), (true, .pi / 2, box(23, 26, 4, 4)),
    ] {
      let child = caster(box(20, 10, 4, 4), by: 0)
      child.shadowOffset = CGSize(width: 0, height: -3)
      child.transform = CATransform3DMakeRotation(turn, 0, 0, 1)
      let space = layer(box(0, 0, 80, 40), nil)
      space.isGeometryFlipped = isFlipped
      space.sublayers = [child]
      let place = isFlipped ? box(20, 26, 4, 4) : box(20, 10, 4, 4)
      for drawer in Drawer.allCases {
        let ink = try drawer.draw(root(space), 80, 40).ink
        #expect(ink == place.union(expected), "\(isFlipped) \(turn) \(drawer)")
      }
    }
    let context = try #require(
      CGContext(
        data: nil, width: 8, height: 8, bitsPerComponent: 8, bytesPerRow: 0,
        space: CGColorSpace(name: CGColorSpace.sRGB),
        bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue))
    let lone = caster(box(0, 0, 4, 4), by: 0)
    lone.bounds.origin.y = 4
    lone.shadowOffset.height = -3
    lone.render(in: context)
    // y points up, so the layer is in the upper half and its shadow below it.
    #expect(try #require(context.makeImage()).ink == box(0, 0, 4, 7))
  }

  @Test("Its alpha is the colour's times shadowOpacity times what casts it")
  func alpha() throws {
    let child = caster(box(0, 0, 4, 4), by: 8)
    child.shadowColor = CGColor(red: 0, green: 0, blue: 1, alpha: 0.5)
    child.shadowOpacity = 0.5
    let shadow = try Drawer.context.draw(root(child), 80, 40).pixel(x: 9, y: 1)
    #expect(abs(Int(shadow.alpha) - 64) <= 1 && shadow.blue == shadow.alpha && shadow.red == 0)
    child.opacity = 0.5
    let faded = try Drawer.context.draw(root(child), 80, 40).pixel(x: 9, y: 1)
    #expect(abs(Int(faded.alpha) - 32) <= 1)
    child.shadowColor = nil
    #expect(try Drawer.context.draw(root(child), 80, 40).ink == child.frame)
  }

  // Measured on Apple's QuartzCore by others.
  @Test("Contents, shapes and sublayers cast one shadow together; nothing casts none")
  func subtree() throws {
    let group = caster(box(0, 0, 20, 20), nil, by: 30)
    group.shadowOpacity = 0.5
    #expect(try Drawer.context.draw(root(group), 80, 40).ink.isNull)
    let shape = CAShapeLayer()
    shape.path = CGPath(rect: box(4, 4, 8, 4), transform: nil)
    let contents = layer(box(0, 4, 8, 4), nil)
    contents.contents = try CGImage(width: 1, height: 1, unpremultipliedRGBA: [255, 0, 0, 255])
    // Sublayers beyond the bounds cast as well.
    group.sublayers = [layer(box(0, 0, 4, 8)), shape, contents, layer(box(20, 4, 4, 4))]
    let image = try Drawer.context.draw(root(group), 80, 40)
    #expect(image.ink == box(0, 0, 54, 8))
    for (x, y) in [(30, 0), (31, 5), (35, 5), (41, 7), (51, 5)] {
      #expect(abs(Int(image.pixel(x: x, y: y).alpha) - 128) <= 1, "\(x), \(y)")
    }
    #expect(image.pixel(x: 45, y: 5).alpha == 0)
  }

  // Measured on Apple's QuartzCore by others.
  @Test("shadowPath casts nothing in a context")
  func shadowPath() throws {
    let child = caster(box(0, 0, 4, 4), by: 8)
    child.shadowPath = CGPath(rect: box(0, 0, 30, 30), transform: nil)
    #expect(try Drawer.context.draw(root(child), 80, 40).ink == box(0, 0, 12, 4))
    child.backgroundColor = nil
    #expect(try Drawer.context.draw(root(child), 80, 40).ink.isNull)
  }

  @Test("A layer's own mask and clip cut its shadow, and those of layers above it do")
  func clipped() throws {
    let child = caster(box(0, 0, 8, 8), by: 6)
    child.cornerRadius = 3
    let open = try Drawer.context.draw(root(child), 80, 40)
    #expect(open.ink == box(0, 0, 14, 8))
    child.masksToBounds = true
    #expect(try Drawer.context.draw(root(child), 80, 40).ink == child.frame)
    child.masksToBounds = false
    child.mask = layer(box(0, 2, 10, 4))
    let masked = try Drawer.context.draw(root(child), 80, 40)
    #expect(masked.ink == box(0, 2, 10, 4))
    #expect(masked.pixel(x: 9, y: 4).alpha == 255 && masked.pixel(x: 9, y: 4).red == 0)
    child.mask = nil
    let window = layer(box(0, 0, 12, 40), nil)
    window.masksToBounds = true
    window.sublayers = [child]
    #expect(try Drawer.context.draw(root(window), 80, 40).ink == box(0, 0, 12, 8))
  }

  @Test("What lies outside the context casts into it")
  func fromOutside() throws {
    let child = caster(box(-40, 4, 8, 8), by: 50)
    #expect(try Drawer.context.draw(root(child), 80, 40).ink == box(10, 4, 8, 8))
    child.mask = layer(box(46, 0, 8, 8))
    #expect(try Drawer.context.draw(root(child), 80, 40).ink == box(10, 4, 4, 8))
  }
}
