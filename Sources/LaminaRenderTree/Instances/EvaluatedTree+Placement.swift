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
    let isInside = tree.isInside(row)
    let outer = tree.outerTransform(of: row, isInside: isInside)
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
      (placement.sublayerSpace, placement.otherSublayerSpace) = (.other, outer)
      (placement.isFlipped, placement.isMirrored) = (isFlippedAbove, isMirroredAbove)
    } else {
      placement.isFlipped = placement.isFlipped != isFlippedAbove
      placement.isMirrored = placement.isMirrored != isMirroredAbove
    }
    tree.setDepth(of: row, leavesPlane: placement.leavesPlane, isTilted: placement.isTilted)
    guard
      placement.toPixels != tree.toPixels[row]
        || placement.sublayerSpace != tree.rows[row].sublayerSpace
        || placement.otherSublayerSpace != tree.otherSublayerSpace(of: row)
        || placement.isFlipped != tree.rows[row].isFlipped
        || placement.isMirrored != tree.rows[row].isMirrored
    else { return false }
    tree.toPixels[row] = placement.toPixels
    tree.set(placement.sublayerSpace, placement.otherSublayerSpace, ofSublayersOf: row)
    tree.rows[row].isFlipped = placement.isFlipped
    tree.rows[row].isMirrored = placement.isMirrored
    return true
  }
}

extension EvaluatedTree {
  /// Maps the space in which a row's layer is placed to the pixels of the row's space.
  fileprivate func outerTransform(of row: Int, isInside: Bool) -> CATransform3D {
    if isInside {
      let scale = animatedValues.read(rows[row].animated) {
        $0.pointee.effects.rasterizationScale
      }
      return CATransform3D(scaleX: scale, y: scale)
    }
    let parent = rows[row].parent
    guard parent >= 0 else { return rootTransform }
    // A mask lies in its layer's own plane, which the sublayer transform does not move; so do the
    // parts of its contents.
    let isInPlane = rows[row].isMask || rows[row].kind == .tile
    return isInPlane ? toPixels[parent] : sublayersToPixels(of: parent)
  }

  /// Maps the space that a row's sublayers lie in to the pixels of the row's space.
  func sublayersToPixels(of row: Int) -> CATransform3D {
    switch rows[row].sublayerSpace {
    case .plane: toPixels[row].flatteningBefore
    case .own: toPixels[row]
    case .other: otherSublayerSpaces[row] ?? .identity
    }
  }

  fileprivate func otherSublayerSpace(of row: Int) -> CATransform3D? {
    rows[row].sublayerSpace == .other ? otherSublayerSpaces[row] : nil
  }

  fileprivate mutating func set(
    _ space: SublayerSpace, _ other: CATransform3D?, ofSublayersOf row: Int
  ) {
    if space == .other || rows[row].sublayerSpace == .other { otherSublayerSpaces[row] = other }
    rows[row].sublayerSpace = space
  }
}

/// A layer's transforms, and the turns of its own that they contain.
private struct Placement {
  var toPixels: CATransform3D
  var sublayerSpace: EvaluatedTree.SublayerSpace
  var otherSublayerSpace: CATransform3D?
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
    sublayerSpace = isSpace ? .own : .plane
    if LayerValues.hasEffects(at: values) {
      let sublayers = LayerGeometry.sublayerTransform(values.pointee)
      if !sublayers.isIdentity {
        sublayerSpace = .other
        otherSublayerSpace =
          (isSpace ? sublayers : sublayers.flattened).concatenating(toPixels)
      }
    }
  }
}
