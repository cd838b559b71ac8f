import Foundation
import LaminaValues
import TestSupport
import Testing

@testable import LaminaTool

@Suite("Two runs of the bench, compared")
struct BenchComparisonTests {
  /// A run of one case with these samples, in milliseconds.
  private func run(_ rounds: [Double]..., scene: String = "S1a") -> BenchResult {
    var result = BenchResult(
      scene: scene, variant: "hard", samples: [], processorTime: 0)
    result.rounds = rounds
    return result
  }

  /// Samples about `median`, whose logarithms are spread by `noise` as the normal distribution is.
  private func samples(
    _ count: Int, _ median: Double, noise: Double, _ random: inout SeededGenerator
  ) -> [Double] {
    (0..<count).map { _ in
      // The sum of twelve has the variance 1, and nearly the form.
      let sum = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
      return median * exp(sum * noise)
    }
  }

  /// A run of rounds that each are slow or fast as a whole, by `drift`, besides their samples'
  /// noise.
  private func run(
    of median: Double, noise: Double, drift: Double, rounds: Int, _ random: inout SeededGenerator
  ) -> BenchResult {
    var result = run()
    result.rounds = samples(rounds, median, noise: drift, &random).map { median in
      samples(20, median, noise: noise, &random)
    }
    return result
  }

  /// How often each verdict is given in 200 comparisons of runs with these medians.
  private func verdicts(
    _ before: Double, _ now: Double, noise: Double, drift: Double = 0, rounds: Int = 8,
    allowing part: Double = 0.05
  ) -> [BenchComparison.Verdict: Int] {
    var random = SeededGenerator(seed: 1)
    return (0..<200).reduce(into: [:]) { counts, _ in
      let pair = [before, now].map {
        run(of: $0, noise: noise, drift: drift, rounds: rounds, &random)
      }
      counts[BenchComparison(pair[0], pair[1], allowing: part).verdict, default: 0] += 1
    }
  }

  @Test("Runs of one distribution are level, whatever its noise")
  func equal() {
    #expect(verdicts(10, 10, noise: 0.01) == [.level: 200])
    #expect(verdicts(10, 10, noise: 0.2, rounds: 5) == [.level: 200])
    #expect((verdicts(10, 10, noise: 0.1, drift: 0.1)[.level] ?? 0) >= 198)
    #expect((verdicts(10, 10, noise: 0.1, drift: 0.5)[.level] ?? 0) >= 196)
    // With nothing allowed, the rank test alone errs once in a hundred.
    let errors = 200 - (verdicts(10, 10, noise: 0.1, allowing: 0)[.level] ?? 0)
    #expect((0...6).contains(errors), "\(errors)")
  }

  @Test("A difference that is larger than noise and than what is allowed is one, in its direction")
  func different() {
    #expect(verdicts(10, 12, noise: 0.05, drift: 0.02) == [.slower: 200])
    #expect(verdicts(12, 10, noise: 0.05, drift: 0.02) == [.faster: 200])
    #expect(verdicts(10, 20, noise: 0.2, drift: 0.05, rounds: 5) == [.slower: 200])
    #expect(verdicts(10, 10.3, noise: 0.01) == [.level: 200])
    #expect(verdicts(10, 10.3, noise: 0.01, allowing: 0.01) == [.slower: 200])
  }

  @Test("A difference under the noise is level")
  func noisy() {
    let counts = verdicts(10, 11, noise: 0.1, drift: 0.3)
    #expect((counts[.level] ?? 0) >= 190, "\(counts)")
    #expect(counts[.few] == nil)
  }

  @Test("A round that was disturbed counts once, however many samples it has")
  func disturbance() {
    var random = SeededGenerator(seed: 2)
    let calm = (0..<5).map { _ in samples(100, 10, noise: 0.02, &random) }
    let disturbed = calm.dropLast(2) + (0..<2).map { _ in samples(1000, 30, noise: 0.02, &random) }
    var pair = [run(), run()]
    (pair[0].rounds, pair[1].rounds) = (calm, Array(disturbed))
    // Most of all samples are three times as slow.
    #expect(BenchComparison(pair[0], pair[1]).ratio > 2.9)
    #expect(BenchComparison(pair[0], pair[1]).verdict == .level)
  }

  @Test("Fewer than five rounds of each run tell nothing; five that do not overlap do")
  func few() {
    let (one, nine) = ([1.0, 1, 1], [9.0, 9, 9])
    #expect(BenchComparison(run([1, 1, 1, 1, 1]), run([9, 9, 9, 9, 9])).verdict == .few)
    #expect(BenchComparison(run(one, one, one, one), run(nine, nine, nine, nine)).verdict == .few)
    #expect(
      BenchComparison(run(one, one, one, one, one), run(nine, nine, nine, nine, nine)).verdict
        == .slower)
    #expect(
      BenchComparison(run(one, one, one, one, nine), run(nine, nine, nine, nine, one)).verdict
        == .level)
    #expect(BenchStatistics.criticalRank(BenchStatistics.leastRounds, 5) > 0)
    #expect(BenchStatistics.criticalRank(BenchStatistics.leastRounds - 1, 5) == 0)
  }

  @Test(
    "The rank test's critical values are those of the published tables, at 1 % on two sides",
    arguments: [
      (4, 4, nil), (5, 5, 0), (5, 10, 4), (8, 8, 7), (10, 10, 16), (20, 20, 105), (50, 50, 877),
    ])
  func tables(_ m: Int, _ n: Int, _ critical: Int?) {
    #expect(BenchStatistics.criticalRank(m, n) == critical.map { $0 + 1 } ?? 0)
    #expect(BenchStatistics.criticalRank(n, m) == critical.map { $0 + 1 } ?? 0)
  }

  @Test("The interval is of the ratios of all pairs, and times too short to be told are equal")
  func interval() {
    let interval = BenchStatistics.ratioInterval(of: [2, 4, 6, 8, 10], to: [1, 1, 1, 1, 2])
    #expect(interval == 1...10)
    let still = run([0], [0], [0], [0], [0])
    let nothing = BenchComparison(still, still)
    #expect(nothing.verdict == .level)
    #expect(nothing.ratio == 1)
  }

  @Test("A line of JSON is read back with its samples, rounds and origin")
  func roundTrip() throws {
    var result = run([1.5, 2, 0.0625], [3, 4])
    result.platform = .software
    result.size = PixelSize(width: 640, height: 480)
    result.processorTime = 5
    result.origin = BenchOrigin(version: "1", machine: "a \"machine\"/2", renderer: "\\ é")
    let file = try BenchFile(Array((result.json() + "\n").utf8), name: "x")
    #expect(file.results == [result])
    // What a comparison adds is no hindrance.
    let compared = result.json(BenchComparison(result, result))
    #expect(compared.contains(#""ratio":1.0000"#) && compared.contains(#""verdict":"few""#))
    #expect(try BenchFile(Array(compared.utf8), name: "x").results == [result])
  }

  private static let line = BenchResult(
    scene: "S6", variant: "hard", samples: [1, 2], processorTime: 1
  ).json()

  /// A line in which `text` is replaced.
  private static func line(_ text: String, by other: String) -> String {
    line.replacingOccurrences(of: text, with: other)
  }

  private static let rounds = String(repeating: "[1],", count: 50)
  private static let samples =
    "an array of numbers for each round, from 0 to 1e9"
  private static let text = "a text of at most 200 characters on one line"
  private static let noObject =
    ":1: is no JSON that can be read; expected is a line as bench --json writes it"

  /// What is no run, and how it is named.
  private static let damages: [(text: String, message: String)] = [
    ("", ":1: is empty; a line of JSON for each case was expected"),
    ("{\"scene\":", noObject),
    ("[1]", noObject),
    (String(repeating: "[", count: 100_000), noObject),
    (
      line("samples", by: "other"),
      ":1: samples is missing, as in files of earlier versions; expected is \(samples)"
    ),
    (line("[[1.0000", by: "[[-1"), ":1: samples is out of range; expected is \(samples)"),
    (line("[[1.0000", by: "[[1e10"), ":1: samples is out of range; expected is \(samples)"),
    (line("[[1.0000", by: "[[1e999"), noObject),
    (line("S6", by: "\\u001b[2J"), ":1: scene is out of range; expected is \(text)"),
    (
      line("hard", by: String(repeating: "x", count: 201)),
      ":1: var is out of range; expected is \(text)"
    ),
    (line("[[1.0000", by: "[[\"1\""), ":1: samples is something else; expected is \(samples)"),
    (line("[[1.0000", by: "[\(rounds)[1"), ":1: samples has 51 rounds; expected are 50 at most"),
    (
      line("1920", by: "\"wide\""),
      ":1: w is something else; expected is a whole number from 1 to 16384"
    ),
    (line("1920", by: "1.5"), noObject),
    (line("1920", by: "1e30"), noObject),
    (line("1920", by: "0"), ":1: w is out of range; expected is a whole number from 1 to 16384"),
    (
      line("\"auto\"", by: "\"metal\""),
      ":1: platform is metal; expected is auto, gbm, device, surfaceless or software"
    ),
    (line + "\n\n" + line, ":3: S6 hard on auto again, after line 1; one run was expected"),
  ]

  @Test(
    "What is no line of a run is named with file, line and what was expected",
    arguments: damages.indices)
  func damaged(_ index: Int) {
    let (text, message) = Self.damages[index]
    let error = #expect(throws: UsageError.self) {
      try BenchFile(Array(text.utf8), name: "old.json")
    }
    #expect(error?.message == "old.json" + message)
  }

  @Test("The exit status is 1 if a case is slower, 0 if none is, 2 if none can be compared")
  func status() throws {
    let folder = try ToolFolder()
    func write(_ results: BenchResult..., to name: String) throws -> String {
      let lines = results.map { $0.json() + "\n" }.joined()
      try Data(lines.utf8).write(to: folder.url.appendingPathComponent(name))
      return folder.path(name)
    }
    func rounds(_ median: Double, _ scene: String, count: Int = 5) -> BenchResult {
      var result = run(scene: scene)
      result.rounds = Array(repeating: [median], count: count)
      return result
    }
    let old = try write(rounds(2, "S1a"), rounds(2, "S6"), to: "old.json")
    let new = try write(rounds(2, "S1a"), rounds(6, "S6"), rounds(2, "S7"), to: "new.json")
    let other = try write(rounds(2, "S7"), to: "other.json")
    let short = try write(rounds(2, "S1a", count: 4), to: "short.json")

    let slower = try ToolRun(["bench", "--compare", old, new])
    #expect(slower.status == 1, "\(slower.errors)")
    #expect(slower.text.contains("3.000  3.000 to 3.000  slower"))
    #expect(slower.text.hasSuffix("1 slower, 1 level, 1 new\n"))
    #expect(try ToolRun(["bench", "--compare", new, old]).status == 0)
    #expect(try ToolRun(["bench", "--compare", old, new, "--scene", "S1a"]).status == 0)
    #expect(try ToolRun(["bench", "--compare", old, new, "--allow", "250"]).status == 0)
    let nothing = try ToolRun(["bench", "--compare", old, other])
    #expect(nothing.status == 2)
    #expect(nothing.errors == "lamina: --compare: \(old) has none of the cases of this run\n")
    let few = try ToolRun(["bench", "--compare", short, new])
    #expect(few.status == 2)
    #expect(few.errors.hasPrefix("lamina: \(short): 4 rounds are too few to tell a difference"))
    let missing = try ToolRun(["bench", "--compare", folder.path("none")])
    #expect(missing.status == 2)
    #expect(missing.errors == "lamina: \(folder.path("none")): cannot be read: no such file\n")
  }

  @Test("A run is compared with an earlier one of frames of its size, and says so in its JSON")
  func measured() throws {
    let folder = try ToolFolder()
    let run = ["bench", "--scene", "commit", "--frames", "12", "--platform", "software"]
    let sized = run + ["--size", "320x256"]
    let first = try ToolRun(sized + ["--json", folder.path("old.json")])
    #expect(first.status == 0, "\(first.errors)")
    let second = try ToolRun(
      sized + ["--compare", folder.path("old.json"), "--allow", "1000", "--json", "-"])
    #expect(second.status == 0, "\(second.errors)")
    #expect(second.errors.contains("0 slower"))
    let object = try #require(
      try JSONSerialization.jsonObject(with: second.output) as? [String: Any])
    #expect(object["verdict"] as? String == "level")
    let old = try BenchFile(path: folder.path("old.json"))
    #expect(old.results.map { $0.rounds.map(\.count) } == [[2, 2, 3, 2, 3]])
    #expect((object["before"] as? NSNumber)?.doubleValue == old.results[0].median)

    let other = try ToolRun(run + ["--compare", folder.path("old.json")])
    #expect(other.status == 2)
    #expect(
      other.errors.hasSuffix(
        "commit standard on software is of 320x256 pixels, and the other run of 1920x1080\n"))
    #expect(other.text.isEmpty)
  }
}
