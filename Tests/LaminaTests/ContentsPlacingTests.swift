import Lamina
import LaminaGraphics
import Testing

@Suite("Contents in a layer") struct ContentsPlacingTests {
  private static func box(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> CGRect {
    CGRect(x: x, y: y, width: width, height: height)
  }

  /// The places of 20 x 10 pixels in bounds of 80 x 60, with `top` at the greatest y.
  private static let boxes: [(CALayerContentsGravity, CGRect)] = [
    (.resize, box(0, 0, 80, 60)), (.resizeAspect, box(0, 10, 80, 40)),
    (.resizeAspectFill, box(-20, 0, 120, 60)), (.center, box(30, 25, 20, 10)),
    (.top, box(30, 50, 20, 10)), (.bottom, box(30, 0, 20, 10)), (.left, box(0, 25, 20, 10)),
    (.right, box(60, 25, 20, 10)), (.topLeft, box(0, 50, 20, 10)), (.topRight, box(60, 50, 20, 10)),
    (.bottomLeft, box(0, 0, 20, 10)), (.bottomRight, box(60, 0, 20, 10)),
  ]

  private func image(_ width: Int, _ height: Int) throws -> CGImage {
    try CGImage(
      width: width, height: height,
      unpremultipliedRGBA: [UInt8](repeating: 255, count: width * height * 4))
  }

  // Measured on Apple's QuartzCore by others.
  @Test(
    "Gravity places an image, in a context and in the render process", arguments: Drawer.allCases)
  func gravity(drawer: Drawer) throws {
    for (gravity, box) in Self.boxes {
      let (root, layer) = (CALayer(), CALayer())
      root.bounds = CGRect(x: 0, y: 0, width: 140, height: 80)
      layer.frame = CGRect(x: 30, y: 10, width: 80, height: 60)
      layer.contents = try image(20, 10)
      layer.contentsGravity = gravity
      root.addSublayer(layer)
      let ink = try drawer.draw(root, 140, 80).ink
      #expect(ink == box.offsetBy(dx: 30, dy: 10), "\(gravity.rawValue)")
    }
  }

  // Measured on Apple's QuartzCore by others.
  @Test("Round corners cut contents only with masksToBounds", arguments: Drawer.allCases)
  func corners(drawer: Drawer) throws {
    let layer = CALayer()
    layer.bounds = CGRect(x: 0, y: 0, width: 20, height: 20)
    layer.contents = try image(1, 1)
    layer.cornerRadius = 8
    let whole = try drawer.draw(layer, 20, 20)
    #expect(whole.pixel(x: 0, y: 0).alpha == 255 && whole.pixel(x: 19, y: 19).alpha == 255)
    layer.masksToBounds = true
    let cut = try drawer.draw(layer, 20, 20)
    #expect(cut.pixel(x: 0, y: 0).alpha == 0 && cut.pixel(x: 19, y: 19).alpha == 0)
    #expect(cut.pixel(x: 10, y: 0).alpha == 255 && cut.pixel(x: 10, y: 10).alpha == 255)
  }
}
