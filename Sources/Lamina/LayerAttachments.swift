import LaminaCommit

/// What few layers have besides their values: one of these, made when something is first set.
final class LayerAttachments {
  weak var delegate: (any CALayerDelegate)?
  /// The call of the delegate that is going on.
  var delegateCall: DelegateCall?
  /// What is to be drawn before the next commit.
  var invalid = InvalidRegion()
  /// What `displayIfNeeded()` is having drawn.
  var displaying: InvalidRegion?
  /// False where `CALayer.draw(in:)` was reached and found no delegate that draws.
  var isDrawn = true
  /// Whether it was said that the layer is too large to be drawn.
  var isTooLarge = false
  var layoutManager: (any CALayoutManager)?
  var constraints: [CAConstraint]?
  var actions: [String: any CAAction]?
  var style: [AnyHashable: Any]?
  var states: [CAState]?
  var stateTransitions: [CAStateTransition]?
  /// Properties whose values come from the class or the style.
  var assumed = LayerPropertySet()
}

extension CALayer {
  /// The attachments, made where the layer has none.
  final var ownAttachments: LayerAttachments {
    if let attachments { return attachments }
    let made = LayerAttachments()
    attachments = made
    return made
  }
}
