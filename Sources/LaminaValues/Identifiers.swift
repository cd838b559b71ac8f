import Synchronization

/// A number that names something.
///
/// Its hash is one multiplication. `Hasher` also resists keys that are chosen to collide, at
/// several times the cost; a client that chose such keys would slow its own render process.
@usableFromInline package protocol NumberedID: Hashable, Sendable {
  associatedtype Number: FixedWidthInteger
  var rawValue: Number { get }
}

extension NumberedID {
  /// What dictionaries and sets ask for.
  @inlinable
  package func _rawHashValue(seed: Int) -> Int {
    let product =
      (UInt64(truncatingIfNeeded: rawValue) ^ UInt64(truncatingIfNeeded: seed))
      &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: product ^ product >> 32)
  }
}

extension NumberedID where Self: Comparable {
  @inlinable
  package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// A layer in the render process: an index, and the generation of that index, so that an ID that
/// outlives its layer refers to none. Valid on one connection.
@usableFromInline package struct LayerID: Hashable, Sendable, Comparable, CustomStringConvertible {
  package var index: UInt32
  package var generation: UInt32

  @usableFromInline package init(index: UInt32, generation: UInt32) {
    self.index = index
    self.generation = generation
  }

  @usableFromInline package var description: String {
    generation == 0 ? "#\(index)" : "#\(index).\(generation)"
  }

  @usableFromInline package static func < (a: LayerID, b: LayerID) -> Bool {
    (a.index, a.generation) < (b.index, b.generation)
  }
}

/// An image or a layer's backing store: pixels that the client holds and the render process draws.
/// Unique during the client process's lifetime.
@usableFromInline package struct ImageID: NumberedID, Comparable, CustomStringConvertible {
  @usableFromInline package var rawValue: UInt64
  @usableFromInline package init(rawValue: UInt64) { self.rawValue = rawValue }
  @usableFromInline package var description: String { "image \(rawValue)" }
}

/// One renderer in the render process. Valid on one connection.
@usableFromInline package struct SessionID: NumberedID, CustomStringConvertible {
  @usableFromInline package var rawValue: UInt32
  @usableFromInline package init(rawValue: UInt32) { self.rawValue = rawValue }
  @usableFromInline package var description: String { "session \(rawValue)" }
}

/// A range of memory that both processes map. Unique during the client process's lifetime.
@usableFromInline package struct ArenaID: NumberedID, CustomStringConvertible {
  @usableFromInline package var rawValue: UInt32
  @usableFromInline package init(rawValue: UInt32) { self.rawValue = rawValue }
  @usableFromInline package var description: String { "arena \(rawValue)" }
}

/// A dma-buf, or those of one picture, that both processes know. Unique during the client process's
/// lifetime.
@usableFromInline package struct DMABufID: NumberedID, Comparable, CustomStringConvertible {
  @usableFromInline package var rawValue: UInt32
  @usableFromInline package init(rawValue: UInt32) { self.rawValue = rawValue }
  @usableFromInline package var description: String { "dma-buf \(rawValue)" }

  private static let next = Atomic<UInt32>(1)
  static func unique() -> DMABufID {
    DMABufID(rawValue: next.wrappingAdd(1, ordering: .relaxed).oldValue)
  }
}
