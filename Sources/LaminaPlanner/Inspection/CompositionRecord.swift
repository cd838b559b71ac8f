/// Which rows added what, recorded while a tree is composed to be looked at.
struct CompositionRecord {
  /// The row that is being composed; −1 for none.
  var row = -1
  /// By row: whether its turn came.
  private(set) var isComposed: [Bool]
  /// By item and by group of the graph: the row that added it; −1 for none.
  private(set) var rowsOfItems: [Int32] = []
  private(set) var rowsOfGroups: [Int32] = []

  init(rowCount: Int) { isComposed = [Bool](repeating: false, count: rowCount) }

  /// Has what is added belong to another row. Returns the row before.
  mutating func begin(_ row: Int) -> Int {
    isComposed[row] = true
    defer { self.row = row }
    return self.row
  }

  mutating func noteItems(upTo count: Int) {
    while rowsOfItems.count < count { rowsOfItems.append(Int32(row)) }
  }

  mutating func noteGroups(upTo count: Int) {
    while rowsOfGroups.count < count { rowsOfGroups.append(Int32(row)) }
  }
}
