import QuartzCore

// A subclass that draws itself depending on a key of its own.

final class GaugeLayer: CALayer {
  var level: CGFloat {
    get { value(forKey: "level") as? CGFloat ?? 0 }
    set { setValue(newValue, forKey: "level") }
  }

  override init() {
    super.init()
    needsDisplayOnBoundsChange = true
    contentsScale = 2
  }

  override init(layer: Any) {
    super.init(layer: layer)
  }

  required init?(coder: NSCoder) {
    fatalError("init(coder:) has not been implemented")
  }

  override class func needsDisplay(forKey key: String) -> Bool {
    if key == "level" { return true }
    return super.needsDisplay(forKey: key)
  }

  override class func defaultValue(forKey key: String) -> Any? {
    if key == "level" { return CGFloat(0.25) }
    return super.defaultValue(forKey: key)
  }

  override func draw(in ctx: CGContext) {
    ctx.setFillColor(CGColor(red: 0, green: 0, blue: 1, alpha: 1))
    ctx.fill(bounds)
    ctx.setFillColor(CGColor(red: 1, green: 1, blue: 0, alpha: 1))
    ctx.fill(CGRect(x: 0, y: 0, width: bounds.width * level, height: bounds.height))
  }
}
