import LaminaValues

/// The tables of an item list, in place.
package struct ItemTables {
  package let items: UnsafePointer<Item>
  package let corners: UnsafePointer<ItemCorner>
  package let edges: UnsafePointer<SIMD4<Double>>
  package let outlines: UnsafePointer<CornerOutline>
  package let maps: UnsafePointer<CGAffineTransform>
}

extension ItemList {
  /// Passes the tables to `body`. A pointer to an empty table is not read: the plan was checked.
  package func withTables(_ body: (ItemTables) -> Void) {
    func place<Element>(_ buffer: UnsafeBufferPointer<Element>) -> UnsafePointer<Element> {
      buffer.baseAddress ?? UnsafePointer(bitPattern: MemoryLayout<Element>.alignment)!
    }
    items.withUnsafeBufferPointer { items in
      corners.withUnsafeBufferPointer { corners in
        edges.withUnsafeBufferPointer { edges in
          outlines.withUnsafeBufferPointer { outlines in
            maps.withUnsafeBufferPointer { maps in
              body(
                ItemTables(
                  items: place(items), corners: place(corners), edges: place(edges),
                  outlines: place(outlines), maps: place(maps)))
            }
          }
        }
      }
    }
  }
}
