// Ten layers whose pixels the tests of this package hold. `PICTURES_TINT` in the environment
// changes a colour: so the tests can be seen to fail.

import Foundation
import Lamina
import LaminaCAML

public enum Pictures {
  /// The colour that most pictures have.
  static var tint: CGColor {
    switch ProcessInfo.processInfo.environment["PICTURES_TINT"] {
    case "another": CGColor(red: 0.2, green: 0.7, blue: 0.3, alpha: 1)
    case "similar": CGColor(red: 0.92, green: 0.47, blue: 0.27, alpha: 1)
    default: CGColor(red: 0.95, green: 0.45, blue: 0.25, alpha: 1)
    }
  }

  static let ink = CGColor(red: 0.1, green: 0.12, blue: 0.3, alpha: 1)
  static let paper = CGColor(red: 0.97, green: 0.95, blue: 0.9, alpha: 1)

  /// A layer of a size, at the origin, with a background.
  private static func sheet(_ width: CGFloat, _ height: CGFloat) -> CALayer {
    let sheet = CALayer()
    sheet.frame = CGRect(x: 0, y: 0, width: width, height: height)
    sheet.backgroundColor = paper
    return sheet
  }

  /// A card with round corners, a border and a shadow.
  public static func card() -> CALayer {
    let sheet = sheet(120, 90)
    let card = CALayer()
    card.name = "card"
    card.frame = CGRect(x: 20, y: 20, width: 80, height: 50)
    card.backgroundColor = tint
    card.cornerRadius = 12
    card.borderWidth = 3
    card.borderColor = ink
    card.shadowOpacity = 0.5
    card.shadowRadius = 5
    card.shadowOffset = CGSize(width: 0, height: 4)
    sheet.addSublayer(card)
    return sheet
  }

  /// A gradient that goes from corner to corner.
  public static func gradient() -> CALayer {
    let gradient = CAGradientLayer()
    gradient.frame = CGRect(x: 0, y: 0, width: 120, height: 60)
    gradient.colors = [paper, tint, ink]
    gradient.startPoint = .zero
    gradient.endPoint = CGPoint(x: 1, y: 1)
    return gradient
  }

  /// A star's outline.
  public static let star: CGPath = {
    let path = CGMutablePath()
    for index in 0..<10 {
      let radius: CGFloat = index % 2 == 0 ? 40 : 17
      let angle = CGFloat(index) * .pi / 5 - .pi / 2
      let point = CGPoint(x: 50 + radius * cos(angle), y: 50 + radius * sin(angle))
      if index == 0 { path.move(to: point) } else { path.addLine(to: point) }
    }
    path.closeSubpath()
    return path
  }()

  /// A star, filled and stroked.
  public static func shape() -> CALayer {
    let sheet = sheet(100, 100)
    let shape = CAShapeLayer()
    shape.path = star
    shape.fillColor = tint
    shape.strokeColor = ink
    shape.lineWidth = 4
    shape.lineJoin = .round
    sheet.addSublayer(shape)
    return sheet
  }

  /// A heading and a line of text.
  public static func text() -> CALayer {
    let sheet = sheet(160, 60)
    for (string, size, y) in [("Lamina", 24.0, 6.0), ("layers on Linux", 14.0, 36.0)] {
      let text = CATextLayer()
      text.frame = CGRect(x: 10, y: y, width: 140, height: size * 1.3)
      text.string = string
      text.font = "DejaVu Sans" as AnyObject
      text.fontSize = size
      text.foregroundColor = ink
      text.contentsScale = 2
      sheet.addSublayer(text)
    }
    return sheet
  }

  /// A fountain of sparks.
  public static func particles() -> CALayer {
    let sheet = sheet(120, 120)
    let cell = CAEmitterCell()
    cell.contents = spark()
    cell.birthRate = 30
    cell.lifetime = 2
    cell.velocity = 60
    cell.velocityRange = 15
    cell.emissionLongitude = -.pi / 2
    cell.emissionRange = .pi / 5
    cell.yAcceleration = 40
    cell.alphaSpeed = -0.4
    cell.scale = 0.8
    cell.scaleRange = 0.3
    cell.color = tint
    let emitter = CAEmitterLayer()
    emitter.frame = sheet.bounds
    emitter.emitterPosition = CGPoint(x: 60, y: 110)
    emitter.emitterCells = [cell]
    emitter.seed = 7
    sheet.addSublayer(emitter)
    return sheet
  }

  /// A white disc.
  private static func spark() -> CGImage? {
    let context = CGContext(
      data: nil, width: 12, height: 12, bitsPerComponent: 8, bytesPerRow: 0,
      space: CGColorSpaceCreateDeviceRGB(),
      bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
    context?.setFillColor(CGColor(red: 1, green: 1, blue: 1, alpha: 1))
    context?.fillEllipse(in: CGRect(x: 1, y: 1, width: 10, height: 10))
    return context?.makeImage()
  }

  /// Three faces of a cube, in perspective.
  public static func cube() -> CALayer {
    let sheet = sheet(140, 140)
    var perspective = CATransform3DIdentity
    perspective.m34 = -1 / 400
    let cube = CATransformLayer()
    cube.frame = CGRect(x: 35, y: 35, width: 70, height: 70)
    var turn = CATransform3DRotate(perspective, -0.5, 1, 0, 0)
    turn = CATransform3DRotate(turn, 0.7, 0, 1, 0)
    cube.transform = turn
    let sides: [(CGColor, CATransform3D)] = [
      (tint, CATransform3DMakeTranslation(0, 0, 35)),
      (ink, CATransform3DTranslate(CATransform3DMakeRotation(.pi / 2, 0, 1, 0), 0, 0, 35)),
      (
        CGColor(red: 0.4, green: 0.6, blue: 0.9, alpha: 1),
        CATransform3DTranslate(CATransform3DMakeRotation(.pi / 2, 1, 0, 0), 0, 0, 35)
      ),
      (
        CGColor(red: 0.4, green: 0.6, blue: 0.9, alpha: 1),
        CATransform3DTranslate(CATransform3DMakeRotation(-.pi / 2, 1, 0, 0), 0, 0, 35)
      ),
      (ink, CATransform3DTranslate(CATransform3DMakeRotation(-.pi / 2, 0, 1, 0), 0, 0, 35)),
    ]
    for (color, transform) in sides {
      let side = CALayer()
      side.frame = CGRect(x: 0, y: 0, width: 70, height: 70)
      side.backgroundColor = color
      side.opacity = 0.85
      side.transform = transform
      cube.addSublayer(side)
    }
    sheet.addSublayer(cube)
    return sheet
  }

  /// A disc that moves to the right and fades, from a tenth of a second on.
  public static func slide() -> CALayer {
    let sheet = sheet(160, 40)
    let disc = CALayer()
    disc.name = "disc"
    disc.frame = CGRect(x: 5, y: 5, width: 30, height: 30)
    disc.cornerRadius = 15
    disc.backgroundColor = tint
    sheet.addSublayer(disc)
    let move = CABasicAnimation(keyPath: "position.x")
    move.byValue = 120
    let fade = CABasicAnimation(keyPath: "opacity")
    fade.toValue = 0.25
    let both = CAAnimationGroup()
    both.animations = [move, fade]
    both.beginTime = CACurrentMediaTime() + 0.1
    both.duration = 0.8
    both.fillMode = .both
    both.isRemovedOnCompletion = false
    disc.add(both, forKey: "slide")
    return sheet
  }

  /// A ring of bars, each a little later than the one before it.
  public static func ring() -> CALayer {
    let sheet = sheet(100, 100)
    let bar = CALayer()
    bar.frame = CGRect(x: 46, y: 8, width: 8, height: 24)
    bar.cornerRadius = 4
    bar.backgroundColor = tint
    let fade = CABasicAnimation(keyPath: "opacity")
    fade.fromValue = 1
    fade.toValue = 0.1
    fade.duration = 1
    fade.repeatCount = .infinity
    bar.add(fade, forKey: "fade")
    let ring = CAReplicatorLayer()
    ring.frame = sheet.bounds
    ring.instanceCount = 12
    ring.instanceDelay = 1.0 / 12
    ring.instanceTransform = CATransform3DMakeRotation(.pi / 6, 0, 0, 1)
    ring.addSublayer(bar)
    sheet.addSublayer(ring)
    return sheet
  }

  /// A picture in the shape of a disc, under a translucent group.
  public static func mask() -> CALayer {
    let sheet = gradient()
    sheet.frame = CGRect(x: 0, y: 0, width: 100, height: 100)
    let disc = CALayer()
    disc.frame = CGRect(x: 10, y: 10, width: 80, height: 80)
    disc.cornerRadius = 40
    disc.backgroundColor = ink
    sheet.mask = disc
    let group = CALayer()
    group.frame = CGRect(x: 30, y: 30, width: 60, height: 60)
    group.opacity = 0.6
    for offset in [0.0, 20] {
      let square = CALayer()
      square.frame = CGRect(x: offset, y: offset, width: 30, height: 30)
      square.backgroundColor = offset == 0 ? paper : ink
      group.addSublayer(square)
    }
    sheet.addSublayer(group)
    return sheet
  }

  /// A layer that draws itself.
  public static func drawing() -> CALayer {
    let rings = RingsLayer()
    rings.frame = CGRect(x: 0, y: 0, width: 80, height: 80)
    rings.contentsScale = 2
    rings.setNeedsDisplay()
    return rings
  }
}

/// Three rings.
final class RingsLayer: CALayer {
  override func draw(in context: CGContext) {
    context.setStrokeColor(Pictures.tint)
    context.setLineWidth(5)
    for inset in [6.0, 16, 26] { context.strokeEllipse(in: bounds.insetBy(dx: inset, dy: inset)) }
  }
}
