import Lamina
import Testing

private class KnobLayer: CALayer {
  @LayerProperty("angle") var angle: CGFloat
  @LayerProperty("place") var place: CGPoint

  override class func needsDisplay(forKey key: String) -> Bool {
    key == "level" || super.needsDisplay(forKey: key)
  }

  override class func defaultValue(forKey key: String) -> Any? {
    key == "glow" ? 0.5 : super.defaultValue(forKey: key)
  }
}

@Suite("Warnings of animations that do nothing") struct AnimationWarningTests {
  @Test("A key path that leads nowhere is named once for each class")
  func keyPaths() {
    let said = warnings {
      for layer in [CALayer(), CAShapeLayer(), CALayer()] {
        layer.add(CABasicAnimation("opactiy", to: 0), forKey: nil)
      }
      let layer = CALayer()
      for path in ["position.z", "transform.rotaton", "frame", "strokeEnd", "opacity.x"] {
        layer.add(CAKeyframeAnimation(path, [0, 1]), forKey: nil)
      }
    }
    func line(_ path: String, _ type: String = "CALayer") -> String {
      "lamina: warning: an animation of \(path) does nothing: a \(type) has no such property to animate"
    }
    #expect(
      said == [
        line("opactiy"), line("opactiy", "CAShapeLayer"), line("position.z"),
        line("transform.rotaton"), line("frame"), line("strokeEnd"), line("opacity.x"),
      ])
  }

  @Test("A value that the property cannot have is named once, in groups as well")
  func values() {
    let path = CAKeyframeAnimation(keyPath: "opacity")
    path.path = CGPath(rect: CGRect(x: 0, y: 0, width: 1, height: 1), transform: nil)
    path.duration = 1
    let turn = CABasicAnimation("transform", from: CATransform3DIdentity)
    turn.valueFunction = CAValueFunction(name: .rotateZ)
    let group = CAAnimationGroup()
    group.animations = [CABasicAnimation("bounds", to: CGSize(width: 1, height: 1))]
    let said = warnings {
      let layer = CALayer()
      let wrong = [
        CABasicAnimation("cornerRadius", from: "4", to: "8"),
        CAKeyframeAnimation("position", [CGPoint.zero, 3]),
        CABasicAnimation("position.x", by: true),
        CABasicAnimation("position.x", by: CGPoint.zero), path, turn, group,
        CABasicAnimation("backgroundColor", to: [1, 0, 0]),
        CABasicAnimation("borderWidth", to: CALayer()),
      ]
      for animation in wrong + wrong { layer.add(animation, forKey: nil) }
    }
    func line(_ path: String, _ value: String) -> String {
      "lamina: warning: an animation of \(path) of a CALayer cannot take \(value)"
    }
    #expect(
      said == [
        line("cornerRadius", "the string \"4\""), line("position", "the number 3.0"),
        line("position.x", "the point (0.0, 0.0)"), line("opacity", "the point (0.0, 0.0)"),
        line("transform", "a transform"), line("bounds", "the size 1.0 × 1.0"),
        line("backgroundColor", "an array of 3"),
        "lamina: warning: an animation of borderWidth cannot take a value of type CALayer",
      ])
  }

  @Test("What is right is passed over: numbers of all types, members, value functions, filters")
  func silence() {
    let said = warnings {
      let layer = CAShapeLayer()
      for number in [1, Float(1), CGFloat(1), true, NSNumber(value: 1), Int8(1)] as [Any] {
        for path in ["opacity", "hidden", "strokeEnd", "position.x", "bounds.size.width"] {
          layer.add(CABasicAnimation(path, from: number, to: nil), forKey: nil)
        }
      }
      let turn = CABasicAnimation("transform", from: 0, to: 6)
      turn.valueFunction = CAValueFunction(name: .rotateZ)
      let grow = CABasicAnimation("transform", to: [1, 2, 3])
      grow.valueFunction = CAValueFunction(name: .scale)
      let way = CAKeyframeAnimation(keyPath: "position")
      way.path = CGPath(rect: CGRect(x: 0, y: 0, width: 1, height: 1), transform: nil)
      way.duration = 1
      let group = CAAnimationGroup()
      group.animations = [turn, way, CABasicAnimation("fillColor", to: CGColor.black)]
      for animation in [
        turn, grow, way, group, CATransition(), CABasicAnimation("path", to: way.path),
        CABasicAnimation("transform.scale.xy", to: 2),
        CABasicAnimation("transform.translation", to: CGPoint(x: 1, y: 1)),
        CABasicAnimation("shadowOffset", to: NSValue(cgSize: .zero)),
        CABasicAnimation("transform", to: CGAffineTransform.identity),
        CABasicAnimation("filters.blur.inputRadius", to: 2),
        CABasicAnimation("contents", to: nil), CABasicAnimation("shadowPath", to: way.path),
        CABasicAnimation("contentsGravity", to: CALayerContentsGravity.center),
      ] {
        layer.add(animation, forKey: nil)
      }
    }
    #expect(said == [])
  }

  @Test("What a program's class declares or stores is its own affair")
  func programClasses() {
    let said = warnings {
      let knob = KnobLayer()
      knob.setValue("x", forKey: "stored")
      let plain = CALayer()
      plain.setValue(3, forKey: "stored")
      plain.style = ["styled": 2]
      for path in ["angle", "place", "place.x", "level", "glow", "stored"] {
        knob.add(CABasicAnimation(path, from: 0, to: 1), forKey: nil)
      }
      for path in ["stored", "styled"] {
        plain.add(CABasicAnimation(path, from: 0, to: 1), forKey: nil)
      }
      knob.add(CABasicAnimation("anlge", from: 0, to: 1), forKey: nil)
    }
    #expect(said.count == 1 && said.first?.contains("anlge does nothing: a KnobLayer") == true)
  }
}
