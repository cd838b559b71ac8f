import LaminaAnimation
import LaminaValues

/// A set of properties as bits, such as a layer's dirty mask. Its operations are inlined in other
/// modules, where every setter and every commit uses them; for this the type, too, must be usable
/// from inlined code.
@usableFromInline package struct StoredPropertySet: Hashable, Sendable, Sequence {
  @usableFromInline var low: UInt64 = 0
  @usableFromInline var high: UInt64 = 0

  @inlinable package init() {}

  @inlinable @inline(__always) package var isEmpty: Bool { low | high == 0 }
  @inlinable @inline(__always) package var count: Int { low.nonzeroBitCount + high.nonzeroBitCount }

  @inlinable @inline(__always) package func contains(_ property: StoredProperty) -> Bool {
    let bit = property.bit  // Masking shifts count it from 64 in `high`.
    return (bit < 64 ? low : high) &>> bit & 1 == 1
  }

  @inlinable @inline(__always) package mutating func insert(_ property: StoredProperty) {
    let bit = property.bit
    if bit < 64 { low |= 1 &<< bit } else { high |= 1 &<< bit }
  }

  @inlinable @inline(__always) package mutating func remove(_ property: StoredProperty) {
    let bit = property.bit
    if bit < 64 { low &= ~(1 &<< bit) } else { high &= ~(1 &<< bit) }
  }

  @inlinable @inline(__always) package mutating func formUnion(_ other: Self) {
    low |= other.low
    high |= other.high
  }

  @inlinable @inline(__always) package func union(_ other: Self) -> Self {
    var both = self
    both.formUnion(other)
    return both
  }

  @inlinable @inline(__always) package func intersection(_ other: Self) -> Self {
    var both = self
    both.low &= other.low
    both.high &= other.high
    return both
  }

  @inlinable @inline(__always) package func subtracting(_ other: Self) -> Self {
    var rest = self
    rest.low &= ~other.low
    rest.high &= ~other.high
    return rest
  }

  /// Everything that a change of these properties makes out of date.
  package var invalidates: StoredProperty.Invalidation {
    var all: UInt8 = 0
    Self.invalidated.withUnsafeBufferPointer { table in
      for property in self { all |= table[Int(property.bit)] }
    }
    return StoredProperty.Invalidation(rawValue: all)
  }

  /// What each property makes out of date, by its bit.
  private static let invalidated = StoredProperty.table.map(\.invalidates.rawValue)

  /// The properties that leave the client's process.
  package static let crossing = {
    var crossing = StoredPropertySet()
    for row in StoredProperty.table where row.crosses { crossing.insert(row.property) }
    return crossing
  }()

  /// The properties that define a layer's clock.
  package static let clock: Self = [.beginTime, .speed, .timeOffset]

  /// The properties that particles are born with.
  package static let emission: Self = [
    .birthRate, .lifetime, .velocity, .scale, .spin, .emitterPosition, .emitterZPosition,
    .emitterSize, .emitterDepth, .emitterShape, .emitterMode, .seed, .emitterCells,
  ]

  /// The properties that hold filters.
  package static let filters: Self = [.filters, .backgroundFilters, .compositingFilter]

  /// The properties whose values name images.
  package static let pictured: Self = [.contents, .emitterCells, .filters, .backgroundFilters]

  /// In the order of the codes.
  @usableFromInline package func makeIterator() -> Iterator { Iterator(low: low, high: high) }

  @usableFromInline package struct Iterator: IteratorProtocol {
    fileprivate var low: UInt64
    fileprivate var high: UInt64

    @usableFromInline package mutating func next() -> StoredProperty? {
      if low != 0 {
        let bit = UInt8(low.trailingZeroBitCount)
        low &= low - 1
        return StoredProperty(rawValue: bit)
      }
      guard high != 0 else { return nil }
      let bit = UInt8(high.trailingZeroBitCount)
      high &= high - 1
      return StoredProperty(rawValue: 64 + bit)
    }
  }
}

extension StoredPropertySet: ExpressibleByArrayLiteral {
  @usableFromInline package init(arrayLiteral properties: StoredProperty...) {
    self.init()
    for property in properties { insert(property) }
  }
}

private struct ValueGetter: LayerFieldReader {
  var value = AnimationValue.none
  mutating func read<Field: LayerField>(_ field: Field) { value = field.animationValue }
}

private struct ValueSetter: LayerFieldVisitor {
  let value: AnimationValue
  var succeeded = false
  mutating func visit<Field: LayerField>(_ field: inout Field) {
    guard let new = Field(value) else { return }
    field = new
    succeeded = true
  }
}

/// Writes the fields that it reads, to what outlives it.
private struct FieldEncoder: LayerFieldReader {
  let writer: Unmanaged<ByteWriter>
  func read<Field: LayerField>(_ field: Field) {
    writer._withUnsafeGuaranteedRef { field.encode(to: $0) }
  }
}

/// Decodes a field in place.
private struct FieldDecoder: LayerFieldVisitor {
  var reader: ByteReader
  mutating func visit<Field: LayerField>(_ field: inout Field) throws(CommitError) {
    field = try Field(from: &reader)
  }
}

/// Assigns the field at `source`, which is of the same property and therefore of the same type.
private struct FieldAssigner: LayerFieldVisitor {
  let source: UnsafeRawPointer
  func visit<Field: LayerField>(_ field: inout Field) {
    field = source.assumingMemoryBound(to: Field.self).pointee
  }
}

/// Copies the field that is read to `target`.
private struct FieldCopier: LayerFieldReader {
  let property: StoredProperty
  let target: UnsafeMutablePointer<LayerValues>
  func read<Field: LayerField>(_ field: Field) {
    withUnsafePointer(to: field) { source in
      var assigner = FieldAssigner(source: source)
      try! target.pointee.visit(property, with: &assigner)  // An assigner does not throw.
    }
  }
}

extension LayerValues {
  package func value(of property: StoredProperty) -> AnimationValue {
    withUnsafePointer(to: self) { Self.value(of: property, at: $0) }
  }

  /// As above, for values in memory, without copying them.
  @inline(never)
  package static func value(
    of property: StoredProperty, at values: UnsafePointer<LayerValues>
  ) -> AnimationValue {
    var getter = ValueGetter()
    read(property, at: values, with: &getter)
    return getter.value
  }

  /// Sets a property from a value of its type. For a value that is of another type or not finite,
  /// changes nothing and returns false.
  @discardableResult
  package mutating func set(_ property: StoredProperty, to value: AnimationValue) -> Bool {
    var setter = ValueSetter(value: value)
    try! visit(property, with: &setter)  // A setter does not throw.
    return setter.succeeded
  }

  /// Sets one property to its value in `other`.
  package mutating func copy(_ property: StoredProperty, from other: LayerValues) {
    withUnsafePointer(to: other) { copy(property, at: $0) }
  }

  /// As above, for values in memory, without copying them.
  @inline(never)
  package mutating func copy(_ property: StoredProperty, at other: UnsafePointer<LayerValues>) {
    withUnsafeMutablePointer(to: &self) { target in
      var copier = FieldCopier(property: property, target: target)
      Self.read(property, at: other, with: &copier)
    }
  }

  package func encode(_ property: StoredProperty, to writer: ByteWriter) {
    withUnsafePointer(to: self) { Self.encode(property, at: $0, to: writer) }
  }

  /// As above, for values in memory, without copying them.
  @inline(never)
  static func encode(
    _ property: StoredProperty, at values: UnsafePointer<LayerValues>, to writer: ByteWriter
  ) {
    var encoder = FieldEncoder(writer: .passUnretained(writer))
    read(property, at: values, with: &encoder)
  }

  package mutating func decode(
    _ property: StoredProperty, from reader: inout ByteReader
  ) throws(CommitError) {
    var decoder = FieldDecoder(reader: reader)
    defer { reader = decoder.reader }
    try visit(property, with: &decoder)
  }
}
