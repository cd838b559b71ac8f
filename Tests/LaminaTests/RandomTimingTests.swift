import Foundation
import LaminaInProcess
import LaminaValues
import TestSupport
import Testing

@testable import Lamina

@Suite("Random clocks and animations in both processes") struct RandomTimingTests {
  private static let times = [
    0, 0.1, 0.5, 1, 1.7, 4, 60, -0.25, -7, 1e6, -1e6, 1e15, 1e300, -1e300,
  ]

  private func renderer() throws -> CARenderer {
    try CARenderer(size: CGSize(width: 4, height: 4), server: .inProcess.on(.surfaceless))
  }

  // A NaN would not come back from the render process, because its bytes are refused.
  @Test(
    "Whatever the numbers, nothing traps, none becomes NaN, and both processes have the same",
    arguments: 0..<16, [false, true])
  func agreement(part: Int, isHostile: Bool) throws {
    let renderer = try renderer()
    for seed in part * 25..<(part + 1) * 25 {
      var timings = RandomTimings(seed: seed, isHostile: isHostile)
      let layers = timings.layers()
      for layer in layers {
        for _ in 0..<timings.below(3) { layer.add(timings.animation(depth: 3), forKey: nil) }
      }
      renderer.clock.time = 0
      renderer.layer = layers[0]
      try renderer.commitChanges()
      for _ in 0..<3 {
        let time = timings.pick(Self.times)
        for layer in layers { _ = try Evaluation(layer, in: renderer).shown(at: time) }
      }
      _ = try renderer.drawFrame(at: timings.pick(Self.times))
    }
  }

  /// The place of an animation at a time of its parent, computed again by the rules for media
  /// timing: the seconds into its duration, that duration, and the cycle.
  private func place(
    _ animation: CAAnimation, at parentTime: Double, inherited: Double
  ) -> (seconds: Double, duration: Double, cycle: Double)? {
    let duration = animation.duration > 0 ? animation.duration : inherited
    let cycle = animation.autoreverses ? 2 * duration : duration
    let count = animation.repeatCount > 0 ? Double(animation.repeatCount) : 1
    let length = animation.repeatDuration > 0 ? animation.repeatDuration : cycle * count
    var elapsed = (parentTime - animation.beginTime) * abs(Double(animation.speed))
    if elapsed < 0 {
      guard [.backwards, .both].contains(animation.fillMode) else { return nil }
      elapsed = 0
    } else if elapsed > length {
      guard [.forwards, .both].contains(animation.fillMode) else { return nil }
      elapsed = length
    }
    let time = (animation.speed < 0 ? -elapsed : elapsed) + animation.timeOffset
    var number = (time / cycle).rounded(.down)
    var seconds = time - number * cycle
    if elapsed == length, seconds == 0, animation.speed >= 0 {
      seconds = cycle
      number -= 1
    }
    if animation.autoreverses, seconds > duration { seconds = 2 * duration - seconds }
    return (seconds, duration, number)
  }

  @Test("Layers in layers and groups in groups follow the rules", arguments: 0..<200)
  func rules(seed: Int) throws {
    var timings = RandomTimings(seed: seed, isHostile: false)
    let layers = timings.layers()
    let layer = layers[layers.count - 1]
    let leaf = CABasicAnimation("zPosition", from: 0, to: 1)
    leaf.isCumulative = timings.chance(0.5)
    timings.setTiming(of: leaf, inGroup: true)
    var chain: [CAAnimation] = [leaf]
    for _ in 0..<timings.below(4) {
      let group = CAAnimationGroup()
      group.animations = [chain[0]]
      timings.setTiming(of: group, inGroup: true)
      chain.insert(group, at: 0)
    }
    // A begin of 0 would mean the commit's time, a duration of 0 the transaction's.
    chain[0].beginTime = 0.125
    if chain[0].duration == 0 { chain[0].duration = 1.5 }
    layer.add(chain[0], forKey: nil)
    let renderer = try renderer()
    renderer.layer = layers[0]
    try renderer.commitChanges()
    let evaluation = Evaluation(layer, in: renderer)
    for _ in 0..<8 {
      let time = Double.random(in: -4...8, using: &timings.random)
      var own = layers.reduce(time) { ($0 - $1.beginTime) * Double($1.speed) + $1.timeOffset }
      #expect(isClose(layer.convertTime(time, from: nil), own, 1e-6))
      var (expected, inherited) = (0.0, 1.0)
      for animation in chain {
        guard let place = place(animation, at: own, inherited: inherited) else {
          expected = 0
          break
        }
        (own, inherited) = (place.seconds, place.duration)
        expected = place.seconds / place.duration
        if leaf.isCumulative, !leaf.autoreverses { expected += place.cycle }
      }
      let shown = try evaluation.number("zPosition", at: time)
      #expect(isClose(shown, expected, 1e-6 * max(abs(expected), 1)), "at \(time)")
    }
  }

  @Test("An animation with a number that is none is left out, and the rest goes on")
  func refusals() throws {
    let layer = CALayer()
    let renderer = try renderer()
    renderer.layer = layer
    let changes: [(CABasicAnimation) -> Void] = [
      { $0.beginTime = .nan }, { $0.beginTime = .infinity }, { $0.speed = .nan },
      { $0.speed = -.infinity }, { $0.timeOffset = .nan }, { $0.timeOffset = .infinity },
      { $0.repeatCount = .nan }, { $0.repeatDuration = .nan }, { $0.fromValue = Double.nan },
      { $0.toValue = CGPoint(x: Double.infinity, y: 0) },
    ]
    for change in changes {
      let animation = CABasicAnimation("position.x", from: 0, to: 1)
      change(animation)
      layer.add(animation, forKey: "bad")
      #expect(layer.animationKeys() == nil)
    }
    let spring = CASpringAnimation("position.x", from: 0, to: 1)
    spring.initialVelocity = .nan
    layer.add(spring, forKey: "bad")
    let keyframes = CAKeyframeAnimation("position.x", [0, 1])
    keyframes.keyTimes = [0, Double.nan as NSNumber]
    layer.add(keyframes, forKey: "bad")
    var nest: CAAnimation = CABasicAnimation("position.x", from: 0, to: 1)
    for _ in 0..<40 {
      let group = CAAnimationGroup()
      group.animations = [nest]
      nest = group
    }
    layer.add(nest, forKey: "bad")
    #expect(layer.animationKeys() == nil)
    layer.add(CABasicAnimation("position.x", from: 0, to: 1), forKey: "good")
    try renderer.commitChanges()
    #expect(try Evaluation(layer, in: renderer).number("position.x", at: 0.5) == 0.5)
  }
}
