import LaminaAnimation

/// Copy-on-write storage of a layer's values, shared by the layer and the commits that mention it,
/// because the values are large and mostly only one of them has changed.
package struct LayerStorage: Sendable {
  private final class Box: @unchecked Sendable {  // Written only while uniquely referenced.
    @exclusivity(unchecked) var values: LayerValues
    init(_ values: LayerValues) { self.values = values }
  }

  private var box: Box

  package init(_ values: LayerValues) { box = Box(values) }

  #if DEBUG
    /// Returns a copy. In code that is not optimised, a value yielded by `_read` is read only after
    /// the accessor has ended, when it may be freed already.
    package var values: LayerValues {
      get { box.values }
      _modify {
        makeUnique()
        yield &box.values
      }
    }
  #else
    package var values: LayerValues {
      _read { yield box.values }
      _modify {
        makeUnique()
        yield &box.values
      }
    }
  #endif

  @inline(__always) private mutating func makeUnique() {
    if !isKnownUniquelyReferenced(&box) { box = Box(box.values) }
  }

  /// Passes the values to `body` in place, without copying them.
  func withValues<Result>(_ body: (UnsafePointer<LayerValues>) -> Result) -> Result {
    withUnsafePointer(to: &box.values, body)
  }

  /// Reads one property without copying all values.
  package func value(of property: StoredProperty) -> AnimationValue {
    withValues { LayerValues.value(of: property, at: $0) }
  }
}

extension LayerStorage: Hashable {
  package static func == (a: LayerStorage, b: LayerStorage) -> Bool {
    a.box === b.box || a.box.values == b.box.values
  }

  package func hash(into hasher: inout Hasher) { box.values.hash(into: &hasher) }
}
