/// What few layers have besides their values: one of these, made when something is first set.
final class LayerAttachments {
  weak var delegate: (any CALayerDelegate)?
  /// The call of the delegate that is going on.
  var delegateCall: DelegateCall?
  var layoutManager: (any CALayoutManager)?
  var constraints: [CAConstraint]?
  var style: [AnyHashable: Any]?
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
