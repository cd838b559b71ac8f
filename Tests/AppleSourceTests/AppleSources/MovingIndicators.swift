import CoreGraphics
import Foundation
import QuartzCore

// Indicators of parts that move, grow and fade.

/// Five bars that rise one after the other.
final class RisingBars: Indicator {
  func start(in layer: CALayer, size: CGSize, color: CGColor) {
    let width = size.width / 9
    let rise = CAKeyframeAnimation(keyPath: "transform.scale.y")
    rise.keyTimes = [0, 0.5, 1]
    rise.values = [0.25, 1, 0.25]
    let pace = CAMediaTimingFunction(controlPoints: 0.2, 0.7, 0.4, 1)
    rise.timingFunctions = [pace, pace]
    for number in 0..<5 {
      let bar = disc(
        CGRect(x: width * 2 * CGFloat(number), y: 0, width: width, height: size.height), color)
      rise.beginTime = CACurrentMediaTime() + 0.1 * Double(number)
      rise.fillMode = .backwards
      run(rise, 1, on: bar)
      layer.addSublayer(bar)
    }
  }
}

/// Eight dots on a circle that swell one after the other.
final class SwellingCircle: Indicator {
  func start(in layer: CALayer, size: CGSize, color: CGColor) {
    let beginTime = CACurrentMediaTime()
    let side = size.width / 5
    let scale = CAKeyframeAnimation(keyPath: "transform.scale")
    scale.keyTimes = [0, 0.5, 1]
    scale.values = [1, 0.4, 1]
    scale.duration = 0.8
    let fade = CAKeyframeAnimation(keyPath: "opacity")
    fade.keyTimes = [0, 0.5, 1]
    fade.values = [1, 0.3, 1]
    fade.duration = 0.8
    let group = CAAnimationGroup()
    group.animations = [scale, fade]
    group.timingFunction = CAMediaTimingFunction(name: .linear)
    for number in 0..<8 {
      let angle = CGFloat(number) * .pi / 4
      let radius = (size.width - side) / 2
      let dot = disc(
        CGRect(
          x: size.width / 2 + radius * cos(angle) - side / 2,
          y: size.height / 2 + radius * sin(angle) - side / 2, width: side, height: side), color)
      group.beginTime = beginTime + 0.1 * Double(number)
      run(group, 0.8, on: dot)
      layer.addSublayer(dot)
    }
  }
}

/// Rings that widen and vanish.
final class Ripples: Indicator {
  func start(in layer: CALayer, size: CGSize, color: CGColor) {
    let beginTime = CACurrentMediaTime()
    let grow = CABasicAnimation(keyPath: "transform.scale")
    grow.duration = 1.2
    grow.fromValue = 0.1
    grow.toValue = 1
    grow.timingFunction = CAMediaTimingFunction(name: .easeOut)
    let fade = CAKeyframeAnimation(keyPath: "opacity")
    fade.duration = 1.2
    fade.keyTimes = [0, 0.7, 1]
    fade.values = [0, 0.9, 0]
    let group = CAAnimationGroup()
    group.animations = [grow, fade]
    for delay in [0, 0.3, 0.6] {
      let ring = CALayer()
      ring.frame = CGRect(origin: .zero, size: size)
      ring.cornerRadius = size.width / 2
      ring.borderWidth = 3
      ring.borderColor = color
      ring.opacity = 0
      group.beginTime = beginTime + delay
      run(group, 1.2, on: ring)
      layer.addSublayer(ring)
    }
  }
}

/// Three dots that follow each other round a triangle.
final class TriangleChase: Indicator {
  func start(in layer: CALayer, size: CGSize, color: CGColor) {
    let side = size.width / 5
    let corners = (0..<3).map { number -> CGPoint in
      let angle = CGFloat(number) * 2 * .pi / 3 - .pi / 2
      return CGPoint(
        x: size.width / 2 + (size.width - side) / 2 * cos(angle),
        y: size.height / 2 + (size.height - side) / 2 * sin(angle))
    }
    for number in 0..<3 {
      let path = CGMutablePath()
      path.move(to: corners[number])
      path.addLine(to: corners[(number + 1) % 3])
      path.addLine(to: corners[(number + 2) % 3])
      path.closeSubpath()
      let chase = CAKeyframeAnimation(keyPath: "position")
      chase.path = path
      chase.timingFunctions = Array(
        repeating: CAMediaTimingFunction(name: .easeInEaseOut), count: 3)
      chase.beginTime = CACurrentMediaTime() - 0.5
      let dot = disc(CGRect(x: 0, y: 0, width: side, height: side), color)
      dot.position = corners[number]
      run(chase, 1.5, on: dot)
      layer.addSublayer(dot)
    }
  }
}

/// Nine tiles that blink, with key times that begin before the animation and end after it.
final class BlinkingTiles: Indicator {
  func start(in layer: CALayer, size: CGSize, color: CGColor) {
    let side = size.width / 4
    for number in 0..<9 {
      let (column, row) = (CGFloat(number % 3), CGFloat(number / 3))
      let blink = CAKeyframeAnimation(keyPath: "opacity")
      let peak = Double(number) * 0.12
      blink.keyTimes = [0, peak - 0.5, peak, peak + 0.4, 1].map { NSNumber(value: $0) }
      blink.values = [0.1, 0.1, 1, 0.1, 0.1]
      let tile = CALayer()
      tile.frame = CGRect(
        x: column * side * 1.5, y: row * side * 1.5, width: side, height: side)
      tile.backgroundColor = color
      run(blink, 1, on: tile)
      layer.addSublayer(tile)
    }
  }
}

/// A ball that bounces, flattens and throws a shadow.
final class BouncingBall: Indicator {
  func start(in layer: CALayer, size: CGSize, color: CGColor) {
    let side = size.width / 3
    let ball = disc(
      CGRect(x: (size.width - side) / 2, y: 0, width: side, height: side), color)
    let fall = CAKeyframeAnimation(keyPath: "position.y")
    fall.calculationMode = .cubic
    fall.keyTimes = [0, 0.45, 0.55, 1]
    fall.values = [side / 2, size.height - side * 0.4, size.height - side * 0.4, side / 2]
    fall.tensionValues = [0, 1, 1, 0]
    let squash = CAKeyframeAnimation(keyPath: "transform")
    squash.keyTimes = [0, 0.4, 0.5, 0.6, 1]
    let round = NSValue(caTransform3D: CATransform3DIdentity)
    squash.values = [
      round, round, NSValue(caTransform3D: CATransform3DMakeScale(1.4, 0.6, 1)), round, round,
    ]
    let group = CAAnimationGroup()
    for animation in [fall, squash] { animation.duration = 1 }
    group.animations = [fall, squash]
    group.beginTime = CACurrentMediaTime() + 0.1
    run(group, 1, on: ball)
    layer.addSublayer(ball)
  }
}
