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
      // A mask lies in its layer's own plane, which the sublayer transform does not move.
      outer =
        tree.rows[row].isMask ? tree.rows[parent].toSurface : tree.rows[parent].sublayersToSurface
    }
    let kind = tree.rows[row].kind
    let isSpace =
      kind == .transform || (kind == .replicator && isSpace(tree.rows[row], in: tree))
    tree.rows[row].isSpace = isSpace
    var placement = placement(of: row, isSpace: isSpace, in: outer, tree)
    let isFlippedAbove = parent >= 0 && tree.rows[parent].isFlipped
    let isMirroredAbove = parent >= 0 && !isInside && tree.rows[parent].isMirrored
    if tree.rows[row].transition >= 0 {
      placement.sublayersToSurface = outer
      (placement.isFlipped, placement.isMirrored) = (isFlippedAbove, isMirroredAbove)
    } else {
      placement.isFlipped = placement.isFlipped != isFlippedAbove
      placement.isMirrored = placement.isMirrored != isMirroredAbove
    }
    tree.setDepth(of: row, leavesPlane: placement.leavesPlane, isTilted: placement.isTilted)
    guard
      placement.toSurface != tree.rows[row].toSurface
        || placement.sublayersToSurface != tree.rows[row].sublayersToSurface
        || placement.isFlipped != tree.rows[row].isFlipped
        || placement.isMirrored != tree.rows[row].isMirrored
    else { return false }
    tree.rows[row].toSurface = placement.toSurface
    tree.rows[row].sublayersToSurface = placement.sublayersToSurface
    tree.rows[row].isFlipped = placement.isFlipped
    tree.rows[row].isMirrored = placement.isMirrored
    return true
  }

  @inline(__always)
  private func placement(
    of row: Int, isSpace: Bool, in outer: CATransform3D, _ tree: borrowing EvaluatedTree
  ) -> Placement {
    let (shift, animated) = (tree.rows[row].shift, tree.rows[row].animated)
    if animated >= 0 {
      return tree.animatedValues.read(animated) {
        Placement(of: $0, isSpace: isSpace, shift: shift, in: outer)
      }
    }
    return withNode(tree.rows[row].slot, in: nil) {
      Placement(of: Node.values(at: $0), isSpace: isSpace, shift: shift, in: outer)
    }
  }
}

/// A layer's transforms, and the turns of its own that they contain.
private struct Placement {
  var toSurface: CATransform3D
  var sublayersToSurface: CATransform3D
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
      toSurface = outer.translated(by: translation)
      leavesPlane = isSpace || translation.z != 0
      isTilted = isSpace
    } else {
      let toParent = LayerGeometry.toSuperlayer(values)
      let placed =
        isFlipped ? LayerGeometry.flip(values.pointee).concatenating(toParent) : toParent
      toSurface = placed.concatenating(outer)
      mirrors = LayerGeometry.mirrors(toParent)
      leavesPlane = isSpace || !toParent.keepsPlane
      isTilted = isSpace || !toParent.isLevel
    }
    if shift != .zero {
      toSurface = CATransform3D(translationX: shift.dx, y: shift.dy).concatenating(toSurface)
    }
    isMirrored = mirrors != isFlipped
    // A space does not flatten its sublayers: they lie in its own three dimensions.
    sublayersToSurface = isSpace ? toSurface : toSurface.flatteningBefore
    if LayerValues.hasEffects(at: values) {
      let sublayers = LayerGeometry.sublayerTransform(values.pointee)
      if !sublayers.isIdentity {
        sublayersToSurface =
          (isSpace ? sublayers : sublayers.flattened).concatenating(toSurface)
      }
    }
  }
}
