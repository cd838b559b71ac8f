import Foundation
import Lamina
import LaminaInProcess

/// A chart of a run, and of the run that it is compared with: box plots of the times of each case,
/// one below the other, on one axis.
struct BenchPlot {
  /// One run of one platform. Its boxes have one colour.
  struct Series: Equatable {
    let platform: RenderPlatform
    let isBefore: Bool
    let origin: BenchOrigin
  }

  /// The times of a case in one series.
  struct Box: Equatable {
    let series: Int
    /// The quantiles at 5, 25, 50, 75 and 95 %, in milliseconds.
    let quantiles: [Double]
    let comparison: BenchComparison?

    var median: Double { quantiles[2] }
  }

  /// A case with its boxes, one below the other.
  struct Row: Equatable {
    let scene: String
    let variant: String
    var boxes: [Box]
  }

  let series: [Series]
  let rows: [Row]
  let scale: BenchScale
  let title: String
  let subtitle: String
  /// What is not measured in milliseconds; empty if there is nothing.
  let remark: String

  /// The smallest time that has a place on a logarithmic axis, in milliseconds.
  private static let leastTime = 1e-4

  init(_ results: [BenchResult], _ comparisons: BenchComparisons? = nil) throws(UsageError) {
    let timed = results.filter { $0.unit == "ms" }
    guard let first = timed.first else {
      throw UsageError("--plot: none of the cases is measured in milliseconds")
    }
    var series: [Series] = []
    var rows: [Row] = []
    func add(_ result: BenchResult, before: Bool, _ comparison: BenchComparison?) {
      let platform = result.platform
      let known = series.firstIndex { $0.platform == platform && $0.isBefore == before }
      if known == nil {
        series.append(Series(platform: platform, isBefore: before, origin: result.origin))
      }
      let box = Box(
        series: known ?? series.count - 1,
        quantiles: [5, 25, 50, 75, 95].map {
          max(BenchStatistics.quantile($0, of: 100, result.samples), Self.leastTime)
        }, comparison: before ? nil : comparison)
      let row = rows.firstIndex { $0.scene == result.scene && $0.variant == result.variant }
      if let row {
        rows[row].boxes.append(box)
      } else {
        rows.append(Row(scene: result.scene, variant: result.variant, boxes: [box]))
      }
    }
    for result in timed {
      let comparison = comparisons?[result]
      if let comparison { add(comparison.before, before: true, nil) }
      add(result, before: false, comparison)
    }
    (self.series, self.rows) = (series, rows)
    let boxes = rows.flatMap(\.boxes)
    scale = BenchScale(
      from: boxes.compactMap(\.quantiles.first).min() ?? 1,
      to: boxes.compactMap(\.quantiles.last).max() ?? 1)
    title = "lamina bench"
    subtitle = [
      first.origin.machine, "\(first.size.width) × \(first.size.height) pixels",
      first.rounds.count > 1 ? "\(first.rounds.count) rounds" : "",
    ].filter { !$0.isEmpty }.joined(separator: "  ·  ")
    remark = results.filter { $0.unit != "ms" }.map {
      "\($0.key.name): \(BenchScale.number($0.median)) \($0.unit)"
    }.joined(separator: ",  ")
    guard size.height <= Self.largestHeight else {
      throw UsageError(
        "--plot: \(rows.count) cases are too many for one picture; --scene chooses some")
    }
  }

  /// What stands beside a series' colour.
  func legend(of series: Series) -> String {
    func renderer(_ origin: BenchOrigin) -> String {
      let prefix = "\(series.platform.rawValue), "
      let words = origin.renderer
      return words.hasPrefix(prefix) ? String(words.dropFirst(prefix.count)) : words
    }
    let here = self.series.first { $0.platform == series.platform && !$0.isBefore }?.origin
    var parts = [series.platform.rawValue, renderer(series.origin)]
    if series.isBefore {
      parts[0] += ", before"
      if let here, here.renderer == series.origin.renderer { parts.removeLast() }
      if let here, here.machine != series.origin.machine { parts.append(series.origin.machine) }
    } else if self.series.contains(where: \.isBefore) {
      parts[0] += ", now"
    }
    if series.origin.version != self.series.last?.origin.version {
      parts.append("version \(series.origin.version)")
    }
    return parts.filter { !$0.isEmpty }.joined(separator: "  ·  ")
  }

  /// Pixels per point.
  static let pixelsPerPoint: CGFloat = 2

  /// Draws the chart. The CPU does, so that the same numbers give the same picture everywhere, but
  /// for the fonts.
  func image(on server: RenderServer) throws -> CGImage {
    let renderer = try CARenderer(
      size: size, scale: Self.pixelsPerPoint, clock: .manual(), platform: .software,
      server: server)
    renderer.layer = layer()
    return try renderer.image(at: 0)
  }
}
