/// A random generator that gives the same numbers for the same seed on every machine: SplitMix64.
public struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  public init(seed: some BinaryInteger) { state = UInt64(truncatingIfNeeded: seed) }

  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// A number of at least 0 and less than `limit`.
  public mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

  /// True once in `count` calls on average.
  public mutating func one(in count: Int) -> Bool { below(count) == 0 }

  /// True with a probability of `part`.
  public mutating func chance(_ part: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < part
  }

  /// One of `values`, which must not be empty.
  public mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }
}
