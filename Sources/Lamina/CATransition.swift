import LaminaAnimation
import LaminaValues

/// How a transition brings the new picture in.
public struct CATransitionType: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The old picture dissolves into the new one.
  public static let fade = Self(rawValue: "fade")
  /// The new picture slides in over the old one.
  public static let moveIn = Self(rawValue: "moveIn")
  /// The new picture slides in and pushes the old one out.
  public static let push = Self(rawValue: "push")
  /// The old picture slides off and uncovers the new one.
  public static let reveal = Self(rawValue: "reveal")

  /// A name that is none of the above counts as `fade`.
  var name: AnimationDescription.TransitionStyle {
    AnimationDescription.TransitionStyle(rawValue: rawValue) ?? .fade
  }
}

/// The side of the layer at which a transition's motion starts, in words of a y axis that points
/// up: `fromTop` is the edge of the greatest y, the lower one on the screen where y points down.
public struct CATransitionSubtype: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let fromRight = Self(rawValue: "fromRight")
  public static let fromLeft = Self(rawValue: "fromLeft")
  public static let fromTop = Self(rawValue: "fromTop")
  public static let fromBottom = Self(rawValue: "fromBottom")

  /// A name that is none of the above counts as `fromLeft`.
  var name: AnimationDescription.TransitionSide {
    AnimationDescription.TransitionSide(rawValue: rawValue) ?? .fromLeft
  }
}

/// From what a layer and its sublayers look like when the transition is added to what the same
/// transaction makes of them.
///
/// The old picture does not change any more, whatever becomes of the layers in it: it is what they
/// showed at the time at which the transition begins. Both pictures lie in the layer's plane, where
/// the layer is now. A layer that was on no screen has no old picture.
///
/// A layer has one transition at a time: its key is "transition", whatever key it is added for. In
/// a group it does nothing.
open class CATransition: CAAnimation {
  /// Default: `fade`.
  open var type = CATransitionType.fade
  /// Where the motion starts. Default: nil, which is `fromLeft`; a fade has no motion.
  ///
  /// Pictures move by the width or height of the layer's bounds, and nothing but layers above clips
  /// them. `moveIn`, `push` and `reveal` do not fade while they move: whether Apple's do is not
  /// known.
  open var subtype: CATransitionSubtype?
  /// How much of the transition is over when it begins. Any number is kept; below 0 counts as 0,
  /// above 1 as 1. Default: 0.
  open var startProgress: Float = 0
  /// How much of it is over when it ends. Any number is kept; below 0 counts as 0, above 1 as 1.
  /// Default: 1.
  open var endProgress: Float = 1
  /// A filter that would draw the transition in place of `type`. It is kept and not applied: a
  /// layer that such a transition is added to says so with a warning. Default: nil.
  open var filter: Any?

  override class var usual: CAAnimation { CATransition() }

  override func copyValues(to copy: CAAnimation) {
    super.copyValues(to: copy)
    guard let copy = copy as? CATransition else { return }
    copy.type = type
    copy.subtype = subtype
    copy.startProgress = startProgress
    copy.endProgress = endProgress
    copy.filter = filter
  }

  override var attributes: [String: AnimationAttribute] {
    super.attributes.merging([
      "type": .name(self, \.type), "subtype": .optionalName(self, \.subtype),
      "startProgress": .number(self, \.startProgress),
      "endProgress": .number(self, \.endProgress), "filter": .object(self, \.filter),
    ]) { $1 }
  }

  override func content(duration: Double) -> AnimationDescription.Content? {
    if filter != nil { warn("the filter of a transition is not applied: \(type.rawValue) is") }
    return .transition(
      AnimationDescription.TransitionValues(
        style: type.name, side: (subtype ?? .fromLeft).name,
        startProgress: startProgress.isFinite ? Double(startProgress) : 0,
        endProgress: endProgress.isFinite ? Double(endProgress) : 1))
  }
}
