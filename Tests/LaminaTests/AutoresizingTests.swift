import Lamina
import Testing

// Measured on Apple's QuartzCore by others. The superlayer is 100 points wide and high, the layer's
// frame is (10, 20, 50, 40).
@Suite("Autoresizing") struct AutoresizingTests {
  private static func resized(
    _ mask: CAAutoresizingMask, _ width: CGFloat, _ height: CGFloat
  ) -> CGRect {
    let (superlayer, layer) = (CALayer(), CALayer())
    superlayer.bounds.size = CGSize(width: 100, height: 100)
    layer.frame = CGRect(x: 10, y: 20, width: 50, height: 40)
    layer.autoresizingMask = mask
    superlayer.addSublayer(layer)
    superlayer.bounds.size = CGSize(width: width, height: height)
    return layer.frame
  }

  struct Case: Sendable {
    var mask: CAAutoresizingMask
    var size: (CGFloat, CGFloat) = (200, 300)
    var frame: (CGFloat, CGFloat, CGFloat, CGFloat)
  }

  @Test(
    "A change is shared by the parts that give way, whatever their sizes",
    arguments: [
      Case(mask: [], frame: (10, 20, 50, 40)),
      Case(mask: .layerMinXMargin, frame: (110, 20, 50, 40)),
      Case(mask: .layerWidthSizable, frame: (10, 20, 150, 40)),
      Case(mask: .layerMaxXMargin, frame: (10, 20, 50, 40)),
      Case(mask: .layerMinYMargin, frame: (10, 220, 50, 40)),
      Case(mask: .layerHeightSizable, frame: (10, 20, 50, 240)),
      Case(mask: .layerMaxYMargin, frame: (10, 20, 50, 40)),
      Case(mask: [.layerMinXMargin, .layerWidthSizable], frame: (76, 20, 84, 40)),
      Case(mask: [.layerWidthSizable, .layerMaxXMargin], frame: (10, 20, 84, 40)),
      Case(mask: [.layerMinXMargin, .layerMaxXMargin], frame: (60, 20, 50, 40)),
      Case(
        mask: [.layerMinXMargin, .layerWidthSizable, .layerMaxXMargin], frame: (43, 20, 84, 40)),
      Case(mask: [.layerMinYMargin, .layerHeightSizable], frame: (10, 153, 50, 107)),
      Case(mask: [.layerMinYMargin, .layerMaxYMargin], frame: (10, 120, 50, 40)),
      Case(
        mask: [.layerMinYMargin, .layerHeightSizable, .layerMaxYMargin],
        frame: (10, 86, 50, 108)),
      Case(mask: [.layerWidthSizable, .layerHeightSizable], frame: (10, 20, 150, 240)),
      Case(mask: CAAutoresizingMask(rawValue: 63), frame: (43, 86, 84, 108)),
      Case(
        mask: [.layerMinXMargin, .layerWidthSizable], size: (400, 100), frame: (210, 20, 150, 40)),
      Case(
        mask: [.layerMinXMargin, .layerWidthSizable], size: (110, 100), frame: (16, 20, 54, 40)),
      Case(
        mask: [.layerMinXMargin, .layerWidthSizable], size: (50, 25), frame: (-24, 20, 34, 40)),
      Case(
        mask: [.layerWidthSizable, .layerHeightSizable], size: (50, 25), frame: (10, -15, 0, 35)),
    ])
  func shares(_ test: Case) {
    let (x, y, width, height) = test.frame
    #expect(
      Self.resized(test.mask, test.size.0, test.size.1)
        == CGRect(x: x, y: y, width: width, height: height))
  }

  @Test("The mask keeps every bit, and nobody has a default one")
  func mask() {
    let layer = CALayer()
    #expect(layer.autoresizingMask.isEmpty)
    #expect(CALayer.defaultValue(forKey: "autoresizingMask") == nil)
    #expect(!layer.shouldArchiveValue(forKey: "autoresizingMask"))
    layer.autoresizingMask = CAAutoresizingMask(rawValue: 255)
    #expect(layer.autoresizingMask.rawValue == 255)
    #expect(layer.shouldArchiveValue(forKey: "autoresizingMask"))
  }

  @Test("Moving the bounds resizes nothing; a new frame does, and so down the tree")
  func occasions() {
    let (superlayer, layer, leaf) = (CALayer(), CALayer(), CALayer())
    superlayer.bounds.size = CGSize(width: 100, height: 100)
    for inner in [layer, leaf] {
      inner.autoresizingMask = [.layerWidthSizable, .layerHeightSizable]
    }
    layer.frame = CGRect(x: 0, y: 0, width: 100, height: 100)
    leaf.frame = CGRect(x: 10, y: 20, width: 50, height: 40)
    superlayer.addSublayer(layer)
    layer.addSublayer(leaf)
    superlayer.bounds.origin = CGPoint(x: 30, y: 40)
    #expect(leaf.frame == CGRect(x: 10, y: 20, width: 50, height: 40))
    superlayer.frame = CGRect(x: 0, y: 0, width: 200, height: 300)
    #expect(layer.frame == CGRect(x: 0, y: 0, width: 200, height: 300))
    #expect(leaf.frame == CGRect(x: 10, y: 20, width: 150, height: 240))
  }

  @Test("A mask that comes after the change, and a layer that does, change nothing")
  func late() {
    let (superlayer, layer) = (CALayer(), CALayer())
    superlayer.bounds.size = CGSize(width: 100, height: 100)
    layer.frame = CGRect(x: 10, y: 20, width: 50, height: 40)
    superlayer.addSublayer(layer)
    superlayer.bounds.size = CGSize(width: 200, height: 300)
    layer.autoresizingMask = [.layerWidthSizable, .layerHeightSizable]
    #expect(layer.frame == CGRect(x: 10, y: 20, width: 50, height: 40))
    layer.removeFromSuperlayer()
    superlayer.addSublayer(layer)
    #expect(layer.frame == CGRect(x: 10, y: 20, width: 50, height: 40))
  }

  @Test("A layer, or a superlayer for all, can be told of a change by hand")
  func byHand() {
    let (superlayer, layer) = (CALayer(), CALayer())
    superlayer.bounds.size = CGSize(width: 200, height: 300)
    layer.frame = CGRect(x: 10, y: 20, width: 50, height: 40)
    layer.autoresizingMask = [.layerMinXMargin, .layerWidthSizable]
    superlayer.addSublayer(layer)
    layer.resize(withOldSuperlayerSize: CGSize(width: 100, height: 100))
    #expect(layer.frame == CGRect(x: 76, y: 20, width: 84, height: 40))
    superlayer.resizeSublayers(withOldSize: superlayer.bounds.size)
    #expect(layer.frame == CGRect(x: 76, y: 20, width: 84, height: 40))
    superlayer.resizeSublayers(withOldSize: CGSize(width: 170, height: 300))
    #expect(layer.frame == CGRect(x: 96, y: 20, width: 94, height: 40))
  }
}
