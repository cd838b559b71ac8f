import CoreGraphics
import Foundation
import QuartzCore

// Activity indicators as apps for Apple's systems write them: animations that repeat for ever, each
// part a little later than the one before, with begin times from the current time.

protocol Indicator {
  init()
  func start(in layer: CALayer, size: CGSize, color: CGColor)
}

extension Indicator {
  func disc(_ frame: CGRect, _ color: CGColor) -> CALayer {
    let disc = CALayer()
    disc.frame = frame
    disc.cornerRadius = min(frame.width, frame.height) / 2
    disc.backgroundColor = color
    return disc
  }

  func stroke(_ path: CGPath, in frame: CGRect, width: CGFloat, _ color: CGColor) -> CAShapeLayer {
    let shape = CAShapeLayer()
    shape.frame = frame
    shape.path = path
    shape.fillColor = nil
    shape.strokeColor = color
    shape.lineWidth = width
    return shape
  }

  func circle(in bounds: CGRect, inset: CGFloat) -> CGPath {
    let path = CGMutablePath()
    path.addArc(
      center: CGPoint(x: bounds.midX, y: bounds.midY), radius: bounds.width / 2 - inset,
      startAngle: -.pi / 2, endAngle: 3 * .pi / 2, clockwise: false)
    return path
  }

  func run(_ animation: CAAnimation, _ duration: CFTimeInterval, on layer: CALayer) {
    animation.duration = duration
    animation.repeatCount = .greatestFiniteMagnitude
    animation.isRemovedOnCompletion = false
    layer.add(animation, forKey: "animation")
  }
}
