import LaminaAnimation
import LaminaValues

/// Copy-on-write storage of a layer's values, shared by the layer and the commits that mention it,
/// because the values are large and mostly only one of them has changed. Its accessors are inlined
/// in the client, where every setter uses them.
@usableFromInline package struct LayerStorage: Sendable {
  // Written only while uniquely referenced.
  @usableFromInline final class Box: @unchecked Sendable {
    @usableFromInline @exclusivity(unchecked) var values: LayerValues
    @usableFromInline init(_ values: LayerValues) { self.values = values }
    init() { values = LayerValues() }
  }

  @usableFromInline var box: Box

  package init(_ values: LayerValues) { box = Box(values) }
  /// The defaults, made in place.
  init() { box = Box() }

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
      @inlinable @inline(__always) _read { yield box.values }
      @inlinable @inline(__always) _modify {
        makeUnique()
        yield &box.values
      }
    }
  #endif

  @inlinable @inline(__always) mutating func makeUnique() {
    if !isKnownUniquelyReferenced(&box) { copyBox() }
  }

  @usableFromInline @inline(never) mutating func copyBox() { box = Box(box.values) }

  /// Passes the values to `body` in place, without copying them.
  @inlinable @inline(__always)
  package func withValues<Result>(_ body: (UnsafePointer<LayerValues>) -> Result) -> Result {
    borrowing(box) { box in withUnsafePointer(to: &box.values, body) }
  }

  /// Reads one property without copying all values.
  package func value(of property: StoredProperty) -> AnimationValue {
    withValues { LayerValues.value(of: property, at: $0) }
  }
}

extension LayerStorage: Hashable {
  @usableFromInline package static func == (a: LayerStorage, b: LayerStorage) -> Bool {
    a.box === b.box || a.box.values == b.box.values
  }

  @usableFromInline package func hash(into hasher: inout Hasher) { box.values.hash(into: &hasher) }
}
