/// The animations of the change from one state to another. A layer holds the transitions of its
/// states in `stateTransitions`.
public final class CAStateTransition {
  /// Stands for every state, and for no state.
  static let anyState = "*"

  /// The name of the state that is left; "*" stands for any.
  public let fromState: String
  /// The name of the state that is set; "*" stands for any.
  public let toState: String
  /// The animations. Default: none.
  public var elements: [CAStateTransitionElement] = []

  /// A transition between two states, by their names, with no animations; "*" stands for any state.
  public init(fromState: String, toState: String) {
    self.fromState = fromState
    self.toState = toState
  }
}

/// An animation of a transition, and the property that it animates.
public final class CAStateTransitionElement {
  /// The layer. It is not retained, since it may hold the transition.
  public weak var target: CALayer?
  /// The animated property, or a member of one. The animation is added under this key.
  public let key: String
  /// The animation. Basic animations without values run from the value on screen to the one that
  /// the state sets.
  public let animation: CAAnimation

  /// An animation of the property `key` of a layer.
  public init(target: CALayer, key: String, animation: CAAnimation) {
    self.target = target
    self.key = key
    self.animation = animation
  }
}
