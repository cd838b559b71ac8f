import Foundation
import Lamina
import TestSupport

/// A tree that is valid and asks for much: deep, wide, copied, masked, huge, or with numbers that
/// make no sense. The seed decides about all of it. Most are small, some as large as `size` allows.
public final class HostileTree {
  public let root = CALayer()
  /// What is in it, for messages.
  public private(set) var parts: [Part] = []
  private var random: SeededGenerator
  private let size: Size
  private lazy var image = makeImage(side: count(16))
  /// The top layer of each part.
  private var tops: [CALayer] = []

  /// Width and height of what to draw of it, in points.
  public static let side = 64.0

  /// The largest counts.
  public enum Size: Sendable {
    /// Thousands, for a test.
    case moderate
    /// Beyond what a render process takes.
    case extreme
  }

  public enum Part: CaseIterable, Sendable {
    case depth, width, copies, particles, masks, groups, filters, backdrops, shadows, shapes
    case gradients, text, images, drawings, animations, transitions, space
  }

  public init(seed: Int, size: Size) {
    random = SeededGenerator(seed: seed)
    self.size = size
    root.frame = CGRect(x: 0, y: 0, width: Self.side, height: Self.side)
    CATransaction.begin()
    CATransaction.setDisableActions(true)
    defer { CATransaction.commit() }
    for _ in 0..<1 + random.below(3) {
      let part = random.pick(Part.allCases)
      parts.append(part)
      let layer = make(part)
      (random.one(in: 4) ? tops.last ?? root : root).addSublayer(layer)
      tops.append(layer)
    }
    for layer in tops where random.one(in: 3) { dress(layer) }
  }

  /// Changes it once more, for a second frame.
  public func change() {
    for layer in tops {
      if random.one(in: 4) {
        let transition = CATransition()
        transition.type = random.pick([.fade, .push, .moveIn, .reveal])
        transition.duration = number(0.1...2)
        layer.add(transition, forKey: kCATransition)
      }
      switch random.below(4) {
      case 0: layer.removeFromSuperlayer()
      case 1: layer.opacity = Float(number(0...1))
      case 2: layer.bounds = rect()
      default: dress(layer)
      }
    }
  }

  // MARK: Numbers

  private static let strange: [Double] = [
    .nan, .infinity, -.infinity, 1e300, -1e300, 1e-300, .leastNonzeroMagnitude, 9.3e18, 4.3e9, -1,
    0, 1e5,
  ]

  /// A number of the range, or, now and then, of any kind.
  private func number(_ range: ClosedRange<Double>) -> Double {
    if random.one(in: 24) { return random.pick(Self.strange) }
    return Double.random(in: range, using: &random)
  }

  /// Between 1 and `limit`; small numbers are as likely as large ones. A moderate tree has at most
  /// the square root of it.
  private func count(_ limit: Int) -> Int {
    let most = log(Double(limit)) / (size == .moderate ? 2 : 1)
    return Int(exp(Double.random(in: 0...most, using: &random)))
  }

  private func point() -> CGPoint {
    CGPoint(x: number(-10...Self.side), y: number(-10...Self.side))
  }

  private func rect() -> CGRect {
    let most = random.one(in: 8) ? 100_000 : 80.0
    return CGRect(origin: point(), size: CGSize(width: number(0...most), height: number(0...most)))
  }

  private func color() -> CGColor {
    CGColor(red: number(0...1), green: number(0...1), blue: number(0...1), alpha: number(0...1))
  }

  private func transform() -> CATransform3D {
    var transform = CATransform3DMakeScale(number(0.1...3), number(0.1...3), 1)
    transform = CATransform3DRotate(transform, number(-3...3), number(-1...1), number(-1...1), 1)
    if random.one(in: 3) { transform.m34 = -1 / number(10...500) }
    return CATransform3DTranslate(transform, number(-20...20), number(-20...20), number(-50...50))
  }

  private func makeImage(side: Int) -> CGImage? {
    let bytes = (0..<side * side * 4).map { UInt8(truncatingIfNeeded: $0 &* 37) }
    return try? CGImage(width: side, height: side, unpremultipliedRGBA: bytes)
  }

  // MARK: Layers

  private func plain(_ layer: CALayer = CALayer()) -> CALayer {
    layer.frame = CGRect(
      x: Double.random(in: 0..<40, using: &random), y: Double.random(in: 0..<40, using: &random),
      width: 24, height: 24)
    layer.backgroundColor = color()
    return layer
  }

  /// Gives a layer some properties of any value.
  private func dress(_ layer: CALayer) {
    for _ in 0..<1 + random.below(3) {
      switch random.below(16) {
      case 0: layer.opacity = Float(number(0...1))
      case 1: layer.cornerRadius = number(0...40)
      case 2: (layer.borderWidth, layer.borderColor) = (number(0...20), color())
      case 3:
        (layer.shadowOpacity, layer.shadowRadius) = (Float(number(0...1)), number(0...60))
        layer.shadowOffset = CGSize(width: number(-9...9), height: number(-9...9))
      case 4: layer.masksToBounds = true
      case 5: layer.transform = transform()
      case 6: layer.sublayerTransform = transform()
      case 7:
        (layer.shouldRasterize, layer.rasterizationScale) = (true, number(0.1...4))
      case 8: layer.bounds = rect()
      case 9: layer.position = point()
      case 10: layer.anchorPoint = CGPoint(x: number(-1...2), y: number(-1...2))
      case 11: layer.compositingFilter = blend()
      case 12: layer.contents = image
      case 13: layer.contentsRect = CGRect(x: number(0...1), y: 0, width: number(0...3), height: 1)
      case 14:
        layer.contentsCenter = CGRect(x: 0.3, y: number(0...1), width: number(0...1), height: 0.2)
      default: layer.zPosition = number(-9...9)
      }
    }
  }

  private static let blends = [
    "multiplyBlendMode", "colorDodgeBlendMode", "luminosityBlendMode", "xor", "clear",
    "destinationOut", "plusL",
  ]

  private func blend() -> String {
    random.one(in: 1000) ? "noSuchBlendMode" : random.pick(Self.blends)
  }

  private func make(_ part: Part) -> CALayer {
    switch part {
    case .depth: chain(of: count(11_000)) { _, _ in }
    case .width: wide()
    case .copies: copies()
    case .particles: particles()
    case .masks: masks()
    case .groups:
      chain(of: count(4000)) { layer, random in
        layer.opacity = 0.99
        layer.masksToBounds = random.one(in: 2)
        if random.one(in: 3) { layer.setValue(0.01, forKeyPath: "transform.rotation.z") }
        if random.one(in: 9) { layer.shouldRasterize = true }
      }
    case .filters: filters()
    case .backdrops: backdrops()
    case .shadows: shadows()
    case .shapes: shapes()
    case .gradients: gradient()
    case .text: text()
    case .images: images()
    case .drawings: drawings()
    case .animations: animations()
    case .transitions: transitions()
    case .space:
      chain(of: count(300)) { layer, random in
        let below = CATransformLayer()
        below.frame = layer.bounds
        layer.addSublayer(below)
        below.transform = CATransform3DMakeRotation(Double(random.below(9)) / 9, 0.2, 1, 0.1)
        layer.transform.m34 = -1 / 300
      }
    }
  }

  private func chain(
    of levels: Int, _ change: (CALayer, inout SeededGenerator) -> Void
  ) -> CALayer {
    let top = plain()
    var last = top
    for _ in 1..<max(2, levels) {
      let next = CALayer()
      next.frame = CGRect(x: 0.01, y: 0.01, width: 20, height: 20)
      next.backgroundColor = color()
      change(next, &random)
      last.addSublayer(next)
      last = next
    }
    return top
  }

  private func wide() -> CALayer {
    let parent = plain()
    parent.sublayers = (0..<count(40_000)).map { _ in
      let layer = plain()
      if random.one(in: 4) { dress(layer) }
      return layer
    }
    return parent
  }

  private func copies() -> CALayer {
    var layer = plain()
    for _ in 0..<1 + random.below(4) {
      let replicator = CAReplicatorLayer()
      replicator.frame = CGRect(x: 0, y: 0, width: 60, height: 60)
      replicator.instanceCount = count(random.one(in: 8) ? 1 << 40 : 2000)
      replicator.instanceTransform = transform()
      replicator.instanceDelay = number(-1...1)
      replicator.instanceAlphaOffset = Float(number(-0.1...0))
      replicator.preservesDepth = random.one(in: 3)
      replicator.addSublayer(layer)
      if random.one(in: 3) { replicator.addSublayer(plain()) }
      if random.one(in: 3) { dress(layer) }
      layer = replicator
    }
    return layer
  }

  private func cell(_ depth: Int) -> CAEmitterCell {
    let cell = CAEmitterCell()
    cell.contents = image
    cell.birthRate = Float(number(0...Double(count(1_000_000))))
    cell.lifetime = Float(number(0...4))
    cell.lifetimeRange = Float(number(0...4))
    cell.velocity = number(-100...100)
    cell.emissionRange = number(0...6)
    (cell.scale, cell.scaleSpeed, cell.spin) = (number(0...4), number(-2...2), number(-9...9))
    cell.color = color()
    if depth < 9, random.one(in: 3) {
      cell.emitterCells = (0..<1 + random.below(3)).map { _ in self.cell(depth + 1) }
    }
    return cell
  }

  private func particles() -> CALayer {
    let emitter = CAEmitterLayer()
    emitter.frame = CGRect(x: 0, y: 0, width: 60, height: 60)
    emitter.emitterPosition = point()
    emitter.emitterSize = rect().size
    emitter.emitterShape = random.pick([.point, .line, .rectangle, .circle, .cuboid, .sphere])
    emitter.renderMode = random.pick([.unordered, .oldestFirst, .backToFront, .additive])
    emitter.preservesDepth = random.one(in: 3)
    emitter.emitterCells = (0..<1 + random.below(4)).map { _ in cell(1) }
    return emitter
  }

  /// Masks of masks, of layers with masks.
  private func masks() -> CALayer {
    let top = plain()
    var last = top
    for _ in 0..<count(3000) {
      let mask = plain()
      if random.one(in: 3) {
        let child = plain()
        child.mask = plain()
        mask.addSublayer(child)
      }
      if random.one(in: 20) { dress(mask) }
      last.mask = mask
      last = mask
    }
    return top
  }

  private func filters() -> CALayer {
    let parent = plain()
    for _ in 0..<count(300) {
      let layer = plain()
      layer.filters = (0..<count(200)).map { _ in filter() }
      if random.one(in: 3) { layer.backgroundFilters = [filter()] }
      layer.compositingFilter = blend()
      parent.addSublayer(layer)
    }
    return parent
  }

  private func filter() -> CAFilter {
    let type = random.pick([
      "gaussianBlur", "variableBlur", "colorSaturate", "colorInvert", "colorHueRotate",
      "colorContrast", "multiplyColor",
    ])
    let filter = CAFilter(type: type)
    filter.setValue(number(0...50), forKey: "inputRadius")
    filter.setValue(number(-3...3), forKey: "inputAmount")
    filter.setValue(number(-9...9), forKey: "inputAngle")
    filter.setValue(random.one(in: 2), forKey: "inputNormalizeEdges")
    if type == "variableBlur", let image { filter.setValue(image, forKey: "inputMaskImage") }
    return filter
  }

  private func backdrops() -> CALayer {
    let parent = plain()
    for _ in 0..<count(400) {
      let layer = plain(random.one(in: 2) ? CABackdropLayer() : CALayer())
      layer.backgroundFilters = [filter()]
      if random.one(in: 4) { dress(layer) }
      parent.addSublayer(layer)
    }
    return parent
  }

  private func shadows() -> CALayer {
    let parent = plain()
    for _ in 0..<count(1000) {
      let layer = plain()
      (layer.shadowOpacity, layer.shadowRadius) = (1, number(0...Double(count(100_000))))
      layer.cornerRadius = number(0...20)
      if random.one(in: 2) { layer.addSublayer(plain()) }
      if random.one(in: 4) { layer.shadowPath = CGPath(ellipseIn: rect(), transform: nil) }
      parent.addSublayer(layer)
    }
    return parent
  }

  private func path() -> CGPath {
    let path = CGMutablePath()
    path.move(to: point())
    for _ in 0..<count(4000) {
      switch random.below(4) {
      case 0: path.addLine(to: point())
      case 1: path.addQuadCurve(to: point(), control: point())
      case 2: path.addCurve(to: point(), control1: point(), control2: point())
      default: random.one(in: 2) ? path.closeSubpath() : path.move(to: point())
      }
    }
    return path
  }

  private func shapes() -> CALayer {
    let parent = plain()
    for _ in 0..<count(50) {
      let shape = CAShapeLayer()
      shape.frame = CGRect(x: 0, y: 0, width: 60, height: 60)
      shape.path = path()
      (shape.fillColor, shape.strokeColor) = (color(), color())
      shape.lineWidth = number(0...Double(count(100_000)))
      shape.miterLimit = number(0...1000)
      shape.lineJoin = random.pick([.miter, .round, .bevel])
      shape.lineCap = random.pick([.butt, .round, .square])
      if random.one(in: 3) {
        shape.lineDashPattern = (0..<count(40)).map { _ in
          NSNumber(value: number(0...1) / Double(count(100_000)))
        }
      }
      (shape.strokeStart, shape.strokeEnd) = (number(0...0.5), number(0.5...1))
      if random.one(in: 4) { parent.mask = shape } else { parent.addSublayer(shape) }
    }
    return parent
  }

  private func gradient() -> CALayer {
    let gradient = CAGradientLayer()
    gradient.frame = CGRect(x: 0, y: 0, width: 60, height: 60)
    let stops = count(5000)
    gradient.colors = (0..<stops).map { _ in color() }
    if random.one(in: 2) {
      gradient.locations = (0..<stops).map { _ in NSNumber(value: number(0...1)) }
    }
    gradient.type = random.pick([.axial, .radial, .conic])
    (gradient.startPoint, gradient.endPoint) = (point(), point())
    return gradient
  }

  private func text() -> CALayer {
    let text = CATextLayer()
    text.frame = CGRect(x: 0, y: 0, width: 60, height: number(1...2000))
    let characters = ["a", "W", " ", "\n", "é", "字", "🙂", "\u{202e}", "\u{301}", "ﷺ"]
    text.string = (0..<count(5000)).map { _ in random.pick(characters) }.joined()
    text.fontSize = number(1...60)
    text.isWrapped = random.one(in: 2)
    text.truncationMode = random.pick([.none, .start, .middle, .end])
    return text
  }

  private func images() -> CALayer {
    let parent = plain()
    for _ in 0..<count(200) {
      let layer = plain()
      layer.contents = makeImage(side: count(300))
      layer.minificationFilter = random.pick([.nearest, .linear, .trilinear])
      layer.minificationFilterBias = Float(number(-4...4))
      layer.contentsScale = number(0.1...4)
      layer.contentsGravity = random.pick([.resize, .resizeAspect, .center, .topLeft])
      dress(layer)
      parent.addSublayer(layer)
    }
    return parent
  }

  /// Draws some circles.
  private final class Drawing: CALayer {
    var circles: [CGRect] = []

    override func draw(in ctx: CGContext) {
      for (number, circle) in circles.enumerated() {
        ctx.setFillColor(CGColor(red: CGFloat(number % 7) / 7, green: 1, blue: 0, alpha: 0.5))
        ctx.fillEllipse(in: circle)
      }
    }
  }

  private func drawings() -> CALayer {
    let parent = plain()
    for _ in 0..<count(100) {
      let layer = Drawing()
      layer.frame = CGRect(
        x: 0, y: 0, width: number(0...Double(count(500))), height: number(0...Double(count(500))))
      layer.contentsScale = number(0.1...3)
      layer.circles = (0..<count(50)).map { _ in rect() }
      layer.contentsFormat = random.pick([.RGBA8Uint, .RGBA16Float, .gray8Uint, .automatic])
      layer.setNeedsDisplay()
      parent.addSublayer(layer)
    }
    return parent
  }

  private func animation(_ depth: Int) -> CAAnimation {
    let animation: CAAnimation
    switch random.below(depth < 20 ? 4 : 3) {
    case 0:
      let basic = CABasicAnimation(keyPath: random.pick(Self.animatedKeys))
      (basic.fromValue, basic.toValue) = (number(-100...100), number(-100...100))
      animation = basic
    case 1:
      let frames = CAKeyframeAnimation(keyPath: random.pick(Self.animatedKeys))
      let values = count(2000)
      frames.values = (0..<values).map { _ in number(-100...100) }
      if random.one(in: 2) {
        frames.keyTimes = (0..<values).map { _ in NSNumber(value: number(0...1)) }
      }
      frames.calculationMode = random.pick([.linear, .discrete, .cubic, .paced, .cubicPaced])
      animation = frames
    case 2:
      let spring = CASpringAnimation(keyPath: random.pick(Self.animatedKeys))
      (spring.mass, spring.stiffness) = (number(0...10), number(0...1000))
      (spring.damping, spring.initialVelocity) = (number(0...30), number(-100...100))
      spring.toValue = number(-50...50)
      animation = spring
    default:
      let group = CAAnimationGroup()
      group.animations = (0..<1 + random.below(3)).map { _ in self.animation(depth + 1) }
      animation = group
    }
    animation.duration = number(0...3)
    animation.beginTime = number(-1...2)
    animation.speed = Float(number(-2...3))
    animation.timeOffset = number(-1...1)
    animation.repeatCount = Float(number(0...10))
    animation.autoreverses = random.one(in: 3)
    animation.fillMode = random.pick([.removed, .forwards, .backwards, .both])
    (animation as? CAPropertyAnimation)?.isAdditive = random.one(in: 3)
    (animation as? CAPropertyAnimation)?.isCumulative = random.one(in: 3)
    animation.isRemovedOnCompletion = random.one(in: 2)
    return animation
  }

  private static let animatedKeys = [
    "position.x", "bounds.size.width", "opacity", "transform.rotation.z", "cornerRadius",
    "shadowRadius", "sublayerTransform.scale", "zPosition", "contentsRect.origin.x", "noSuchKey",
  ]

  private func animations() -> CALayer {
    let parent = plain()
    for _ in 0..<count(200) {
      let layer = plain()
      for key in 0..<count(60) { layer.add(animation(0), forKey: "\(key)") }
      (layer.speed, layer.timeOffset) = (Float(number(-1...2)), number(-1...1))
      parent.addSublayer(layer)
    }
    return parent
  }

  /// Subtrees in transitions, in subtrees in transitions.
  private func transitions() -> CALayer {
    let top = plain()
    var last = top
    for _ in 0..<count(300) {
      let layer = plain()
      let transition = CATransition()
      transition.type = random.pick([.fade, .push, .moveIn, .reveal])
      transition.subtype = random.pick([.fromTop, .fromLeft])
      transition.duration = number(0...3)
      (transition.startProgress, transition.endProgress) = (
        Float(number(0...0.5)), Float(number(0.5...1))
      )
      if random.one(in: 6) { transition.filter = filter() }
      layer.add(transition, forKey: kCATransition)
      last.addSublayer(layer)
      if random.one(in: 3) { last = layer }
    }
    return top
  }
}
