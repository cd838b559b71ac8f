import LaminaAnimation
import LaminaValues

/// How a transition brings in the new content.
public struct CATransitionType: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The old content dissolves into the new.
  public static let fade = Self(rawValue: "fade")
  /// The new content slides in over the old.
  public static let moveIn = Self(rawValue: "moveIn")
  /// The new content slides in and pushes the old out.
  public static let push = Self(rawValue: "push")
  /// The old content slides off and uncovers the new.
  public static let reveal = Self(rawValue: "reveal")

  /// A name that is none of the above counts as `fade`.
  var name: AnimationDescription.TransitionStyle {
    AnimationDescription.TransitionStyle(rawValue: rawValue) ?? .fade
  }
}

/// The side of the layer at which a transition's motion starts. The names assume a y axis that
/// points up: `fromTop` is the edge with the greatest y, which is the lower one on the screen if y
/// points down.
public struct CATransitionSubtype: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The motion starts at the edge of the greatest x.
  public static let fromRight = Self(rawValue: "fromRight")
  /// The motion starts at the edge of the least x.
  public static let fromLeft = Self(rawValue: "fromLeft")
  /// The motion starts at the edge of the greatest y.
  public static let fromTop = Self(rawValue: "fromTop")
  /// The motion starts at the edge of the least y.
  public static let fromBottom = Self(rawValue: "fromBottom")

  /// A name that is none of the above counts as `fromLeft`.
  var name: AnimationDescription.TransitionSide {
    AnimationDescription.TransitionSide(rawValue: rawValue) ?? .fromLeft
  }
}

/// An animation of a layer and its sublayers, from how they look when it is added to how the same
/// transaction leaves them.
///
/// The old content is frozen: it stays as it was when the transition began, whatever happens to the
/// layers in it. Old and new content both lie in the plane of the layer, at its current place. A
/// layer that was not on screen has no old content.
///
/// A layer has one transition at a time: the key is always "transition", whatever key it is added
/// under. A transition in a group does nothing.
open class CATransition: CAAnimation {
  /// How the new content comes in. Default: `fade`.
  open var type = CATransitionType.fade
  /// The side at which the motion starts. A fade has no motion. Default: nil, which is `fromLeft`.
  ///
  /// The content moves by the width or height of the layer's bounds, and only ancestors clip it.
  /// `moveIn`, `push` and `reveal` do not fade while they move; whether Apple's do is unknown.
  open var subtype: CATransitionSubtype?
  /// The progress at which the transition begins. Any number is stored; it is clamped to 0...1 when
  /// used. Default: 0.
  open var startProgress: Float = 0
  /// The progress at which the transition ends. Any number is stored; it is clamped to 0...1 when
  /// used. Default: 1.
  open var endProgress: Float = 1
  /// A filter to draw the transition in place of `type`. It is stored but not applied: adding such
  /// a transition to a layer causes a warning. Default: nil.
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
