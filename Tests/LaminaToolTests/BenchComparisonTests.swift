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

  /// How often each verdict is given in 200 comparisons of runs with these medians.
  private func verdicts(
    _ before: Double, _ now: Double, noise: Double, count: Int = 100, allowing part: Double = 0.05
  ) -> [BenchComparison.Verdict: Int] {
    var random = SeededGenerator(seed: 1)
    return (0..<200).reduce(into: [:]) { counts, _ in
      let pair = [before, now].map { run(samples(count, $0, noise: noise, &random)) }
      counts[BenchComparison(pair[0], pair[1], allowing: part).verdict, default: 0] += 1
    }
  }

  @Test("Runs of one distribution are level, whatever its noise")
  func equal() {
    #expect(verdicts(10, 10, noise: 0.01) == [.level: 200])
    #expect(verdicts(10, 10, noise: 0.1) == [.level: 200])
    #expect(verdicts(10, 10, noise: 0.5) == [.level: 200])
    // With nothing allowed, the rank test alone errs once in a hundred.
    let errors = 200 - (verdicts(10, 10, noise: 0.1, allowing: 0)[.level] ?? 0)
    #expect((0...6).contains(errors), "\(errors)")
  }

  @Test("A difference that is larger than noise and than what is allowed is one, in its direction")
  func different() {
    #expect(verdicts(10, 12, noise: 0.05) == [.slower: 200])
    #expect(verdicts(12, 10, noise: 0.05) == [.faster: 200])
    #expect(verdicts(10, 20, noise: 0.3) == [.slower: 200])
    #expect(verdicts(10, 10.3, noise: 0.01) == [.level: 200])
    #expect(verdicts(10, 10.3, noise: 0.01, allowing: 0.01) == [.slower: 200])
  }

  @Test("A difference under the noise is level")
  func noisy() {
    let counts = verdicts(10, 11, noise: 0.5, count: 20)
    #expect((counts[.level] ?? 0) >= 190, "\(counts)")
    #expect(counts[.few] == nil)
  }

  @Test("A disturbance of a few blocks is no difference, however many samples it has")
  func blocks() {
    var random = SeededGenerator(seed: 2)
    let calm = samples(400, 10, noise: 0.02, &random)
    let disturbed = samples(240, 10, noise: 0.02, &random) + samples(160, 30, noise: 0.02, &random)
    let comparison = BenchComparison(run(calm), run(disturbed))
    #expect(comparison.verdict == .level)
    // Taken one by one, the samples would differ by more than is allowed.
    let few = [disturbed, calm].map { samples in (0..<50).map { samples[$0 * 8] } }
    let alone = BenchStatistics.ratioInterval(of: few[0], to: few[1])
    #expect(alone.map { $0.lowerBound > 1 } == true, "\(String(describing: alone))")
  }

  @Test("Fewer than five blocks of each run tell nothing; five that do not overlap do")
  func few() {
    #expect(BenchComparison(run([1, 1, 1, 1]), run([9, 9, 9, 9])).verdict == .few)
    #expect(BenchComparison(run([1, 1, 1, 1, 1]), run([9, 9, 9, 9, 9])).verdict == .slower)
    #expect(BenchComparison(run([1, 1, 1, 1, 9]), run([9, 9, 9, 9, 1])).verdict == .level)
    #expect(
      BenchComparison(run([1], [1], [1], [1], [1]), run([9], [9], [9], [9], [9])).verdict
        == .slower)
  }

  @Test("Rounds are blocks from five on, and before that parts of them are, in order")
  func rounds() {
    #expect(BenchStatistics.blockMedians([[1, 2, 3], [4], [5], [6], [7, 7]]) == [2, 4, 5, 6, 7])
    #expect(
      BenchStatistics.blockMedians([(1...20).map(Double.init)])
        == (1...10).map { Double(2 * $0) })
    #expect(BenchStatistics.blockMedians([[1, 2], [3, 4]]) == [1, 2, 3, 4])
    #expect(BenchStatistics.blockMedians([]) == [])
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
    let nothing = BenchComparison(run([0, 0, 0, 0, 0]), run([0, 0, 0, 0, 0]))
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
    #expect(compared.contains(#""ratio":1.0000"#) && compared.contains(#""verdict":"level""#))
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
    "an array of numbers for each round, none of them below 0"
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
    (line("[[1.0000", by: "[[1e999"), noObject),
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
    let calm = [Double](repeating: 2, count: 10)
    let old = try write(run(calm), run(calm, scene: "S6"), to: "old.json")
    let new = try write(
      run(calm), run(calm.map { $0 * 3 }, scene: "S6"), run(calm, scene: "S7"), to: "new.json")
    let other = try write(run(calm, scene: "S7"), to: "other.json")

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
    let missing = try ToolRun(["bench", "--compare", folder.path("none")])
    #expect(missing.status == 2)
    #expect(missing.errors == "lamina: \(folder.path("none")): cannot be read: no such file\n")
  }

  @Test("A run is compared with an earlier one of frames of its size, and says so in its JSON")
  func measured() throws {
    let folder = try ToolFolder()
    let run = ["bench", "--scene", "commit", "--frames", "6", "--platform", "software"]
    let sized = run + ["--size", "320x256"]
    let first = try ToolRun(sized + ["--json", folder.path("old.json"), "--rounds", "2"])
    #expect(first.status == 0, "\(first.errors)")
    let second = try ToolRun(
      sized + ["--compare", folder.path("old.json"), "--allow", "1000", "--json", "-"])
    #expect(second.status == 0, "\(second.errors)")
    #expect(second.errors.contains("0 slower"))
    let object = try #require(
      try JSONSerialization.jsonObject(with: second.output) as? [String: Any])
    #expect(object["verdict"] as? String == "level")
    let old = try BenchFile(path: folder.path("old.json"))
    #expect(old.results.map { $0.rounds.map(\.count) } == [[6, 6]])
    #expect((object["before"] as? NSNumber)?.doubleValue == old.results[0].median)

    let other = try ToolRun(run + ["--compare", folder.path("old.json")])
    #expect(other.status == 2)
    #expect(
      other.errors.hasSuffix(
        "commit standard on software is of 320x256 pixels, and this run of 1920x1080\n"))
    #expect(other.text.isEmpty)
  }
}
