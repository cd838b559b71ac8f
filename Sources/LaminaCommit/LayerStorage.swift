import LaminaAnimation

/// Where the values of a layer lie that a commit shares with the layer: they are large, and mostly one
/// of them has changed. Whoever is about to write and is not alone takes a copy first.
package final class LayerStorage: @unchecked Sendable {  // Written only while uniquely referenced.
  @exclusivity(unchecked) package var values: LayerValues

  package init(_ values: LayerValues) { self.values = values }

  /// Without a copy of all values, which a read of `values` may make.
  package func value(of property: LayerProperty) -> AnimationValue {
    withUnsafePointer(to: &values) { LayerValues.value(of: property, at: $0) }
  }
}

extension LayerStorage: Hashable {
  package static func == (a: LayerStorage, b: LayerStorage) -> Bool {
    a === b || a.values == b.values
  }

  package func hash(into hasher: inout Hasher) { values.hash(into: &hasher) }
}
