import LaminaCommit
import LaminaRenderTree
import LaminaValues

/// What is read for every row of an evaluated tree, in place: a row, its values and its transform
/// are large, and copying them would cost more than most uses of them.
struct RowTables {
  private let nodes: UnsafePointer<RenderTree.Node>
  private let animatedValues: ValuesPointer?
  private let rows: UnsafePointer<EvaluatedTree.Row>
  let links: UnsafePointer<EvaluatedTree.Links>
  let toPixels: UnsafePointer<CATransform3D>

  /// Passes the tables to `body`, for which alone they are valid. There must be rows.
  static func read(
    _ tree: RenderTree, _ evaluated: EvaluatedTree, _ body: (RowTables) -> Void
  ) {
    tree.nodes.withUnsafeBufferPointer { nodes in
      evaluated.rows.withUnsafeBufferPointer { rows in
        evaluated.links.withUnsafeBufferPointer { links in
          evaluated.toPixels.withUnsafeBufferPointer { toPixels in
            evaluated.animatedValues.withValues { animatedValues in
              body(
                RowTables(
                  nodes: nodes.baseAddress!, animatedValues: animatedValues,
                  rows: rows.baseAddress!, links: links.baseAddress!,
                  toPixels: toPixels.baseAddress!))
            }
          }
        }
      }
    }
  }

  @inline(__always)
  subscript(row: Int) -> UnsafePointer<EvaluatedTree.Row> { rows + row }

  @inline(__always)
  func hasSublayers(_ row: Int) -> Bool { links[row].first >= 0 }

  /// Whether nothing lies below a row, in its mask, or in its bitmap.
  @inline(__always)
  func isLeaf(_ row: Int) -> Bool {
    !hasSublayers(row) && rows[row].mask < 0 && rows[row].inside < 0
  }

  @inline(__always)
  func values(of row: Int) -> ValuesPointer {
    let place = rows + row
    return place.pointee.animated >= 0
      ? animatedValues! + place.pointee.animated
      : RenderTree.Node.values(at: nodes + place.pointee.slot)
  }

  /// Has the processor fetch what is read of most rows, for one that comes soon: its values and its
  /// transform. They lie far from those of the row before.
  @inline(__always)
  func prefetch(_ row: Int) {
    let slot = rows[row].slot
    if slot >= 0 {
      UnsafeRawPointer(RenderTree.Node.values(at: nodes + slot)).prefetch(lines: 4)
    }
    UnsafeRawPointer(toPixels + row).prefetch(lines: 2)
  }
}
