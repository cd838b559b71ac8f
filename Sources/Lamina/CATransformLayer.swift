import Foundation
import LaminaCommit

/// A layer without a plane: its sublayers are not pressed onto it but stand in the space of its own
/// superlayer, among the siblings there, with which they are ordered by depth.
///
/// Only the sublayers are drawn. Of the layer itself count its geometry, `sublayerTransform`,
/// `isHidden`, and `opacity`, which each sublayer takes for itself; backgrounds, contents, borders,
/// filters, masks, shadows and `masksToBounds` do not.
open class CATransformLayer: CALayer {
  package override class var kind: LayerKind { .transform }

  /// The front one among the sublayers and those below them. As the layer has no plane, `p` is in the
  /// space of the nearest layer around it that is no CATransformLayer; and it is never found itself.
  open override func hitTest(_ p: CGPoint) -> CALayer? {
    modelValues.isHidden ? nil : frontSublayer(at: p)
  }

  /// False: there is nothing of the layer itself.
  open override func contains(_ p: CGPoint) -> Bool { false }
}
