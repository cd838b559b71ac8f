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

extension LayerValues {
  package mutating func value(of property: LayerProperty) -> AnimationValue {
    var getter = ValueGetter()
    try! visit(property, with: &getter)  // A getter does not throw.
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

  package mutating func encode(_ property: LayerProperty, to writer: ByteWriter) {
    var encoder = FieldEncoder(writer: writer)
    try! visit(property, with: &encoder)  // An encoder does not throw.
  }

  package mutating func decode(
    _ property: LayerProperty, from reader: inout ByteReader
  ) throws(CommitError) {
    var decoder = FieldDecoder(reader: reader)
    defer { reader = decoder.reader }
    try visit(property, with: &decoder)
  }
}
