import Lamina

/// A bar that is filled up to its level, and a needle that marks it, written like such layers for
/// Apple's systems.
class GaugeLayer: CALayer {
  var level: CGFloat = 0 {
    didSet {
      setNeedsDisplay()
      setNeedsLayout()
    }
  }
  let needle = CALayer()

  override init() {
    super.init()
    needle.backgroundColor = CGColor(red: 1, green: 0, blue: 0, alpha: 1)
    addSublayer(needle)
  }

  override init(layer: Any) {
    if let layer = layer as? GaugeLayer { level = layer.level }
    super.init(layer: layer)
  }

  required init?(coder: NSCoder) { fatalError("gauges are not archived") }

  override func draw(in ctx: CGContext) {
    ctx.setFillColor(CGColor(red: 0, green: 1, blue: 0, alpha: 1))
    ctx.fill(CGRect(x: 0, y: 0, width: bounds.width * level, height: bounds.height))
  }

  override func layoutSublayers() {
    super.layoutSublayers()
    needle.frame = CGRect(x: bounds.width * level, y: 0, width: 4, height: bounds.height)
  }
}
