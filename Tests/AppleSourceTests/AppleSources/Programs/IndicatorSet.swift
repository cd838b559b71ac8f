import CoreGraphics
import Foundation
import QuartzCore

// A board of four indicators: bars that rise in turn, a ring that spins, a dot that pulses and an
// arc that shows progress.

/// A ring whose colour goes around it, drawn by hand.
final class SweepRing: CALayer {
  var tint = CGColor(red: 0.1, green: 0.5, blue: 0.9, alpha: 1)
  var thickness: CGFloat = 8

  override init() {
    super.init()
    needsDisplayOnBoundsChange = true
  }

  override init(layer: Any) {
    super.init(layer: layer)
    guard let ring = layer as? SweepRing else { return }
    tint = ring.tint
    thickness = ring.thickness
  }

  required init?(coder: NSCoder) {
    fatalError("init(coder:) has not been implemented")
  }

  override func draw(in ctx: CGContext) {
    guard let clear = tint.copy(alpha: 0),
      let gradient = CGGradient(
        colorsSpace: CGColorSpaceCreateDeviceRGB(), colors: [clear, tint] as CFArray,
        locations: [0, 1])
    else { return }
    let center = CGPointMake(CGRectGetMidX(bounds), CGRectGetMidY(bounds))
    let box = CGRectInset(bounds, thickness / 2, thickness / 2)
    ctx.saveGState()
    ctx.setShouldSmoothFonts(false)
    ctx.addEllipse(in: box)
    ctx.setLineWidth(thickness)
    ctx.replacePathWithStrokedPath()
    ctx.clip()
    ctx.drawConicGradient(gradient, center: center, angle: 0)
    ctx.restoreGState()
  }
}

final class IndicatorSet {
  let board = CALayer()
  let bars = CAReplicatorLayer()
  let bar = CALayer()
  let ring = SweepRing()
  let dot = CALayer()
  let arc = CAShapeLayer()

  private let color = CGColor(red: 0.1, green: 0.5, blue: 0.9, alpha: 1)

  init(side: CGFloat) {
    board.frame = CGRectMake(0, 0, side * 2, side * 2)
    board.backgroundColor = CGColor(gray: 1, alpha: 1)
    autoreleasepool {
      addBars(in: cell(0, 0, side))
      addRing(in: cell(1, 0, side))
      addDot(in: cell(0, 1, side))
      addArc(in: cell(1, 1, side))
    }
  }

  private func cell(_ column: CGFloat, _ row: CGFloat, _ side: CGFloat) -> CGRect {
    CGRectInset(CGRectMake(column * side, row * side, side, side), side / 8, side / 8)
  }

  private func addBars(in frame: CGRect) {
    let count = 5
    let pitch = frame.width / CGFloat(count)
    bars.frame = frame
    bars.instanceCount = count
    bars.instanceTransform = CATransform3DMakeTranslation(pitch, 0, 0)
    bars.instanceDelay = 0.1
    bar.bounds = CGRectMake(0, 0, pitch * 0.6, frame.height)
    bar.anchorPoint = CGPointMake(0, 1)
    bar.position = CGPointMake(0, frame.height)
    bar.backgroundColor = color
    bars.addSublayer(bar)
    board.addSublayer(bars)

    let rise = CABasicAnimation(keyPath: "transform.scale.y")
    rise.fromValue = 0.2
    rise.toValue = 1
    rise.duration = 0.5
    rise.autoreverses = true
    rise.repeatCount = HUGE
    bar.add(rise, forKey: "rise")
  }

  private func addRing(in frame: CGRect) {
    ring.frame = frame
    ring.tint = color
    ring.thickness = frame.width / 6
    ring.setNeedsDisplay()
    board.addSublayer(ring)

    let spin = CABasicAnimation(keyPath: "transform.rotation.z")
    spin.fromValue = 0
    spin.toValue = CGFloat.pi * 2
    // A turn of a second, as timers count.
    spin.duration = CFTimeInterval(NSEC_PER_SEC) / CFTimeInterval(NSEC_PER_MSEC * 1000)
    spin.repeatCount = MAXFLOAT
    ring.add(spin, forKey: "spin")
  }

  private func addDot(in frame: CGRect) {
    dot.frame = CGRectInset(frame, frame.width / 4, frame.height / 4)
    dot.cornerRadius = CGRectGetWidth(dot.frame) / 2
    dot.backgroundColor = color
    board.addSublayer(dot)

    let grow = CAKeyframeAnimation(keyPath: "transform")
    grow.values = [1, 1.6, 1].map { (scale: CGFloat) in
      NSValue(
        caTransform3D: CATransform3DMakeAffineTransform(CGAffineTransformMakeScale(scale, scale)))
    }
    let fade = CAKeyframeAnimation(keyPath: "opacity")
    fade.values = [1, 0.4, 1]
    let pulse = CAAnimationGroup()
    pulse.animations = [grow, fade]
    pulse.duration = 1
    pulse.repeatCount = HUGE
    dot.add(pulse, forKey: "pulse")
  }

  private func addArc(in frame: CGRect) {
    let path = CGMutablePath()
    let center = CGPointMake(frame.width / 2, frame.height / 2)
    path.addArc(
      center: center, radius: frame.width * 0.4, startAngle: -.pi / 2, endAngle: .pi * 1.5,
      clockwise: false)
    arc.frame = frame
    arc.path = path
    arc.fillColor = nil
    arc.strokeColor = color
    arc.lineWidth = frame.width / 8
    arc.lineCap = .round
    board.addSublayer(arc)

    let fill = CABasicAnimation(keyPath: "strokeEnd")
    fill.fromValue = 0
    fill.toValue = 1
    fill.duration = 2
    fill.fillMode = .both
    fill.isRemovedOnCompletion = false
    arc.add(fill, forKey: "fill")
  }

  /// How far the ring has turned by now, in radians.
  var turn: CGFloat {
    guard let shown = ring.presentation() else { return 0 }
    return CATransform3DGetAffineTransform(shown.transform).decomposed().rotation
  }

  /// How large the dot is by now.
  var dotScale: CGSize {
    guard let shown = dot.presentation() else { return CGSizeZero }
    let components = CGAffineTransformDecompose(CATransform3DGetAffineTransform(shown.transform))
    return components.scale
  }
}
