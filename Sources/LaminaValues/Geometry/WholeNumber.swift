extension Int {
  /// The last whole number up to another one, which must not be farther from 0 than `Int` reaches.
  /// The function of the C library is a call, which takes longer.
  @inlinable @inline(__always)
  package init(floor number: Double) {
    let whole = Int(number)
    self = Double(whole) > number ? whole - 1 : whole
  }

  /// The first whole number from another one on, which must not be farther from 0 either.
  @inlinable @inline(__always)
  package init(ceiling number: Double) { self = -Int(floor: -number) }
}
