import Foundation
import Lamina

/// One case in two runs.
struct BenchComparison: Equatable {
  enum Verdict: String {
    case faster, slower
    /// No difference that is certain and larger than allowed.
    case level
    /// No difference would be certain.
    case few
  }

  let before: BenchResult
  let now: BenchResult
  /// The interval of the ratio of now to before, at 99 %; nil with too few rounds.
  let interval: ClosedRange<Double>?
  let verdict: Verdict

  /// Part by which medians differ without counting, unless told otherwise. Even where no sample
  /// overlaps, two processes of one program differ by as much: in where their memory lies, and in
  /// the clock of the processor.
  static let allowedPart = 0.05

  /// The smallest time that is told from another, in a run's unit: as the samples are written.
  private static let resolution = 1e-4

  init(_ before: BenchResult, _ now: BenchResult, allowing part: Double = allowedPart) {
    (self.before, self.now) = (before, now)
    // Frames that follow each other are fast or slow together, and so is all that is measured in
    // the same second. So a round counts once, by its median, however many frames it has.
    func medians(_ result: BenchResult) -> [Double] {
      result.rounds.map { max(BenchStatistics.quantile(1, of: 2, $0), Self.resolution) }
    }
    interval = BenchStatistics.ratioInterval(of: medians(now), to: medians(before))
    verdict =
      if let interval {
        if interval.lowerBound > 1 + part {
          .slower
        } else if interval.upperBound < 1 / (1 + part) {
          .faster
        } else {
          .level
        }
      } else {
        .few
      }
  }

  /// The median now, over the one before.
  var ratio: Double {
    max(now.median, Self.resolution) / max(before.median, Self.resolution)
  }

  /// For a line of JSON.
  var fields: [String] {
    func number(_ value: Double) -> String { String(format: "%.4f", value) }
    var fields = ["\"before\":\(number(before.median))", "\"ratio\":\(number(ratio))"]
    if let interval {
      fields.append("\"low\":\(number(interval.lowerBound))")
      fields.append("\"high\":\(number(interval.upperBound))")
    }
    return fields + ["\"verdict\":\"\(verdict.rawValue)\""]
  }
}

/// Two runs, case by case.
struct BenchComparisons {
  let comparisons: [BenchComparison]
  /// Cases that the earlier run does not have.
  let added: [BenchResult]
  private let (before, now): ([BenchResult], [BenchResult])

  init(
    _ before: [BenchResult], _ now: [BenchResult],
    allowing part: Double = BenchComparison.allowedPart
  ) {
    (self.before, self.now) = (before, now)
    var known: [BenchResult.Key: BenchResult] = [:]
    for result in before { known[result.key] = result }
    comparisons = now.compactMap { result in
      known[result.key].map { BenchComparison($0, result, allowing: part) }
    }
    added = now.filter { known[$0.key] == nil }
  }

  subscript(result: BenchResult) -> BenchComparison? {
    comparisons.first { $0.now.key == result.key }
  }

  /// A difference for the worse counts as one, as in a comparison of pictures.
  var status: ExitStatus {
    comparisons.contains { $0.verdict == .slower } ? .different : .success
  }

  // MARK: Text

  /// The rows and a line that sums them up.
  var table: String {
    var lines = [
      Self.row(
        "scene", "var", "platform", "before", "now", "unit", "ratio", "99 % interval", "verdict")
    ]
    for comparison in comparisons {
      let now = comparison.now
      let interval = comparison.interval.map {
        Self.ratio($0.lowerBound) + " to " + Self.ratio($0.upperBound)
      }
      lines.append(
        Self.row(
          now.scene, now.variant, now.platform.rawValue, Self.median(comparison.before),
          Self.median(now), now.unit, Self.ratio(comparison.ratio), interval ?? "too few rounds",
          comparison.verdict == .few ? "" : comparison.verdict.rawValue))
    }
    for result in added {
      lines.append(
        Self.row(
          result.scene, result.variant, result.platform.rawValue, "-", Self.median(result),
          result.unit, "", "", "new"))
    }
    return (lines + [summary]).joined(separator: "\n")
  }

  /// Such as `2 slower, 1 faster, 20 level`, and what else the runs differ in.
  private var summary: String {
    let counts = [BenchComparison.Verdict.slower, .faster, .level].map { verdict in
      (verdict.rawValue, comparisons.count { $0.verdict == verdict })
    }
    var parts = counts.filter { $0.1 > 0 || $0.0 == "slower" }.map { "\($0.1) \($0.0)" }
    let few = comparisons.count { $0.verdict == .few }
    if few > 0 { parts.append("\(few) with too few rounds") }
    if !added.isEmpty { parts.append("\(added.count) new") }
    let line = parts.joined(separator: ", ")
    let origins = [before, now].map { $0.first?.origin ?? BenchOrigin() }
    guard origins[0].machine != origins[1].machine else { return line }
    return line + "\nbefore on \(origins[0].machine); now on \(origins[1].machine)"
  }

  private static func ratio(_ value: Double) -> String { String(format: "%.3f", value) }

  /// The median and the spread.
  private static func median(_ result: BenchResult) -> String {
    String(
      format: "%.3f ±%2.0f %%", result.median, 100 * BenchStatistics.spread(result.samples))
  }

  private static func row(
    _ scene: String, _ variant: String, _ platform: String, _ before: String, _ now: String,
    _ unit: String, _ ratio: String, _ interval: String, _ verdict: String
  ) -> String {
    TableRow([
      .left(scene, 15), .left(variant, 10), .left(platform, 12), .right(before, 16),
      .right(now, 16), .left("  " + unit, 7), .right(ratio, 7), .left("  " + interval, 18),
      .left(verdict, 0),
    ]).text
  }
}
