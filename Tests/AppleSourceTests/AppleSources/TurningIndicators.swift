import CoreGraphics
import Foundation
import QuartzCore

// Indicators whose paths are drawn and whose transforms shear, turn and mirror.

/// An arc whose head runs ahead of its tail, while all of it turns.
final class GrowingArc: Indicator {
  func start(in layer: CALayer, size: CGSize, color: CGColor) {
    let bounds = CGRect(origin: .zero, size: size)
    let arc = stroke(circle(in: bounds, inset: 3), in: bounds, width: 5, color)
    arc.lineCap = .round
    let turn = CABasicAnimation(keyPath: "transform.rotation")
    turn.byValue = Float.pi * 2
    turn.timingFunction = CAMediaTimingFunction(name: .linear)
    let head = CABasicAnimation(keyPath: "strokeEnd")
    head.duration = 0.7
    head.timingFunction = CAMediaTimingFunction(controlPoints: 0.4, 0, 0.2, 1)
    head.fromValue = 0
    head.toValue = 1
    let tail = CABasicAnimation(keyPath: "strokeStart")
    tail.duration = 1.2
    tail.timingFunction = CAMediaTimingFunction(controlPoints: 0.4, 0, 0.2, 1)
    tail.fromValue = 0
    tail.toValue = 1
    tail.beginTime = 0.5
    let group = CAAnimationGroup()
    group.animations = [turn, tail, head]
    group.fillMode = .forwards
    run(group, 1.7, on: arc)
    layer.addSublayer(arc)
  }
}

/// A square that leans over and turns by half.
final class LeaningSquare: Indicator {
  func start(in layer: CALayer, size: CGSize, color: CGColor) {
    let square = CALayer()
    square.frame = CGRect(
      x: size.width / 4, y: size.height / 4, width: size.width / 2, height: size.height / 2)
    square.backgroundColor = color
    let lean = CAKeyframeAnimation(keyPath: "transform")
    let upright = CATransform3DIdentity
    let leaning = CATransform3DMakeAffineTransform(
      CGAffineTransform(a: 1, b: 0, c: 0.5, d: 1, tx: 0, ty: 0))
    let upsideDown = CATransform3DMakeRotation(.pi, 0, 0, 1)
    lean.values = [upright, leaning, upright, upsideDown, upright].map {
      NSValue(caTransform3D: $0)
    }
    lean.timingFunctions = Array(
      repeating: CAMediaTimingFunction(name: .easeInEaseOut), count: 4)
    lean.beginTime = CACurrentMediaTime() + 0.1
    run(lean, 2, on: square)
    layer.addSublayer(square)
  }
}

/// A tile that falls over, first about x and then about y, seen from near by.
final class TumblingTile: Indicator {
  func start(in layer: CALayer, size: CGSize, color: CGColor) {
    let tile = CALayer()
    tile.frame = CGRect(
      x: size.width / 6, y: size.height / 6, width: size.width * 2 / 3,
      height: size.height * 2 / 3)
    tile.backgroundColor = color
    var perspective = CATransform3DIdentity
    perspective.m34 = -1 / 120
    layer.sublayerTransform = perspective
    let tumble = CAKeyframeAnimation(keyPath: "transform")
    func turned(x: CGFloat, y: CGFloat) -> CATransform3D {
      CATransform3DRotate(CATransform3DMakeRotation(x, 1, 0, 0), y, 0, 1, 0)
    }
    tumble.keyTimes = [0, 0.25, 0.5, 0.75, 1]
    tumble.values = [
      turned(x: 0, y: 0), turned(x: .pi, y: 0), turned(x: .pi, y: .pi), turned(x: 0, y: .pi),
      turned(x: 0, y: 0),
    ].map { NSValue(caTransform3D: $0) }
    let pace = CAMediaTimingFunction(controlPoints: 0.1, 0.6, 0.2, 1)
    tumble.timingFunctions = [pace, pace, pace, pace]
    tumble.beginTime = CACurrentMediaTime()
    run(tumble, 2, on: tile)
    layer.addSublayer(tile)
  }
}

/// A flag that is turned over between two transforms that both mirror.
final class TurnedFlag: Indicator {
  func start(in layer: CALayer, size: CGSize, color: CGColor) {
    let flag = CAShapeLayer()
    flag.frame = CGRect(origin: .zero, size: size)
    let path = CGMutablePath()
    path.move(to: CGPoint(x: size.width / 2, y: size.height / 2))
    path.addLine(to: CGPoint(x: size.width * 0.9, y: size.height / 2))
    path.addLine(to: CGPoint(x: size.width * 0.9, y: size.height * 0.8))
    path.closeSubpath()
    flag.path = path
    flag.fillColor = color
    let turn = CABasicAnimation(keyPath: "transform")
    turn.fromValue = NSValue(caTransform3D: CATransform3DMakeScale(-1, 1, 1))
    turn.toValue = NSValue(caTransform3D: CATransform3DMakeScale(1, -1, 1))
    turn.autoreverses = true
    turn.beginTime = CACurrentMediaTime() + 0.2
    turn.fillMode = .backwards
    run(turn, 1, on: flag)
    layer.addSublayer(flag)
  }
}

/// Two lines: a wave is added to the shape of one; the other's animation has another shape, which
/// replaces the line's own.
final class AddedWaves: Indicator {
  private func line(to width: CGFloat, _ heights: [CGFloat]) -> CGPath {
    let path = CGMutablePath()
    path.move(to: CGPoint(x: 0, y: heights[0]))
    for (number, height) in heights.enumerated().dropFirst() {
      path.addLine(
        to: CGPoint(x: width * CGFloat(number) / CGFloat(heights.count - 1), y: height))
    }
    return path
  }

  func start(in layer: CALayer, size: CGSize, color: CGColor) {
    let frame = CGRect(origin: .zero, size: size)
    let middle = size.height / 2
    let level = line(to: size.width, [CGFloat](repeating: middle, count: 5))
    let high = middle * 0.8
    let swing = CABasicAnimation(keyPath: "path")
    swing.isAdditive = true
    swing.fromValue = line(to: 0, [-high, high, -high, high, -high])
    swing.toValue = line(to: 0, [high, -high, high, -high, high])
    swing.autoreverses = true
    swing.beginTime = CACurrentMediaTime() + 0.1
    let waving = stroke(level, in: frame, width: 4, color)
    run(swing, 0.5, on: waving)
    layer.addSublayer(waving)

    let replace = CAKeyframeAnimation(keyPath: "path")
    replace.isAdditive = true
    replace.values = [
      line(to: size.width, [0, size.height, 0]),
      line(to: size.width, [size.height, 0, size.height]),
    ]
    replace.beginTime = CACurrentMediaTime() + 0.1
    let replaced = stroke(level, in: frame, width: 2, color)
    run(replace, 1, on: replaced)
    layer.addSublayer(replaced)
  }
}

/// A dashed wheel that continues turning from where each turn ended, while its dashes march the
/// other way.
final class MarchingWheel: Indicator {
  func start(in layer: CALayer, size: CGSize, color: CGColor) {
    let bounds = CGRect(origin: .zero, size: size)
    let wheel = stroke(circle(in: bounds, inset: 4), in: bounds, width: 8, color)
    wheel.lineDashPattern = [14, 10]
    let turn = CABasicAnimation(keyPath: "transform.rotation.z")
    turn.byValue = CGFloat.pi / 6
    turn.isCumulative = true
    turn.beginTime = CACurrentMediaTime() + 0.05
    run(turn, 0.25, on: wheel)
    let hub = disc(bounds.insetBy(dx: size.width / 3, dy: size.height / 3), color)
    let spring = CASpringAnimation(keyPath: "transform.scale")
    spring.fromValue = 0.2
    spring.toValue = 1
    spring.damping = 6
    spring.beginTime = CACurrentMediaTime() + 0.05
    run(spring, spring.settlingDuration, on: hub)
    layer.addSublayer(wheel)
    layer.addSublayer(hub)
  }
}
