import LaminaAnimation
import LaminaValues

/// A set of properties as bits: what a layer's dirty mask is.
package struct LayerPropertySet: Hashable, Sendable, Sequence {
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  package init() {}

  package var isEmpty: Bool { low | high == 0 }
  package var count: Int { low.nonzeroBitCount + high.nonzeroBitCount }

  package func contains(_ property: LayerProperty) -> Bool {
    let bit = property.rawValue
    return bit < 64 ? low >> bit & 1 == 1 : high >> (bit - 64) & 1 == 1
  }

  package mutating func insert(_ property: LayerProperty) {
    let bit = property.rawValue
    if bit < 64 { low |= 1 << bit } else { high |= 1 << (bit - 64) }
  }

  package mutating func remove(_ property: LayerProperty) {
    let bit = property.rawValue
    if bit < 64 { low &= ~(1 << bit) } else { high &= ~(1 << (bit - 64)) }
  }

  package mutating func formUnion(_ other: Self) {
    low |= other.low
    high |= other.high
  }

  package func intersection(_ other: Self) -> Self {
    var both = self
    both.low &= other.low
    both.high &= other.high
    return both
  }

  package func subtracting(_ other: Self) -> Self {
    var rest = self
    rest.low &= ~other.low
    rest.high &= ~other.high
    return rest
  }

  /// All that changes with any of them.
  package var invalidates: LayerProperty.Invalidation {
    reduce(into: []) { $0.formUnion($1.declaration.invalidates) }
  }

  /// Those that leave the client's process.
  package static let crossing = {
    var crossing = LayerPropertySet()
    for row in LayerProperty.table where row.crosses { crossing.insert(row.property) }
    return crossing
  }()

  /// Those that say how a layer's time runs.
  package static let clock = {
    var clock = LayerPropertySet()
    for property in [LayerProperty.beginTime, .speed, .timeOffset] { clock.insert(property) }
    return clock
  }()

  /// Those that hold filters.
  package static let filters = {
    var filters = LayerPropertySet()
    for property in [LayerProperty.filters, .backgroundFilters, .compositingFilter] {
      filters.insert(property)
    }
    return filters
  }()

  /// Those whose fields lie in `LayerValues` itself and not in a box.
  static let inline = {
    var inline = LayerPropertySet()
    for property in LayerProperty.allCases {
      var values = LayerValues()
      var toucher = FieldToucher()
      try! values.visit(property, with: &toucher)  // A toucher does not throw.
      if values.isInline { inline.insert(property) }
    }
    return inline
  }()

  /// In the order of the codes.
  package func makeIterator() -> Iterator { Iterator(low: low, high: high) }

  package struct Iterator: IteratorProtocol {
    fileprivate var low: UInt64
    fileprivate var high: UInt64

    package mutating func next() -> LayerProperty? {
      if low != 0 {
        let bit = UInt8(low.trailingZeroBitCount)
        low &= low - 1
        return LayerProperty(rawValue: bit)
      }
      guard high != 0 else { return nil }
      let bit = UInt8(high.trailingZeroBitCount)
      high &= high - 1
      return LayerProperty(rawValue: 64 + bit)
    }
  }
}

/// Does nothing; but a box that its visit passes through is then set.
private struct FieldToucher: LayerFieldVisitor {
  func visit<Field: LayerField>(_ field: inout Field) {}
}

private struct ValueGetter: LayerFieldVisitor {
  var value = AnimationValue.none
  mutating func visit<Field: LayerField>(_ field: inout Field) { value = field.animationValue }
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

private struct FieldEncoder: LayerFieldVisitor {
  let writer: ByteWriter
  func visit<Field: LayerField>(_ field: inout Field) { field.encode(to: writer) }
}

/// Reads a field from bytes into place.
private struct FieldDecoder: LayerFieldVisitor {
  var reader: ByteReader
  mutating func visit<Field: LayerField>(_ field: inout Field) throws(CommitError) {
    field = try Field(from: &reader)
  }
}

/// Assigns the field at `source`, which is of the same property and so of the same type.
private struct FieldAssigner: LayerFieldVisitor {
  let source: UnsafeRawPointer
  func visit<Field: LayerField>(_ field: inout Field) {
    field = source.assumingMemoryBound(to: Field.self).pointee
  }
}

/// Sets a field of `target` to the visited one.
private struct FieldCopier: LayerFieldVisitor {
  let property: LayerProperty
  let target: UnsafeMutablePointer<LayerValues>
  func visit<Field: LayerField>(_ field: inout Field) throws(CommitError) {
    try withUnsafePointer(to: field) { source throws(CommitError) in
      var assigner = FieldAssigner(source: source)
      try target.pointee.visit(property, with: &assigner)
    }
  }
}

extension LayerValues {
  /// Hands the field of `property` to a visitor that neither writes nor throws.
  ///
  /// Boxes are made or copied when a visit passes through them, so what lies in one is visited in
  /// a copy; the rest, which changes most often, in place.
  @inline(__always)
  static func read(
    _ property: LayerProperty, at values: UnsafePointer<LayerValues>,
    inline: LayerPropertySet = .inline, with visitor: inout some LayerFieldVisitor
  ) {
    if inline.contains(property) {
      try! UnsafeMutablePointer(mutating: values).pointee.visit(property, with: &visitor)
    } else {
      var copy = values.pointee
      try! copy.visit(property, with: &visitor)
    }
  }

  /// Writes each property's code and value, in the order of the codes. `inline` is passed in,
  /// because reaching a static variable 10,000 times takes longer than what is done with it.
  @inline(__always)
  static func encode(
    _ properties: LayerPropertySet, at values: UnsafePointer<LayerValues>,
    inline: LayerPropertySet, to writer: ByteWriter
  ) {
    var encoder = FieldEncoder(writer: writer)
    for property in properties {
      writer.write(property.rawValue)
      read(property, at: values, inline: inline, with: &encoder)
    }
  }

  package func value(of property: LayerProperty) -> AnimationValue {
    withUnsafePointer(to: self) { Self.value(of: property, at: $0) }
  }

  /// The same for values in memory, which are not copied for it.
  package static func value(
    of property: LayerProperty, at values: UnsafePointer<LayerValues>
  ) -> AnimationValue {
    var getter = ValueGetter()
    read(property, at: values, with: &getter)
    return getter.value
  }

  /// Sets a property from a value of its type; returns false, and changes nothing, for a value of
  /// another type or a non-finite one.
  @discardableResult
  package mutating func set(_ property: LayerProperty, to value: AnimationValue) -> Bool {
    var setter = ValueSetter(value: value)
    try! visit(property, with: &setter)  // A setter does not throw.
    return setter.succeeded
  }

  /// Sets one property to its value in `other`.
  package mutating func copy(_ property: LayerProperty, from other: LayerValues) {
    withUnsafePointer(to: other) { copy(property, at: $0) }
  }

  /// The same from values in memory, which are not copied for it.
  package mutating func copy(_ property: LayerProperty, at other: UnsafePointer<LayerValues>) {
    withUnsafeMutablePointer(to: &self) { target in
      var copier = FieldCopier(property: property, target: target)
      Self.read(property, at: other, with: &copier)
    }
  }

  package func encode(_ property: LayerProperty, to writer: ByteWriter) {
    var encoder = FieldEncoder(writer: writer)
    withUnsafePointer(to: self) { Self.read(property, at: $0, with: &encoder) }
  }

  package mutating func decode(
    _ property: LayerProperty, from reader: inout ByteReader
  ) throws(CommitError) {
    var decoder = FieldDecoder(reader: reader)
    defer { reader = decoder.reader }
    try visit(property, with: &decoder)
  }
}
