import LaminaCommit
import LaminaRenderTree
import LaminaValues

/// What is read for every row of an evaluated tree, in place: a row, its values and its transforms
/// are large, and copying them would cost more than most uses of them.
struct RowTables {
  private let nodes: UnsafePointer<RenderTree.Node>
  private let animatedValues: ValuesPointer?
  private let rows: UnsafePointer<EvaluatedTree.Row>
  let links: UnsafePointer<EvaluatedTree.Links>
  let transforms: UnsafePointer<EvaluatedTree.Transforms>

  /// Passes the tables to `body`, for which alone they are valid. There must be rows.
  static func read(
    _ tree: RenderTree, _ evaluated: EvaluatedTree, _ body: (RowTables) -> Void
  ) {
    tree.nodes.withUnsafeBufferPointer { nodes in
      evaluated.rows.withUnsafeBufferPointer { rows in
        evaluated.links.withUnsafeBufferPointer { links in
          evaluated.transforms.withUnsafeBufferPointer { transforms in
            evaluated.animatedValues.withValues { animatedValues in
              body(
                RowTables(
                  nodes: nodes.baseAddress!, animatedValues: animatedValues,
                  rows: rows.baseAddress!, links: links.baseAddress!,
                  transforms: transforms.baseAddress!))
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

  @inline(__always)
  func values(of row: Int) -> ValuesPointer {
    let place = rows + row
    return place.pointee.animated >= 0
      ? animatedValues! + place.pointee.animated
      : RenderTree.Node.values(at: nodes + place.pointee.slot)
  }
}
