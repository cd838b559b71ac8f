import Foundation
import LaminaCommit
import LaminaValues

extension RenderTree {
  /// Sets a row's transforms by its values and its parent's transforms. Returns whether any of them
  /// changed.
  @discardableResult
  func place(_ row: Int, in tree: inout EvaluatedTree) -> Bool {
    if tree.rows[row].copy >= 0 { return placeCopy(row, in: &tree) }
    // Rows are large: only these fields of them are read.
    let parent = tree.rows[row].parent
    var outer = tree.rootTransform
    let isInside = tree.isInside(row)
    if isInside {
      let scale = tree.animatedValues.read(tree.rows[row].animated) {
        $0.pointee.effects.rasterizationScale
      }
      outer = CATransform3D(scaleX: scale, y: scale)
    } else if parent >= 0 {
      // A mask lies in its layer's own plane, which the sublayer transform does not move; so do
      // the parts of its contents.
      outer =
        tree.rows[row].isMask || tree.rows[row].kind == .tile
        ? tree.transforms[parent].toPixels : tree.transforms[parent].sublayersToPixels
    }
    let kind = tree.rows[row].kind
    let isSpace =
      kind == .transform || (kind == .replicator && isSpace(tree.rows[row], in: tree))
    tree.rows[row].isSpace = isSpace
    let (shift, animated) = (tree.rows[row].shift, tree.rows[row].animated)
    var placement =
      animated >= 0
      ? tree.animatedValues.read(animated) {
        Placement(of: $0, isSpace: isSpace, shift: shift, in: outer)
      }
      : nodes.withUnsafeBufferPointer {
        Placement(
          of: Node.values(at: $0.baseAddress! + tree.rows[row].slot), isSpace: isSpace,
          shift: shift, in: outer)
      }
    let isFlippedAbove = parent >= 0 && tree.rows[parent].isFlipped
    let isMirroredAbove = parent >= 0 && !isInside && tree.rows[parent].isMirrored
    if tree.rows[row].transition >= 0 {
      placement.sublayersToPixels = outer
      (placement.isFlipped, placement.isMirrored) = (isFlippedAbove, isMirroredAbove)
    } else {
      placement.isFlipped = placement.isFlipped != isFlippedAbove
      placement.isMirrored = placement.isMirrored != isMirroredAbove
    }
    tree.setDepth(of: row, leavesPlane: placement.leavesPlane, isTilted: placement.isTilted)
    guard
      placement.toPixels != tree.transforms[row].toPixels
        || placement.sublayersToPixels != tree.transforms[row].sublayersToPixels
        || placement.isFlipped != tree.rows[row].isFlipped
        || placement.isMirrored != tree.rows[row].isMirrored
    else { return false }
    tree.transforms[row].toPixels = placement.toPixels
    tree.transforms[row].sublayersToPixels = placement.sublayersToPixels
    tree.rows[row].isFlipped = placement.isFlipped
    tree.rows[row].isMirrored = placement.isMirrored
    return true
  }
}

/// A layer's transforms, and the turns of its own that they contain.
private struct Placement {
  var toPixels: CATransform3D
  var sublayersToPixels: CATransform3D
  var isFlipped: Bool
  var isMirrored: Bool
  var leavesPlane: Bool
  var isTilted: Bool

  /// `shift` moves the layer in its own space.
  init(
    of values: UnsafePointer<LayerValues>, isSpace: Bool, shift: CGVector, in outer: CATransform3D
  ) {
    isFlipped = values.pointee.isGeometryFlipped
    var mirrors = false
    if values.pointee.transform.isIdentity, !isFlipped {
      let translation = LayerGeometry.translation(values)
      toPixels = outer.translated(by: translation)
      leavesPlane = isSpace || translation.z != 0
      isTilted = isSpace
    } else {
      let toParent = LayerGeometry.toSuperlayer(values)
      let placed =
        isFlipped ? LayerGeometry.flip(values.pointee).concatenating(toParent) : toParent
      toPixels = placed.concatenating(outer)
      mirrors = LayerGeometry.mirrors(toParent)
      leavesPlane = isSpace || !toParent.keepsPlane
      isTilted = isSpace || !toParent.isLevel
    }
    if shift != .zero {
      toPixels = CATransform3D(translationX: shift.dx, y: shift.dy).concatenating(toPixels)
    }
    isMirrored = mirrors != isFlipped
    // A space does not flatten its sublayers: they lie in its own three dimensions.
    sublayersToPixels = isSpace ? toPixels : toPixels.flatteningBefore
    if LayerValues.hasEffects(at: values) {
      let sublayers = LayerGeometry.sublayerTransform(values.pointee)
      if !sublayers.isIdentity {
        sublayersToPixels =
          (isSpace ? sublayers : sublayers.flattened).concatenating(toPixels)
      }
    }
  }
}
