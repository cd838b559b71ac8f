import Foundation
import LaminaInProcess
import LaminaValues
import LayerSupport
import Testing

@testable import Lamina

private final class TaggedLayer: CALayer {
  var tag = 0
  var copies = 0

  override init() { super.init() }
  override init(layer: Any) {
    if let layer = layer as? TaggedLayer {
      tag = layer.tag
      layer.copies += 1
    }
    super.init(layer: layer)
  }
  required init?(coder: NSCoder) { nil }
}

@Suite("The presentation tree") struct PresentationTests {
  private func renderer(_ root: CALayer) throws -> CARenderer {
    let renderer = try CARenderer(
      size: CGSize(width: 200, height: 100), server: .inProcess.on(.surfaceless))
    renderer.layer = root
    return renderer
  }

  @Test(
    "A layer that slides to where one tapped is hit under way where it is, not where it will be")
  func slidingToTap() throws {
    let (root, layer) = (CALayer(), CALayer())
    root.frame = CGRect(x: 0, y: 0, width: 200, height: 100)
    layer.frame = CGRect(x: 0, y: 40, width: 20, height: 20)
    layer.backgroundColor = .black
    root.addSublayer(layer)
    let renderer = try renderer(root)
    _ = try renderer.image(at: 1)

    let tap = CGPoint(x: 150, y: 50)
    CATransaction.begin()
    CATransaction.setAnimationDuration(1)
    CATransaction.setAnimationTimingFunction(CAMediaTimingFunction(name: .linear))
    layer.position = tap
    CATransaction.commit()
    #expect(root.hitTest(tap) === layer)

    let picture = Picture(try renderer.image(at: 1.5))
    let underWay = CGPoint(x: 80, y: 50)
    #expect(picture[80, 50][3] == 255 && picture[150, 50][3] == 0)
    #expect(layer.presentation()?.position == underWay)
    let hit = try #require(root.presentation()?.hitTest(underWay))
    #expect(hit !== layer && hit.model() === layer)
    #expect(root.presentation()?.hitTest(tap)?.model() === root)
    // The model is already at its target, not where it is seen.
    #expect(root.hitTest(underWay) === root && root.hitTest(tap) === layer)

    let end = Picture(try renderer.image(at: 2.25))
    #expect(end[80, 50][3] == 0 && end[150, 50][3] == 255)
    #expect(root.presentation()?.hitTest(tap)?.model() === layer)
  }

  @Test("Superlayer, sublayers and mask of a presentation layer are presentation layers")
  func tree() throws {
    let (root, layer, mask) = (TaggedLayer(), TaggedLayer(), TaggedLayer())
    root.tag = 1
    layer.tag = 2
    mask.tag = 3
    root.addSublayer(layer)
    layer.mask = mask
    #expect(root.presentation() == nil && layer.presentation() == nil && mask.presentation() == nil)
    let renderer = try renderer(root)
    #expect(layer.presentation() == nil, "before the first commit")
    _ = try renderer.image(at: 0)
    layer.opacity = 0.5
    mask.zPosition = 4
    _ = try renderer.image(at: 0.125)
    let copy = try #require(layer.presentation())
    #expect(copy !== layer && copy.tag == 2 && copy.model() === layer && layer.model() === layer)
    #expect(copy.opacity < 1 && copy.opacity > 0.5)
    let shown = try #require(copy.mask as? TaggedLayer)
    #expect(shown.tag == 3 && shown.zPosition > 0 && shown.zPosition < 4)
    #expect((copy.superlayer as? TaggedLayer)?.tag == 1 && copy.superlayer !== root)
    let sublayer = try #require(root.presentation()?.sublayers?.first as? TaggedLayer)
    #expect(sublayer !== layer && sublayer.model() === layer)
    #expect(abs(sublayer.opacity - copy.opacity) < 1e-6)
    #expect(layer.copies > 0)
  }

  @Test("What is not committed yet is not on screen")
  func uncommitted() throws {
    let layer = CALayer()
    let renderer = try renderer(layer)
    _ = try renderer.image(at: 0)
    CATransaction.begin()
    CATransaction.setDisableActions(true)
    layer.opacity = 0.5
    #expect(layer.presentation()?.opacity == 1)
    CATransaction.commit()
    #expect(layer.presentation()?.opacity == 0.5)
    withoutActions { renderer.layer = nil }
    CATransaction.flush()
    try renderer.commitChanges()
    #expect(layer.presentation() == nil, "after it left the tree")
  }

  @Test("Two runs of a film with implicit animations and completion blocks are byte for byte equal")
  func determinism() async throws {
    func film() async throws -> [[UInt8]] {
      let root = CALayer()
      root.frame = CGRect(x: 0, y: 0, width: 200, height: 100)
      let layer = CALayer()
      layer.frame = CGRect(x: 0, y: 0, width: 30, height: 30)
      layer.backgroundColor = CGColor(red: 0.2, green: 0.5, blue: 1, alpha: 1)
      root.addSublayer(layer)
      let renderer = try renderer(root)
      func step(_ number: Int) {
        CATransaction.begin()
        CATransaction.setAnimationDuration(0.2)
        CATransaction.setCompletionBlock { if number < 6 { step(number + 1) } }
        layer.position.x += 20
        layer.transform = CATransform3DMakeRotation(CGFloat(number), 0, 0, 1)
        layer.cornerRadius = CGFloat(number * 2)
        CATransaction.commit()
      }
      var images: [[UInt8]] = []
      for try await frame in renderer.frames(from: 0, to: 1.5, fps: 20) {
        if images.isEmpty { step(1) }
        images.append(frame.image.unpremultipliedRGBA)
      }
      return images
    }
    let (first, second) = (try await film(), try await film())
    #expect(first == second)
    #expect(Set(first).count > 20, "it moves")
  }
}
