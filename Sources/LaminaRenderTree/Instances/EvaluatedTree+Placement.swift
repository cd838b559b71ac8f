import Foundation
import LaminaCommit
import LaminaValues

extension RenderTree {
  /// Sets a row's transforms by its values and its parent's transforms. Returns whether any of them
  /// changed.
  @discardableResult
  func place(_ row: Int, in tree: inout EvaluatedTree) -> Bool {
    if tree.rows[row].copy >= 0 { return placeCopy(row, in: &tree) }
    if tree.isInPlainPlace(row),
      let move = withValues(ofRow: row, in: tree, { LayerGeometry.onlyTranslation($0) })
    {
      return tree.move(row, by: move)
    }
    // Rows are large: only these fields of them are read.
    let parent = tree.rows[row].parent
    let isInside = tree.isInside(row)
    let outer = tree.outerTransform(of: row, isInside: isInside)
    let kind = tree.rows[row].kind
    let isSpace =
      kind == .transform || (kind == .replicator && isSpace(tree.rows[row], in: tree))
    tree.rows[row].isSpace = isSpace
    let shift = tree.rows[row].shift
    var placement = withValues(ofRow: row, in: tree) {
      Placement(of: $0, isSpace: isSpace, shift: shift, in: outer)
    }
    let isFlippedAbove = parent >= 0 && tree.rows[parent].isFlipped
    let isMirroredAbove = parent >= 0 && !isInside && tree.rows[parent].isMirrored
    if tree.rows[row].transition >= 0 {
      placement.sublayerSpace = .other
      (placement.isFlipped, placement.isMirrored) = (isFlippedAbove, isMirroredAbove)
    } else {
      placement.isFlipped = placement.isFlipped != isFlippedAbove
      placement.isMirrored = placement.isMirrored != isMirroredAbove
    }
    tree.setDepth(of: row, leavesPlane: placement.leavesPlane, isTilted: placement.isTilted)
    // Few rows have such a space, so it is no part of the placement, which is copied.
    let isOther =
      placement.sublayerSpace == .other
      && tree.set(
        otherSublayerSpace: tree.rows[row].transition >= 0
          ? outer : otherSublayerSpace(of: row, placement.toPixels, in: tree), of: row)
    guard
      placement.toPixels != tree.toPixels[row] || isOther
        || placement.sublayerSpace != tree.rows[row].sublayerSpace
        || placement.isFlipped != tree.rows[row].isFlipped
        || placement.isMirrored != tree.rows[row].isMirrored
    else { return false }
    tree.toPixels[row] = placement.toPixels
    if tree.rows[row].sublayerSpace == .other, placement.sublayerSpace != .other {
      tree.otherSublayerSpaces[row] = nil
    }
    tree.rows[row].sublayerSpace = placement.sublayerSpace
    tree.rows[row].isFlipped = placement.isFlipped
    tree.rows[row].isMirrored = placement.isMirrored
    return true
  }
}

extension RenderTree {
  /// Passes a row's values in place. A call would copy the tree.
  @inline(__always)
  private func withValues<Result>(
    ofRow row: Int, in tree: EvaluatedTree, _ body: (UnsafePointer<LayerValues>) -> Result
  ) -> Result {
    let animated = tree.rows[row].animated
    if animated >= 0 { return tree.animatedValues.read(animated, body) }
    return nodes.withUnsafeBufferPointer {
      body(Node.values(at: $0.baseAddress! + tree.rows[row].slot))
    }
  }

  /// That of a row whose layer has a sublayer transform.
  private func otherSublayerSpace(
    of row: Int, _ toPixels: CATransform3D, in tree: EvaluatedTree
  ) -> CATransform3D {
    let sublayers = withValues(of: tree.rows[row], in: tree) {
      LayerGeometry.sublayerTransform($0)
    }
    return (tree.rows[row].isSpace ? sublayers : sublayers.flattened).concatenating(toPixels)
  }
}

extension EvaluatedTree {
  /// Whether all that places a row, as most, are its layer's geometry and its superlayer's
  /// transform.
  @inline(__always)
  fileprivate func isInPlainPlace(_ row: Int) -> Bool {
    let parent = rows[row].parent
    return parent >= 0 && rows[parent].inside != row && rows[row].transition < 0
      && rows[row].kind != .transform && rows[row].kind != .replicator
      && rows[row].shift == .zero && rows[row].sublayerSpace == .plane && !rows[row].isSpace
      && (rows[parent].sublayerSpace != .other || isInPlane(row))
  }

  /// Places a row whose layer is only moved in its superlayer, with the same numbers as any other
  /// and in far fewer steps. Returns whether that changes its transform.
  fileprivate mutating func move(
    _ row: Int, by move: (x: CGFloat, y: CGFloat, z: CGFloat)
  ) -> Bool {
    setDepth(of: row, leavesPlane: move.z != 0, isTilted: false)
    let parent = rows[row].parent
    let isFlattened = !isInPlane(row) && rows[parent].sublayerSpace == .plane
    var isOther =
      rows[row].isFlipped != rows[parent].isFlipped
      || rows[row].isMirrored != rows[parent].isMirrored
    if isOther {
      rows[row].isFlipped = rows[parent].isFlipped
      rows[row].isMirrored = rows[parent].isMirrored
    }
    toPixels.withUnsafeMutableBufferPointer { toPixels in
      let outer = isFlattened ? toPixels[parent].flatteningBefore : toPixels[parent]
      let moved = outer.translated(by: move)
      // Comparing whole transforms takes longer.
      guard moved.m41 != toPixels[row].m41 || moved != toPixels[row] else { return }
      toPixels[row] = moved
      isOther = true
    }
    return isOther
  }

  /// Maps the space in which a row's layer is placed to the pixels of the row's space. A call would
  /// copy the tree.
  @inline(__always)
  fileprivate func outerTransform(of row: Int, isInside: Bool) -> CATransform3D {
    if isInside {
      let scale = animatedValues.read(rows[row].animated) {
        $0.pointee.effects.rasterizationScale
      }
      return CATransform3D(scaleX: scale, y: scale)
    }
    let parent = rows[row].parent
    guard parent >= 0 else { return rootTransform }
    return isInPlane(row) ? toPixels[parent] : sublayersToPixels(of: parent)
  }

  /// Whether a row lies in its parent's own plane, which the sublayer transform does not move: a
  /// mask, and a part of the contents.
  @inline(__always)
  private func isInPlane(_ row: Int) -> Bool { rows[row].isMask || rows[row].kind == .tile }

  /// Maps the space that a row's sublayers lie in to the pixels of the row's space.
  @inline(__always)
  func sublayersToPixels(of row: Int) -> CATransform3D {
    switch rows[row].sublayerSpace {
    case .plane: toPixels[row].flatteningBefore
    case .own: toPixels[row]
    case .other: otherSublayerSpaces[row] ?? .identity
    }
  }

  /// Returns whether it was another one, or there was none.
  fileprivate mutating func set(otherSublayerSpace space: CATransform3D, of row: Int) -> Bool {
    if otherSublayerSpaces[row] == space { return false }
    otherSublayerSpaces[row] = space
    return true
  }
}

/// A layer's transforms, and the turns of its own that they contain.
private struct Placement {
  var toPixels: CATransform3D
  var sublayerSpace: EvaluatedTree.SublayerSpace
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
    if !values.pointee.isTransformed, !isFlipped {
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
    if LayerValues.hasSublayerTransform(at: values),
      !LayerGeometry.sublayerTransform(values).isIdentity
    {
      sublayerSpace = .other
    }
  }
}
