import Lamina
import Testing

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

  @Test("nil gives the default, and colours may be nil")
  func nils() {
    let layer = CALayer()
    layer.opacity = 0.5
    layer.setValue(nil, forKey: "opacity")
    #expect(layer.opacity == 1)
    layer.setValue(NSNull(), forKey: "borderColor")
    #expect(layer.borderColor == nil)
    layer.setValue(CGColor.white, forKey: "borderColor")
    #expect(layer.value(forKey: "borderColor") as? CGColor == .white)
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
    #expect(shape.fillColor == .black)
    #expect(shape.strokeEnd == 1)
    #expect(shape.miterLimit == 10)
  }
}
