import Foundation
import LaminaAnimation
import LaminaValues

/// What all animations have. Layers take copies: a change after `add(_:forKey:)` has no effect.
open class CAAnimation: NSObject, NSCopying, NSSecureCoding, CAMediaTiming, CAAction {
  /// When the animation begins, in seconds of the layer's time, in a group of the group's; 0 on a
  /// layer stands for the commit that brings it. Default: 0.
  open var beginTime: CFTimeInterval = 0
  /// The length of one run. Default: 0, for which a layer takes the transaction's, or 0.25.
  open var duration: CFTimeInterval = 0
  /// Default: 1.
  open var speed: Float = 1
  /// Default: 0.
  open var timeOffset: CFTimeInterval = 0
  /// Default: 0, which counts as 1.
  open var repeatCount: Float = 0
  /// Default: 0.
  open var repeatDuration: CFTimeInterval = 0
  /// Default: false.
  open var autoreverses = false
  /// Default: `removed`.
  open var fillMode = CAMediaTimingFillMode.removed
  /// How the time of a run maps to its progress. Default: nil, which is linear.
  open var timingFunction: CAMediaTimingFunction?
  /// Whether the layer drops the animation when its active time is over. What it filled forwards
  /// ends with it. Ignored in groups. Default: true.
  open var isRemovedOnCompletion = true
  /// How many frames a second the animation wants. Nothing here acts on it: who asks for frames
  /// says when. Default: `default`.
  open var preferredFrameRateRange = CAFrameRateRange.default
  /// Hears when the animation begins and ends; not of animations in groups. Kept alive.
  /// Default: nil.
  open var delegate: (any CAAnimationDelegate)?

  /// Values of keys that no class declares.
  private(set) var undefinedValues: [String: Any] = [:]

  public override init() { super.init() }

  /// An animation from an archive; nil where that cannot be read.
  public required init?(coder: NSCoder) {
    super.init()
    guard restoreProperties(from: coder) else { return nil }
  }

  open class var supportsSecureCoding: Bool { true }

  /// Archives the values for which `shouldArchiveValue(forKey:)` is true. The delegate is left out.
  open func encode(with coder: NSCoder) {
    coder.archiving(self) { archiveProperties(with: coder) }
  }

  /// The class under whose name the animation is archived: its own, or for classes that Foundation
  /// cannot name, which are private, generic or inside other types, what they are made from.
  open override var classForCoder: AnyClass { nearestNamedClass }

  /// A copy of the same class, made by its `init()`. Subclasses that store more override this and
  /// set it on what super returns.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = fresh()
    copyValues(to: copy)
    return copy
  }

  func copyValues(to copy: CAAnimation) {
    copy.beginTime = beginTime
    copy.duration = duration
    copy.speed = speed
    copy.timeOffset = timeOffset
    copy.repeatCount = repeatCount
    copy.repeatDuration = repeatDuration
    copy.autoreverses = autoreverses
    copy.fillMode = fillMode
    copy.timingFunction = timingFunction
    copy.isRemovedOnCompletion = isRemovedOnCompletion
    copy.preferredFrameRateRange = preferredFrameRateRange
    copy.delegate = delegate
    copy.undefinedValues = undefinedValues
  }

  /// Adds the animation to the layer, as the action of what changed in it.
  open func run(forKey event: String, object anObject: Any, arguments dict: [AnyHashable: Any]?) {
    (anObject as? CALayer)?.add(self, forKey: event)
  }

  /// The value of a property in new animations of a class of ours; nil for other keys. Override it
  /// to give values to undefined keys that were not set.
  open class func defaultValue(forKey key: String) -> Any? { usual.attributes[key]?.get() }

  /// Whether there is a value to archive under a key: one that is not the usual one.
  open func shouldArchiveValue(forKey key: String) -> Bool { hasValueToArchive(forKey: key) }

  /// A new animation of the class of ours that this class is made from.
  class var usual: CAAnimation { CAAnimation() }

  /// The value of a property, or what was stored under a key that is no property.
  open func value(forKey key: String) -> Any? {
    if let attribute = attributes[key] { return attribute.get() }
    return undefinedValues[key] ?? type(of: self).defaultValue(forKey: key)
  }

  /// Sets a property, or stores a value under a key that is no property, to find the animation by
  /// later. A value of another type changes nothing, with a warning.
  open func setValue(_ value: Any?, forKey key: String) {
    guard let attribute = attributes[key] else {
      undefinedValues[key] = value
      return
    }
    if !attribute.set(value) {
      warn("\(key) of a \(type(of: self)) cannot be \(value.map { "\($0)" } ?? "nil")")
    }
  }

  /// The properties by their keys.
  var attributes: [String: AnimationAttribute] {
    [
      "beginTime": .number(self, \.beginTime), "duration": .number(self, \.duration),
      "speed": .number(self, \.speed), "timeOffset": .number(self, \.timeOffset),
      "repeatCount": .number(self, \.repeatCount),
      "repeatDuration": .number(self, \.repeatDuration),
      "autoreverses": .flag(self, \.autoreverses),
      "removedOnCompletion": .flag(self, \.isRemovedOnCompletion),
      "fillMode": .name(self, \.fillMode),
      "timingFunction": .object(self, \.timingFunction),
      "preferredFrameRateRange": .structure(self, \.preferredFrameRateRange),
      "delegate": .object(self, \.delegate),
    ]
  }

  /// What of the animation the render process evaluates; nil where there is nothing to evaluate.
  /// `duration` is taken where the animation has none.
  func content(duration: Double) -> AnimationDescription.Content? { nil }

  /// The images that the values name.
  var images: [CGImage] { [] }

  /// The animation as plain data, `beginTime` as it is; nil where it changes nothing.
  final func description(duration standard: Double) -> AnimationDescription? {
    let length = duration > 0 ? duration : standard
    guard let content = content(duration: length) else { return nil }
    let timing = MediaTiming(
      beginTime: beginTime, duration: length, speed: Double(speed), timeOffset: timeOffset,
      repeatCount: Double(repeatCount), repeatDuration: repeatDuration,
      autoreverses: autoreverses, fillMode: fillMode.name)
    return AnimationDescription(
      timing: timing, timingCurve: timingFunction?.curve,
      isRemovedOnCompletion: isRemovedOnCompletion, content: content)
  }
}

/// Hears of the begin and the end of animations, once each, in the turn after.
public protocol CAAnimationDelegate: NSObjectProtocol {
  /// The animation's active time began.
  func animationDidStart(_ anim: CAAnimation)
  /// The animation ended: `finished` where its active time did, and not where it was removed or
  /// replaced before, or its layer left the tree on screen or came into none.
  func animationDidStop(_ anim: CAAnimation, finished flag: Bool)
}

extension CAAnimationDelegate {
  public func animationDidStart(_ anim: CAAnimation) {}
  public func animationDidStop(_ anim: CAAnimation, finished flag: Bool) {}
}

/// An animation of one property.
open class CAPropertyAnimation: CAAnimation {
  /// The property, or a member of it such as "position.x" or "transform.rotation.z". Default: nil,
  /// with which the animation does nothing.
  open var keyPath: String?
  /// Whether the values are added to what the property would be without the animation; transforms
  /// are concatenated. Default: false.
  open var isAdditive = false
  /// Whether each repetition starts from where the last one ended. Default: false.
  open var isCumulative = false
  /// Makes the property's value, a transform, of the numbers that are then the animation's values.
  /// A value that is not given is what the transform at the time has of it. Default: nil, with which
  /// the values are the property's own.
  ///
  /// The numbers are interpolated, and in a cumulative animation added up, before the function is
  /// called: a rotation to 2π goes all the way round.
  open var valueFunction: CAValueFunction?

  public convenience init(keyPath path: String?) {
    self.init()
    keyPath = path
  }

  override class var usual: CAAnimation { CAPropertyAnimation() }

  override func copyValues(to copy: CAAnimation) {
    super.copyValues(to: copy)
    guard let copy = copy as? CAPropertyAnimation else { return }
    copy.keyPath = keyPath
    copy.isAdditive = isAdditive
    copy.isCumulative = isCumulative
    copy.valueFunction = valueFunction
  }

  override var attributes: [String: AnimationAttribute] {
    super.attributes.merging([
      "keyPath": .object(self, \.keyPath), "additive": .flag(self, \.isAdditive),
      "cumulative": .flag(self, \.isCumulative), "valueFunction": .object(self, \.valueFunction),
    ]) { $1 }
  }

  final var target: AnimationDescription.PropertyTarget? {
    keyPath.map {
      AnimationDescription.PropertyTarget(
        keyPath: $0, isAdditive: isAdditive, isCumulative: isCumulative,
        valueFunction: valueFunction?.function)
    }
  }

  /// The value of `object`, with a warning where it has none.
  final func animationValue(_ object: Any?) -> AnimationValue {
    guard object != nil else { return .none }
    if let value = AnimationValue(object) { return value }
    let type = object.map { "\(Swift.type(of: $0))" } ?? "nil"
    let path = keyPath ?? "no key path"
    warn(
      "an animation of \(path) cannot take a value of type \(type)", onceFor: "\(type) at \(path)")
    return .none
  }
}

/// An animation from one value to another.
///
/// With `fromValue` and `toValue` it goes from one to the other; with one of them and `byValue`,
/// by that much; with one alone, from or to the value that the property has without it; with
/// `byValue` alone, from that value by that much.
open class CABasicAnimation: CAPropertyAnimation {
  /// Default: nil.
  open var fromValue: Any?
  /// Default: nil.
  open var toValue: Any?
  /// Default: nil.
  open var byValue: Any?

  /// An implicit animation; nothing where the description is of something else.
  convenience init(_ description: AnimationDescription, image: (ImageID) -> CGImage?) {
    self.init()
    guard case .basic(let target, let values) = description.content else { return }
    keyPath = target.keyPath
    beginTime = description.timing.beginTime
    fromValue = values.from.publicValue(image: image)
    duration = description.timing.duration
    timingFunction = description.timingCurve.map { CAMediaTimingFunction($0) }
    fillMode = CAMediaTimingFillMode(description.timing.fillMode)
  }

  override class var usual: CAAnimation { CABasicAnimation() }

  override func copyValues(to copy: CAAnimation) {
    super.copyValues(to: copy)
    guard let copy = copy as? CABasicAnimation else { return }
    copy.fromValue = fromValue
    copy.toValue = toValue
    copy.byValue = byValue
  }

  override var attributes: [String: AnimationAttribute] {
    super.attributes.merging([
      "fromValue": .object(self, \.fromValue), "toValue": .object(self, \.toValue),
      "byValue": .object(self, \.byValue),
    ]) { $1 }
  }

  final var basicValues: AnimationDescription.BasicValues {
    AnimationDescription.BasicValues(
      from: animationValue(fromValue), to: animationValue(toValue),
      by: animationValue(byValue))
  }

  override func content(duration: Double) -> AnimationDescription.Content? {
    target.map { .basic($0, basicValues) }
  }

  override var images: [CGImage] {
    CGImage.images(in: fromValue) + CGImage.images(in: toValue)
  }
}

/// An animation from one value to another as a spring moves.
open class CASpringAnimation: CABasicAnimation {
  /// Of what hangs on the spring. What is not more than 0 is refused. Default: 1.
  open var mass: CGFloat = 1 {
    didSet { if !(mass > 0) { mass = kept(oldValue, for: "mass", not: mass) } }
  }
  /// Force a unit of distance. What is not more than 0 is refused. Default: 100.
  open var stiffness: CGFloat = 100 {
    didSet { if !(stiffness > 0) { stiffness = kept(oldValue, for: "stiffness", not: stiffness) } }
  }
  /// Force a unit of speed. What is below 0 is refused. Default: 10.
  open var damping: CGFloat = 10 {
    didSet { if !(damping >= 0) { damping = kept(oldValue, for: "damping", not: damping) } }
  }
  /// Units of the whole distance a second; positive is towards the target. Default: 0.
  open var initialVelocity: CGFloat = 0
  /// Whether more than critical damping slows the spring further, in place of counting as
  /// critical. Default: false.
  open var allowsOverdamping = false

  override class var usual: CAAnimation { CASpringAnimation() }

  override func copyValues(to copy: CAAnimation) {
    super.copyValues(to: copy)
    guard let copy = copy as? CASpringAnimation else { return }
    copy.mass = mass
    copy.stiffness = stiffness
    copy.damping = damping
    copy.initialVelocity = initialVelocity
    copy.allowsOverdamping = allowsOverdamping
  }

  override var attributes: [String: AnimationAttribute] {
    super.attributes.merging([
      "mass": .number(self, \.mass), "stiffness": .number(self, \.stiffness),
      "damping": .number(self, \.damping), "initialVelocity": .number(self, \.initialVelocity),
      "allowsOverdamping": .flag(self, \.allowsOverdamping),
    ]) { $1 }
  }

  /// The seconds until the spring is within a thousandth of its target.
  open var settlingDuration: CFTimeInterval { parameters.settlingDuration }

  /// The seconds that one swing seems to take, by `mass` and `stiffness`.
  open var perceptualDuration: CFTimeInterval { parameters.perceptualDuration }

  /// How much the spring swings: 0 not at all, 1 for ever; below 0 it is slower than it need be.
  open var bounce: CGFloat { parameters.bounce }

  /// What a property stays at that cannot be what it was set to.
  private func kept(_ old: CGFloat, for key: String, not new: CGFloat) -> CGFloat {
    warn("\(key) of a \(type(of: self)) cannot be \(new): it stays \(old)")
    return old
  }

  /// A spring of mass 1 whose swing seems to take `perceptualDuration` seconds. `duration` is its
  /// `settlingDuration`.
  public convenience init(perceptualDuration: CFTimeInterval, bounce: CGFloat) {
    self.init()
    let spring = AnimationDescription.SpringParameters(
      perceptualDuration: perceptualDuration, bounce: bounce)
    mass = spring.mass
    stiffness = spring.stiffness
    damping = spring.damping
    allowsOverdamping = spring.allowsOverdamping
    duration = spring.settlingDuration
  }

  final var parameters: AnimationDescription.SpringParameters {
    AnimationDescription.SpringParameters(
      mass: mass, stiffness: stiffness, damping: damping, initialVelocity: initialVelocity,
      allowsOverdamping: allowsOverdamping)
  }

  override func content(duration: Double) -> AnimationDescription.Content? {
    target.map { .spring($0, basicValues, parameters) }
  }
}

/// Animations that run together, in the group's time.
open class CAAnimationGroup: CAAnimation {
  /// Those without a duration take the group's. Transitions do nothing here. Default: nil.
  open var animations: [CAAnimation]?

  override class var usual: CAAnimation { CAAnimationGroup() }

  override func copyValues(to copy: CAAnimation) {
    super.copyValues(to: copy)
    if let refusal = nestingRefusal {
      return warn("a \(type(of: self)) is copied without its animations: \(refusal)")
    }
    (copy as? CAAnimationGroup)?.animations = animations?.compactMap {
      $0.copy() as? CAAnimation
    }
  }

  override var attributes: [String: AnimationAttribute] {
    super.attributes.merging(["animations": .object(self, \.animations)]) { $1 }
  }

  override func content(duration: Double) -> AnimationDescription.Content? {
    let members = (animations ?? []).compactMap { member in
      member is CATransition ? nil : member.description(duration: duration)
    }
    return members.isEmpty ? nil : .group(members)
  }

  override var images: [CGImage] { (animations ?? []).flatMap(\.images) }
}
