import Foundation
import LaminaCommit

/// A layer without a plane: its sublayers are not flattened onto it but lie in the space of its own
/// superlayer, where they are ordered by depth among its siblings.
///
/// Only the sublayers are drawn. Of the layer's own properties, its geometry, `sublayerTransform`,
/// `isHidden` and `opacity` count; each sublayer takes the opacity for itself. Backgrounds,
/// contents, borders, filters, masks, shadows and `masksToBounds` have no effect.
open class CATransformLayer: CALayer {
  package override class var kind: LayerKind { .transform }

  /// The frontmost layer at a point, among the sublayers and their descendants; never the layer
  /// itself. As the layer has no plane, `p` is in the space of the nearest enclosing layer that is
  /// not a CATransformLayer.
  open override func hitTest(_ p: CGPoint) -> CALayer? {
    isPassedOver ? nil : frontSublayer(at: p)
  }

  /// Always false: the layer itself covers nothing.
  open override func contains(_ p: CGPoint) -> Bool { false }
}
