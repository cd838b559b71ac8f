import Lamina
import LaminaCommit
import Testing

/// Notes the undefined keys that it is asked for, and has a value for one of them.
private final class KeyedLayer: CALayer {
  @LayerProperty("level") var level: CGFloat
  var asked: [String] = []

  override func value(forUndefinedKey key: String) -> Any? {
    guard key != "level" else { return super.value(forUndefinedKey: key) }
    asked.append(key)
    return key == "secret" ? "a secret" : super.value(forUndefinedKey: key)
  }

  override func setValue(_ value: Any?, forUndefinedKey key: String) {
    if key != "level" { asked.append("set \(key)") }
    super.setValue(value, forUndefinedKey: key)
  }
}

private final class KeyedAnimation: CAAnimation {
  var asked: [String] = []

  override func value(forUndefinedKey key: String) -> Any? {
    asked.append(key)
    return "a \(key)"
  }

  override func setValue(_ value: Any?, forUndefinedKey key: String) { asked.append("set \(key)") }
}

@Suite("Key-value coding") struct KeyValueTests {
  @Test(
    "Numbers of every type set a number",
    arguments: [
      0.5 as Double, 0.5 as Float, 0.5 as CGFloat, NSNumber(value: 0.5),
      Optional(0.5) as any Sendable,
    ] as [any Sendable])
  func numbers(_ value: any Sendable) {
    let layer = CALayer()
    layer.setValue(value, forKey: "opacity")
    #expect(layer.opacity == 0.5)
    #expect(layer.value(forKey: "opacity") as? Double == 0.5)
    #expect((layer.value(forKey: "opacity") as? NSNumber)?.floatValue == 0.5)
  }

  @Test(
    "Whole numbers and flags set a flag",
    arguments: [1 as Int, UInt8(1), true, NSNumber(value: true)]
      as [any Sendable])
  func flags(_ value: any Sendable) {
    let layer = CALayer()
    layer.setValue(value, forKey: "hidden")
    #expect(layer.isHidden)
    #expect(layer.value(forKey: "hidden") as? Bool == true)
  }

  @Test("Structures go in bare and boxed")
  func structures() {
    let layer = CALayer()
    let point = CGPoint(x: 1, y: 2)
    layer.setValue(point, forKey: "position")
    #expect(layer.value(forKey: "position") as? CGPoint == point)
    layer.setValue(NSValue(cgPoint: CGPoint(x: 3, y: 4)), forKey: "position")
    #expect(layer.position == CGPoint(x: 3, y: 4))
    layer.setValue(NSValue(rect: CGRect(x: 1, y: 2, width: -3, height: 4)), forKey: "bounds")
    #expect(layer.bounds == CGRect(x: -2, y: 2, width: 3, height: 4))
    let turned = CATransform3DMakeRotation(1, 1, 2, 3)
    layer.setValue(NSValue(caTransform3D: turned), forKey: "transform")
    #expect(CATransform3DEqualToTransform(layer.transform, turned))
    layer.setValue(CGAffineTransform(translationX: 5, y: 6), forKey: "transform")
    #expect(layer.transform.m41 == 5)
    #expect(NSValue(point: point).caTransform3DValue.m11 == 1)
  }

  @Test("Paths reach into structures, sublayers and masks")
  func paths() {
    let layer = CALayer()
    layer.setValue(7, forKeyPath: "position.x")
    layer.setValue(CGSize(width: 8, height: 9), forKeyPath: "bounds.size")
    layer.setValue(3, forKeyPath: "bounds.origin.y")
    #expect(layer.position == CGPoint(x: 7, y: 0))
    #expect(layer.bounds == CGRect(x: 0, y: 3, width: 8, height: 9))
    #expect(layer.value(forKeyPath: "bounds.size.height") as? Double == 9)
    layer.setValue(2, forKeyPath: "transform.scale")
    #expect(layer.value(forKeyPath: "transform.scale.xy") as? Double == 2)
    #expect(layer.value(forKeyPath: "transform.translation") as? CGSize == .zero)

    let (sublayer, mask) = (CALayer(), CALayer())
    sublayer.name = "needle"
    layer.addSublayer(sublayer)
    layer.mask = mask
    layer.setValue(0.25, forKeyPath: "sublayers.needle.opacity")
    layer.setValue(4, forKeyPath: "mask.position.y")
    #expect(sublayer.opacity == 0.25)
    #expect(mask.position.y == 4)
    #expect(layer.value(forKeyPath: "sublayers.needle.position.x") as? Double == 0)
    #expect(layer.value(forKeyPath: "sublayers.nobody.opacity") == nil)
  }

  @Test("What no class declares is stored under its key")
  func undefinedKeys() {
    let layer = CALayer()
    #expect(layer.value(forKey: "mood") == nil)
    layer.setValue("calm", forKey: "mood")
    #expect(layer.value(forKey: "mood") as? String == "calm")
    // The key of another layer class's property is undefined in this class.
    layer.setValue(3, forKey: "lineWidth")
    #expect(layer.value(forKey: "lineWidth") as? Int == 3)
    let shape = CAShapeLayer()
    shape.setValue(3, forKey: "lineWidth")
    #expect(shape.lineWidth == 3)
    layer.setValue(CGPoint(x: 1, y: 2), forKey: "goal")
    layer.setValue(5, forKeyPath: "goal.y")
    #expect(layer.value(forKey: "goal") as? CGPoint == CGPoint(x: 1, y: 5))
  }

  // Checked on macOS, as far as numbers go; source: sidestep conformance/tests/quartzcore.rs.
  @Test("nil gives 0 to numbers and flags and the default to other values, and colours may be nil")
  func nils() {
    let layer = CALayer()
    layer.setValue(nil, forKey: "opacity")
    layer.setValue(nil, forKey: "doubleSided")
    layer.setValue(nil, forKey: "maskedCorners")
    #expect(layer.opacity == 0 && !layer.isDoubleSided && layer.maskedCorners == [])
    layer.position = CGPoint(x: 3, y: 4)
    layer.setValue(nil, forKeyPath: "position.x")
    #expect(layer.position == CGPoint(x: 0, y: 4))
    layer.anchorPoint = .zero
    layer.contentsGravity = .center
    layer.setValue(nil, forKey: "anchorPoint")
    layer.setValue(nil, forKey: "contentsGravity")
    #expect(layer.anchorPoint == CGPoint(x: 0.5, y: 0.5) && layer.contentsGravity == .resize)
    let animation = CASpringAnimation(keyPath: "position")
    animation.fillMode = .both
    for key in ["speed", "removedOnCompletion", "fillMode"] {
      animation.setValue(nil, forKey: key)
    }
    #expect(animation.speed == 0 && !animation.isRemovedOnCompletion)
    #expect(animation.fillMode == .removed)
    animation.setValue(nil, forKey: "mass")
    #expect(animation.mass == 1)
    layer.setValue(NSNull(), forKey: "borderColor")
    #expect(layer.borderColor == nil)
    layer.setValue(CGColor.white, forKey: "borderColor")
    #expect(layer.value(forKey: "borderColor") as? CGColor == .white)
  }

  // Checked on macOS for whole properties; source: sidestep conformance/tests/quartzcore.rs.
  @Test("A string that is a number sets a number")
  func numericStrings() {
    let layer = KeyedLayer()
    layer.setValue("0.5", forKey: "opacity")
    layer.setValue("1", forKey: "hidden")
    layer.setValue(" 7 ", forKey: "edgeAntialiasingMask")
    layer.setValue("-4", forKeyPath: "position.y")
    layer.setValue("2.5", forKey: "level")
    #expect(layer.opacity == 0.5 && layer.isHidden && layer.edgeAntialiasingMask.rawValue == 7)
    #expect(layer.position == CGPoint(x: 0, y: -4) && layer.level == 2.5)
    let animation = CABasicAnimation()
    animation.setValue("3", forKey: "duration")
    animation.setValue("1", forKey: "additive")
    #expect(animation.duration == 3 && animation.isAdditive)
    for text in ["", "2 m", "nan", "inf", "much"] {
      layer.setValue(text, forKey: "opacity")
      animation.setValue(text, forKey: "duration")
    }
    #expect(layer.opacity == 0.5 && animation.duration == 3)
  }

  @Test("Keys that are no properties go through the methods for undefined keys")
  func undefinedKeyMethods() {
    let layer = KeyedLayer()
    layer.setValue(3, forKey: "secret")
    layer.setValue(4, forKey: "mood")
    layer.setValue(0.5, forKey: "opacity")
    layer.setValue(NSNull(), forKey: "gone")
    #expect(layer.value(forKey: "secret") as? String == "a secret")
    #expect(layer.value(forKey: "mood") as? Int == 4)
    #expect(layer.value(forKey: "opacity") as? Double == 0.5)
    #expect(layer.asked == ["set secret", "set mood", "set gone", "secret", "mood"])
    let animation = KeyedAnimation()
    animation.setValue(3, forKey: "secret")
    animation.setValue(4, forKey: "duration")
    #expect(animation.value(forKey: "secret") as? String == "a secret")
    #expect(animation.duration == 4)
    #expect(animation.asked == ["set secret", "secret"])
  }

  // Checked on macOS; source: libs-quartzcore Tests/quartzcore/CAGradientLayer/gradient.m.
  @Test("A gradient's type and a text's alignment are kept whatever their names")
  func keptNames() throws {
    let gradient = CAGradientLayer()
    let text = CATextLayer()
    gradient.type = CAGradientLayerType(rawValue: "spiral")
    text.setValue("slanted", forKey: "alignmentMode")
    #expect(gradient.type.rawValue == "spiral" && text.alignmentMode.rawValue == "slanted")
    #expect(gradient.value(forKey: "type") as? String == "spiral")
    #expect(gradient.modelValues.gradient.type == .axial)
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: gradient, requiringSecureCoding: true)
    let restored = try NSKeyedUnarchiver.unarchivedObject(ofClass: CAGradientLayer.self, from: data)
    #expect(restored?.type.rawValue == "spiral")
    gradient.type = .radial
    text.alignmentMode = .center
    #expect(gradient.type == .radial && text.value(forKey: "alignmentMode") as? String == "center")
    gradient.setValue("axial", forKey: "type")
    #expect(gradient.type == .axial)
  }

  // Checked on macOS by others.
  @Test("A compositing filter may be any object, though only filters have an effect")
  func keptCompositingFilter() {
    let layer = CALayer()
    let object = NSObject()
    layer.compositingFilter = "screenBlendMode"
    layer.compositingFilter = object
    #expect(layer.compositingFilter as? NSObject === object)
    #expect(layer.value(forKey: "compositingFilter") as? NSObject === object)
    #expect(layer.modelValues.effects.compositingFilter == nil)
    layer.setValue("multiplyBlendMode", forKey: "compositingFilter")
    #expect(layer.compositingFilter as? String == "multiplyBlendMode")
    layer.setValue(object, forKey: "compositingFilter")
    layer.compositingFilter = nil
    #expect(layer.compositingFilter == nil)
  }

  @Test("A value of a wrong type changes nothing")
  func wrongTypes() {
    let layer = CALayer()
    layer.setValue("much", forKey: "opacity")
    layer.setValue(Calendar.current, forKey: "position")
    layer.setValue(1, forKeyPath: "position.z")
    #expect(layer.opacity == 1)
    #expect(layer.position == .zero)
  }

  @Test("A shape takes a copy of its path, and refuses negative dashes")
  func shapes() {
    let shape = CAShapeLayer()
    let path = CGMutablePath()
    path.move(to: .zero)
    path.addLine(to: CGPoint(x: 1, y: 1))
    shape.path = path
    path.addLine(to: CGPoint(x: 9, y: 9))
    #expect(shape.path?.currentPoint == CGPoint(x: 1, y: 1))
    #expect(shape.value(forKey: "path") is CGPath)
    shape.lineDashPattern = [2, 1]
    shape.lineDashPattern = [-1]
    #expect(shape.lineDashPattern == [2, 1])
    // Four components, as on macOS.
    #expect(shape.fillColor?.components == [0, 0, 0, 1])
    #expect(shape.borderColor?.components == [0, 0, 0, 1])
    #expect(shape.shadowColor?.components == [0, 0, 0, 1])
    #expect(shape.strokeEnd == 1)
    #expect(shape.miterLimit == 10)
  }
}
