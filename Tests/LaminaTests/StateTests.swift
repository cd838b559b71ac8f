import Foundation
import LaminaInProcess
import Testing

@testable import Lamina

/// A square whose root layer has the states "left" (x = 20) and "right" (x = 80, half as opaque).
private final class Stage {
  let root = CALayer()
  let square = CALayer()
  let controller: CAStateController
  let renderer: CARenderer

  init(_ transitions: [CAStateTransition] = []) throws {
    let square = square
    root.frame = CGRect(x: 0, y: 0, width: 100, height: 20)
    square.frame = CGRect(x: 40, y: 0, width: 20, height: 20)
    root.addSublayer(square)
    let left = CAState(name: "left")
    left.addElement(CAStateSetValue(target: square, keyPath: "position.x", value: 20))
    let right = CAState(name: "right")
    right.addElement(CAStateSetValue(target: square, keyPath: "position.x", value: 80))
    right.addElement(CAStateSetValue(target: square, keyPath: "opacity", value: 0.5))
    root.states = [left, right]
    root.stateTransitions = transitions
    controller = CAStateController(layer: root)
    renderer = try CARenderer(
      size: CGSize(width: 100, height: 20), server: .inProcess.on(.surfaceless))
    renderer.layer = root
  }

  func set(_ name: String?, speed: Float = 1) {
    controller.setState(
      name.flatMap { root.state(withName: $0) }, ofLayer: root, transitionSpeed: speed)
  }

  /// The square's presentation on screen at a time.
  func shown(at time: Double) throws -> CALayer {
    _ = try renderer.image(at: time)
    return try #require(square.presentation())
  }

  func transition(
    from: String = "*", to: String = "*", key: String = "position.x",
    _ animation: CAAnimation = linear()
  ) -> CAStateTransition {
    let transition = CAStateTransition(fromState: from, toState: to)
    transition.elements = [CAStateTransitionElement(target: square, key: key, animation: animation)]
    return transition
  }

  static func linear(duration: Double = 1) -> CABasicAnimation {
    let animation = CABasicAnimation()
    animation.duration = duration
    return animation
  }
}

@Suite("States of layers") struct StateTests {
  private func isNear(_ a: CGFloat, _ b: CGFloat) -> Bool { abs(a - b) < 1e-6 }

  @Test("The animations of a transition's group stay as they are")
  func groups() throws {
    let stage = try Stage()
    let (group, move) = (CAAnimationGroup(), Stage.linear())
    group.animations = [move]
    group.duration = 1
    stage.root.stateTransitions = [stage.transition(to: "right", group)]
    _ = try stage.shown(at: 1)
    stage.set("right")
    _ = try stage.shown(at: 1)
    #expect(isNear(try stage.shown(at: 1.25).position.x, 57.5))
    #expect(move.keyPath == nil && move.fromValue == nil)
  }

  @Test("What a transition has an animation for moves, everything else changes at once")
  func animated() throws {
    let stage = try Stage()
    stage.root.stateTransitions = [stage.transition(to: "right")]
    _ = try stage.shown(at: 1)
    stage.set("right")
    #expect(stage.square.position.x == 80)
    _ = try stage.shown(at: 1)
    let shown = try stage.shown(at: 1.25)
    #expect(isNear(shown.position.x, 57.5))
    #expect(shown.opacity == 0.5)
    #expect(stage.square.animationKeys() == ["position.x"])
    #expect(try stage.shown(at: 2.5).position.x == 80)
    #expect(stage.controller.state(ofLayer: stage.root)?.name == "right")
  }

  @Test("The next state begins at what is on screen, and no state is what was before the first")
  func interrupted() throws {
    let stage = try Stage()
    stage.root.stateTransitions = [stage.transition()]
    _ = try stage.shown(at: 0)
    stage.set("right")
    _ = try stage.shown(at: 0)
    _ = try stage.shown(at: 0.5)
    stage.set("left")
    #expect(stage.square.opacity == 1)
    _ = try stage.shown(at: 0.5)
    #expect(isNear(try stage.shown(at: 0.75).position.x, 65 + (20 - 65) * 0.25))
    stage.set(nil)
    _ = try stage.shown(at: 0.75)
    #expect(isNear(try stage.shown(at: 1.25).position.x, (53.75 + 50) / 2))
    #expect(stage.square.position == CGPoint(x: 50, y: 10))
    #expect(stage.controller.state(ofLayer: stage.root) == nil)
  }

  @Test(
    "A transition's speed multiplies its animations'", arguments: [Float(0.5), 1, 4])
  func speed(_ speed: Float) throws {
    let stage = try Stage()
    let animation = Stage.linear(duration: 2)
    animation.speed = 0.5
    stage.root.stateTransitions = [stage.transition(animation)]
    _ = try stage.shown(at: 0)
    stage.set("right", speed: speed)
    _ = try stage.shown(at: 0)
    #expect(isNear(try stage.shown(at: 0.8).position.x, 50 + 30 * 0.2 * CGFloat(speed)))
    #expect(animation.speed == 0.5)
    #expect(animation.fromValue == nil)
  }

  @Test("Without speed a state is set at once, and what its transitions animate ends")
  func atOnce() throws {
    let stage = try Stage()
    stage.root.stateTransitions = [stage.transition()]
    _ = try stage.shown(at: 0)
    stage.square.add(Stage.linear(), forKey: "other")
    stage.set("right")
    _ = try stage.shown(at: 0.25)
    stage.set("left", speed: 0)
    #expect(stage.square.animationKeys()?.contains("position.x") != true)
    #expect(try stage.shown(at: 0.25).position.x == 20)
    stage.set("right", speed: .nan)
    #expect(stage.square.animationKeys()?.contains("position.x") != true)
  }

  @Test("Springs and keyframes animate as what they are, also in groups")
  func kinds() throws {
    let spring = CASpringAnimation()
    (spring.mass, spring.stiffness, spring.damping) = (2, 300, 50)
    spring.duration = 0.8
    let keyframes = CAKeyframeAnimation(keyPath: "cornerRadius")
    keyframes.values = [0, 8, 0]
    let group = CAAnimationGroup()
    group.animations = [spring, keyframes]
    group.duration = 0.8
    let stage = try Stage()
    stage.root.stateTransitions = [stage.transition(to: "right", group)]
    _ = try stage.shown(at: 0)
    stage.set("right")
    _ = try stage.shown(at: 0)
    let shown = try stage.shown(at: 0.2)
    // An overdamped spring counts as critically damped.
    let frequency = 150.0.squareRoot()
    let progress = 1 - (1 + frequency * 0.2) * exp(-frequency * 0.2)
    #expect(isNear(shown.position.x, 50 + 30 * progress))
    #expect(isNear(shown.cornerRadius, 4))
  }

  @Test("A transition that names both states stands alone, else those to, from and any in order")
  func precedence() throws {
    let stage = try Stage()
    let (left, right) = (stage.root.state(withName: "left"), stage.root.state(withName: "right"))
    let exact = stage.transition(from: "left", to: "right")
    let (to, from, any) = (
      stage.transition(to: "right"), stage.transition(from: "left"), stage.transition()
    )
    func found(_ from: CAState?, _ to: CAState?) -> [ObjectIdentifier] {
      stage.root.stateTransitions(from: from, to: to).map(ObjectIdentifier.init)
    }
    stage.root.stateTransitions = [any, from, to, exact]
    #expect(found(left, right) == [ObjectIdentifier(exact)])
    #expect(found(right, left) == [ObjectIdentifier(any)])
    #expect(found(nil, right) == [to, any].map(ObjectIdentifier.init))
    #expect(found(left, nil) == [from, any].map(ObjectIdentifier.init))
    stage.root.stateTransitions = [any, from, to]
    #expect(found(left, right) == [to, from, any].map(ObjectIdentifier.init))
    stage.root.stateTransitions = nil
    #expect(found(left, right).isEmpty)
  }

  @Test("What only the state that is left has set goes back as its own transition says")
  func leaving() throws {
    let stage = try Stage()
    let leaving = stage.transition(from: "right", Stage.linear(duration: 10))
    leaving.elements += stage.transition(key: "opacity", Stage.linear(duration: 2)).elements
    stage.root.stateTransitions = [leaving, stage.transition(to: "left")]
    _ = try stage.shown(at: 0)
    stage.set("right")
    _ = try stage.shown(at: 0)
    stage.set("left")
    _ = try stage.shown(at: 0)
    let shown = try stage.shown(at: 0.5)
    #expect(isNear(shown.position.x, 50))
    #expect(shown.opacity == 0.625)
  }

  @Test("Layers with states of their own change apart, and give back what was before both")
  func apart() throws {
    let stage = try Stage()
    let wide = CAState(name: "wide")
    wide.addElement(CAStateSetValue(target: stage.square, keyPath: "position.x", value: 10))
    wide.addElement(CAStateSetValue(target: stage.square, keyPath: "bounds.size.width", value: 60))
    stage.square.states = [wide]
    stage.set("right")
    stage.controller.setState(wide, ofLayer: stage.square)
    #expect(stage.square.position.x == 10)
    stage.set("left")
    #expect(stage.square.bounds.width == 60)
    stage.set(nil)
    #expect(stage.square.position.x == 10)
    stage.controller.setState(nil, ofLayer: stage.square)
    #expect(stage.square.frame == CGRect(x: 40, y: 0, width: 20, height: 20))
  }

  @Test("States do not keep the layers alive that they set, and pass over those that are gone")
  func lifetime() throws {
    var layer: CALayer? = CALayer()
    weak let gone = layer
    let root = CALayer()
    let state = CAState(name: "a")
    layer.map { state.addElement(CAStateSetValue(target: $0, keyPath: "opacity", value: 0)) }
    state.addElement(CAStateSetValue(target: root, keyPath: "opacity", value: 0.25))
    root.states = [state]
    layer = nil
    #expect(gone == nil)
    CAStateController(layer: root).setState(state, ofLayer: root)
    #expect(root.opacity == 0.25)
  }
}
