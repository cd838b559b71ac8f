import Foundation
import Lamina
import TestSupport

@testable import LaminaGraphics

/// Trees of random layers for the reference compositor: the same for the same seed.
struct RandomLayers {
  static let width = 96
  static let height = 72

  private var random: SeededGenerator
  private var count = 0
  private let limit: Int
  /// Whether all that is made is such that `render(in:)` draws it like a renderer, by Apple's own
  /// rules.
  let isForContexts: Bool

  private init(seed: UInt64, isForContexts: Bool) {
    random = SeededGenerator(seed: seed)
    limit = 4 + Int(seed % 27)
    self.isForContexts = isForContexts
  }

  /// An opaque layer as large as the picture with up to 30 layers in it.
  static func tree(seed: UInt64) -> CALayer { tree(seed: seed, isForContexts: false) }

  /// A tree that `render(in:)` draws like a renderer, with animations that are half done after half
  /// a second. Left out is what the two draw differently on Apple's systems:
  /// - layers in three dimensions, filters, backdrops and bitmaps of layers, which `render(in:)`
  ///   leaves out;
  /// - shadows that are blurred, which it does with boxes, or that have a path, which it ignores;
  /// - gradients between colours, which it mixes in Generic RGB, and of colours outside that; those
  ///   of one colour inside it whose alpha varies are the same in any space;
  /// - blend modes below a layer with a shadow, which it draws as a group;
  /// - smaller copies of images, whose pixels depend on the device.
  static func treeForContexts(seed: UInt64) -> CALayer { tree(seed: seed, isForContexts: true) }

  private static func tree(seed: UInt64, isForContexts: Bool) -> CALayer {
    var random = RandomLayers(seed: seed, isForContexts: isForContexts)
    let root = CALayer()
    root.bounds = CGRect(x: 0, y: 0, width: width, height: height)
    root.position = CGPoint(x: width / 2, y: height / 2)
    root.backgroundColor = random.color(alpha: 1)
    while random.count < random.limit { random.addLayer(to: root, in: Surroundings()) }
    return root
  }

  /// Facts about the layers that a layer is in.
  struct Surroundings {
    var depth = 0
    /// Whether their planes face us and are not stretched; only then are blurs round.
    var isUniform = true
    /// Whether their pixels lie on those of the screen.
    var isOnPixels = true
    var isInPerspective = false
    /// Whether any of them casts a shadow.
    var isInShadow = false

    func with(depth: Int) -> Surroundings {
      var inner = self
      inner.depth = depth
      return inner
    }
  }

  // MARK: - Numbers

  /// A random number of at least 0 and less than 1.
  mutating func unit() -> Double { .random(in: 0..<1, using: &random) }

  mutating func number(_ range: ClosedRange<Double>) -> Double {
    .random(in: range, using: &random)
  }

  mutating func whole(_ range: ClosedRange<Int>) -> Int {
    .random(in: range, using: &random)
  }

  /// True once in `times` calls on average.
  mutating func once(in times: Int) -> Bool { random.one(in: times) }

  mutating func one<Value>(of values: [Value]) -> Value { random.pick(values) }

  mutating func color(alpha: Double? = nil) -> CGColor {
    let alpha = alpha ?? (once(in: 2) ? 1 : number(0.2...0.9))
    return CGColor(
      red: CGFloat(unit()), green: CGFloat(unit()), blue: CGFloat(unit()), alpha: CGFloat(alpha))
  }

  // MARK: - Trees

  private mutating func addLayer(to parent: CALayer, in outer: Surroundings) {
    count += 1
    let layer = once(in: 5) ? gradient() : once(in: 6) ? shape() : CALayer()
    var inner = place(layer, in: outer)
    dress(layer, in: inner)
    if layer.shadowOpacity > 0 { inner.isInShadow = true }
    if isForContexts, once(in: 2) { animate(layer) }
    parent.addSublayer(layer)
    if once(in: 6), outer.depth < 3 { layer.mask = mask(for: layer, depth: 0) }
    guard outer.depth < 3, once(in: 2) else { return }
    inner.depth += 1
    if !isForContexts, once(in: 3) {
      addSpace(to: layer, in: inner)
      return
    }
    if once(in: 8) {
      layer.sublayerTransform = CATransform3DMakeRotation(CGFloat(number(-1...1)), 0, 0, 1)
      inner.isOnPixels = false
    }
    for _ in 0..<whole(1...3) where count < limit { addLayer(to: layer, in: inner) }
  }

  /// Adds sublayers that are turned in three dimensions, with or without perspective.
  private mutating func addSpace(to parent: CALayer, in outer: Surroundings) {
    var inner = outer
    (inner.depth, inner.isUniform, inner.isOnPixels) = (3, false, false)
    if once(in: 2) {
      parent.sublayerTransform.m34 = CGFloat(-1 / number(150...400))
      inner.isInPerspective = true
    }
    for _ in 0..<whole(2...4) where count < limit {
      let first = parent.sublayers?.count ?? 0
      addLayer(to: parent, in: inner)
      let layer = parent.sublayers![first]
      turn(layer)
      guard once(in: 4), count < limit else { continue }
      // Moves the layer, with another one, into a transform layer, through which the space
      // continues.
      let space = CATransformLayer()
      space.position = CGPoint(x: number(-10...10), y: number(-10...10))
      turn(space)
      layer.removeFromSuperlayer()
      parent.addSublayer(space)
      space.addSublayer(layer)
      addLayer(to: space, in: inner)
      turn(space.sublayers![1])
    }
  }

  private mutating func turn(_ layer: CALayer) {
    layer.transform = CATransform3DMakeRotation(
      CGFloat(number(-1.2...1.2)), CGFloat(number(-1...1)), CGFloat(number(-1...1)),
      CGFloat(number(-0.3...0.3)))
    layer.zPosition = CGFloat(number(-20...20))
    if once(in: 6) { layer.anchorPointZ = CGFloat(number(-10...10)) }
    if once(in: 5) { layer.isDoubleSided = false }
  }

  /// Adds an animation that is half done after half a second. Layers on whole pixels are on whole
  /// pixels then.
  private mutating func animate(_ layer: CALayer) {
    let animation = CABasicAnimation()
    animation.duration = 1
    switch whole(0...3) {
    case 0: (animation.keyPath, animation.toValue) = ("opacity", number(0.1...1))
    case 1: (animation.keyPath, animation.toValue) = ("backgroundColor", color())
    case 2: (animation.keyPath, animation.byValue) = ("position.x", whole(-10...10) * 2)
    default: (animation.keyPath, animation.byValue) = ("bounds.size.width", whole(1...5) * 2)
    }
    layer.add(animation, forKey: nil)
  }

  /// Places a layer, and returns the facts about its own plane.
  private mutating func place(_ layer: CALayer, in outer: Surroundings) -> Surroundings {
    var inner = outer
    let size = (whole(6...60), whole(6...50))
    layer.bounds = CGRect(x: 0, y: 0, width: size.0, height: size.1)
    if once(in: 6) { layer.bounds.origin = CGPoint(x: whole(-9...9), y: whole(-9...9)) }
    if once(in: 2) {
      // On whole pixels, so that edges are hard.
      layer.anchorPoint = .zero
      layer.position = CGPoint(x: whole(-10...80), y: whole(-10...60))
    } else {
      layer.position = CGPoint(x: number(0...96), y: number(0...72))
      inner.isOnPixels = false
    }
    if once(in: 8) { layer.isGeometryFlipped = true }
    switch whole(0...9) {
    case 0, 1:
      layer.transform = CATransform3DMakeRotation(number(-3...3), 0, 0, 1)
      inner.isOnPixels = false
    case 2:
      let scale = CGFloat(number(0.5...1.5))
      layer.transform = CATransform3DMakeScale(once(in: 3) ? -scale : scale, scale, 1)
      inner.isOnPixels = false
    case 3:
      layer.transform = CATransform3DMakeScale(
        CGFloat(number(0.5...1.5)), CGFloat(number(0.5...1.5)), 1)
      if once(in: 2) { layer.transform.m21 = CGFloat(number(-0.5...0.5)) }
      (inner.isUniform, inner.isOnPixels) = (false, false)
    default: break
    }
    if once(in: 5) { layer.zPosition = CGFloat(whole(-2...2)) }
    if once(in: 12) { layer.isHidden = true }
    return inner
  }

  /// A mask: any layer that has alpha, sometimes with a mask of its own.
  private mutating func mask(for layer: CALayer, depth: Int) -> CALayer {
    let mask = once(in: 4) ? gradient() : once(in: 5) ? shape() : CALayer()
    mask.bounds = CGRect(x: 0, y: 0, width: whole(10...50), height: whole(10...50))
    mask.position = CGPoint(x: layer.bounds.midX, y: layer.bounds.midY)
    if !(mask is CAShapeLayer) { mask.backgroundColor = color() }
    mask.cornerRadius = CGFloat(number(0...12))
    if once(in: 4) { mask.opacity = Float(number(0.4...1)) }
    if once(in: 5), depth == 0 { mask.mask = self.mask(for: mask, depth: 1) }
    if once(in: 2) {
      let hole = CALayer()
      hole.bounds = CGRect(x: 0, y: 0, width: whole(4...30), height: whole(4...30))
      hole.position = CGPoint(x: mask.bounds.midX, y: mask.bounds.midY)
      hole.backgroundColor = color()
      hole.transform = CATransform3DMakeRotation(number(-1...1), 0, 0, 1)
      mask.addSublayer(hole)
    }
    return mask
  }
}
