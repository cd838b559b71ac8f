import LaminaCommit
import LaminaValues

/// A filter that there is none of, as a commit found it.
struct UnknownFilter {
  weak var layer: CALayer?
  let type: String
}

extension CommitBuilder {
  /// Takes filters that there are none of out of a layer's change, the last one made, and notes one
  /// of them: the tree cannot be drawn as long as the layer has it.
  mutating func leaveOutUnknownFilters(of layer: CALayer) {
    tree.unknownFilters.removeAll { $0.layer == nil || $0.layer === layer }
    let effects = layer.modelValues.effects
    guard let type = effects.unknownFilter else { return }
    tree.unknownFilters.append(UnknownFilter(layer: layer, type: type))
    let isKnown = { (filter: FilterValues) in FilterKind(type: filter.type) != nil }
    var known = effects
    known.filters = effects.filters?.filter(isKnown)
    known.backgroundFilters = effects.backgroundFilters?.filter(isKnown)
    known.compositingFilter = effects.compositingFilter.flatMap {
      BlendMode(type: $0.type) == nil ? nil : $0
    }
    commit.changes[commit.changes.count - 1].values.effects = known
  }
}

extension LayerTree {
  /// Throws where a layer that is to be drawn has an unknown filter.
  func requireKnownFilters() throws(RenderServerError) {
    for unknown in unknownFilters {
      guard let layer = unknown.layer, layer.rendered?.tree === self else { continue }
      throw RenderServerError(.unknownFilter(unknown.type, layer: layer.debugName))
    }
  }
}
