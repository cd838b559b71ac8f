import Foundation
import LaminaCommit
import LaminaValues

/// A layer whose bitmap fits into no texture.
package struct RefusedBitmap: Hashable {
  /// As in the layer's row.
  var slot: Int
  var frozen: Int
  var place: Int
}

// A rasterized layer opens a space of its own: the pixels of its bitmap. Its row lies in the space
// around it and draws the bitmap. Below it is one row, `inside`, for the layer alone, and
// everything below the layer hangs on that. So a rasterized layer moves without anything in it
// being touched.
extension EvaluatedTree {
  /// How deep layer bitmaps may nest. Rasterized layers that lie deeper are painted like any other.
  private static let bitmapDepthLimit = 8

  /// Whether a row is what the bitmap of its parent shows. A call would copy the tree.
  @inline(__always)
  package func isInside(_ row: Int) -> Bool {
    let parent = rows[row].parent
    return parent >= 0 && rows[parent].inside == row
  }

  /// The space of a new row.
  func space(below parent: Int, _ role: RenderTree.Role) -> Int {
    role == .inside ? parent : parent < 0 ? -1 : rows[parent].space
  }

  /// Has the layers of some rows painted like any other from the next evaluation on.
  func refusals(adding refused: [Int]) -> Set<RefusedBitmap> {
    refusals.union(refused.map { RefusedBitmap(rows[$0]) })
  }

  fileprivate func mayOpenSpace(_ row: Int) -> Bool {
    if isForInspection { return false }
    var (depth, space) = (0, rows[row].space)
    while space >= 0 {
      depth += 1
      space = rows[space].space
    }
    return depth < Self.bitmapDepthLimit
      && (refusals.isEmpty || !refusals.contains(RefusedBitmap(rows[row])))
  }
}

extension RefusedBitmap {
  fileprivate init(_ row: EvaluatedTree.Row) {
    (slot, frozen, place) = (row.slot, row.frozen, row.place)
  }
}

extension RenderTree {
  /// Whether a row's layer is drawn as a bitmap.
  func isRasterized(_ row: Int, in tree: EvaluatedTree) -> Bool {
    let asks = tree.rows.withUnsafeBufferPointer { rows in
      let place = rows.baseAddress! + row
      // What lies in the space of its siblings has no bitmap of its own.
      guard place.pointee.copy < 0, !isSpace(place.pointee, in: tree) else { return false }
      return withValues(of: place, in: tree) { LayerValues.asksForBitmap(at: $0) }
    }
    return asks && tree.mayOpenSpace(row)
  }

  /// Brings what a bitmap shows to its layer's new values.
  func renewInside(of row: Int, isRepainted: Bool, in tree: inout EvaluatedTree) {
    let inside = tree.rows[row].inside
    let alone = values(of: tree.rows[row], in: tree).alone
    let place = tree.rows[inside].animated
    let isEmitter = tree.rows[row].kind == .emitter
    guard isEmitter || isRepainted || tree.animatedValues.read(place, { $0.pointee != alone })
    else { return }
    tree.animatedValues[place] = alone
    if isEmitter {
      withNode(tree.rows[row].slot, in: nil) { emit(inside, $0, in: nil, &tree) }
    }
    tree.changes.changed.append(inside)
    tree.changes.touched.append(inside)
    replace(inside, isRepainted: false, in: &tree)
  }

  /// Evaluates a tree again in which the bitmaps of some rows do not fit into a texture. Returns
  /// nil if its session is gone.
  package func evaluate(_ tree: EvaluatedTree, refusing refused: [Int]) -> EvaluatedTree? {
    // A new tree numbers frozen subtrees in another way than one that has been updated.
    let refusals = tree.changes.isAll ? tree.refusals(adding: refused) : []
    return try? evaluate(session: tree.session, at: tree.time, refusing: refusals)
  }
}

extension LayerValues {
  /// Whether a layer is to be drawn as a bitmap, if there may be one.
  static func asksForBitmap(at values: UnsafePointer<LayerValues>) -> Bool {
    guard hasEffects(at: values), values.pointee.effects.shouldRasterize else { return false }
    let scale = values.pointee.effects.rasterizationScale
    return scale > 0 && scale.isFinite
  }

  /// The values that the layer's own bitmap uses: without its place among other layers, and without
  /// the values that combine it with what is behind it.
  var alone: LayerValues {
    var values = self
    values.position = CGPoint(
      x: anchorPoint.x * bounds.width, y: anchorPoint.y * bounds.height)
    values.zPosition = anchorPointZ
    values.transform = .identity
    values.isGeometryFlipped = false
    values.isDoubleSided = true
    values.opacity = 1
    values.effects.backgroundFilters = nil
    values.effects.compositingFilter = nil
    values.effects.shouldRasterize = false
    return values
  }
}
