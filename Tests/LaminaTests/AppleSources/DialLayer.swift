import Lamina

// Written as for Apple's systems: initializers of its own, and the overrides that they expect.

class DialLayer: CALayer {
  var angle: CGFloat
  let ticks: [String]

  init(angle: CGFloat, ticks: [String]) {
    self.angle = angle
    self.ticks = ticks
    super.init()
    backgroundColor = CGColor(red: 0.2, green: 0.4, blue: 0.6, alpha: 1)
    bounds = CGRect(x: 0, y: 0, width: 100, height: 100)
  }

  override init(layer: Any) {
    let other = layer as! DialLayer
    angle = other.angle
    ticks = other.ticks
    super.init(layer: layer)
  }

  required init?(coder: NSCoder) {
    fatalError("init(coder:) has not been implemented")
  }
}

class GaugeLayer: DialLayer {
  var label: String

  init(label: String) {
    self.label = label
    super.init(angle: .pi / 2, ticks: ["0", "50", "100"])
    let needle = CAShapeLayer()
    let path = CGMutablePath()
    path.move(to: CGPoint(x: 50, y: 50))
    path.addLine(to: CGPoint(x: 50, y: 5))
    needle.path = path
    needle.strokeColor = CGColor(gray: 0, alpha: 1)
    needle.lineWidth = 3
    needle.lineCap = .round
    addSublayer(needle)
  }

  override init(layer: Any) {
    label = (layer as! GaugeLayer).label
    super.init(layer: layer)
  }

  required init?(coder: NSCoder) {
    fatalError("init(coder:) has not been implemented")
  }

  override var bounds: CGRect {
    didSet { resizes += 1 }
  }
  var resizes = 0
}

final class SpeedometerLayer: GaugeLayer {
  struct Reading { var speed = 0.0, unit = "km/h" }
  var reading = Reading()

  override init(label: String) {
    super.init(label: label)
    name = "speedometer"
  }

  override init(layer: Any) {
    if let layer = layer as? SpeedometerLayer { reading = layer.reading }
    super.init(layer: layer)
  }

  required init?(coder: NSCoder) { super.init(coder: coder) }
}
