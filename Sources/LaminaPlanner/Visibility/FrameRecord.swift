import Foundation
import LaminaCommit
import LaminaRenderTree
import LaminaValues

/// The rows of a frame, kept to find the differences of the next one.
struct FrameRecord {
  /// A layer's own appearance and its place.
  private struct Row: Equatable {
    var identity: Identity
    var version: UInt64
    /// Its values if animations change them; otherwise nil.
    var animated: LayerValues?
    var image: UInt64?
    var mix: EvaluatedTree.ContentsMix?
    /// The progress of the transition that the row stands for; nil for a layer.
    var progress: Double?
    var toSurface: CATransform3D
  }

  private enum Identity: Hashable {
    case layer(LayerID)
    /// A node of a frozen subtree, by its index. Every transition has a subtree of its own.
    case old(ObjectIdentifier, Int)
    case transition(LayerID)
  }

  private var rows: [Row]
  private var extents: [CGRect]
  /// Keeps the frozen subtrees alive, so that no other object takes over their identities.
  private var frozenSubtrees: [FrozenSubtree]

  init(_ measured: MeasuredTree, of tree: RenderTree) {
    let evaluated = measured.evaluated
    extents = measured.extents
    frozenSubtrees = evaluated.frozenSubtrees
    rows = evaluated.rows.map { row in
      let values = tree.values(of: row, in: evaluated)
      let identity: Identity =
        row.frozen >= 0
        ? .old(ObjectIdentifier(evaluated.frozenSubtrees[row.frozen]), row.place)
        : row.transition >= 0
          ? .transition(tree.id(of: row.slot)) : .layer(tree.id(of: row.slot))
      return Row(
        identity: identity, version: row.frozen < 0 ? tree.nodes[row.slot].version : 0,
        animated: row.animated >= 0 ? values : nil,
        image: values.contents.flatMap { tree.images[$0]?.stamp },
        mix: row.contentsMix >= 0 ? evaluated.contentsMixes[row.contentsMix] : nil,
        progress: row.transition >= 0 ? evaluated.transitions[row.transition].progress : nil,
        toSurface: row.toSurface)
    }
  }

  /// The areas that differ from an earlier frame, in the target's pixels: the extents, then and
  /// now, of rows that changed, appeared, disappeared or changed their order.
  func changes(since last: FrameRecord) -> [CGRect] {
    var places: [Identity: Int] = [:]
    for (place, row) in last.rows.enumerated() { places[row.identity] = place }
    var changes: [CGRect] = []
    var furthest = -1
    for (index, row) in rows.enumerated() {
      guard let place = places.removeValue(forKey: row.identity) else {
        changes.append(extents[index])
        continue
      }
      if row != last.rows[place] || place < furthest {
        changes += [last.extents[place], extents[index]]
      }
      furthest = max(furthest, place)
    }
    for place in places.values.sorted() { changes.append(last.extents[place]) }
    return changes.filter { !$0.isNull }
  }
}
