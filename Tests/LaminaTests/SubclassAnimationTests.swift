import Foundation
import LaminaInProcess
import LaminaValues
import TestSupport
import Testing

@testable import Lamina

private class ToyLayer: CALayer {
  @LayerProperty("level") var level: CGFloat
  @LayerProperty("steps") var steps: Int
  @LayerProperty("origin") var origin: CGPoint
  @LayerProperty("extent") var extent: CGSize
  @LayerProperty("window") var window: CGRect
  @LayerProperty("turn") var turn: CATransform3D
  @LayerProperty("tint") var tint: CGColor = .black
}

@Suite("Animations of what subclasses declare") struct SubclassAnimationTests {
  @Test("Keys of subclasses, and members of what is under them")
  func subclassKeys() throws {
    let toy = ToyLayer()
    toy.origin = CGPoint(x: 10, y: 20)
    toy.window = CGRect(x: 0, y: 0, width: 10, height: 10)
    for animation in [
      CABasicAnimation("level", from: 0, to: 8), CABasicAnimation("steps", from: 0, to: 8),
      CABasicAnimation("origin.x", to: 14),
      CABasicAnimation("extent", to: CGSize(width: 4, height: 8)),
      CABasicAnimation("window.size.width", by: 8),
      CABasicAnimation("turn.rotation.z", from: 0, to: 1),
      CABasicAnimation("tint", to: CGColor(red: 1, green: 1, blue: 1, alpha: 1)),
      CABasicAnimation("marks", from: [0, 4], to: [4, 0]),
    ] {
      toy.add(animation, forKey: nil)
    }
    let shown = try Evaluation<ToyLayer>(toy).shown(at: 0.25)
    #expect(shown.level == 2 && shown.steps == 2)
    #expect(shown.origin == CGPoint(x: 11, y: 20))
    #expect(shown.extent == CGSize(width: 1, height: 2))
    #expect(shown.window == CGRect(x: 0, y: 0, width: 12, height: 10))
    #expect(isClose(shown.turn.m12, sin(0.25)))
    #expect(shown.tint == CGColor(red: 0.25, green: 0.25, blue: 0.25, alpha: 1))
    #expect(shown.value(forKey: "marks") as? [Double] == [1, 3])
    #expect(toy.level == 0 && toy.extent == .zero)
  }

  @Test("A key that is a property of another class is the subclass's own")
  func othersKeys() throws {
    let layer = PathLayer()
    layer.add(CABasicAnimation("velocity", from: 2, to: 6), forKey: nil)
    let shown = try Evaluation(layer).shown(at: 0.25)
    #expect(shown.velocity == 3 && layer.velocity == 0)
  }

  @Test("A member of a key that is drawn has the layer drawn")
  func drawnMembers() throws {
    let layer = PathLayer()
    layer.add(CABasicAnimation("start.x", from: 2, to: 6), forKey: nil)
    layer.add(CABasicAnimation("velocity", from: 2, to: 6), forKey: nil)
    #expect(layer.attachedAnimations.map(\.isDisplayed) == [true, false])
  }
}

private class PathLayer: CALayer {
  @LayerProperty("velocity") var velocity: Double
  @LayerProperty("start") var start: CGPoint

  override class func needsDisplay(forKey key: String) -> Bool {
    key == "start" || super.needsDisplay(forKey: key)
  }
}
