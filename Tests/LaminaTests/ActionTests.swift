import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaValues
import Testing

@testable import Lamina

private final class RecordingAction: NSObject, CAAction {
  var runs: [(event: String, value: Float?)] = []

  func run(forKey event: String, object anObject: Any, arguments dict: [AnyHashable: Any]?) {
    runs.append((event, (anObject as? CALayer)?.opacity))
  }
}

private final class Answering: NSObject, CALayerDelegate {
  var answer: (String) -> (any CAAction)? = { _ in nil }
  var asked: [String] = []

  func action(for layer: CALayer, forKey event: String) -> (any CAAction)? {
    asked.append(event)
    return answer(event)
  }
}

private final class ActingLayer: CALayer {
  override class func defaultAction(forKey event: String) -> (any CAAction)? {
    event == "cornerCurve" ? CABasicAnimation(keyPath: "opacity") : nil
  }
}

/// Answers for its actions, its style and its delegate itself.
private final class AnsweringLayer: CALayer {
  let action = RecordingAction()
  let observer = Answering()

  override var actions: [String: any CAAction]? {
    get { ["opacity": action] }
    set { super.actions = newValue }
  }

  override var style: [AnyHashable: Any]? {
    get { ["actions": ["hidden": action], "mood": "calm"] }
    set { super.style = newValue }
  }

  override var delegate: (any CALayerDelegate)? {
    get { observer }
    set { super.delegate = newValue }
  }
}

@Suite("Actions") struct ActionTests {
  private let trees = OwnTrees()

  /// A tree whose commits go nowhere.
  private func tree(_ root: CALayer, clock: MediaClock = .manual()) throws -> LayerTree {
    let tree = trees.add(
      LayerTree(
        context: LayerContext { commit, _ in commit.sequence }, session: SessionID(rawValue: 0),
        clock: clock))
    tree.root = root
    try tree.commit()
    return tree
  }

  @Test("A subclass may answer for actions, style and delegate")
  func overridden() {
    let layer = AnsweringLayer()
    layer.opacity = 0.5
    layer.isHidden = true
    layer.cornerRadius = 2
    #expect(layer.action.runs.map(\.event) == ["opacity", "hidden"])
    #expect(layer.observer.asked == ["opacity", "hidden", "cornerRadius"])
    #expect(layer.value(forKey: "mood") as? String == "calm")
  }

  /// source: sidestep conformance/tests/quartzcore.rs
  private static let animated = [
    "bounds", "position", "zPosition", "anchorPoint", "anchorPointZ", "transform",
    "sublayerTransform", "contents", "contentsRect", "contentsCenter", "contentsScale",
    "cornerRadius", "borderWidth", "borderColor", "opacity", "shadowColor", "shadowOpacity",
    "shadowOffset", "shadowRadius", "transform.scale",
  ]
  private static let fading = [
    "hidden", "geometryFlipped", "masksToBounds", "mask", "sublayers", "filters", "maskedCorners",
  ]
  private static let still = [
    "doubleSided", "contentsGravity", "frame", "name", "onOrderIn", "position.x", "cornerCurve",
    "speed", "custom", "shadowPath", "path",
  ]

  @Test("A committed layer animates these keys by itself", arguments: animated)
  func animates(key: String) throws {
    let layer = CALayer()
    #expect(layer.action(forKey: key) == nil, "before the first commit")
    let tree = try tree(layer)
    let animation = try #require(layer.action(forKey: key) as? CABasicAnimation)
    #expect(animation.keyPath == key && animation.duration == 0.25)
    #expect(animation.fillMode == .backwards && animation.isRemovedOnCompletion)
    #expect(animation.timingFunction == CAMediaTimingFunction(name: .default))
    #expect(animation.toValue == nil && animation.byValue == nil)
    #expect((animation.fromValue == nil) == (key == "contents"))
    withExtendedLifetime(tree) {}
  }

  @Test("A committed layer fades for these keys", arguments: fading)
  func fades(key: String) throws {
    let layer = CALayer()
    #expect(layer.action(forKey: key) == nil, "before the first commit")
    let tree = try tree(layer)
    let transition = try #require(layer.action(forKey: key) as? CATransition)
    #expect(transition.type == .fade && transition.duration == 0.25)
    withExtendedLifetime(tree) {}
  }

  @Test("A committed layer does nothing for these keys", arguments: still)
  func nothing(key: String) throws {
    let layer = CAShapeLayer()
    let tree = try tree(layer)
    #expect(layer.action(forKey: key) == nil)
    withExtendedLifetime(tree) {}
  }

  @Test("A background comes from a colour, not from nothing")
  func background() throws {
    let layer = CALayer()
    let tree = try tree(layer)
    #expect(layer.action(forKey: "backgroundColor") == nil)
    layer.backgroundColor = .black
    #expect(layer.animationKeys() == nil)
    layer.backgroundColor = .white
    #expect(layer.animationKeys() == ["backgroundColor"])
    withExtendedLifetime(tree) {}
  }

  @Test("A change of a committed layer is animated from what is on screen to the model")
  func implicit() throws {
    let layer = CALayer()
    layer.position = CGPoint(x: 10, y: 0)
    #expect(layer.animationKeys() == nil)
    let clock = MediaClock.manual(time: 4)
    let tree = try tree(layer, clock: clock)
    layer.position = CGPoint(x: 20, y: 0)
    layer.position = CGPoint(x: 30, y: 0)
    #expect(layer.animationKeys() == ["position"])
    try tree.commit()
    #expect(layer.presentation()?.position.x == 10)
    clock.time = 4.125
    let middle = try #require(layer.presentation()?.position.x)
    // Halfway, the default curve has reached 0.8024.
    #expect(abs(middle - (10 + 20 * 0.80240)) < 0.01)
    // A second change starts from where the layer is.
    layer.position = .zero
    try tree.commit()
    #expect(layer.presentation()?.position.x == middle)
    clock.time = 4.4
    #expect(layer.presentation()?.position.x == 0)
    #expect(layer.animationKeys() == nil)
  }

  @Test("An equal value starts nothing and asks nobody")
  func equal() throws {
    let layer = CALayer()
    let delegate = Answering()
    layer.delegate = delegate
    let tree = try tree(layer)
    layer.opacity = 1
    layer.bounds = .zero
    layer.isHidden = false
    layer.setValue(1, forKey: "opacity")
    #expect(delegate.asked == [] && layer.animationKeys() == nil)
    #expect(!tree.hasChanges)
  }

  @Test("Duration and pace are the transaction's, and it can disable actions altogether")
  func transaction() throws {
    let layer = CALayer()
    let tree = try tree(layer)
    CATransaction.begin()
    CATransaction.setAnimationDuration(2)
    CATransaction.setAnimationTimingFunction(CAMediaTimingFunction(name: .easeIn))
    layer.opacity = 0.5
    CATransaction.begin()
    CATransaction.setDisableActions(true)
    #expect(layer.action(forKey: "zPosition") is CABasicAnimation)
    layer.zPosition = 3
    CATransaction.commit()
    layer.cornerRadius = 3
    CATransaction.setAnimationDuration(0)
    layer.borderWidth = 2
    CATransaction.commit()
    #expect(layer.animationKeys() == ["opacity", "cornerRadius"])
    let animation = try #require(layer.animation(forKey: "opacity"))
    #expect(animation.duration == 2)
    #expect(animation.timingFunction == CAMediaTimingFunction(name: .easeIn))
    withExtendedLifetime(tree) {}
  }

  @Test("The delegate comes first, then actions, the style, the class; the first answer counts")
  func search() {
    let layer = ActingLayer()
    #expect(layer.action(forKey: "cornerCurve") is CABasicAnimation)
    #expect(CALayer.defaultAction(forKey: "position") == nil)
    let (styled, own, delegated) = (CAAnimationGroup(), CASpringAnimation(), CATransition())
    layer.style = ["style": ["actions": ["cornerCurve": styled, "deep": styled]]]
    #expect(layer.action(forKey: "cornerCurve") === styled)
    #expect(layer.action(forKey: "deep") === styled)
    layer.actions = ["cornerCurve": own, "deep": NSNull()]
    #expect(layer.action(forKey: "cornerCurve") === own)
    #expect(layer.action(forKey: "deep") == nil, "NSNull ends the search")
    let delegate = Answering()
    layer.delegate = delegate
    #expect(layer.action(forKey: "cornerCurve") === own, "nil goes on")
    delegate.answer = { $0 == "cornerCurve" ? delegated : NSNull() }
    #expect(layer.action(forKey: "cornerCurve") === delegated)
    #expect(layer.action(forKey: "deep") == nil)
  }

  @Test("An action runs after the change, in no tree as well, and replaces the default one")
  func customAction() throws {
    let layer = CALayer()
    let action = RecordingAction()
    layer.actions = ["opacity": action, "tag": action]
    layer.opacity = 0.5
    let tree = try tree(layer)
    layer.opacity = 0.25
    layer.setValue(0.75, forKeyPath: "opacity")
    layer.setValue("x", forKey: "tag")
    #expect(action.runs.map(\.event) == ["opacity", "opacity", "opacity", "tag"])
    #expect(action.runs.map(\.value) == [0.5, 0.25, 0.75, 0.75])
    #expect(layer.animationKeys() == nil)
    layer.actions = ["opacity": NSNull()]
    layer.opacity = 1
    #expect(layer.animationKeys() == nil)
    withExtendedLifetime(tree) {}
  }

  @Test("Key-value coding animates as the setters do")
  func keyValueCoding() throws {
    let layer = CALayer()
    let tree = try tree(layer)
    layer.setValue(0.5, forKey: "opacity")
    layer.setValue(7, forKeyPath: "position.x")
    layer.setValue(2, forKeyPath: "transform.scale")
    layer.setValue(CGRect(x: 0, y: 0, width: 5, height: 5), forKey: "bounds")
    #expect(layer.animationKeys() == ["opacity", "position", "transform", "bounds"])
    withExtendedLifetime(tree) {}
  }

  @Test("Layers hear when they come to the screen and leave it")
  func orderEvents() throws {
    let (root, layer, other) = (CALayer(), CALayer(), CALayer())
    let delegates = [layer, other].map { layer in
      let delegate = Answering()
      layer.delegate = delegate
      return delegate
    }
    layer.addSublayer(other)
    layer.isHidden = true
    layer.isHidden = false
    #expect(delegates[0].asked == ["sublayers", "hidden", "hidden"], "in no tree")
    let tree = try tree(root)
    delegates[0].asked = []
    delegates[1].asked = []
    root.addSublayer(layer)
    #expect(delegates[0].asked == ["onOrderIn"] && delegates[1].asked == [])
    #expect(root.animationKeys() == ["transition"])
    try tree.commit()
    layer.isHidden = true
    layer.isHidden = false
    layer.removeFromSuperlayer()
    #expect(
      delegates[0].asked
        == ["onOrderIn", "onLayout", "hidden", "onOrderOut", "hidden", "onOrderIn", "onOrderOut"])
  }

  /// Logs the actions that its layers are asked for, each with the layer's name.
  private final class Log: NSObject, CALayerDelegate {
    var asked: [String] = []

    func action(for layer: CALayer, forKey event: String) -> (any CAAction)? {
      asked.append("\(layer.name ?? "") \(event)")
      return nil
    }

    func layers(_ names: String...) -> [CALayer] {
      names.map { name in
        let layer = CALayer()
        layer.name = name
        layer.delegate = self
        return layer
      }
    }
  }

  // The orders in the next four tests were checked on macOS.

  @Test("A sublayer that comes to another place among its siblings neither leaves nor comes")
  func reordering() throws {
    let log = Log()
    let layers = log.layers("root", "a", "b")
    let root = layers[0]
    root.sublayers = [layers[1], layers[2]]
    let tree = try tree(root)
    log.asked = []
    root.addSublayer(layers[1])
    #expect(root.sublayers == [layers[2], layers[1]])
    root.insertSublayer(layers[1], below: layers[2])
    root.insertSublayer(layers[1], at: 1)
    #expect(log.asked == ["root sublayers", "root sublayers", "root sublayers"])
    #expect(root.sublayers == [layers[2], layers[1]])
    withExtendedLifetime(tree) {}
  }

  @Test("Replacing a sublayer asks for one action on the sublayers, then the old one, then the new")
  func replacing() throws {
    let log = Log()
    let layers = log.layers("root", "old", "new", "other")
    let root = layers[0]
    root.sublayers = [layers[1], layers[3]]
    let tree = try tree(root)
    log.asked = []
    root.replaceSublayer(layers[1], with: layers[2])
    #expect(log.asked == ["root sublayers", "old onOrderOut", "new onOrderIn"])
    #expect(root.sublayers == [layers[2], layers[3]] && layers[1].superlayer == nil)
    log.asked = []
    root.replaceSublayer(layers[3], with: layers[2])
    #expect(log.asked == ["root sublayers", "other onOrderOut"], "by one that is there")
    #expect(root.sublayers == [layers[2]])
    withExtendedLifetime(tree) {}
  }

  @Test("A mask comes to the screen and leaves it as a sublayer does")
  func maskEvents() throws {
    let log = Log()
    let layers = log.layers("root", "first", "second")
    let root = layers[0]
    let tree = try tree(root)
    log.asked = []
    root.mask = layers[1]
    #expect(log.asked == ["root mask", "first onOrderIn"])
    try tree.commit()
    log.asked = []
    root.mask = layers[2]
    #expect(log.asked == ["root mask", "first onOrderOut", "second onOrderIn"])
    try tree.commit()
    log.asked = []
    root.mask = nil
    #expect(log.asked == ["root mask", "second onOrderOut"])
  }

  @Test("Layout at a commit asks for the action of onLayout, and runs it afterwards")
  func layoutEvent() throws {
    let log = Log()
    let root = log.layers("root")[0]
    let tree = try tree(root)
    log.asked = []
    root.setNeedsLayout()
    try tree.commit()
    #expect(log.asked == ["root onLayout"])
    let action = RecordingAction()
    root.delegate = nil
    root.actions = ["onLayout": action]
    root.setNeedsLayout()
    #expect(action.runs.isEmpty)
    try tree.commit()
    #expect(action.runs.map(\.event) == ["onLayout"])
  }

  @Test("A new frame animates the position, then the bounds")
  func frameAnimations() throws {
    let layer = CALayer()
    let tree = try tree(layer)
    layer.frame = CGRect(x: 10, y: 10, width: 30, height: 20)
    #expect(layer.animationKeys() == ["position", "bounds"])
    withExtendedLifetime(tree) {}
  }

  @Test("Presentation copies have no actions")
  func copies() throws {
    let layer = CALayer()
    let delegate = Answering()
    layer.delegate = delegate
    let tree = try tree(layer)
    let copy = try #require(layer.presentation())
    copy.opacity = 0.5
    copy.add(CABasicAnimation(keyPath: "opacity"), forKey: "x")
    #expect(delegate.asked == [] && copy.animationKeys() == nil)
    withExtendedLifetime(tree) {}
  }
}
