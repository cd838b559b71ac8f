import Foundation
import LaminaValues
import TestSupport

@testable import Lamina

/// Makes nested layers with clocks of their own, and animations, also within groups.
struct RandomTimings {
  var random: SeededGenerator
  /// Whether numbers may be of any size, and infinite where that is allowed.
  let isHostile: Bool

  init(seed: Int, isHostile: Bool) {
    random = SeededGenerator(seed: seed &* 6007 &+ 11)
    self.isHostile = isHostile
  }

  mutating func below(_ limit: Int) -> Int { random.below(limit) }
  mutating func chance(_ part: Double) -> Bool { random.chance(part) }
  mutating func pick<Value>(_ values: [Value]) -> Value { random.pick(values) }

  /// A number of seconds of either sign; if hostile, sometimes an extreme number.
  mutating func number() -> Double {
    guard isHostile, chance(0.4) else { return Double.random(in: -3...3, using: &random) }
    return pick([
      0, -0.0, 1, -1, 1e-300, -1e-300, .leastNonzeroMagnitude, 1e9, -1e9, 1e18, 1e300, -1e300,
      .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
    ])
  }

  /// A number like `number()`; if hostile, sometimes infinite.
  mutating func anyNumber() -> Double {
    isHostile && chance(0.1) ? pick([.infinity, -.infinity]) : number()
  }

  /// The speed of a clock: not 0 unless hostile, so that things move.
  mutating func speed() -> Float {
    if isHostile, chance(0.3) {
      return pick([0, -0.0, 1e-38, 1e30, -1e30, .greatestFiniteMagnitude])
    }
    return Float.random(in: 0.2...3, using: &random) * (chance(0.3) ? -1 : 1)
  }

  mutating func setClock(of layer: CALayer) {
    guard chance(0.7) else { return }
    layer.beginTime = anyNumber()
    layer.speed = isHostile && chance(0.05) ? .infinity : speed()
    layer.timeOffset = anyNumber()
  }

  mutating func setTiming(of animation: CAAnimation, inGroup: Bool) {
    animation.beginTime = chance(0.3) ? 0 : number()
    animation.duration = inGroup && chance(0.3) ? 0 : abs(number())
    if isHostile, chance(0.1) { animation.duration = pick([.infinity, -1, 0]) }
    if chance(0.5) { animation.speed = speed() }
    if chance(0.5) { animation.timeOffset = number() }
    if chance(0.4) { animation.repeatCount = Float(Int.random(in: 1...9, using: &random)) / 2 }
    if chance(0.3) { animation.repeatDuration = abs(number()) }
    if isHostile, chance(0.2) {
      animation.repeatCount = pick([.infinity, -2, .greatestFiniteMagnitude, 1e-38])
      animation.repeatDuration = pick([0, .infinity, -1, 1e300])
    }
    animation.autoreverses = chance(0.3)
    animation.fillMode = pick([.removed, .forwards, .backwards, .both])
    animation.isRemovedOnCompletion = false
  }

  // MARK: Animations of all kinds

  /// Key paths, each with a function that makes values for it.
  private static let paths: [(String, @Sendable (inout RandomTimings) -> Any)] = [
    ("opacity", { $0.number() }), ("zPosition", { $0.number() }),
    ("position", { CGPoint(x: $0.number(), y: $0.number()) }),
    ("position.x", { $0.number() }), ("bounds.size.width", { $0.number() }),
    ("bounds", { CGRect(x: $0.number(), y: $0.number(), width: $0.number(), height: 3) }),
    ("transform", { CATransform3DMakeRotation($0.number(), 1, $0.number(), 2) }),
    ("transform", { CATransform3DMakeScale($0.number(), 2, $0.number()) }),
    ("transform.rotation.z", { $0.number() }), ("transform.scale", { $0.number() }),
    ("sublayerTransform.translation.x", { $0.number() }),
    ("backgroundColor", { CGColor(red: $0.number(), green: 0, blue: 1, alpha: 0.5) }),
    ("shadowOffset", { CGSize(width: $0.number(), height: $0.number()) }),
  ]

  mutating func animation(depth: Int) -> CAAnimation {
    let animation: CAAnimation
    if depth > 0, chance(0.4) {
      let group = CAAnimationGroup()
      group.animations = (0...below(2)).map { _ in self.animation(depth: depth - 1) }
      for child in group.animations ?? [] { setTiming(of: child, inGroup: true) }
      animation = group
    } else {
      animation = propertyAnimation()
    }
    setTiming(of: animation, inGroup: false)
    if chance(0.3) {
      animation.timingFunction = CAMediaTimingFunction(
        controlPoints: 0.3, Float(min(max(number(), -1e6), 1e6)), 0.6, 1)
    }
    return animation
  }

  private mutating func propertyAnimation() -> CAPropertyAnimation {
    var (path, value) = pick(Self.paths)
    let animation: CAPropertyAnimation
    let turns = chance(0.15)
    if turns { (path, value) = ("transform", { $0.number() }) }
    switch below(3) {
    case 0:
      let keyframes = CAKeyframeAnimation()
      keyframes.values = (0...below(4)).map { _ in value(&self) }
      keyframes.calculationMode = pick([.linear, .discrete, .paced, .cubic, .cubicPaced])
      if chance(0.5) { keyframes.keyTimes = (0...below(5)).map { _ in number() as NSNumber } }
      if chance(0.5) { keyframes.biasValues = [number() as NSNumber] }
      animation = keyframes
    case 1:
      let spring = CASpringAnimation()
      if chance(0.8) { spring.fromValue = value(&self) }
      spring.toValue = value(&self)
      (spring.mass, spring.stiffness, spring.damping) = (number(), number(), number())
      spring.initialVelocity = number()
      spring.allowsOverdamping = chance(0.5)
      animation = spring
    default:
      let basic = CABasicAnimation()
      if chance(0.7) { basic.fromValue = value(&self) }
      if chance(0.7) { basic.toValue = value(&self) }
      if chance(0.3) { basic.byValue = value(&self) }
      animation = basic
    }
    animation.keyPath = path
    if turns { animation.valueFunction = CAValueFunction(name: pick([.rotateZ, .scaleX])) }
    animation.isAdditive = chance(0.3)
    animation.isCumulative = chance(0.3)
    return animation
  }

  /// Nested layers, the outermost first.
  mutating func layers() -> [CALayer] {
    var layers: [CALayer] = []
    for _ in 0...below(8) {
      let layer = CALayer()
      setClock(of: layer)
      layer.bounds = CGRect(x: 0, y: 0, width: 3, height: 3)
      layers.last?.addSublayer(layer)
      layers.append(layer)
    }
    return layers
  }
}
