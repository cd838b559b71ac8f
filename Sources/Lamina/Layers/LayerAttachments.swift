import LaminaCommit
import LaminaGraphics

/// State that few layers have besides their values, made when a part of it is first set.
final class LayerAttachments {
  weak var delegate: (any CALayerDelegate)?
  /// The call of the delegate that is in progress.
  var delegateCall: DelegateCall?
  /// The region to redraw before the next commit.
  var invalid = InvalidRegion()
  /// The region that `displayIfNeeded()` is redrawing.
  var displaying: InvalidRegion?
  /// False if `CALayer.draw(in:)` was called and found no delegate that draws.
  var isDrawn = true
  /// All that the picture in the backing store depends on; nil if that is not known.
  var drawing: AnyHashable?
  /// Why the layer's last drawing failed; nil if it did not.
  var drawingFailure: String?
  /// The tree for whose commit the layer is being drawn; nil if it is drawn for another reason.
  weak var displayingTree: LayerTree?
  /// The last drawing that was recorded, until it is shown.
  var waitingDrawing: StoreDrawing?
  /// Whether the warning that the layer is too large to be drawn was given.
  var isTooLarge = false
  var layoutManager: (any CALayoutManager)?
  var constraints: [CAConstraint]?
  var actions: [String: any CAAction]?
  var style: [AnyHashable: Any]?
  var states: [CAState]?
  /// The objects that were set as an emitter's cells.
  var emitterCells: [CAEmitterCell]?
  /// The images of an emitter's earlier cells whose particles may still live.
  var pastCellImages: [CGImage] = []
  /// The images of the layer's filters.
  var filterImages: [CGImage] = []
  var stateTransitions: [CAStateTransition]?
  var kept = KeptValues()
  /// Properties whose values come from the class or the style.
  var assumed = StoredPropertySet()
}

extension CALayer {
  /// The attachments, made if the layer has none.
  final var ownAttachments: LayerAttachments {
    if let attachments { return attachments }
    let made = LayerAttachments()
    attachments = made
    return made
  }
}
