/// How the change from one state to another is animated. A layer holds those of its states in
/// `stateTransitions`.
public final class CAStateTransition {
  /// Stands for every state, and for none being set.
  static let anyState = "*"

  /// The name of the state that is left; "*" is any.
  public let fromState: String
  /// The name of the state that is set; "*" is any.
  public let toState: String
  /// The animations. Default: none.
  public var elements: [CAStateTransitionElement] = []

  public init(fromState: String, toState: String) {
    self.fromState = fromState
    self.toState = toState
  }
}

/// An animation of a transition, and of what.
public final class CAStateTransitionElement {
  /// The layer; not kept alive, since it may hold the transition.
  public weak var target: CALayer?
  /// The property or the member of one that is animated, under which the animation is added.
  public let key: String
  /// Basic animations without values lead from what was on screen to what the state sets.
  public let animation: CAAnimation

  public init(target: CALayer, key: String, animation: CAAnimation) {
    self.target = target
    self.key = key
    self.animation = animation
  }
}
