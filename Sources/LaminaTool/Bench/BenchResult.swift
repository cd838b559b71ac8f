import Foundation
import Lamina
import LaminaValues

/// The result of a benchmark case: a row of the table or a line of JSON.
struct BenchResult: Equatable {
  /// The name of the program measured. Other programs print lines of the same form under their own
  /// names.
  static let peer = "lamina"

  let scene: String
  let variant: String
  /// The platform that was asked for.
  var platform = RenderPlatform.auto
  /// The size of the frames, in pixels.
  var size = PixelSize(width: 1920, height: 1080)
  /// The unit of the samples: `ms` or `MiB`.
  var unit = "ms"
  /// One sample per frame, in order, in an array for each round.
  var rounds: [[Double]]
  /// The total processor time of all samples in both processes, in milliseconds.
  var processorTime: Double
  /// What the frames cost besides time.
  var statistics: [CARenderer.FrameStatistics]
  /// The size of a frame's commit, in bytes; nil if it was not measured.
  var byteCount: Int?
  /// Whether the slowest hundredth matters.
  var showsTail = false
  var origin = BenchOrigin()

  init(
    scene: String, variant: String, unit: String = "ms", samples: [Double], processorTime: Double,
    statistics: [CARenderer.FrameStatistics] = [], byteCount: Int? = nil, showsTail: Bool = false
  ) {
    (self.scene, self.variant, self.unit) = (scene, variant, unit)
    rounds = [samples]
    self.processorTime = processorTime
    self.statistics = statistics
    (self.byteCount, self.showsTail) = (byteCount, showsTail)
  }

  /// What a result is of. Results of one case, in two runs, have equal keys.
  struct Key: Hashable {
    var scene: String
    var variant: String
    var platform: RenderPlatform

    /// Such as `S1a hard on software`.
    var name: String { "\(scene) \(variant) on \(platform.rawValue)" }
  }

  var key: Key { Key(scene: scene, variant: variant, platform: platform) }

  /// Adds another round of the same case.
  mutating func append(_ round: BenchResult) {
    rounds += round.rounds
    processorTime += round.processorTime
    statistics += round.statistics
  }

  /// The median of a count, of all frames; 0 without any.
  func median(_ count: (CARenderer.FrameStatistics) -> Int) -> Int {
    let counts = statistics.map(count).sorted()
    return counts.isEmpty ? 0 : counts[counts.count / 2]
  }

  /// The counters for JSON, with their names there.
  private static var counters: [(name: String, count: (CARenderer.FrameStatistics) -> Int)] {
    [
      ("instances", { $0.instances }), ("passes", { $0.passes }), ("pixels", { $0.shadedPixels }),
      ("damage", { $0.damagedPixels }), ("uploaded", { $0.uploadedBytes }),
      ("hits", { $0.cacheHits }), ("misses", { $0.cacheMisses }),
      ("evictions", { $0.cacheEvictions }), ("cache", { $0.cacheBytes }),
    ]
  }

  /// The median of the time that the GPU was busy with a frame, in milliseconds; nil if that is not
  /// known of any.
  var deviceTime: Double? {
    let times = statistics.compactMap(\.deviceTime)
    return times.isEmpty ? nil : BenchStatistics.quantile(1, of: 2, times) * 1e3
  }

  var samples: [Double] { rounds.flatMap(\.self) }
  var median: Double { BenchStatistics.quantile(1, of: 2, samples) }
  var ninetiethPercentile: Double { BenchStatistics.quantile(9, of: 10, samples) }
  /// The time that 99 of 100 samples stay under.
  var ninetyNinthPercentile: Double { BenchStatistics.quantile(99, of: 100, samples) }
  /// Milliseconds per sample.
  var processorTimePerSample: Double {
    let count = samples.count
    return count == 0 ? 0 : processorTime / Double(count)
  }
}

/// Where and with what a run was made.
struct BenchOrigin: Equatable {
  var version = ""
  /// The processor and its cores.
  var machine = ""
  /// What draws, in the driver's words.
  var renderer = ""

  /// This program on this machine.
  static func here(renderer: String) -> BenchOrigin {
    let cores = ProcessInfo.processInfo.activeProcessorCount
    return BenchOrigin(
      version: Tool.version,
      machine: "\(processor ?? "a machine"), \(cores) \(cores == 1 ? "core" : "cores")",
      renderer: renderer)
  }

  /// The name of this machine's processor; nil if the system does not say.
  static var processor: String? {
    let information = (try? readFile("/proc/cpuinfo", limit: 1 << 20)) ?? []
    return String(decoding: information, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix("model name") }?
      .split(separator: ":", maxSplits: 1).last?.trimmingCharacters(in: .whitespaces)
  }
}

// MARK: Text

extension BenchResult {
  /// One line. `comparison` adds what a comparison with an earlier run found.
  func json(_ comparison: BenchComparison? = nil) -> String {
    func number(_ value: Double) -> String { String(format: "%.4f", value) }
    var fields = [
      "\"peer\":\"\(Self.peer)\"", "\"scene\":\(quoted(scene))", "\"var\":\(quoted(variant))",
      "\"platform\":\"\(platform.rawValue)\"",
      "\"med\":\(number(median))", "\"p90\":\(number(ninetiethPercentile))",
      "\"cpu\":\(number(processorTimePerSample))", "\"n\":\(samples.count)",
      "\"draws\":\(median(\.drawCalls))", "\"unit\":\"\(unit)\"",
    ]
    if !statistics.isEmpty {
      fields += Self.counters.map { "\"\($0.name)\":\(median($0.count))" }
    }
    if let deviceTime { fields.append("\"gpu\":\(number(deviceTime))") }
    if let byteCount { fields.append("\"bytes\":\(byteCount)") }
    if showsTail { fields.append("\"p99\":\(number(ninetyNinthPercentile))") }
    if let comparison { fields += comparison.fields }
    fields += [
      "\"w\":\(size.width)", "\"h\":\(size.height)", "\"version\":\(quoted(origin.version))",
      "\"machine\":\(quoted(origin.machine))", "\"renderer\":\(quoted(origin.renderer))",
    ]
    let samples = rounds.map { "[\($0.map(number).joined(separator: ","))]" }
    fields.append("\"samples\":[\(samples.joined(separator: ","))]")
    return "{\(fields.joined(separator: ","))}"
  }

  private func quoted(_ text: String) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return String(decoding: (try? encoder.encode(text)) ?? Data("\"\"".utf8), as: UTF8.self)
  }

  static let heading = row(
    "scene", "var", "platform", "med", "p90", "cpu ms", "n", "draws", "unit", bytes: "commit")

  /// A row under `heading`.
  var row: String {
    func number(_ value: Double) -> String { String(format: "%.3f", value) }
    return Self.row(
      scene, variant, platform.rawValue, number(median), number(ninetiethPercentile),
      number(processorTimePerSample), "\(samples.count)", "\(median(\.drawCalls))", unit,
      bytes: [
        byteCount.map { "\($0) B" }, showsTail ? "p99 \(number(ninetyNinthPercentile))" : nil,
        deviceTime.map { "gpu \(number($0))" },
      ].compactMap(\.self).joined(separator: ", "))
  }

  private static func row(
    _ scene: String, _ variant: String, _ platform: String, _ median: String, _ p90: String,
    _ processorTime: String, _ count: String, _ draws: String, _ unit: String, bytes: String
  ) -> String {
    TableRow([
      .left(scene, 15), .left(variant, 10), .left(platform, 12), .right(median, 11),
      .right(p90, 11), .right(processorTime, 11), .right(count, 6), .right(draws, 7),
      .left("  " + unit, 8), .left(bytes, 0),
    ]).text
  }
}

/// A row of a table, with its columns' texts and widths.
struct TableRow {
  enum Cell {
    case left(String, Int)
    case right(String, Int)
  }
  let cells: [Cell]

  init(_ cells: [Cell]) { self.cells = cells }

  var text: String {
    let columns = cells.map { cell in
      switch cell {
      case .left(let text, let width): text + gap(width - text.count)
      case .right(let text, let width): gap(width - text.count) + text
      }
    }
    return columns.joined().trimmingCharacters(in: .whitespaces)
  }

  private func gap(_ width: Int) -> String { String(repeating: " ", count: max(0, width)) }
}
