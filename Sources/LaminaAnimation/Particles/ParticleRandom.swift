import LaminaValues

/// The random numbers of one particle: functions of its key alone, so that no particle depends on
/// those before it. The generator is SplitMix64.
struct ParticleRandom {
  private var state: UInt64

  /// `key` tells the particle from all others.
  init(key: UInt64) { state = key }

  /// The key of part `number` of what has the key `whole`: of a cell in an emitter, of a particle
  /// of a cell.
  static func key(_ whole: UInt64, _ number: UInt64) -> UInt64 {
    mixed(whole &+ (number &+ 1) &* 0xd134_2543_de82_ef95)
  }

  private static func mixed(_ value: UInt64) -> UInt64 {
    var z = value &+ 0x9e37_79b9_7f4a_7c15
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// A number of at least 0 and less than 1.
  mutating func unit() -> Double {
    defer { state &+= 0x9e37_79b9_7f4a_7c15 }
    return Double(Self.mixed(state) >> 11) * 0x1p-53
  }

  /// A number from half of `range` below `mean` to half of it above.
  mutating func around(_ mean: Double, _ range: Double) -> Double {
    mean + range * (unit() - 0.5)
  }
}
