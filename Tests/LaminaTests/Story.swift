import Foundation
import LaminaGraphics
import LaminaValues
import TestSupport

@testable import Lamina

/// Draws marks on a background. A new mark damages only its own rectangle.
final class MarkedLayer: CALayer {
  struct Mark {
    var rect: CGRect
    var color: CGColor
    var isRound: Bool
  }

  private var marks: [Mark] = []

  override func draw(in ctx: CGContext) {
    ctx.setFillColor(CGColor(red: 0.2, green: 0.7, blue: 0.4, alpha: 0.75))
    ctx.fill(bounds.insetBy(dx: 1, dy: 1))
    for mark in marks {
      ctx.setFillColor(mark.color)
      if mark.isRound { ctx.fillEllipse(in: mark.rect) } else { ctx.fill(mark.rect) }
    }
  }

  func add(_ mark: Mark) {
    marks.append(mark)
    setNeedsDisplay(mark.rect)
  }
}

/// A tree and a seeded random sequence of edits to it. After a number of edits, the tree depends
/// only on the seed, not on when any of it was committed or drawn.
final class Story {
  let root = CALayer()
  private var random: SeededGenerator
  private let layers: [CALayer]
  private let images: [CGImage]

  static let size = 40.0

  init(seed: Int) throws {
    var random = SeededGenerator(seed: seed &* 7919 &+ 17)
    images = try (2...4).map { side in
      let bytes = (0..<side * (side + 1) * 4).map { _ in UInt8.random(in: 0...255, using: &random) }
      return try CGImage(width: side, height: side + 1, unpremultipliedRGBA: bytes)
    }
    layers = (0..<14).map { number in
      switch number % 4 {
      case 0: CAShapeLayer()
      case 1: MarkedLayer()
      case 2: CAReplicatorLayer()
      default: CALayer()
      }
    }
    self.random = random
    root.frame = CGRect(x: 0, y: 0, width: Self.size, height: Self.size)
    for layer in layers {
      layer.frame = CGRect(x: number(0...25), y: number(0...25), width: 14, height: 10)
      layer.backgroundColor = color()
      layer.needsDisplayOnBoundsChange = true
      if layer is MarkedLayer { layer.setNeedsDisplay() }
    }
    root.sublayers = Array(layers.prefix(5))
    for _ in 0..<20 { edit() }
  }

  private func number(_ range: ClosedRange<Double>) -> Double {
    // Whole numbers and halves as well, so that some edges fall on pixels.
    let number = Double.random(in: range, using: &random)
    return Bool.random(using: &random) ? (number * 2).rounded() / 2 : number
  }

  private func chance(_ probability: Double) -> Bool { random.chance(probability) }

  private func color() -> CGColor {
    CGColor(
      red: number(0...1), green: number(0...1), blue: number(0...1),
      alpha: chance(0.5) ? 1 : number(0...1))
  }

  private func point(_ range: ClosedRange<Double>) -> CGPoint {
    CGPoint(x: number(range), y: number(range))
  }

  private func rect(in range: ClosedRange<Double>, side: ClosedRange<Double>) -> CGRect {
    CGRect(origin: point(range), size: CGSize(width: number(side), height: number(side)))
  }

  private func name<Name>(_ names: [Name]) -> Name { names.randomElement(using: &random)! }

  func edit() {
    let layer = name(layers)
    switch Int.random(in: 0..<14, using: &random) {
    case 0...3: move(layer)
    case 4, 5: place(layer)
    case 6, 7: dress(layer)
    case 8: setContents(of: layer)
    case 9, 10: animate(layer)
    case 11: setTiming(of: layer)
    default: draw(layer)
    }
  }

  // MARK: The tree

  private func move(_ layer: CALayer) {
    let other = chance(0.5) ? root : name(layers)
    var ancestor: CALayer? = other
    while let current = ancestor, current !== layer { ancestor = current.superlayer }
    let isPossible = ancestor == nil
    switch Int.random(in: 0..<7, using: &random) {
    case 0...3 where isPossible:
      other.insertSublayer(layer, at: UInt32.random(in: 0..<6, using: &random))
    case 4 where isPossible && other !== root: other.mask = layer
    case 5: layer.removeFromSuperlayer()
    default: root.sublayers = root.sublayers?.shuffled(using: &random)
    }
    invalidateDrawings(in: layer)
  }

  /// Redraws all marked layers in the subtree, since a move may have flipped them.
  private func invalidateDrawings(in layer: CALayer) {
    layer.forEachInSubtree { if $0 is MarkedLayer { $0.setNeedsDisplay() } }
  }

  // MARK: Properties

  private func place(_ layer: CALayer) {
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1: layer.position = point(0...40)
    case 2: layer.bounds = rect(in: -3...3, side: 0...24)
    case 3: layer.anchorPoint = point(0...1)
    case 4: layer.zPosition = number(-3...3).rounded()
    case 5: layer.transform = transform()
    case 6: layer.sublayerTransform = chance(0.5) ? transform() : CATransform3DIdentity
    case 7:
      layer.isGeometryFlipped.toggle()
      invalidateDrawings(in: layer)
    default: layer.setValue(number(-1...1), forKeyPath: "transform.rotation.z")
    }
  }

  private func transform() -> CATransform3D {
    let scaled = CATransform3DMakeScale(number(0.3...2), number(0.3...2), 1)
    let turned = CATransform3DRotate(
      scaled, number(-1...1), chance(0.3) ? 1 : 0, chance(0.3) ? 1 : 0, 1)
    guard chance(0.3) else { return turned }
    var perspective = CATransform3DIdentity
    perspective.m34 = -1 / 60
    return turned.concatenating(perspective)
  }

  private func dress(_ layer: CALayer) {
    switch Int.random(in: 0..<13, using: &random) {
    case 0: layer.backgroundColor = chance(0.2) ? nil : color()
    case 1: layer.opacity = Float(number(0...1))
    case 2: layer.cornerRadius = number(0...8)
    case 3:
      layer.borderWidth = number(0...4)
      layer.borderColor = color()
    case 4: layer.isHidden = chance(0.3)
    case 5: layer.masksToBounds.toggle()
    case 6: layer.maskedCorners = CACornerMask(rawValue: .random(in: 0...15, using: &random))
    case 7: layer.isDoubleSided.toggle()
    case 8: layer.allowsGroupOpacity.toggle()
    case 9: layer.allowsEdgeAntialiasing.toggle()
    case 10:
      layer.edgeAntialiasingMask = CAEdgeAntialiasingMask(
        rawValue: .random(in: 0...15, using: &random))
    case 11:
      layer.shadowOpacity = chance(0.5) ? 0 : Float(number(0...1))
      layer.shadowRadius = number(0...4)
      layer.shadowColor = color()
    default: layer.shadowOffset = CGSize(width: number(-4...4), height: number(-4...4))
    }
  }

  private func setContents(of layer: CALayer) {
    switch Int.random(in: 0..<8, using: &random) {
    case 0...2 where !(layer is MarkedLayer): layer.contents = chance(0.2) ? nil : name(images)
    case 3:
      layer.contentsGravity = name([.resize, .center, .topLeft, .resizeAspect, .resizeAspectFill])
    case 4: layer.contentsRect = rect(in: 0...0.5, side: 0.2...1)
    case 5: layer.contentsCenter = rect(in: 0.2...0.4, side: 0.1...0.4)
    case 6:
      layer.magnificationFilter = name([.linear, .nearest])
      layer.minificationFilter = name([.linear, .nearest])
    default:
      layer.contentsScale = name([0.5, 1, 2])
      if layer is MarkedLayer { layer.setNeedsDisplay() }
    }
  }

  private func setTiming(of layer: CALayer) {
    switch Int.random(in: 0..<3, using: &random) {
    case 0: layer.speed = Float(number(0...2))
    case 1: layer.timeOffset = number(-1...1)
    default: layer.beginTime = number(0...1)
    }
  }

  // MARK: Drawing

  private func draw(_ layer: CALayer) {
    if let layer = layer as? MarkedLayer {
      layer.add(
        MarkedLayer.Mark(
          rect: rect(in: -2...14, side: 0.5...8), color: color(), isRound: chance(0.5)))
    } else if let layer = layer as? CAShapeLayer {
      draw(layer)
    } else if let layer = layer as? CAReplicatorLayer, chance(0.7) {
      copy(layer)
    } else {
      layer.backgroundColor = color()
    }
  }

  private func copy(_ layer: CAReplicatorLayer) {
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: layer.instanceCount = Int.random(in: 0...3, using: &random)
    case 2:
      layer.instanceTransform = CATransform3DMakeTranslation(number(-6...6), number(-6...6), 0)
    case 3:
      layer.instanceTransform = CATransform3DMakeRotation(number(-2...2), 0, chance(0.3) ? 1 : 0, 1)
    case 4: layer.instanceDelay = number(-0.5...0.5)
    default:
      layer.instanceColor = chance(0.3) ? nil : color()
      layer.instanceBlueOffset = Float(number(-0.5...0.5))
    }
  }

  private func draw(_ layer: CAShapeLayer) {
    switch Int.random(in: 0..<7, using: &random) {
    case 0, 1:
      let path = CGMutablePath()
      path.move(to: point(0...14))
      path.addLine(to: point(0...14))
      path.addCurve(to: point(0...14), control1: point(0...14), control2: point(0...14))
      if chance(0.5) { path.closeSubpath() }
      layer.path = chance(0.1) ? nil : path
    case 2: layer.fillColor = chance(0.2) ? nil : color()
    case 3: layer.strokeColor = chance(0.2) ? nil : color()
    case 4:
      layer.strokeStart = number(0...0.5)
      layer.strokeEnd = number(0.5...1)
    case 5:
      layer.lineWidth = number(0...4)
      layer.lineCap = name([.butt, .round, .square])
      layer.lineJoin = name([.miter, .round, .bevel])
    default:
      layer.lineDashPattern =
        chance(0.5) ? nil : [NSNumber(value: number(1...4)), NSNumber(value: number(1...4))]
      layer.fillRule = name([.nonZero, .evenOdd])
    }
  }

  // MARK: Animations

  private func animate(_ layer: CALayer) {
    if chance(0.25) {
      if chance(0.5) { layer.removeAllAnimations() } else { layer.removeAnimation(forKey: "a") }
      return
    }
    let animation: CABasicAnimation
    switch Int.random(in: 0..<5, using: &random) {
    case 0: animation = basic("position", point(0...40), point(0...40))
    case 1: animation = basic("opacity", number(0...1), number(0...1))
    case 2: animation = basic("transform.rotation.z", number(-2...2), number(-2...2))
    case 3: animation = basic("backgroundColor", color(), color())
    default: animation = basic("cornerRadius", number(0...8), number(0...8))
    }
    // A fixed begin; without one, the animation would begin at its first commit.
    animation.beginTime = 0.01 + abs(number(0...2))
    animation.duration = 0.1 + abs(number(0...3))
    animation.autoreverses = chance(0.3)
    animation.repeatCount = chance(0.3) ? 2.5 : 0
    animation.fillMode = name([.removed, .forwards, .backwards, .both])
    animation.isRemovedOnCompletion = false
    layer.add(animation, forKey: name(["a", "b"]))
  }

  private func basic(_ keyPath: String, _ from: Any, _ to: Any) -> CABasicAnimation {
    let animation = CABasicAnimation(keyPath: keyPath)
    animation.fromValue = from
    animation.toValue = to
    return animation
  }
}
