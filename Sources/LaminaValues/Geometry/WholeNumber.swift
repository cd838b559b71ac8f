extension Int {
  /// The last whole number up to another one, which must not be farther from 0 than `Int` reaches.
  /// The function of the C library is a call, which takes longer.
  @inlinable @inline(__always)
  package init(floor number: Double) {
    let whole = Int(number)
    self = Double(whole) > number ? whole - 1 : whole
  }
}
