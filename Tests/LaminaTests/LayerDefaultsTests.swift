import Lamina
import Testing

private final class ClippingLayer: CALayer {
  override class func defaultValue(forKey key: String) -> Any? {
    switch key {
    case "masksToBounds": true
    case "opacity": 0.5
    case "mood": "calm"
    default: super.defaultValue(forKey: key)
    }
  }
}

private class KnobLayer: CALayer {
  @LayerProperty("angle") var angle: CGFloat
  @LayerProperty("turns") var turns: Int
  @LayerProperty("isOn") var isOn: Bool
  @LayerProperty("origin") var origin: CGPoint
  @LayerProperty("extent") var extent: CGSize
  @LayerProperty("window") var window: CGRect
  @LayerProperty("turn") var turn: CATransform3D
  @LayerProperty("label") var label: String?
  @LayerProperty("tint") var tint: CGColor = .black

  override class func needsDisplay(forKey key: String) -> Bool {
    key == "angle" || key == "opacity" || super.needsDisplay(forKey: key)
  }
}

@Suite("Defaults, styles and keys of subclasses") struct LayerDefaultsTests {
  // Measured on Apple's QuartzCore by others.
  @Test("The class has defaults for what is not zero, and for flags")
  func classDefaults() {
    func value(_ key: String) -> Any? { CALayer.defaultValue(forKey: key) }
    #expect(value("anchorPoint") as? CGPoint == CGPoint(x: 0.5, y: 0.5))
    #expect(value("sublayerTransform") as? CATransform3D == .identity)
    #expect(value("contentsRect") as? CGRect == CGRect(x: 0, y: 0, width: 1, height: 1))
    #expect(value("contentsCenter") as? CGRect == CGRect(x: 0, y: 0, width: 1, height: 1))
    #expect(value("contentsGravity") as? String == "resize")
    #expect(value("contentsFormat") as? String == "RGBA8")
    #expect(value("minificationFilter") as? String == "linear")
    #expect(value("cornerCurve") as? String == "circular")
    #expect(value("fillMode") as? String == "removed")
    for key in ["contentsScale", "opacity", "rasterizationScale", "speed"] {
      #expect(value(key) as? Double == 1, "\(key)")
    }
    for key in ["doubleSided", "allowsGroupOpacity"] { #expect(value(key) as? Bool == true) }
    for key in ["hidden", "masksToBounds"] { #expect(value(key) as? Bool == false) }
    for key in ["edgeAntialiasingMask", "maskedCorners"] { #expect(value(key) as? Int == 15) }
    #expect(value("duration") as? Double == .infinity)
    #expect(value("shadowOffset") as? CGSize == CGSize(width: 0, height: -3))
    #expect(value("shadowRadius") as? Double == 3)
    #expect((value("shadowColor") as? CGColor)?.components == [0, 0, 0, 1])
    #expect((value("borderColor") as? CGColor)?.components == [0, 0, 0, 1])
    #expect(value("contentsHeadroom") as? Double == 0)
    #expect(value("wantsExtendedDynamicRangeContent") as? Bool == false)
    for key in ["opaque", "geometryFlipped"] { #expect(value(key) as? Bool == false, "\(key)") }
    for key in [
      "transform", "wantsDynamicContentScaling", "cornerRadius", "zPosition", "beginTime",
      "bounds", "position", "frame", "shadowOpacity", "timeOffset", "isHidden", "autoresizingMask",
      "nothing",
    ] {
      #expect(value(key) == nil, "\(key)")
    }
    #expect(CAShapeLayer.defaultValue(forKey: "lineWidth") as? Double == 1)
    #expect(CALayer.defaultValue(forKey: "lineWidth") == nil)
  }

  // Measured on Apple's QuartzCore by others.
  @Test("What was set is to be archived, and a few things always")
  func archiving() {
    let layer = CALayer()
    for key in ["opacity", "position", "frame", "superlayer", "sublayers", "mood"] {
      #expect(!layer.shouldArchiveValue(forKey: key), "\(key)")
    }
    for key in ["allowsEdgeAntialiasing", "allowsGroupOpacity", "cornerCurve", "contentsFormat"] {
      #expect(layer.shouldArchiveValue(forKey: key), "\(key)")
    }
    layer.opacity = 0.5
    layer.frame = CGRect(x: 1, y: 2, width: 3, height: 4)
    layer.setValue("calm", forKey: "mood")
    CALayer().addSublayer(layer)
    for key in ["opacity", "position", "bounds", "mood"] {
      #expect(layer.shouldArchiveValue(forKey: key), "\(key)")
    }
    for key in ["frame", "superlayer"] { #expect(!layer.shouldArchiveValue(forKey: key)) }
  }

  @Test("A class gives its layers other defaults, for inherited keys and keys of its own")
  func classes() {
    let layer = ClippingLayer()
    #expect(layer.masksToBounds && layer.opacity == 0.5)
    #expect(layer.value(forKey: "mood") as? String == "calm")
    #expect(!layer.shouldArchiveValue(forKey: "opacity"))
    layer.opacity = 1
    #expect(layer.shouldArchiveValue(forKey: "opacity"))
    #expect(!CALayer().masksToBounds)
  }

  @Test("A style gives values to what was not set, and those of an inner style come after")
  func styles() {
    let layer = CALayer()
    layer.cornerRadius = 5
    layer.style = [
      "opacity": 0.25, "cornerRadius": 9, "mood": "calm",
      "style": ["opacity": 0.75, "borderWidth": 2, "style": ["zPosition": 4] as [AnyHashable: Any]]
        as [AnyHashable: Any],
    ]
    #expect(layer.opacity == 0.25 && layer.cornerRadius == 5 && layer.borderWidth == 2)
    #expect(layer.zPosition == 4)
    #expect(layer.value(forKey: "mood") as? String == "calm")
    #expect(!layer.shouldArchiveValue(forKey: "opacity"))
    layer.opacity = 0.5
    layer.style = ["borderWidth": 3]
    #expect(layer.opacity == 0.5 && layer.borderWidth == 3 && layer.zPosition == 0)
    layer.style = nil
    #expect(layer.opacity == 0.5 && layer.borderWidth == 0)
    #expect(layer.value(forKey: "mood") == nil && layer.style == nil)
  }

  @Test("A style has no say over the defaults of a class but where it speaks")
  func stylesAndClasses() {
    let layer = ClippingLayer()
    layer.style = ["opacity": 0.125]
    #expect(layer.opacity == 0.125 && layer.masksToBounds)
    layer.style = nil
    #expect(layer.opacity == 0.5)
  }

  // The unset values were measured on Apple's QuartzCore by others.
  @Test("A property under a key is zero, null or the identity until it is set")
  func unsetProperties() {
    let knob = KnobLayer()
    #expect(knob.angle == 0 && knob.turns == 0 && !knob.isOn && knob.origin == .zero)
    #expect(knob.extent == .zero && knob.window == .null && knob.label == nil)
    #expect(CATransform3DIsIdentity(knob.turn))
    #expect(knob.tint == .black)
    #expect(knob.value(forKey: "angle") == nil)
  }

  @Test("A property under a key and key-value coding see the same value")
  func keyedProperties() {
    let knob = KnobLayer()
    knob.angle = 1.5
    #expect(knob.value(forKey: "angle") as? CGFloat == 1.5)
    knob.setValue(2 as Int, forKey: "angle")
    #expect(knob.angle == 2)
    knob.setValue(NSNumber(value: 3.7), forKey: "turns")
    #expect(knob.turns == 3)
    knob.setValue(1, forKey: "isOn")
    #expect(knob.isOn)
    knob.setValue(NSValue(rect: CGRect(x: 1, y: 2, width: 3, height: 4)), forKey: "window")
    #expect(knob.window == CGRect(x: 1, y: 2, width: 3, height: 4))
    knob.window.origin.x = 9
    knob.setValue(8, forKeyPath: "window.size.width")
    #expect(knob.window == CGRect(x: 9, y: 2, width: 8, height: 4))
    knob.label = "north"
    #expect(knob.value(forKey: "label") as? String == "north")
    knob.label = nil
    #expect(knob.value(forKey: "label") == nil)
    knob.tint = .white
    #expect(knob.tint == .white)
    knob.setValue("not a number", forKey: "angle")
    #expect(knob.angle == 0)
  }

  @Test("A key that the drawing depends on has the layer drawn again when it is set")
  func displayedKeys() {
    let knob = KnobLayer()
    #expect(!knob.needsDisplay())
    knob.turns = 3
    #expect(!knob.needsDisplay())
    knob.angle = 1
    #expect(knob.needsDisplay())
    let other = KnobLayer()
    other.opacity = 0.5
    #expect(other.needsDisplay())
  }

  // Measured on Apple's QuartzCore by others.
  @Test("An equal value has nothing drawn again and asks for no action")
  func equalValues() {
    final class Asking: NSObject, CALayerDelegate {
      var asked: [String] = []
      func action(for layer: CALayer, forKey event: String) -> (any CAAction)? {
        asked.append(event)
        return NSNull()
      }
    }
    let (layer, delegate) = (KnobLayer(), Asking())
    layer.needsDisplayOnBoundsChange = true
    layer.bounds.size = CGSize(width: 4, height: 4)
    layer.setValue("calm", forKey: "mood")
    layer.setValue(CGPoint(x: 1, y: 2), forKey: "place")
    layer.angle = 2
    layer.opacity = 0.5
    layer.displayIfNeeded()
    layer.delegate = delegate
    layer.angle = 2
    layer.opacity = 0.5
    layer.bounds = CGRect(x: 0, y: 0, width: 4, height: 4)
    layer.setValue(0.5, forKey: "opacity")
    layer.setValue("calm", forKey: "mood")
    layer.setValue(CGPoint(x: 1, y: 2), forKey: "place")
    layer.setValue(nil, forKey: "unknown")
    #expect(!layer.needsDisplay() && delegate.asked == [])
    layer.angle = 3
    #expect(layer.needsDisplay() && layer.angle == 3)
    layer.setValue(nil, forKey: "mood")
    layer.setValue(nil, forKey: "mood")
    #expect(layer.value(forKey: "mood") == nil)
  }
}
