import Foundation
import LaminaCommit
import LaminaValues

extension RenderTree {
  /// Sets a row's transforms by its values and its parent's transforms. Returns whether any of them
  /// changed.
  @discardableResult
  func place(_ row: Int, in tree: inout EvaluatedTree) -> Bool {
    if tree.rows[row].copy >= 0 { return placeCopy(row, in: &tree) }
    if tree.rows.withUnsafeBufferPointer({ $0.baseAddress!.isInPlainPlace(row) }),
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
  /// Places a row whose layer is only moved in its superlayer. Returns whether that changes its
  /// transform.
  fileprivate mutating func move(
    _ row: Int, by move: (x: CGFloat, y: CGFloat, z: CGFloat)
  ) -> Bool {
    setDepth(of: row, leavesPlane: move.z != 0, isTilted: false)
    return withPlaces { $0.move(row, by: move) }
  }

  fileprivate mutating func withPlaces<Result>(_ body: (RowPlaces) -> Result) -> Result {
    rows.withUnsafeMutableBufferPointer { rows in
      toPixels.withUnsafeMutableBufferPointer { toPixels in
        body(RowPlaces(rows: rows.baseAddress!, toPixels: toPixels.baseAddress!))
      }
    }
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

  @inline(__always)
  private func isInPlane(_ row: Int) -> Bool { rows[row].isInPlane }

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

extension EvaluatedTree.Row {
  /// Whether it lies in its parent's own plane, which the sublayer transform does not move: a mask,
  /// and a part of the contents.
  @inline(__always)
  fileprivate var isInPlane: Bool { isMask || kind == .tile }
}

extension UnsafePointer<EvaluatedTree.Row> {
  /// Whether all that places a row, as most, are its layer's geometry and its superlayer's
  /// transform.
  @inline(__always)
  fileprivate func isInPlainPlace(_ index: Int) -> Bool {
    let row = self + index
    guard row.pointee.parent >= 0, row.pointee.transition < 0, row.pointee.kind != .transform,
      row.pointee.kind != .replicator, row.pointee.shift == .zero,
      row.pointee.sublayerSpace == .plane, !row.pointee.isSpace
    else { return false }
    let parent = self + row.pointee.parent
    return parent.pointee.inside != index
      && (parent.pointee.sublayerSpace != .other || row.pointee.isInPlane)
  }
}

/// The rows of a tree and their transforms, in place.
private struct RowPlaces {
  let rows: UnsafeMutablePointer<EvaluatedTree.Row>
  let toPixels: UnsafeMutablePointer<CATransform3D>

  /// Places a row in a plain place whose layer is only moved in its superlayer, with the same
  /// numbers as any other and in far fewer steps. Returns whether that changes its transform, or a
  /// turn that this contains.
  func move(_ index: Int, by move: (x: CGFloat, y: CGFloat, z: CGFloat)) -> Bool {
    let row = rows + index
    let parent = rows + row.pointee.parent
    let isFlattened = !row.pointee.isInPlane && parent.pointee.sublayerSpace == .plane
    let isOther =
      row.pointee.isFlipped != parent.pointee.isFlipped
      || row.pointee.isMirrored != parent.pointee.isMirrored
    if isOther {
      row.pointee.isFlipped = parent.pointee.isFlipped
      row.pointee.isMirrored = parent.pointee.isMirrored
    }
    let (old, above) = (toPixels + index, toPixels + row.pointee.parent)
    let outer = isFlattened ? above.pointee.flatteningBefore : above.pointee
    let moved = outer.translated(by: move)
    // Comparing whole transforms takes longer.
    guard moved.m41 != old.pointee.m41 || moved != old.pointee else { return isOther }
    old.pointee = moved
    return true
  }
}

// MARK: - On several threads

extension RenderTree {
  /// Places leaves, among distinct rows, that are only moved in their superlayers' planes. Returns
  /// the other rows.
  ///
  /// A row that is above others is not among them, so that no thread reads what another one writes.
  func placeLeaves(
    among dirty: [Int], _ sharing: LoopSharing, in tree: inout EvaluatedTree
  ) -> [Int] {
    var rest = [[Int]](repeating: [], count: sharing.partCount(of: dirty.count))
    let links = tree.links
    tree.animatedValues.withValues { animated in
      nodes.withUnsafeBufferPointer { nodes in
        links.withUnsafeBufferPointer { links in
          dirty.withUnsafeBufferPointer { dirty in
            tree.withPlaces { places in
              let leaves = LeafPlaces(
                places: places, links: links.baseAddress!, nodes: nodes.baseAddress!,
                animated: animated)
              rest.withUnsafeMutableBufferPointer { rest in
                sharing.share(dirty.count) { range, part, _ in
                  for place in range {
                    if let next = dirty.soon(after: place) { leaves.prefetch(next) }
                    if !leaves.place(dirty[place]) { rest[part].append(dirty[place]) }
                  }
                }
              }
            }
          }
        }
      }
    }
    return rest.flatMap(\.self)
  }
}

/// What places leaves, each thread those of its own rows.
private struct LeafPlaces {
  let places: RowPlaces
  let links: UnsafePointer<EvaluatedTree.Links>
  let nodes: UnsafePointer<RenderTree.Node>
  let animated: UnsafePointer<LayerValues>?

  /// Returns false, and does nothing, for a row that takes more than that.
  func place(_ index: Int) -> Bool {
    let rows = UnsafePointer(places.rows)
    let row = rows + index
    guard links[index].first < 0, row.pointee.mask < 0, row.pointee.inside < 0,
      row.pointee.copy < 0, !row.pointee.leavesPlane, !row.pointee.isTilted,
      rows.isInPlainPlace(index), let move = LayerGeometry.onlyTranslation(values(of: row)),
      move.z == 0
    else { return false }
    _ = places.move(index, by: move)
    return true
  }

  private func values(of row: UnsafePointer<EvaluatedTree.Row>) -> UnsafePointer<LayerValues> {
    row.pointee.animated >= 0
      ? animated! + row.pointee.animated : RenderTree.Node.values(at: nodes + row.pointee.slot)
  }

  /// Has the processor fetch a row's node and its transform.
  func prefetch(_ index: Int) {
    let slot = places.rows[index].slot
    if slot >= 0 { UnsafeRawPointer(nodes + slot).prefetch(lines: 4) }
    UnsafeRawPointer(places.toPixels + index).prefetch(lines: 2)
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
