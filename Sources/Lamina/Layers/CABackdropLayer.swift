import LaminaCommit

/// A layer that shows what is behind it through its filters: its `filters` apply to the backdrop,
/// within the bounds and their rounded corners, and before `backgroundFilters`. Everything that the
/// layer draws itself lies over the filtered backdrop, unfiltered.
///
/// The class is private on Apple's systems, where documents of the system use it. What it does
/// there beyond this is not known.
open class CABackdropLayer: CALayer {
  package override class var kind: LayerKind { .backdrop }

  /// The size of the captured backdrop relative to the surface, which Core Animation lowers to blur
  /// faster, with less detail. Kept, but without effect: all pixels are captured. Default: 1.
  open var scale: Double {
    get { modelValues.emitter.scale }
    set { change(.scale, scale, newValue) { $0.emitter.scale = newValue } }
  }

  /// A name that layers have in common which share one capture of the backdrop. Those of them that
  /// are drawn into the same group show what the first one finds behind itself, and so neither each
  /// other nor what lies between them. nil if the layer has a capture of its own. Default: nil.
  open var groupName: String? {
    get { modelValues.hasEffects ? modelValues.effects.groupName : nil }
    set { change(.groupName, groupName, newValue) { $0.effects.groupName = newValue } }
  }
}
