import Foundation
import LaminaInProcess
import Testing

@testable import Lamina

/// Extreme and invalid numbers in everything that takes a number. A trap, here or in the render
/// process, which is this process too, ends the tests.
@Suite("Strange numbers") struct StrangeNumberTests {
  /// Keeps the render process alive, which would otherwise end with each renderer.
  private let held: CARenderer

  init() throws {
    held = try CARenderer(
      size: CGSize(width: 8, height: 8), server: .inProcess.on(.surfaceless))
  }

  static let numbers: [Double] = [
    .nan, .infinity, -.infinity, 1e300, -1e300, 1e-300, 9.3e18, 4.3e9, -1, 0, 1e9,
  ]

  /// Draws its bounds with a shadow, a dash and a pattern of extreme measures.
  private final class Sheet: CALayer {
    var number = 0.0
    override func draw(in ctx: CGContext) {
      let n = CGFloat(number)
      ctx.setShadow(offset: CGSize(width: n, height: n), blur: n)
      ctx.setLineWidth(n)
      ctx.setLineDash(phase: n, lengths: [n, 1])
      ctx.stroke(CGRect(x: n, y: 0, width: 8, height: n))
      ctx.addArc(
        center: CGPoint(x: n, y: 4), radius: n, startAngle: n, endAngle: -n, clockwise: true)
      ctx.strokePath()
      ctx.addEllipse(in: CGRect(x: 0, y: n, width: n, height: 4))
      ctx.fillPath()
      ctx.rotate(by: n)
      ctx.scaleBy(x: n, y: 1)
      ctx.translateBy(x: n, y: n)
      ctx.clip(to: CGRect(x: n, y: n, width: n, height: n))
      ctx.fill(CGRect(x: 0, y: 0, width: 8, height: 8))
      ctx.beginTransparencyLayer(in: CGRect(x: n, y: n, width: n, height: n), auxiliaryInfo: nil)
      ctx.endTransparencyLayer()
    }
  }

  private func renderer(_ layer: CALayer) throws -> CARenderer {
    let renderer = try CARenderer(
      size: CGSize(width: 8, height: 8), server: .inProcess.on(.surfaceless))
    renderer.layer = layer
    return renderer
  }

  private func layer() -> CALayer {
    let layer = CALayer()
    layer.frame = CGRect(x: 0, y: 0, width: 8, height: 8)
    layer.backgroundColor = CGColor(red: 1, green: 0, blue: 0, alpha: 1)
    return layer
  }

  private static let numberKeys = [
    "opacity", "cornerRadius", "borderWidth", "shadowOpacity", "shadowRadius", "zPosition",
    "anchorPointZ", "contentsScale", "rasterizationScale", "minificationFilterBias", "beginTime",
    "duration", "speed", "timeOffset", "repeatCount", "repeatDuration", "position.x",
    "bounds.size.width", "bounds.origin.y", "shadowOffset.width", "contentsRect.size.height",
    "contentsCenter.origin.x", "anchorPoint.x", "transform.scale.x", "transform.rotation.y",
    "transform.translation.z", "sublayerTransform.rotation", "frame.size.width", "opacity",
  ]

  @Test("A property may be set to any number, and its layer is drawn", arguments: numberKeys)
  func properties(key: String) throws {
    for number in Self.numbers {
      try warnings {
        let parent = layer()
        let child = layer()
        child.borderWidth = 1
        child.shadowOpacity = 1
        child.masksToBounds = true
        child.shouldRasterize = key == "rasterizationScale"
        child.contents = try CGImage(
          width: 1, height: 1, unpremultipliedRGBA: [1, 2, 3, 255])
        parent.addSublayer(child)
        let renderer = try renderer(parent)
        _ = try renderer.image(at: 0)
        child.setValue(number, forKeyPath: key)
        _ = try renderer.image(at: 0.1)
        _ = try renderer.image(at: 1)
        _ = child.presentation()?.frame
        _ = parent.hitTest(CGPoint(x: number, y: 4))
        _ = child.convert(CGPoint(x: number, y: number), to: parent)
        _ = child.convertTime(number, from: parent)
      }
    }
  }

  @Test(
    "An animation may have any timing and any values, and its layer is drawn", arguments: numbers)
  func animations(number: Double) throws {
    let settings: [(CABasicAnimation) -> Void] = [
      { $0.duration = number }, { $0.beginTime = number }, { $0.timeOffset = number },
      { $0.speed = Float(number) }, { $0.repeatCount = Float(number) },
      { $0.repeatDuration = number }, { $0.fromValue = number }, { $0.toValue = number },
      { $0.byValue = number },
    ]
    for setting in settings {
      try warnings {
        let layer = layer()
        let renderer = try renderer(layer)
        let animation = CABasicAnimation(keyPath: "position.x")
        (animation.fromValue, animation.toValue, animation.duration) = (0, 8, 1)
        setting(animation)
        layer.add(animation, forKey: nil)
        for time in [0, 0.5, 1e9] { _ = try renderer.image(at: time) }
        _ = renderer.nextFrameTime()
        _ = layer.presentation()?.position
      }
    }
    try warnings {
      let layer = layer()
      let renderer = try renderer(layer)
      let spring = CASpringAnimation(keyPath: "bounds.size.width")
      (spring.mass, spring.stiffness, spring.damping) = (number, number, number)
      spring.initialVelocity = number
      _ = spring.settlingDuration
      spring.duration = 1
      layer.add(spring, forKey: "s")
      let frames = CAKeyframeAnimation(keyPath: "opacity")
      frames.values = [0, number, 1]
      frames.keyTimes = [0, NSNumber(value: number), 1]
      frames.duration = 1
      layer.add(frames, forKey: "k")
      _ = try renderer.image(at: 0.3)
      CATransaction.setAnimationDuration(number)
      layer.opacity = 0.5
      CATransaction.flush()
      for time in [0.5, 2] { _ = try renderer.image(at: time) }
    }
  }

  @Test("Where time goes by itself, an animation may end at any time", arguments: numbers)
  func hostClock(number: Double) throws {
    try warnings {
      let layer = layer()
      let renderer = try CARenderer(
        size: CGSize(width: 8, height: 8), clock: .host, server: .inProcess.on(.surfaceless))
      renderer.layer = layer
      for path in [\CAAnimation.duration, \.beginTime, \.repeatDuration] {
        let animation = CABasicAnimation(keyPath: "position.x")
        (animation.fromValue, animation.toValue, animation.duration) = (0, 8, 1)
        animation[keyPath: path] = number
        CATransaction.begin()
        CATransaction.setCompletionBlock {}
        layer.add(animation, forKey: nil)
        CATransaction.commit()
      }
      _ = try renderer.image(at: renderer.clock.time)
      let link = CADisplayLink(clock: .host) { _ in }
      let rate = Float(number)
      link.preferredFrameRateRange = CAFrameRateRange(minimum: rate, maximum: rate, preferred: rate)
      link.add(to: .current, forMode: .common)
      link.invalidate()
    }
  }

  @Test("A layer that draws with any number is drawn", arguments: numbers)
  func drawing(number: Double) throws {
    try warnings {
      let layer = Sheet()
      layer.frame = CGRect(x: 0, y: 0, width: 8, height: 8)
      layer.number = number
      layer.setNeedsDisplay()
      _ = try renderer(layer).image(at: 0)
      layer.setNeedsDisplay(CGRect(x: number, y: 0, width: number, height: number))
      layer.display()
    }
  }

  @Test("Shapes, gradients and scrolling take any number", arguments: numbers)
  func subclasses(number: Double) throws {
    let n = CGFloat(number)
    try warnings {
      let shape = CAShapeLayer()
      let path = CGMutablePath()
      path.move(to: CGPoint(x: n, y: 0))
      path.addLine(to: CGPoint(x: 8, y: n))
      path.addArc(
        center: CGPoint(x: 4, y: n), radius: n, startAngle: n, endAngle: n, clockwise: false)
      path.addCurve(
        to: CGPoint(x: n, y: n), control1: CGPoint(x: n, y: 1), control2: CGPoint(x: 2, y: n))
      path.addRoundedRect(
        in: CGRect(x: 0, y: 0, width: 8, height: 8), cornerWidth: min(abs(n), 4), cornerHeight: 4)
      shape.path = path
      shape.strokeColor = CGColor(red: 1, green: 0, blue: 0, alpha: 1)
      (shape.lineWidth, shape.miterLimit, shape.lineDashPhase) = (n, n, n)
      (shape.strokeStart, shape.strokeEnd) = (n, n)
      shape.lineDashPattern = [NSNumber(value: number), 1]
      let gradient = CAGradientLayer()
      gradient.frame = CGRect(x: 0, y: 0, width: 8, height: 8)
      gradient.colors = [CGColor(gray: 0, alpha: 1), CGColor(gray: 1, alpha: 1)]
      gradient.locations = [NSNumber(value: number), NSNumber(value: number)]
      gradient.startPoint = CGPoint(x: n, y: n)
      let scroll = CAScrollLayer()
      scroll.frame = CGRect(x: 0, y: 0, width: 8, height: 8)
      scroll.scroll(to: CGPoint(x: n, y: n))
      scroll.scrollRectToVisible(CGRect(x: n, y: n, width: n, height: n))
      for filter in ["gaussianBlur", "colorSaturate"] {
        let made = CAFilter(type: filter)
        made.setValue(number, forKey: "inputRadius")
        made.setValue(number, forKey: "inputAmount")
        scroll.filters = (scroll.filters ?? []) + [made]
      }
      let replicator = CAReplicatorLayer()
      replicator.frame = CGRect(x: 0, y: 0, width: 8, height: 8)
      (replicator.instanceCount, replicator.instanceDelay) = (3, number)
      replicator.instanceTransform = CATransform3DMakeTranslation(n, n, n)
      (replicator.instanceRedOffset, replicator.instanceAlphaOffset) = (
        Float(number), Float(number)
      )
      replicator.addSublayer(layer())
      let root = layer()
      root.sublayers = [shape, gradient, scroll, replicator]
      let renderer = try renderer(root)
      _ = try renderer.image(at: 0)
      renderer.bounds = CGRect(x: n, y: n, width: n, height: n)
      _ = try? renderer.image(at: 1)
      renderer.addUpdate(CGRect(x: n, y: n, width: n, height: n))
    }
  }

  @Test("Contents lie in bounds of any size and place, clipped or not", arguments: numbers)
  func contents(number: Double) throws {
    let gravities: [CALayerContentsGravity] = [.resize, .center, .topLeft, .resizeAspectFill]
    try warnings {
      let root = layer()
      for (x, width) in [(number, 8), (0, number), (number, number), (-1e308, 1e308)] {
        for gravity in gravities {
          for center in [CGRect(x: 0, y: 0, width: 1, height: 1), .zero] {
            let layer = layer()
            layer.bounds = CGRect(x: x, y: 0, width: width, height: 8)
            layer.masksToBounds = gravity != .resize
            layer.contents = try CGImage(width: 1, height: 1, unpremultipliedRGBA: [1, 2, 3, 255])
            (layer.contentsGravity, layer.contentsCenter) = (gravity, center)
            layer.cornerRadius = gravity == .center ? 1 : 0
            root.addSublayer(layer)
          }
        }
      }
      _ = try renderer(root).image(at: 0)
    }
  }
}
