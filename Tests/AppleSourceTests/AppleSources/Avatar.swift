import CoreGraphics
import Foundation
import QuartzCore

// An image that was drawn by hand, masked by a shape, and a path around it.

func makeStripes(width: Int, height: Int) -> CGImage? {
  guard
    let context = CGContext(
      data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: 0,
      space: CGColorSpace(name: CGColorSpace.sRGB)!,
      bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
  else { return nil }
  context.setFillColor(red: 0, green: 1, blue: 0, alpha: 1)
  context.fill(CGRect(x: 0, y: 0, width: width, height: height))
  // A bitmap's y begins at the bottom, so this is the upper half.
  context.setFillColor(red: 1, green: 0, blue: 0, alpha: 1)
  context.fill(CGRect(x: 0, y: height / 2, width: width, height: height - height / 2))
  return context.makeImage()
}

func makeAvatar(diameter: CGFloat) -> CALayer {
  let avatar = CALayer()
  avatar.frame = CGRect(x: 0, y: 0, width: diameter, height: diameter)
  avatar.contents = makeStripes(width: 8, height: 8)
  avatar.magnificationFilter = .nearest

  let mask = CAShapeLayer()
  mask.frame = avatar.bounds
  mask.path = CGPath(ellipseIn: mask.bounds, transform: nil)
  avatar.mask = mask

  let ring = CAShapeLayer()
  let path = CGMutablePath()
  path.addArc(
    center: CGPoint(x: diameter / 2, y: diameter / 2), radius: diameter / 4, startAngle: 0,
    endAngle: .pi * 2, clockwise: false)
  path.closeSubpath()
  ring.path = path
  ring.fillColor = nil
  ring.strokeColor = CGColor(red: 0, green: 0, blue: 1, alpha: 1)
  ring.lineWidth = diameter / 8
  avatar.addSublayer(ring)
  return avatar
}
