import LaminaAnimation
import LaminaCommit
import LaminaValues

extension RenderTree {
  /// The evaluated tree as text: one line per row, indented by depth, with the properties that
  /// differ from the layer's defaults.
  package func describe(
    session: SessionID, at time: Double
  ) throws(CommitError) -> String {
    let evaluated = try evaluate(session: session, at: time)
    var lines = ["\(session) at \(time): \(evaluated.rows.count) rows"]
    var depths: [Int] = []
    for (index, row) in evaluated.rows.enumerated() {
      let depth = row.parent < 0 ? 0 : depths[row.parent] + 1
      depths.append(depth)
      let values = values(of: row, in: evaluated)
      let frozen = row.frozen < 0 ? nil : evaluated.frozenSubtrees[row.frozen]
      let layer = frozen?.layers[row.place] ?? id(of: row.slot)
      if row.transition >= 0 {
        let transition = evaluated.transitions[row.transition]
        lines.append(
          String(repeating: "  ", count: depth)
            + "transition of \(layer) \(transition.values.style) \(transition.values.side)"
            + " at \(transition.progress)")
        continue
      }
      if row.copy >= 0 {
        let copy = evaluated.copies[row.copy]
        var words = ["copy \(copy.number) of \(layer)"]
        if copy.tint != SIMD4(repeating: 1) {
          words.append("tint=\((0..<4).map { "\(copy.tint[$0])" }.joined(separator: " "))")
        }
        lines.append(String(repeating: "  ", count: depth) + words.joined(separator: " "))
        continue
      }
      if evaluated.isInside(index) {
        let scale = values.effects.rasterizationScale
        lines.append(
          String(repeating: "  ", count: depth) + "bitmap of \(layer) at scale \(scale)")
        continue
      }
      let defaults = LayerValues(kind: row.kind)
      var words = ["\(row.kind) \(layer)"]
      if frozen != nil { words.append("(old)") }
      if row.parent >= 0, evaluated.rows[row.parent].mask == index { words.append("(mask)") }
      for property in StoredProperty.allCases where property.declaration.crosses {
        let value = values.value(of: property)
        if value != defaults.value(of: property) { words.append("\(property.key)=\(value.text)") }
      }
      for animation in self[frozen == nil ? row.slot : row.place, in: frozen].animations {
        words.append("animation \(animation.key)")
      }
      lines.append(String(repeating: "  ", count: depth) + words.joined(separator: " "))
    }
    return lines.joined(separator: "\n")
  }
}

extension RenderTree {
  /// The instances of a layer that a session draws at a time. A layer in a transition has its
  /// current values.
  package func evaluatedLayers(
    _ layer: LayerID, session: SessionID, at time: Double
  ) throws(CommitError) -> [EvaluatedLayer] {
    guard let slot = slot(of: layer) else { throw .unknownLayer(layer) }
    let evaluated = try evaluate(session: session, at: time)
    // A transition's row and the row of its new side are the same instance, and so are a rasterized
    // layer's row and that of what its bitmap shows, and a replicator's and those of its copies.
    return evaluated.rows.indices.filter { index in
      let row = evaluated.rows[index]
      return row.slot == slot && row.copy < 0 && !evaluated.isInside(index)
        && (row.parent < 0 || evaluated.rows[row.parent].transition < 0)
    }.map { index in
      let row = evaluated.rows[index]
      return EvaluatedLayer(time: evaluated.time(of: row), values: values(of: row, in: evaluated))
    }
  }
}
