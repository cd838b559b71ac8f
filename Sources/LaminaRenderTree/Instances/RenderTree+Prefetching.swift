import LaminaCommit
import LaminaValues

/// Memory that is read soon. If many layers change, their nodes and their transforms are what a
/// processor waits for: they are large, and lie far from each other.
extension RenderTree {
  /// A node's beginning, with most of what is read of its values.
  @inline(__always)
  func prefetch(slot: Int) {
    nodes.withUnsafeBufferPointer { nodes in
      guard nodes.indices.contains(slot) else { return }
      UnsafeRawPointer(nodes.baseAddress! + slot).prefetch(lines: 4)
    }
  }

  /// A row's node and its transform. A call would copy the tree.
  @inline(__always)
  func prefetch(row: Int, in tree: EvaluatedTree) {
    prefetch(slot: tree.rows[row].slot)
    tree.toPixels.withUnsafeBufferPointer {
      UnsafeRawPointer($0.baseAddress! + row).prefetch(lines: 2)
    }
  }
}
