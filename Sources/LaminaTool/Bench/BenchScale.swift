import Foundation

/// The axis of a plot: from values to places, and where it is labelled.
struct BenchScale: Equatable {
  /// A line across the plot.
  struct Tick: Equatable {
    let value: Double
    /// nil for a faint line without one.
    let label: String?
  }

  let isLogarithmic: Bool
  let lower: Double
  let upper: Double
  let ticks: [Tick]

  /// The largest factor between values that a linear axis shows well.
  private static let linearSpan = 20.0

  /// A scale for positive values. It is logarithmic if they lie far apart, else it begins at 0.
  init(from least: Double, to most: Double) {
    isLogarithmic = most / least > Self.linearSpan
    if isLogarithmic {
      let exponents = Int(log10(least).rounded(.down))...Int(log10(most).rounded(.up))
      let all = exponents.flatMap { exponent in
        (1...9).map { Double($0) * pow(10, Double(exponent)) }
      }
      // Both ends are at 1, 2 or 5 of a decade.
      let ends = all.filter { Self.digit($0) == 1 || Self.digit($0) == 2 || Self.digit($0) == 5 }
      let lower = ends.last { $0 <= least * 1.0001 } ?? least
      let upper = ends.first { $0 >= most * 0.9999 } ?? most
      (self.lower, self.upper) = (lower, upper)
      let labelled: Set = upper / lower > 2000 ? [1] : [1, 2, 5]
      ticks = all.filter { $0 >= lower * 0.9999 && $0 <= upper * 1.0001 }.map {
        Tick(value: $0, label: labelled.contains(Self.digit($0)) ? Self.label($0) : nil)
      }
    } else {
      let decade = pow(10, log10(most).rounded(.down))
      // At least four steps, and at most ten.
      let step = [0.1, 0.2, 0.25, 0.5, 1].map { $0 * decade }.first { most / $0 <= 8 } ?? decade
      let count = Int((most / step).rounded(.up))
      (lower, upper) = (0, Double(count) * step)
      ticks = (0...count).map {
        Tick(value: Double($0) * step, label: Self.label(Double($0) * step))
      }
    }
  }

  /// From 0 at the lower end to 1 at the upper one.
  func place(_ value: Double) -> Double {
    let part =
      isLogarithmic
      ? log(max(value, lower) / lower) / log(upper / lower) : (value - lower) / (upper - lower)
    return min(max(part, 0), 1)
  }

  /// The first digit of 1 to 9 times a power of ten.
  private static func digit(_ value: Double) -> Int {
    Int((value / pow(10, (log10(value) + 1e-9).rounded(.down))).rounded())
  }

  /// The shortest decimal.
  private static func label(_ value: Double) -> String {
    let text = String(format: "%.4f", value)
    return text.reversed().drop { $0 == "0" }.drop { $0 == "." }.reversed().map(String.init)
      .joined().nonEmpty ?? "0"
  }

  /// A time with three digits, or four decimals at most.
  static func number(_ value: Double) -> String {
    let decimals = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : value >= 0.1 ? 3 : 4
    return String(format: "%.\(decimals)f", value)
  }
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
