import LaminaAnimation
import LaminaCommit
import LaminaValues
import Testing

@testable import Lamina

private final class SteepFunction: CAMediaTimingFunction, @unchecked Sendable {}

@Suite("Animations of layers") struct AnimationTests {
  private let trees = OwnTrees()

  /// A tree whose commits go nowhere.
  private func tree(_ root: CALayer, clock: MediaClock = .manual()) -> LayerTree {
    let tree = trees.add(
      LayerTree(
        context: LayerContext { commit, _ in commit.sequence }, session: SessionID(rawValue: 0),
        clock: clock))
    tree.root = root
    return tree
  }

  private func move(to x: Double, duration: Double = 1) -> CABasicAnimation {
    let animation = CABasicAnimation(keyPath: "position.x")
    animation.toValue = x
    animation.duration = duration
    return animation
  }

  @Test("The presentation layer is in flight, and the model stays")
  func inFlight() throws {
    let clock = MediaClock.manual(time: 5)
    let layer = CALayer()
    let move = move(to: 100)
    move.isRemovedOnCompletion = false
    layer.add(move, forKey: "move")
    let tree = tree(layer, clock: clock)
    try tree.commit()
    for (time, x) in [(5.0, 0.0), (5.25, 25), (6, 100), (6.5, 0), (4, 0)] as [(Double, CGFloat)] {
      clock.time = time
      #expect(layer.presentation()?.position.x == x)
    }
    #expect(layer.position.x == 0)
  }

  @Test("An animation begins in layer time when it is committed")
  func stamping() throws {
    let clock = MediaClock.manual(time: 10)
    let (root, layer) = (CALayer(), CALayer())
    root.addSublayer(layer)
    root.speed = 2
    root.beginTime = 4
    layer.timeOffset = 1
    let tree = tree(root, clock: clock)
    layer.add(move(to: 1), forKey: "a")
    let late = move(to: 1)
    late.beginTime = 3
    layer.add(late, forKey: "b")
    let commit = try #require(try tree.commit())
    let begins = commit.animations.map { edit -> Double in
      guard case .add(_, _, let animation) = edit else { return .nan }
      return animation.timing.beginTime
    }
    #expect(begins == [13, 3])
    clock.time = 10.25
    #expect(layer.presentation()?.position.x == 0.5)
  }

  @Test("What an animation begins by is the timing of the same commit, whatever changed first")
  func stampingByNewTiming() throws {
    let clock = MediaClock.manual(time: 10)
    let (root, layer) = (CALayer(), CALayer())
    root.addSublayer(layer)
    let tree = tree(root, clock: clock)
    try tree.commit()
    layer.add(move(to: 1), forKey: "a")
    root.speed = 3
    try tree.commit()
    #expect(layer.attachedAnimations[0].description.timing.beginTime == 30)
  }

  @Test("Properties of animations have keys, and other keys keep what they are given")
  func animationKeyValues() {
    let keyframes = CAKeyframeAnimation()
    keyframes.setValue(2, forKey: "duration")
    keyframes.setValue(true, forKey: "additive")
    keyframes.setValue("opacity", forKey: "keyPath")
    keyframes.setValue("paced", forKey: "calculationMode")
    keyframes.setValue(CAAnimationRotationMode.rotateAuto, forKey: "rotationMode")
    keyframes.setValue([0, 1] as [Any], forKey: "values")
    keyframes.setValue("much", forKey: "speed")
    keyframes.setValue("tag", forKey: "mine")
    #expect(keyframes.duration == 2 && keyframes.isAdditive && keyframes.keyPath == "opacity")
    #expect(keyframes.calculationMode == .paced && keyframes.rotationMode == .rotateAuto)
    #expect(keyframes.values?.count == 2)
    #expect(keyframes.speed == 1)
    #expect(keyframes.value(forKey: "duration") as? Double == 2)
    #expect(keyframes.value(forKey: "mine") as? String == "tag")
    keyframes.setValue(nil, forKey: "values")
    #expect(keyframes.values == nil)
  }

  @Test("A spring can be told by how it looks")
  func springs() {
    let spring = CASpringAnimation(perceptualDuration: 1, bounce: 0.5)
    #expect(abs(spring.settlingDuration - 2.3438753795710707) < 1e-9)
    #expect(abs(spring.perceptualDuration - 1) < 1e-9)
    #expect(abs(spring.bounce - 0.5) < 1e-9)
    #expect(spring.allowsOverdamping)
    #expect(abs(CASpringAnimation().settlingDuration - 1.4727003346780927) < 1e-9)
  }

  @Test("Without a duration an animation takes the transaction's, and members the group's")
  func durations() throws {
    let layer = CALayer()
    layer.add(move(to: 1, duration: 0), forKey: "a")
    #expect(layer.animation(forKey: "a")?.duration == 0.25)
    CATransaction.begin()
    CATransaction.setAnimationDuration(3)
    layer.add(move(to: 1, duration: 0), forKey: "b")
    CATransaction.commit()
    #expect(layer.animation(forKey: "b")?.duration == 3)
    #expect(CATransaction.animationDuration() == 0.25)
    let group = CAAnimationGroup()
    group.animations = [move(to: 1, duration: 0), move(to: 1, duration: 7)]
    group.duration = 5
    guard case .group(let members)? = group.content(duration: 5) else {
      Issue.record("no group")
      return
    }
    #expect(members.map(\.timing.duration) == [5, 7])
  }

  @Test("One animation a key, the latest last; those without a key stand beside each other")
  func keys() throws {
    let layer = CALayer()
    #expect(layer.animationKeys() == nil)
    layer.add(move(to: 1), forKey: "a")
    layer.add(move(to: 2), forKey: "b")
    layer.add(move(to: 3), forKey: "a")
    layer.add(move(to: 4), forKey: nil)
    layer.add(move(to: 5), forKey: nil)
    #expect(layer.animationKeys() == ["b", "a"])
    #expect(layer.attachedAnimations.count == 4)
    layer.removeAnimation(forKey: "b")
    layer.removeAnimation(forKey: "nobody")
    #expect(layer.animationKeys() == ["a"])
    layer.removeAllAnimations()
    #expect(layer.animationKeys() == nil)
  }

  @Test("Additions and removals are committed once each")
  func edits() throws {
    let layer = CALayer()
    let tree = tree(layer)
    layer.add(move(to: 1), forKey: "a")
    try tree.commit()
    layer.add(move(to: 2), forKey: "a")
    layer.add(move(to: 2), forKey: "b")
    layer.removeAnimation(forKey: "b")
    #expect(try tree.commit()?.animations.count == 1)
    layer.removeAnimation(forKey: "a")
    let commit = try #require(try tree.commit())
    #expect(commit.animations == [.remove(layer: try #require(layer.rendered?.id), key: "a")])
    #expect(try tree.commit() == nil)
  }

  @Test("An animation that replaced one, and is removed before it is committed, takes it along")
  func replacedAndRemoved() throws {
    for removesAll in [false, true] {
      let layer = CALayer()
      let tree = tree(layer)
      layer.add(move(to: 1), forKey: "a")
      try tree.commit()
      layer.add(move(to: 2), forKey: "a")
      if removesAll { layer.removeAllAnimations() } else { layer.removeAnimation(forKey: "a") }
      let commit = try #require(try tree.commit())
      #expect(commit.animations == [.remove(layer: try #require(layer.rendered?.id), key: "a")])
    }
  }

  @Test("A layer keeps a copy: later changes of the animation have no effect")
  func copies() throws {
    let layer = CALayer()
    let keyframes = CAKeyframeAnimation(keyPath: "opacity")
    keyframes.values = [0, 1]
    keyframes.keyTimes = [0, 1]
    keyframes.timingFunctions = [CAMediaTimingFunction(name: .easeIn)]
    keyframes.calculationMode = .discrete
    keyframes.rotationMode = .rotateAuto
    keyframes.isAdditive = true
    keyframes.setValue("tag", forKey: "mine")
    layer.add(keyframes, forKey: "k")
    keyframes.values = nil
    let kept = try #require(layer.animation(forKey: "k") as? CAKeyframeAnimation)
    #expect(kept.values?.count == 2)
    #expect(kept.timingFunctions == [CAMediaTimingFunction(name: .easeIn)])
    #expect(kept.calculationMode == .discrete && kept.rotationMode == .rotateAuto)
    #expect(kept.isAdditive)
    #expect(kept.value(forKey: "mine") as? String == "tag")

    let spring = CASpringAnimation(keyPath: "position")
    spring.damping = 3
    spring.fromValue = CGPoint(x: 1, y: 2)
    layer.add(spring, forKey: "s")
    let keptSpring = try #require(layer.animation(forKey: "s") as? CASpringAnimation)
    #expect(keptSpring.damping == 3 && keptSpring.mass == 1 && keptSpring.stiffness == 100)
    guard case .spring(let target, let values, let parameters)? = keptSpring.content(duration: 1)
    else {
      Issue.record("no spring")
      return
    }
    #expect(target.keyPath == "position")
    #expect(values.from == .point(CGPoint(x: 1, y: 2)))
    #expect(parameters.damping == 3)
  }

  @Test(
    "What programs write as values is understood",
    arguments: [
      (1 as Int, .number(1)), (UInt8(3), .number(3)), (2.5 as Float, .number(2.5)),
      (true, .number(1)), (CGFloat(4), .number(4)), (NSNull(), .none),
      (CGAffineTransform(translationX: 1, y: 2), .transform(CATransform3DMakeTranslation(1, 2, 0))),
      (CALayerContentsGravity.top, .string("top")), ("x", .string("x")),
      (CGColor.black, .color(.black)), ([1, 2.5] as [Double], .array([.number(1), .number(2.5)])),
      (NSValue(size: CGSize(width: 1, height: 2)), .size(CGSize(width: 1, height: 2))),
    ] as [(any Sendable, AnimationValue)])
  func conversion(_ object: any Sendable, _ value: AnimationValue) {
    #expect(AnimationValue(object) == value)
  }

  @Test("What cannot be understood is nothing")
  func noConversion() {
    #expect(AnimationValue(Calendar.current) == nil)
    #expect(AnimationValue([1, Calendar.current] as [Any]) == nil)
    #expect(AnimationValue(nil) == AnimationValue.none)
    #expect(AnimationValue(Optional<Int>.none as Any) == AnimationValue.none)
  }

  @Test("Timing functions are Apple's curves")
  func timingFunctions() {
    var point: [Float] = [0, 0]
    CAMediaTimingFunction(name: .default).getControlPoint(at: 1, values: &point)
    #expect(point == [0.25, 0.1])
    CAMediaTimingFunction(controlPoints: 0.1, 2, 5, 0.4).getControlPoint(at: 2, values: &point)
    #expect(point == [1, 0.4])
  }

  // Checked on macOS.
  @Test("A named timing function is one object, which its description names")
  func namedTimingFunctions() throws {
    for name in [
      CAMediaTimingFunctionName.linear, .easeIn, .easeOut, .easeInEaseOut, .default,
    ] {
      let function = CAMediaTimingFunction(name: name)
      #expect(function === CAMediaTimingFunction(name: name))
      #expect(function.description == name.rawValue)
      let data = try NSKeyedArchiver.archivedData(
        withRootObject: function, requiringSecureCoding: true)
      let restored = try NSKeyedUnarchiver.unarchivedObject(
        ofClass: CAMediaTimingFunction.self, from: data)
      #expect(restored?.description == name.rawValue)
    }
    let first = CAMediaTimingFunction(controlPoints: 0.5, 0.25, 0.75, 1)
    #expect(first != CAMediaTimingFunction(controlPoints: 0.5, 0.25, 0.75, 1))
    #expect(first.isEqual(first))
    #expect(first.description == "(0.5, 0.25), (0.75, 1.0)")
    let steep = SteepFunction(name: .easeIn)
    #expect(steep !== CAMediaTimingFunction(name: .easeIn) && steep.description == "easeIn")
  }

  // Measured on macOS.
  @Test("Classes have defaults for what is not zero, for flags, and for two keys of subclasses")
  func classDefaults() {
    for key in ["duration", "beginTime", "mass", "timingFunction", "nothing"] {
      #expect(CAAnimation.defaultValue(forKey: key) == nil, "\(key)")
    }
    for type in [CAAnimation.self, CABasicAnimation.self, CAKeyframeAnimation.self] {
      #expect(type.defaultValue(forKey: "type") as? String == "fade")
      #expect(type.defaultValue(forKey: "calculationMode") as? String == "linear")
      #expect(type.defaultValue(forKey: "fillMode") as? String == "removed")
      #expect(type.defaultValue(forKey: "speed") as? Double == 1)
      #expect(type.defaultValue(forKey: "removedOnCompletion") as? Bool == true)
    }
    #expect(CASpringAnimation.defaultValue(forKey: "mass") as? Double == 1)
    #expect(CASpringAnimation.defaultValue(forKey: "initialVelocity") == nil)
    #expect(!CABasicAnimation().shouldArchiveValue(forKey: "type"))
  }

  // Checked on macOS.
  @Test("A copy of a group shares the group's animations")
  func copiedGroup() throws {
    let group = CAAnimationGroup()
    let child = CABasicAnimation(keyPath: "opacity")
    group.animations = [child]
    let copy = try #require(group.copy() as? CAAnimationGroup)
    #expect(copy !== group && copy.animations?.first === child)
  }

  @Test("An animation that was committed says when it began, in its layer's time")
  func committedBegin() throws {
    let clock = MediaClock.manual(time: 10)
    let layer = CALayer()
    let sublayer = CALayer()
    sublayer.beginTime = 4
    sublayer.speed = 2
    layer.addSublayer(sublayer)
    let tree = tree(layer, clock: clock)
    try tree.commit()
    clock.time = 12
    let animation = CABasicAnimation("zPosition", from: 0, to: 1)
    layer.add(animation, forKey: "now")
    sublayer.add(animation, forKey: "now")
    animation.beginTime = 13
    layer.add(animation, forKey: "later")
    layer.opacity = 0.5
    #expect(layer.animation(forKey: "now")?.beginTime == 0)
    try tree.commit()
    #expect(layer.animation(forKey: "now")?.beginTime == 12)
    #expect(sublayer.animation(forKey: "now")?.beginTime == 16)
    #expect(layer.animation(forKey: "later")?.beginTime == 13)
    #expect(layer.animation(forKey: "opacity")?.beginTime == 12)
    #expect(animation.beginTime == 13)
  }

  @Test("CACurrentMediaTime() is the task's clock where there is one")
  func currentTime() {
    let clock = MediaClock.manual(time: 7)
    MediaClock.$current.withValue(clock) {
      #expect(CACurrentMediaTime() == 7)
      clock.time = 8
      #expect(CACurrentMediaTime() == 8)
    }
    #expect(MediaClock.host.time <= CACurrentMediaTime())
  }
}
