import Lamina
import Testing

@Suite("Conversion") struct ConversionTests {
  private func tree() -> (superlayer: CALayer, layer: CALayer) {
    let (superlayer, layer) = (CALayer(), CALayer())
    superlayer.bounds.size = CGSize(width: 100, height: 50)
    layer.frame = CGRect(x: 10, y: 10, width: 20, height: 20)
    superlayer.addSublayer(layer)
    return (superlayer, layer)
  }

  // Apple's numbers, from sidestep's conformance tests (quartzcore.rs).
  @Test("A flipped superlayer makes no difference to what is converted")
  func flipped() {
    let (superlayer, layer) = tree()
    let point = layer.convert(CGPoint(x: 1, y: 2), to: superlayer)
    #expect(point == CGPoint(x: 11, y: 12))
    superlayer.isGeometryFlipped = true
    #expect(layer.convert(CGPoint(x: 1, y: 2), to: superlayer) == point)
    #expect(superlayer.convert(CGPoint(x: 1, y: 2), from: layer) == point)
  }

  // From the same source.
  @Test("A sublayer transform acts about the superlayer's anchor, which its bounds' origin moves")
  func sublayerTransform() {
    let (superlayer, layer) = (CALayer(), CALayer())
    superlayer.anchorPoint = .zero
    superlayer.sublayerTransform = CATransform3DMakeScale(2, 2, 1)
    layer.position = CGPoint(x: 10, y: 10)
    superlayer.addSublayer(layer)
    #expect(layer.convert(CGPoint.zero, to: superlayer) == CGPoint(x: 20, y: 20))
    superlayer.bounds = CGRect(x: 5, y: 5, width: 100, height: 100)
    #expect(layer.convert(CGPoint.zero, to: superlayer) == CGPoint(x: 15, y: 15))
    #expect(layer.convert(CGPoint(x: 15, y: 15), from: superlayer) == .zero)
  }

  // Measured on Apple's QuartzCore by others, as is the behaviour of unrelated layers.
  @Test("The origin of the superlayer's bounds does not matter without a sublayer transform")
  func boundsOrigin() {
    let (superlayer, layer) = tree()
    superlayer.bounds.origin = CGPoint(x: 30, y: 40)
    #expect(layer.convert(CGPoint(x: 1, y: 2), to: superlayer) == CGPoint(x: 11, y: 12))
    layer.bounds.origin = CGPoint(x: 3, y: 4)
    #expect(layer.convert(CGPoint(x: 3, y: 4), to: superlayer) == CGPoint(x: 10, y: 10))
  }

  @Test("Layers without a common superlayer are converted through their roots")
  func unrelated() {
    let (superlayer, layer) = tree()
    superlayer.position = CGPoint(x: 50, y: 25)
    let (other, inner) = tree()
    other.position = CGPoint(x: 60, y: 65)
    #expect(layer.convert(CGPoint(x: 20, y: 50), to: inner) == CGPoint(x: 10, y: 10))
    #expect(inner.convert(CGPoint(x: 10, y: 10), to: layer) == CGPoint(x: 20, y: 50))
  }

  @Test("Siblings are converted by way of their superlayer, whatever that is in")
  func siblings() {
    let (superlayer, layer) = tree()
    let sibling = CALayer()
    sibling.frame = CGRect(x: 40, y: 40, width: 10, height: 10)
    sibling.setAffineTransform(CGAffineTransform(scaleX: 2, y: 2))
    superlayer.addSublayer(sibling)
    // This transform has no inverse.
    superlayer.transform = CATransform3DMakeScale(0, 0, 0)
    #expect(sibling.convert(CGPoint(x: 5, y: 5), to: layer) == CGPoint(x: 35, y: 35))
    #expect(
      sibling.convert(CGRect(x: 0, y: 0, width: 10, height: 10), to: layer)
        == CGRect(x: 25, y: 25, width: 20, height: 20))
  }

  // Other implementations say that this is Apple's behaviour; the headers allow nil.
  @Test("nil is the superlayer's space")
  func superspace() {
    let (superlayer, layer) = tree()
    superlayer.position = CGPoint(x: 500, y: 500)
    #expect(layer.convert(CGPoint(x: 1, y: 2), to: nil) == CGPoint(x: 11, y: 12))
    #expect(layer.convert(CGPoint(x: 11, y: 12), from: nil) == CGPoint(x: 1, y: 2))
  }

  @Test("A rectangle becomes the box around it")
  func rectangles() {
    let (superlayer, layer) = tree()
    layer.setAffineTransform(CGAffineTransform(rotationAngle: .pi / 4))
    let box = layer.convert(CGRect(x: 0, y: 0, width: 20, height: 20), to: superlayer)
    let half = 10 * 2.0.squareRoot()
    #expect(abs(box.minX - (20 - half)) < 1e-9 && abs(box.width - 2 * half) < 1e-9)
    let back = layer.convert(box, from: superlayer)
    #expect(abs(back.minX + 10) < 1e-9 && abs(back.width - 40) < 1e-9)
  }

  @Test("Perspective counts, there and back, and each layer is flat for those above")
  func perspective() {
    let (superlayer, layer) = (CALayer(), CALayer())
    superlayer.bounds.size = CGSize(width: 100, height: 100)
    superlayer.sublayerTransform.m34 = -1 / 100
    layer.frame = CGRect(x: 0, y: 0, width: 100, height: 100)
    layer.zPosition = 50
    superlayer.addSublayer(layer)
    // Halfway to the eye, everything is twice as large, seen from the middle.
    #expect(layer.convert(CGPoint(x: 75, y: 50), to: superlayer) == CGPoint(x: 100, y: 50))
    layer.transform = CATransform3DMakeRotation(1, 0, 1, 0)
    for point in [CGPoint(x: 10, y: 20), CGPoint(x: 60, y: 90)] {
      let there = layer.convert(point, to: superlayer)
      let back = layer.convert(there, from: superlayer)
      #expect(abs(back.x - point.x) < 1e-9 && abs(back.y - point.y) < 1e-9)
    }
    // The superlayer's plane drops a layer's own z.
    let leaf = CALayer()
    leaf.zPosition = 1000
    layer.addSublayer(leaf)
    let a = leaf.convert(CGPoint(x: 10, y: 20), to: superlayer)
    #expect(a == layer.convert(CGPoint(x: 10, y: 20), to: superlayer))
  }

  @Test("What a singular transform leaves undetermined stays as it is")
  func singular() {
    let (superlayer, layer) = tree()
    layer.transform = CATransform3DMakeScale(0, 1, 1)
    #expect(layer.convert(CGPoint(x: 3, y: 4), from: superlayer) == CGPoint(x: 3, y: 4))
  }

  // Apple's numbers: the first from sidestep's quartzcore.rs, the second measured by others.
  @Test("Times go through every layer's clock")
  func times() {
    let (root, layer) = (CALayer(), CALayer())
    root.addSublayer(layer)
    (layer.beginTime, layer.speed, layer.timeOffset) = (3, 2, 1)
    #expect(layer.convertTime(10, from: root) == 15)

    let (top, middle, leaf) = (CALayer(), CALayer(), CALayer())
    top.addSublayer(middle)
    middle.addSublayer(leaf)
    (middle.beginTime, middle.speed, middle.timeOffset) = (2, 3, 0.25)
    (leaf.beginTime, leaf.speed, leaf.timeOffset) = (1, 2, 0.5)
    #expect(leaf.convertTime(10, from: top) == 47)
    #expect(leaf.convertTime(10, from: nil) == 47)
    #expect(abs(leaf.convertTime(10, to: top) - 23.0 / 6) < 1e-12)
    #expect(abs(leaf.convertTime(10, to: nil) - 23.0 / 6) < 1e-12)
    #expect(abs(top.convertTime(10, from: leaf) - 23.0 / 6) < 1e-12)
    #expect(abs(middle.convertTime(10, from: leaf) - 5.75) < 1e-12)
  }

  @Test("Clocks above the first common superlayer play no part, even where they stand")
  func commonClocks() {
    let (root, superlayer, layer, other) = (CALayer(), CALayer(), CALayer(), CALayer())
    root.addSublayer(superlayer)
    superlayer.addSublayer(layer)
    superlayer.addSublayer(other)
    root.speed = 0
    (superlayer.speed, superlayer.beginTime) = (1e-30, 7)
    (layer.speed, layer.beginTime) = (2, 1)
    other.timeOffset = 3
    #expect(other.convertTime(4, from: layer) == 6)
    #expect(other.convertTime(4, to: layer) == 0)
    #expect(layer.convertTime(4, from: layer) == 4)
    #expect(root.convertTime(5, to: nil) == 0)
    layer.speed = 0
    #expect(layer.convertTime(4, to: other) == 4)
    #expect(layer.convertTime(4, from: other) == 0)
  }

  // Our surfaces count as flipped, as windows do on iOS.
  @Test("Each flipped layer on the way to the root turns the contents about")
  func contents() {
    let (superlayer, layer) = tree()
    #expect(layer.contentsAreFlipped())
    superlayer.isGeometryFlipped = true
    #expect(!layer.contentsAreFlipped() && !superlayer.contentsAreFlipped())
    layer.isGeometryFlipped = true
    #expect(layer.contentsAreFlipped())
  }
}
