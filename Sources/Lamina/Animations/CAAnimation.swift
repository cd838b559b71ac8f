import Foundation
import LaminaAnimation
import LaminaValues

/// The base class of animations. A layer copies an animation that is added to it, so a change after
/// `add(_:forKey:)` has no effect.
open class CAAnimation: NSObject, NSCopying, NSSecureCoding, CAMediaTiming, CAAction {
  /// When the animation begins, in seconds of its parent's time: the layer's, or the group's for an
  /// animation in a group. On a layer, 0 stands for the time of the commit that brings the
  /// animation. Default: 0.
  open var beginTime: CFTimeInterval = 0
  /// The length of one run, in seconds. Default: 0, which on a layer stands for the transaction's
  /// duration, or 0.25 if that is 0 too.
  open var duration: CFTimeInterval = 0
  /// Seconds of the animation's time per second of its parent's time. Default: 1.
  open var speed: Float = 1
  /// Seconds added to the animation's time. Default: 0.
  open var timeOffset: CFTimeInterval = 0
  /// The number of runs. May be fractional. Default: 0, which counts as 1.
  open var repeatCount: Float = 0
  /// How long to repeat, in seconds. Unless it is 0, it replaces `repeatCount`. Default: 0.
  open var repeatDuration: CFTimeInterval = 0
  /// Whether each run is followed by a run backwards. Default: false.
  open var autoreverses = false
  /// Whether the animation has an effect before it begins and after it ends. Default: `removed`.
  open var fillMode = CAMediaTimingFillMode.removed
  /// How the time of a run maps to its progress. Default: nil, which is linear.
  open var timingFunction: CAMediaTimingFunction?
  /// Whether the layer removes the animation when its active time is over. A removed animation
  /// fills nothing forwards. Ignored in groups. Default: true.
  open var isRemovedOnCompletion = true
  /// The frame rate that the animation wants, in frames a second. It has no effect: the app that
  /// asks for frames sets the rate. Default: `default`.
  open var preferredFrameRateRange = CAFrameRateRange.default
  /// Told when the animation begins and ends, unless it is in a group. Strong reference. Default:
  /// nil.
  open var delegate: (any CAAnimationDelegate)?

  /// Values of keys that no class declares.
  private(set) var undefinedValues: [String: Any] = [:]

  public override init() { super.init() }

  /// Decodes an animation; nil if the archive cannot be read.
  public required init?(coder: NSCoder) {
    super.init()
    guard restoreProperties(from: coder) else { return nil }
  }

  open class var supportsSecureCoding: Bool { true }

  /// Archives the values for which `shouldArchiveValue(forKey:)` is true. The delegate is left out.
  open func encode(with coder: NSCoder) {
    coder.archiving(self) { archiveProperties(with: coder) }
  }

  /// The class under whose name the animation is archived: its own, or the nearest superclass that
  /// Foundation can name. It cannot name private, generic or nested classes.
  open override var classForCoder: AnyClass { nearestNamedClass }

  /// A copy of the same class, made by its `init()`. A subclass with stored properties overrides
  /// this and sets them on the copy that `super` returns.
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

  /// Adds the animation to the layer `anObject` under the key `event`.
  open func run(forKey event: String, object anObject: Any, arguments dict: [AnyHashable: Any]?) {
    (anObject as? CALayer)?.add(self, forKey: event)
  }

  /// The value of a property in a new animation of one of Lamina's classes; nil for numbers that
  /// are 0 and for other keys. As on macOS, every class answers for "type" and "calculationMode".
  /// Override it to provide defaults for keys that are no properties.
  open class func defaultValue(forKey key: String) -> Any? { usualDefault(forKey: key) }

  /// Whether the value under a key is archived: true if it differs from the default.
  open func shouldArchiveValue(forKey key: String) -> Bool { hasValueToArchive(forKey: key) }

  /// A new animation of the Lamina class that this class is or inherits from.
  class var usual: CAAnimation { CAAnimation() }

  /// The value of a property, or the value stored under a key that is no property.
  open func value(forKey key: String) -> Any? {
    if let attribute = attributes[key] { return attribute.get() }
    return value(forUndefinedKey: key)
  }

  /// Sets a property, or stores a value under a key that is no property, for instance to identify
  /// the animation later. For numbers and Booleans, nil is 0, and a string that is a number counts
  /// as that number; nil resets any other property that cannot be nil to its default. A value that
  /// the property cannot have changes nothing and causes a warning.
  open func setValue(_ value: Any?, forKey key: String) {
    guard let attribute = attributes[key] else { return setValue(value, forUndefinedKey: key) }
    if attribute.set(value) { return }
    if AnimationValue(value) == AnimationValue.none,
      attribute.set(type(of: self).usual.attributes[key]?.get())
    {
      return
    }
    warn("\(key) of a \(type(of: self)) cannot be \(value.map { "\($0)" } ?? "nil")")
  }

  /// Called by `value(forKey:)` for a key that is no property. The value stored under the key, else
  /// the class's `defaultValue(forKey:)`.
  open func value(forUndefinedKey key: String) -> Any? {
    undefinedValues[key] ?? type(of: self).defaultValue(forKey: key)
  }

  /// Called by `setValue(_:forKey:)` for a key that is no property. Stores the value; nil removes
  /// it.
  open func setValue(_ value: Any?, forUndefinedKey key: String) { undefinedValues[key] = value }

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

  /// The part of the animation that the render process evaluates; nil if there is nothing to
  /// evaluate. `duration` is the length of one run, in seconds, already resolved.
  func content(duration: Double) -> AnimationDescription.Content? { nil }

  /// The images among the animation's values.
  var images: [CGImage] { [] }

  /// The animation as plain data, with `beginTime` unchanged; nil if it changes nothing. `standard`
  /// is the duration, in seconds, if the animation has none.
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

/// Told when animations begin and end, once each, in a later turn of the run loop.
public protocol CAAnimationDelegate: NSObjectProtocol {
  /// The animation's active time began.
  func animationDidStart(_ anim: CAAnimation)
  /// The animation ended. `finished` is true if its active time was over, false if it was removed
  /// or replaced before, or if its layer left the tree on screen or never entered one.
  func animationDidStop(_ anim: CAAnimation, finished flag: Bool)
}

extension CAAnimationDelegate {
  public func animationDidStart(_ anim: CAAnimation) {}
  public func animationDidStop(_ anim: CAAnimation, finished flag: Bool) {}
}

/// An animation of one property.
open class CAPropertyAnimation: CAAnimation {
  /// The key path of the property, or of a part of it such as "position.x" or
  /// "transform.rotation.z". Default: nil, with which the animation does nothing.
  open var keyPath: String?
  /// Whether the values are added to what the property would be without the animation; transforms
  /// are concatenated. Default: false.
  open var isAdditive = false
  /// Whether each repetition starts from where the last one ended. Default: false.
  open var isCumulative = false
  /// The function that turns the animation's values, then numbers or arrays of three, into a
  /// transform, the property's value. A value that is not given is read from the layer's transform
  /// at the time. Default: nil: the animation's values are the property's values.
  ///
  /// The numbers are interpolated, and in a cumulative animation added up, before the function is
  /// called: a rotation to 2π goes all the way round.
  open var valueFunction: CAValueFunction?

  /// An animation of the property at the key path, such as `position.x`; nil to set `keyPath`
  /// later.
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

  /// Converts `object`; warns if that is not possible.
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
/// Two of `fromValue`, `toValue` and `byValue` give the start and the end, `byValue` being their
/// difference. If only one is set, the property's value without the animation stands in: as the end
/// for `fromValue` alone, as the start for `toValue` or `byValue` alone.
open class CABasicAnimation: CAPropertyAnimation {
  /// The value at the start. Default: nil.
  open var fromValue: Any?
  /// The value at the end. Default: nil.
  open var toValue: Any?
  /// The difference between the start and the end. Default: nil.
  open var byValue: Any?

  /// Makes the public object of an implicit animation. Sets nothing if the description is not of a
  /// basic animation.
  convenience init(_ description: AnimationDescription, image: (ImageID) -> CGImage?) {
    self.init()
    guard case .basic(let target, let values) = description.content else { return }
    keyPath = target.keyPath
    beginTime = description.timing.beginTime
    fromValue = values.from.publicValue(image: image)
    duration = description.timing.duration
    timingFunction = description.timingCurve.map { .with($0) }
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
  /// The mass of the object on the spring. Must be greater than 0; other values are refused.
  /// Default: 1.
  open var mass: CGFloat = 1 {
    didSet { if !(mass > 0) { mass = kept(oldValue, for: "mass", not: mass) } }
  }
  /// The force per unit of distance. Must be greater than 0; other values are refused. Default:
  /// 100.
  open var stiffness: CGFloat = 100 {
    didSet { if !(stiffness > 0) { stiffness = kept(oldValue, for: "stiffness", not: stiffness) } }
  }
  /// The friction, as force per unit of speed. Must be at least 0; other values are refused.
  /// Default: 10.
  open var damping: CGFloat = 10 {
    didSet { if !(damping >= 0) { damping = kept(oldValue, for: "damping", not: damping) } }
  }
  /// The velocity at the start, as multiples of the whole distance per second; positive is towards
  /// the target. Default: 0.
  open var initialVelocity: CGFloat = 0
  /// Whether damping beyond the critical value slows the spring further. If false, it counts as
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

  /// The time, in seconds, until the spring stays within a thousandth of its target.
  open var settlingDuration: CFTimeInterval { parameters.settlingDuration }

  /// The time, in seconds, that one swing seems to take. Follows from `mass` and `stiffness`.
  open var perceptualDuration: CFTimeInterval { parameters.perceptualDuration }

  /// How much the spring overshoots: 0 is not at all, 1 is oscillating for ever. Negative if the
  /// spring is overdamped.
  open var bounce: CGFloat { parameters.bounce }

  /// Warns that a property cannot have the `new` value, and returns the old one.
  private func kept(_ old: CGFloat, for key: String, not new: CGFloat) -> CGFloat {
    warn("\(key) of a \(type(of: self)) cannot be \(new): it stays \(old)")
    return old
  }

  /// A spring of mass 1, one swing of which seems to take `perceptualDuration` seconds. Its
  /// `duration` is its `settlingDuration`.
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

/// Animations that run together, in the group's time. A copy of a group has the same animations as
/// the group, not copies of them, as on macOS.
open class CAAnimationGroup: CAAnimation {
  /// The animations of the group. One without a duration takes the group's. Transitions in a group
  /// do nothing. Default: nil.
  open var animations: [CAAnimation]?

  override class var usual: CAAnimation { CAAnimationGroup() }

  override func copyValues(to copy: CAAnimation) {
    super.copyValues(to: copy)
    (copy as? CAAnimationGroup)?.animations = animations
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
