import LaminaCommit
import LaminaValues

/// A filter of unknown type that a commit found.
struct UnknownFilter {
  weak var layer: CALayer?
  let type: String
}

extension CommitBuilder {
  /// Removes filters of unknown type from the last change of the commit, which must be the layer's,
  /// and notes one of them: the tree cannot be drawn while the layer has it.
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
  /// Throws if a layer to be drawn has a filter of unknown type.
  func requireKnownFilters() throws(RenderServerError) {
    for unknown in unknownFilters {
      guard let layer = unknown.layer, layer.rendered?.tree === self else { continue }
      throw RenderServerError(.unknownFilter(unknown.type, layer: layer.debugName))
    }
  }
}
