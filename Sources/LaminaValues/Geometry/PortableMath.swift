/// Functions that give the same bits on every processor: they only add, subtract, multiply, divide
/// and round, each of which IEEE 754 defines to the bit. The C library's functions choose their
/// instructions by the processor, and differ in last digits.
package enum PortableMath {
  // A quarter turn as a sum. The first two parts have 26 bits, so that their products with whole
  // numbers below 2²⁷ are exact.
  private static let quarter = 0x1.921fb5p+0
  private static let quarterRest = 0x1.110b46p-26
  private static let quarterLast = 0x1.1a62633145c07p-54
  private static let quartersPerRadian = 0.636_619_772_367_581_4

  /// The sine and the cosine of an angle in radians, to within 2e-16 of the true ones for angles
  /// below 1e8, and to within 2e-16 times the angle up to 1e15. Angles beyond that, and NaN, count
  /// as 0.
  package static func sineAndCosine(_ angle: Double) -> (sine: Double, cosine: Double) {
    guard abs(angle) < 1e15 else { return (0, 1) }
    let quarters = (angle * quartersPerRadian).rounded()
    let rest =
      ((angle - quarters * quarter) - quarters * quarterRest) - quarters * quarterLast
    let (sine, cosine) = (sineOfEighth(rest), cosineOfEighth(rest))
    switch Int64(quarters) & 3 {
    case 0: return (sine, cosine)
    case 1: return (cosine, -sine)
    case 2: return (-sine, -cosine)
    default: return (-cosine, sine)
    }
  }

  /// Taylor's series up to the power of 17, for angles of up to an eighth of a turn. What it leaves
  /// out is less than 1e-19.
  private static func sineOfEighth(_ x: Double) -> Double {
    let y = x * x
    var sum = 1 / 355_687_428_096_000.0
    sum = sum * y - 1 / 1_307_674_368_000.0
    sum = sum * y + 1 / 6_227_020_800.0
    sum = sum * y - 1 / 39_916_800.0
    sum = sum * y + 1 / 362_880.0
    sum = sum * y - 1 / 5040.0
    sum = sum * y + 1 / 120.0
    sum = sum * y - 1 / 6.0
    return x + x * (y * sum)
  }

  /// As above, up to the power of 18.
  private static func cosineOfEighth(_ x: Double) -> Double {
    let y = x * x
    var sum = -1 / 6_402_373_705_728_000.0
    sum = sum * y + 1 / 20_922_789_888_000.0
    sum = sum * y - 1 / 87_178_291_200.0
    sum = sum * y + 1 / 479_001_600.0
    sum = sum * y - 1 / 3_628_800.0
    sum = sum * y + 1 / 40320.0
    sum = sum * y - 1 / 720.0
    sum = sum * y + 1 / 24.0
    return 1 - (0.5 * y - y * y * sum)
  }

  // The natural logarithm of 2 as a sum. The first part has 32 bits.
  private static let logarithmOf2 = 0x1.62e42feep-1
  private static let logarithmOf2Rest = 0x1.a39ef35793c76p-33

  /// e to the power of `x`, to within 4e-16 of it, relatively. 0 below −708 and e⁷⁰⁸ above 708; 1
  /// for NaN.
  package static func exponential(_ x: Double) -> Double {
    guard !x.isNaN else { return 1 }
    guard x >= -708 else { return 0 }
    let x = min(x, 708)
    let doublings = (x * 1.442_695_040_888_963_4).rounded()
    let rest = (x - doublings * logarithmOf2) - doublings * logarithmOf2Rest
    // Taylor's series. It leaves out less than 1e-18.
    var sum = 1.0
    for power in stride(from: 14.0, through: 1, by: -1) { sum = 1 + rest / power * sum }
    return sum * Double(sign: .plus, exponent: Int(doublings), significand: 1)
  }

  /// The binary logarithm of a positive finite number, to within 1e-9; −1000 for any other.
  package static func binaryLogarithm(_ x: Double) -> Double {
    guard x > 0, x.isFinite else { return -1000 }
    // The area hyperbolic tangent's series. It leaves out less than 1e-10.
    let s = (x.significand - 1) / (x.significand + 1)
    let square = s * s
    var sum = 0.0
    for power in stride(from: 17.0, through: 1, by: -2) { sum = sum * square + 1 / power }
    return Double(x.exponent) + 2 * 1.442_695_040_888_963_4 * s * sum
  }
}
