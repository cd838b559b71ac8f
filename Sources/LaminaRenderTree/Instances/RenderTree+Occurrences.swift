import LaminaCommit
import LaminaValues

/// A layer's place in what a session shows.
package struct Occurrence {
  package var layer: LayerID
  package var kind: LayerKind
  /// The row in a tree for inspection.
  package var row: Int
  /// The row in what is drawn; −1 if there is none.
  package var drawn: Int
  /// The place of the one that it lies in, among all of them; −1 for the root.
  package var parent: Int
  package var place: LayerRecord.Place
  /// The number of the copy that it lies in directly.
  package var copy: Int?
  /// The properties that animations may change. Of a layer as it was before a transition, those
  /// that differ from the defaults.
  package var animated: StoredPropertySet
  /// Whether a transition shows it, hidden or not.
  package var isInTransition: Bool
}

extension RenderTree {
  /// All occurrences of layers, each before those inside it: first as it was before a transition,
  /// then the mask, then the sublayers in the order of the tree. `all` is a tree for inspection,
  /// and `drawn` the one that is drawn, both of one session and time.
  package func occurrences(in all: EvaluatedTree, drawnIn drawn: EvaluatedTree) -> [Occurrence] {
    guard all.root >= 0 else { return [] }
    var found: [Occurrence] = []
    var stack = [Pending(row: all.root, drawn: drawn.root, parent: -1, place: .root, copy: nil)]
    while let pending = stack.popLast() {
      let index = found.count
      found.append(occurrence(pending, in: all))
      let inner = Pending.inside(pending, index, all, drawn)
      var next: [Pending] = []
      if let old = inner.old { next.append(old) }
      if inner.body >= 0 {
        let mask = all.rows[inner.body].mask
        if mask >= 0 {
          let drawnMask = inner.drawn < 0 ? -1 : drawn.rows[inner.drawn].mask
          next.append(
            Pending(row: mask, drawn: drawnMask, parent: index, place: .mask, copy: nil))
        }
        addSublayers(of: inner.body, inner.drawn, index, all, drawn, to: &next)
      }
      stack += next.reversed()
    }
    return found
  }

  private func occurrence(_ pending: Pending, in all: EvaluatedTree) -> Occurrence {
    let row = all.rows[pending.row]
    let frozen = row.frozen < 0 ? nil : all.frozenSubtrees[row.frozen]
    var animated = StoredPropertySet()
    if frozen == nil {
      animated = nodes[row.slot].animatedProperties.intersection(.crossing)
    } else {
      let (values, defaults) = (values(of: row, in: all), LayerValues(kind: row.kind))
      for property in StoredPropertySet.crossing
      where values.value(of: property) != defaults.value(of: property) {
        animated.insert(property)
      }
    }
    return Occurrence(
      layer: frozen?.layers[row.place] ?? id(of: row.slot), kind: row.kind, row: pending.row,
      drawn: pending.drawn, parent: pending.parent, place: pending.place, copy: pending.copy,
      animated: animated, isInTransition: row.transition >= 0)
  }

  /// An occurrence that waits for its turn.
  private struct Pending {
    var row: Int
    var drawn: Int
    var parent: Int
    var place: LayerRecord.Place
    var copy: Int?

    /// The rows that a layer's mask and sublayers hang on, and the state before its transition.
    static func inside(
      _ outer: Pending, _ index: Int, _ all: EvaluatedTree, _ drawn: EvaluatedTree
    ) -> (body: Int, drawn: Int, old: Pending?) {
      var drawnBody = outer.drawn
      let isDrawnTransition = drawnBody >= 0 && drawn.rows[drawnBody].transition >= 0
      let drawnTransition =
        isDrawnTransition ? drawn.transitions[drawn.rows[drawnBody].transition] : nil
      if drawnBody >= 0 { drawnBody = drawn.body(of: drawnBody) }
      let row = all.rows[outer.row]
      guard row.transition >= 0 else { return (all.body(of: outer.row), drawnBody, nil) }
      let transition = all.transitions[row.transition]
      var old: Pending?
      if transition.old >= 0 {
        old = Pending(
          row: transition.old, drawn: drawnTransition?.old ?? -1, parent: index, place: .old,
          copy: nil)
      }
      return (transition.new, drawnBody, old)
    }
  }

  private func addSublayers(
    of row: Int, _ drawnRow: Int, _ index: Int, _ all: EvaluatedTree, _ drawn: EvaluatedTree,
    to next: inout [Pending]
  ) {
    guard all.replicates(row) else {
      addSublayers(of: row, drawnRow, index, copy: nil, all, drawn, to: &next)
      return
    }
    var drawnCopies: [Int: Int] = [:]
    for copy in drawnRow < 0 ? [] : drawn.sublayers(of: drawnRow) where drawn.rows[copy].copy >= 0 {
      drawnCopies[drawn.copies[drawn.rows[copy].copy].number] = copy
    }
    for copy in all.sublayers(of: row) {
      let number = all.copies[all.rows[copy].copy].number
      addSublayers(
        of: copy, drawnCopies[number] ?? -1, index, copy: number, all, drawn, to: &next)
    }
  }

  private func addSublayers(
    of row: Int, _ drawnRow: Int, _ index: Int, copy: Int?, _ all: EvaluatedTree,
    _ drawn: EvaluatedTree, to next: inout [Pending]
  ) {
    guard all.links[row].first >= 0 else { return }
    var (rows, drawnRows) = ([Int: Int](), [Int: Int]())
    for sublayer in all.sublayers(of: row) { rows[all.node(of: sublayer)] = sublayer }
    for sublayer in drawnRow < 0 ? [] : drawn.sublayers(of: drawnRow) {
      drawnRows[drawn.node(of: sublayer)] = sublayer
    }
    let place = all.rows[row]
    let frozen = place.frozen < 0 ? nil : all.frozenSubtrees[place.frozen]
    var number: UInt32 = 0
    for child in self[frozen == nil ? place.slot : place.place, in: frozen].children {
      // Parts of the contents are none of the sublayers.
      guard self[Int(child), in: frozen].kind != .tile else { continue }
      defer { number += 1 }
      guard let sublayer = rows[Int(child)] else { continue }
      next.append(
        Pending(
          row: sublayer, drawn: drawnRows[Int(child)] ?? -1, parent: index,
          place: .sublayer(number), copy: copy))
    }
  }
}

extension EvaluatedTree {
  /// The index of a row's node, in the tree or in its frozen subtree.
  fileprivate func node(of row: Int) -> Int {
    rows[row].frozen < 0 ? rows[row].slot : rows[row].place
  }
}
