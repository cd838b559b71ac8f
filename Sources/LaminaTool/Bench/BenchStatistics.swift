import Foundation

/// The statistics of samples.
enum BenchStatistics {
  /// The sample at a quantile; 0 if there are none.
  static func quantile(_ numerator: Int, of denominator: Int, _ samples: [Double]) -> Double {
    let sorted = samples.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count * numerator / denominator]
  }

  /// Half the distance of the quartiles, as a part of the median.
  static func spread(_ samples: [Double]) -> Double {
    let median = quantile(1, of: 2, samples)
    guard median > 0 else { return 0 }
    return (quantile(3, of: 4, samples) - quantile(1, of: 4, samples)) / 2 / median
  }

  /// Fewest rounds of two runs between which any difference would be certain, at 99 %.
  static let leastRounds = 5

  /// The interval that contains the ratio of `samples` to `others` in 99 of 100 comparisons, by a
  /// Mann-Whitney rank test: the ratios by which `others` could be multiplied without the test
  /// telling them from `samples`. No distribution is assumed. nil if there are too few for any
  /// difference to be certain.
  static func ratioInterval(of samples: [Double], to others: [Double]) -> ClosedRange<Double>? {
    let rank = criticalRank(samples.count, others.count)
    guard rank > 0 else { return nil }
    let ratios = samples.flatMap { sample in others.map { sample / $0 } }.sorted()
    return ratios[rank - 1]...ratios[ratios.count - rank]
  }

  /// The largest rank such that the Mann-Whitney statistic of `m` and `n` samples of one
  /// distribution is below it with a probability of at most 0.005, half a percent for each side.
  static func criticalRank(_ m: Int, _ n: Int) -> Int {
    guard m > 0, n > 0 else { return 0 }
    // The number of orders of the samples that give each value of the statistic: the coefficients
    // of the Gaussian binomial, the product of (1 - q^(n + i)) / (1 - q^i).
    var counts = [1.0] + [Double](repeating: 0, count: m * n)
    for i in 1...m {
      if n + i <= m * n {
        for power in stride(from: m * n, through: n + i, by: -1) {
          counts[power] -= counts[power - n - i]
        }
      }
      for power in i..<max(i, m * n + 1) { counts[power] += counts[power - i] }
    }
    let allowed = counts.reduce(0, +) * 0.005
    var (rank, sum) = (0, 0.0)
    while rank < counts.count, sum + counts[rank] <= allowed {
      sum += counts[rank]
      rank += 1
    }
    return rank
  }
}
