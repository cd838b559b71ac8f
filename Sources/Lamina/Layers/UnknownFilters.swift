import LaminaCommit
import LaminaValues

/// A filter of unknown type that a commit found.
struct UnknownFilter {
  weak var layer: CALayer?
  let type: String
}

extension LayerTree {
  /// A layer's effects without filters of unknown type; nil if it has none. Notes one of them: the
  /// tree cannot be drawn while the layer has it.
  func effectsWithoutUnknownFilters(of layer: CALayer) -> EffectsValues? {
    unknownFilters.removeAll { $0.layer == nil || $0.layer === layer }
    let effects = layer.modelValues.effects
    guard let type = effects.unknownFilter else { return nil }
    unknownFilters.append(UnknownFilter(layer: layer, type: type))
    let isKnown = { (filter: FilterValues) in FilterKind(type: filter.type) != nil }
    var known = effects
    known.filters = effects.filters?.filter(isKnown)
    known.backgroundFilters = effects.backgroundFilters?.filter(isKnown)
    known.compositingFilter = effects.compositingFilter.flatMap {
      BlendMode(type: $0.type) == nil ? nil : $0
    }
    return known
  }

  /// Throws if a layer to be drawn has a filter of unknown type.
  func requireKnownFilters() throws(RenderServerError) {
    for unknown in unknownFilters {
      guard let layer = unknown.layer, layer.rendered?.tree === self else { continue }
      throw RenderServerError(.unknownFilter(unknown.type, layer: layer.debugName))
    }
  }
}
