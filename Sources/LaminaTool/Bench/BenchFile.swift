import Foundation
import Lamina
import LaminaValues

/// The results of an earlier run, in a file of JSON lines as `--json` writes them.
struct BenchFile {
  let results: [BenchResult]

  private static let limit = 256 << 20
  private static let longestText = 200
  /// The most rounds of a run.
  static let mostRounds = 50

  init(path: String) throws(UsageError) {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try readFile(path, limit: Self.limit)
    } catch {
      throw UsageError("\(path): cannot be read: \(error)")
    }
    try self.init(bytes, name: path)
  }

  /// Reads lines. Errors name `name` and the line.
  init(_ bytes: [UInt8], name: String) throws(UsageError) {
    var results: [BenchResult] = []
    var lines: [BenchResult.Key: Int] = [:]
    let all = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in all.enumerated() where !line.isEmpty {
      let place = "\(name):\(index + 1)"
      let result: BenchResult
      do throws(UsageError) {
        result = try Self.result(Data(line))
      } catch {
        throw UsageError("\(place): \(error.message)")
      }
      if let first = lines.updateValue(index + 1, forKey: result.key) {
        throw UsageError(
          "\(place): \(result.key.name) again, after line \(first); one run was expected")
      }
      results.append(result)
    }
    guard !results.isEmpty else {
      throw UsageError("\(name):1: is empty; a line of JSON for each case was expected")
    }
    self.results = results
  }

  /// The members of a line that a comparison needs.
  private struct Line: Decodable {
    var scene: String
    var `var`: String
    var platform: String
    var unit: String
    var w: Int
    var h: Int
    var samples: [[Double]]
    var cpu: Double
    var version: String
    var machine: String
    var renderer: String
  }

  private static func expected(_ key: String) -> String {
    switch key {
    case "samples": "an array of numbers for each round, from 0 to 1e9"
    case "w", "h": "a whole number from 1 to \(ServerLimit.frameSide)"
    case "cpu": "a number"
    case "platform": RenderPlatform.names
    case "unit": "ms or MiB"
    default: "a text of at most \(longestText) characters on one line"
    }
  }

  private static func result(_ data: Data) throws(UsageError) -> BenchResult {
    let line: Line
    do {
      line = try JSONDecoder().decode(Line.self, from: data)
    } catch DecodingError.keyNotFound(let key, _) {
      throw UsageError(
        "\(key.stringValue) is missing, as in files of earlier versions; expected is "
          + expected(key.stringValue))
    } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context)
    {
      guard let key = context.codingPath.first?.stringValue else {
        throw UsageError(
          "is no JSON that can be read; expected is a line as bench --json writes it")
      }
      throw UsageError("\(key) is something else; expected is \(expected(key))")
    } catch {
      throw UsageError("\(error)")
    }
    func check(_ isRight: Bool, _ key: String) throws(UsageError) {
      guard isRight else {
        throw UsageError("\(key) is out of range; expected is \(expected(key))")
      }
    }
    for (key, text) in [
      ("scene", line.scene), ("var", line.var), ("version", line.version),
      ("machine", line.machine), ("renderer", line.renderer),
    ] {
      try check(text.count <= longestText && Report.oneLine(text) == text, key)
    }
    let sides = 1...ServerLimit.frameSide
    try check(sides.contains(line.w), "w")
    try check(sides.contains(line.h), "h")
    try check(["ms", "MiB"].contains(line.unit), "unit")
    try check(
      !line.samples.isEmpty
        && line.samples.allSatisfy { !$0.isEmpty && $0.allSatisfy((0...1e9).contains) },
      "samples")
    guard line.samples.count <= mostRounds else {
      throw UsageError(
        "samples has \(line.samples.count) rounds; expected are \(mostRounds) at most")
    }
    guard let platform = RenderPlatform(rawValue: line.platform) else {
      throw UsageError("platform is \(line.platform); expected is \(RenderPlatform.names)")
    }
    let count = line.samples.reduce(0) { $0 + $1.count }
    var result = BenchResult(
      scene: line.scene, variant: line.var, unit: line.unit, samples: [],
      processorTime: line.cpu * Double(count))
    result.rounds = line.samples
    result.platform = platform
    result.size = PixelSize(width: line.w, height: line.h)
    result.origin = BenchOrigin(
      version: line.version, machine: line.machine, renderer: line.renderer)
    return result
  }

  /// Throws unless there are enough rounds to compare, of frames of `size` if one is given.
  func requireComparable(name: String, size: PixelSize? = nil) throws(UsageError) {
    if let size, let other = results.first(where: { $0.size != size }) {
      throw UsageError(
        "\(name): \(other.key.name) is of \(other.size) pixels, and the other run of \(size)")
    }
    let most = results.map(\.rounds.count).max() ?? 0
    guard most >= BenchStatistics.leastRounds else {
      throw UsageError("\(name): \(Self.tooFew(most))")
    }
  }

  /// Says that rounds are not enough to compare.
  static func tooFew(_ count: Int) -> String {
    "\(count) \(count == 1 ? "round is" : "rounds are") too few to tell a difference from noise;"
      + " \(BenchStatistics.leastRounds) or more were expected, as --rounds says"
  }
}
