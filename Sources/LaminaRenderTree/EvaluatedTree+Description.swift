import LaminaAnimation
import LaminaCommit
import LaminaValues

extension RenderTree {
  /// The evaluated tree as text: a line a row, indented by depth, with what differs from a layer's
  /// defaults.
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
      let picture = row.picture < 0 ? nil : evaluated.pictures[row.picture]
      let layer = picture?.layers[row.place] ?? id(of: row.slot)
      if row.transition >= 0 {
        let transition = evaluated.transitions[row.transition]
        lines.append(
          String(repeating: "  ", count: depth)
            + "transition of \(layer) \(transition.values.style) \(transition.values.side)"
            + " at \(transition.progress)")
        continue
      }
      let defaults = LayerValues(kind: row.kind)
      var words = ["\(row.kind) \(layer)"]
      if picture != nil { words.append("(old)") }
      if row.parent >= 0, evaluated.rows[row.parent].mask == index { words.append("(mask)") }
      for property in LayerProperty.allCases where property.declaration.crosses {
        let value = values.value(of: property)
        if value != defaults.value(of: property) { words.append("\(property.key)=\(value.short)") }
      }
      for animation in self[picture == nil ? row.slot : row.place, in: picture].animations {
        words.append("animation \(animation.key)")
      }
      lines.append(String(repeating: "  ", count: depth) + words.joined(separator: " "))
    }
    return lines.joined(separator: "\n")
  }
}

extension RenderTree {
  /// The instances of a layer that a session draws at a time; of one in a transition, its values
  /// of now.
  package func evaluatedLayers(
    _ layer: LayerID, session: SessionID, at time: Double
  ) throws(CommitError) -> [EvaluatedLayer] {
    guard let slot = slot(of: layer) else { throw .unknownLayer(layer) }
    let evaluated = try evaluate(session: session, at: time)
    return evaluated.rows.filter { row in
      // The new picture is the same instance as the transition.
      row.slot == slot && (row.parent < 0 || evaluated.rows[row.parent].transition < 0)
    }.map { row in
      EvaluatedLayer(time: evaluated.time(of: row), values: values(of: row, in: evaluated))
    }
  }
}

extension AnimationValue {
  /// The value in a few words, as documents write it.
  fileprivate var short: String {
    switch self {
    case .none: "nil"
    case .number(let v): "\(v)"
    case .point(let p): "(\(p.x) \(p.y))"
    case .size(let s): "(\(s.width) \(s.height))"
    case .rect(let r): "(\(r.minX) \(r.minY) \(r.width) \(r.height))"
    case .transform(let t):
      "matrix(" + t.rows.joined().map { "\($0)" }.joined(separator: ", ") + ")"
    case .color(let c):
      "\(c.model)(" + (c.components ?? []).map { "\($0)" }.joined(separator: " ") + ")"
    case .path(let p): "path of \(p.elements.count) elements"
    case .image(let id): "\(id)"
    case .string(let s): s
    case .filter(let filter): filter.text
    case .array(let values): "[" + values.map(\.short).joined(separator: ", ") + "]"
    }
  }
}
