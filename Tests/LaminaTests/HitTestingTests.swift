import LaminaInProcess
import Testing

@testable import Lamina

@Suite("Hit testing") struct HitTestingTests {
  private func layer(_ x: CGFloat, _ y: CGFloat, _ width: CGFloat, _ height: CGFloat) -> CALayer {
    let layer = CALayer()
    layer.frame = CGRect(x: x, y: y, width: width, height: height)
    return layer
  }

  private func hit(_ layer: CALayer, _ x: CGFloat, _ y: CGFloat) -> CALayer? {
    layer.hitTest(CGPoint(x: x, y: y))
  }

  // This test and the next four were measured on Apple's QuartzCore by others.
  @Test("Bounds hold their near edges and not their far ones")
  func halfOpen() {
    let root = layer(10, 10, 20, 20)
    #expect(hit(root, 10, 10) === root && hit(root, 29.9, 29.9) === root)
    #expect(hit(root, 30, 20) == nil && hit(root, 20, 30) == nil && hit(root, 9.9, 20) == nil)
    root.bounds.origin = CGPoint(x: 5, y: 5)
    #expect(root.contains(CGPoint(x: 5, y: 5)) && !root.contains(CGPoint(x: 25, y: 5)))
    #expect(hit(root, 10, 10) === root && hit(root, 30, 20) == nil)
  }

  @Test("Hidden layers are passed over with all in them")
  func hidden() {
    let (root, inner, leaf) = (layer(0, 0, 20, 20), layer(0, 0, 20, 20), layer(0, 0, 20, 20))
    root.addSublayer(inner)
    inner.addSublayer(leaf)
    #expect(hit(root, 5, 5) === leaf)
    inner.isHidden = true
    #expect(hit(root, 5, 5) === root)
    root.isHidden = true
    #expect(hit(root, 5, 5) == nil)
  }

  @Test("Layers of opacity 0 are passed over with all in them")
  func transparent() {
    let (root, inner, leaf) = (layer(0, 0, 20, 20), layer(0, 0, 20, 20), layer(0, 0, 20, 20))
    root.addSublayer(inner)
    inner.addSublayer(leaf)
    inner.opacity = 0.001
    #expect(hit(root, 5, 5) === leaf)
    inner.opacity = 0
    #expect(hit(root, 5, 5) === root && hit(inner, 5, 5) == nil)
    let (space, copies) = (CATransformLayer(), CAReplicatorLayer())
    copies.preservesDepth = true
    for group in [space, copies] {
      group.frame = root.bounds
      group.addSublayer(layer(0, 0, 20, 20))
      root.addSublayer(group)
      #expect(hit(root, 5, 5) === group.sublayers?[0] && hit(group, 5, 5) != nil)
      group.opacity = 0
      #expect(hit(root, 5, 5) === root && hit(group, 5, 5) == nil)
    }
  }

  // Apple's QuartzCore leaves out points where a mask is not; that the mask's contains(_:) decides,
  // and not its alpha, is ours.
  @Test("A layer is passed over, with all in it, at points that its mask does not contain")
  func masked() {
    let (root, inner, leaf) = (layer(0, 0, 40, 40), layer(10, 10, 20, 20), layer(0, 0, 20, 20))
    root.addSublayer(inner)
    inner.addSublayer(leaf)
    let mask = layer(0, 0, 10, 20)
    inner.mask = mask
    #expect(hit(root, 15, 15) === leaf && hit(root, 25, 15) === root)
    #expect(hit(inner, 15, 15) === leaf && hit(inner, 25, 15) == nil)
    // The sublayer transform does not move the mask.
    inner.sublayerTransform = CATransform3DMakeTranslation(-10, 0, 0)
    #expect(hit(root, 25, 15) === root && hit(root, 15, 15) === leaf)
    inner.sublayerTransform = CATransform3DIdentity
    mask.setAffineTransform(CGAffineTransform(translationX: 10, y: 0))
    #expect(hit(root, 25, 15) === leaf && hit(root, 15, 15) === root)
    mask.setAffineTransform(.identity)
    inner.isGeometryFlipped = true
    mask.frame = CGRect(x: 0, y: 0, width: 20, height: 5)
    #expect(hit(root, 15, 29) === leaf && hit(root, 15, 11) === root)
    final class Nowhere: CALayer {
      override func contains(_ p: CGPoint) -> Bool { false }
    }
    inner.mask = Nowhere()
    #expect(hit(root, 15, 29) === root)
  }

  @Test("The later sibling is in front, unless the earlier one has a greater zPosition")
  func depth() {
    let (root, first, second) = (layer(0, 0, 20, 20), layer(0, 0, 20, 20), layer(0, 0, 20, 20))
    root.sublayers = [first, second]
    #expect(hit(root, 5, 5) === second)
    first.zPosition = 1
    #expect(hit(root, 5, 5) === first)
    second.zPosition = 1
    #expect(hit(root, 5, 5) === second)
    (first.zPosition, second.zPosition) = (-1, -2)
    #expect(hit(root, 5, 5) === first)
  }

  @Test("A sublayer outside the bounds is found, unless the bounds clip")
  func outside() {
    let (root, inner) = (layer(0, 0, 20, 20), layer(30, 0, 10, 10))
    root.addSublayer(inner)
    #expect(hit(root, 35, 5) === inner)
    root.masksToBounds = true
    #expect(hit(root, 35, 5) == nil)
    // Rounded corners do not count.
    root.cornerRadius = 10
    #expect(hit(root, 0, 0) === root)
  }

  // Also in sidestep's conformance tests, quartzcore.rs.
  @Test("In a flipped layer the point is mirrored about the middle of the bounds")
  func flipped() {
    let (root, inner) = (layer(0, 0, 20, 40), layer(0, 0, 20, 10))
    root.addSublayer(inner)
    #expect(hit(root, 5, 5) === inner && hit(root, 5, 35) === root)
    root.isGeometryFlipped = true
    #expect(hit(root, 5, 35) === inner && hit(root, 5, 5) === root)
    // A layer inside two flipped layers is not flipped.
    let leaf = layer(0, 0, 20, 2)
    inner.addSublayer(leaf)
    #expect(hit(root, 5, 39) === leaf)
    inner.isGeometryFlipped = true
    #expect(hit(root, 5, 31) === leaf && hit(root, 5, 39) === inner)
  }

  @Test("The point is in the superlayer's space")
  func superspace() {
    let (root, inner) = (layer(100, 100, 50, 50), layer(10, 10, 10, 10))
    root.addSublayer(inner)
    #expect(hit(root, 115, 115) === inner && hit(inner, 15, 15) === inner)
    #expect(hit(inner, 115, 115) == nil)
    root.setAffineTransform(CGAffineTransform(rotationAngle: .pi / 2))
    #expect(hit(root, 135, 115) === inner)
  }

  @Test("Perspective counts: what comes nearer is hit where it is seen")
  func perspective() {
    let (root, inner) = (layer(0, 0, 100, 100), layer(40, 40, 20, 20))
    root.sublayerTransform.m34 = -1 / 100
    root.addSublayer(inner)
    #expect(hit(root, 35, 50) === root)
    inner.zPosition = 50
    #expect(hit(root, 31, 50) === inner && hit(root, 29, 50) === root)
    // A layer behind the eye is not hit.
    inner.zPosition = 150
    #expect(hit(root, 50, 50) === root)
  }

  @Test("Where siblings intersect, the nearer one at the point is hit")
  func intersecting() {
    let (root, a, b) = (layer(0, 0, 100, 100), layer(0, 0, 100, 100), layer(0, 0, 100, 100))
    root.sublayers = [a, b]
    a.transform = CATransform3DMakeRotation(0.5, 0, 1, 0)
    b.transform = CATransform3DMakeRotation(-0.5, 0, 1, 0)
    let left = hit(root, 20, 50)
    let right = hit(root, 80, 50)
    #expect(left !== right && left !== root && right !== root)
    // A positive turn about y takes the right side away from the viewer.
    #expect(left === a && right === b)
  }

  @Test("A tilted sibling parts the others: behind it a cut layer lies over a whole one")
  func parted() {
    let root = layer(0, 0, 60, 40)
    let (cut, whole, tilted) = (
      layer(10, 10, 40, 20), layer(12, 14, 10, 20), layer(10, 15, 40, 10)
    )
    root.sublayers = [cut, whole, tilted]
    #expect(hit(root, 17, 27) === whole)
    tilted.transform = CATransform3DMakeRotation(.pi / 3, 0, 1, 0)
    #expect(hit(root, 17, 27) === cut)
    #expect(hit(root, 17, 32) === whole)
    #expect(hit(root, 25, 20) === tilted)
    #expect(hit(root, 35, 20) === cut)
  }

  @Test("In a transform layer, sublayers are hit at points of the space around it, never itself")
  func transformLayer() {
    let (root, space, inner) = (layer(0, 0, 100, 100), CATransformLayer(), CATransformLayer())
    let (leaf, wall) = (layer(0, 0, 20, 20), layer(0, 0, 100, 100))
    space.frame = CGRect(x: 10, y: 10, width: 60, height: 60)
    inner.frame = CGRect(x: 10, y: 10, width: 40, height: 40)
    root.sublayers = [space, wall]
    space.addSublayer(inner)
    inner.addSublayer(leaf)
    wall.isHidden = true
    #expect(hit(root, 25, 25) === leaf && hit(leaf, 25, 25) === leaf)
    #expect(hit(space, 25, 25) === leaf && hit(inner, 25, 25) === leaf)
    // Outside its sublayers, a transform layer is not hit either.
    #expect(hit(root, 45, 45) === root && hit(space, 45, 45) == nil)
    #expect(!space.contains(CGPoint(x: 5, y: 5)))
    // A transform layer ignores masksToBounds and isDoubleSided.
    leaf.position = CGPoint(x: 70, y: 70)
    (space.masksToBounds, space.isDoubleSided) = (true, false)
    #expect(hit(root, 90, 90) === leaf)
    leaf.position = CGPoint(x: 10, y: 10)
    // A transform layer shares one space with its siblings.
    wall.isHidden = false
    #expect(hit(root, 25, 25) === wall)
    inner.zPosition = 5
    #expect(hit(root, 25, 25) === leaf)
    wall.zPosition = 6
    #expect(hit(root, 25, 25) === wall)
    leaf.zPosition = 2
    #expect(hit(root, 25, 25) === leaf)
    // Turned over, it has at its back what was in front.
    wall.zPosition = 0
    space.transform = CATransform3DMakeRotation(.pi, 0, 1, 0)
    #expect(hit(root, 55, 25) === wall)
    wall.isHidden = true
    #expect(hit(root, 55, 25) === leaf && hit(root, 25, 25) === root)
    space.isHidden = true
    #expect(hit(root, 55, 25) === root && hit(space, 55, 25) == nil)
  }

  @Test("Points are converted through a transform layer without being pressed onto a plane")
  func convertingThroughSpaces() {
    let (root, space, leaf) = (layer(0, 0, 100, 100), CATransformLayer(), layer(0, 0, 40, 40))
    space.frame = root.bounds
    root.addSublayer(space)
    space.addSublayer(leaf)
    leaf.position = CGPoint(x: 50, y: 50)
    space.transform = CATransform3DMakeRotation(1, 0, 1, 0)
    leaf.transform = CATransform3DMakeRotation(-1, 0, 1, 0)
    let point = leaf.convert(CGPoint(x: 3, y: 4), to: root)
    #expect(abs(point.x - 33) < 1e-9 && abs(point.y - 34) < 1e-9)
  }

  @Test("A single-sided layer that shows its back is passed over, with all in it")
  func backs() {
    let (root, card, leaf) = (layer(0, 0, 20, 20), layer(0, 0, 20, 20), layer(0, 0, 20, 20))
    root.addSublayer(card)
    card.addSublayer(leaf)
    card.isDoubleSided = false
    #expect(hit(root, 5, 5) === leaf)
    card.transform = CATransform3DMakeRotation(.pi, 0, 1, 0)
    #expect(hit(root, 5, 5) === root)
    root.transform = CATransform3DMakeRotation(.pi, 0, 1, 0)
    #expect(hit(root, 5, 5) === leaf)
    // A mirrored layer shows its front.
    root.transform = CATransform3DIdentity
    card.transform = CATransform3DMakeScale(-1, 1, 1)
    #expect(hit(root, 5, 5) === leaf)
    root.isGeometryFlipped = true
    #expect(hit(root, 5, 5) === leaf)
  }

  @Test("A layer seen edge-on, or shrunk to nothing, is not hit")
  func edgeOn() {
    let (root, inner) = (layer(0, 0, 20, 20), layer(0, 0, 20, 20))
    root.addSublayer(inner)
    inner.transform = CATransform3DMakeScale(0, 1, 1)
    #expect(hit(root, 5, 5) === root)
  }

  @Test("A subclass decides what it contains, and whether it is hit")
  func overrides() {
    final class Disc: CALayer {
      override func contains(_ p: CGPoint) -> Bool {
        hypot(p.x - bounds.midX, p.y - bounds.midY) < bounds.width / 2
      }
    }
    final class Ghost: CALayer {
      override func hitTest(_ p: CGPoint) -> CALayer? { nil }
    }
    let (root, disc, ghost) = (layer(0, 0, 20, 20), Disc(), Ghost())
    disc.frame = root.bounds
    ghost.frame = root.bounds
    root.sublayers = [disc, ghost]
    #expect(hit(root, 10, 10) === disc && hit(root, 1, 1) === root)
  }

  @Test("On a presentation copy, what is on screen is hit")
  func presentation() throws {
    let (root, inner) = (layer(0, 0, 8, 8), layer(0, 0, 2, 8))
    root.addSublayer(inner)
    let renderer = try CARenderer(
      size: CGSize(width: 8, height: 8), server: .inProcess.on(.surfaceless))
    renderer.layer = root
    let move = CABasicAnimation(keyPath: "position.x")
    move.byValue = 4
    move.duration = 1
    inner.add(move, forKey: nil)
    _ = try renderer.image(at: 0)
    _ = try renderer.image(at: 0.75)
    #expect(root.presentation()?.hitTest(CGPoint(x: 4, y: 4))?.model() === inner)
    #expect(root.presentation()?.hitTest(CGPoint(x: 1, y: 4))?.model() === root)
    #expect(hit(root, 1, 4) === inner)
    let copy = try #require(inner.presentation())
    #expect(copy.convert(CGPoint.zero, to: root.presentation()) == CGPoint(x: 3, y: 0))
  }
}
