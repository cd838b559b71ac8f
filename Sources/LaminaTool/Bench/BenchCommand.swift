import Foundation
import Lamina
import LaminaInProcess

/// The settings with which benchmark cases are drawn.
struct BenchStage {
  /// The frame's size, in pixels.
  let size: PixelSize
  let length: BenchLength
  var server: RenderServer
  /// The folder to save each scene's last frame in; nil to save none.
  let folder: String?
  /// Where frames are recorded; nil if no trace is asked for.
  let trace: BenchTrace?

  /// Makes a renderer, with a server of its own as long as renderers are used one after another.
  func makeRenderer() throws -> CARenderer {
    try CARenderer(
      size: CGSize(width: size.width, height: size.height), scale: 1, clock: .manual(),
      server: server)
  }

  /// Says what draws.
  func origin() throws -> BenchOrigin {
    let platform = try makeRenderer().platform
    return .here(renderer: "\(platform.renderer), \(platform.version)")
  }

  /// Saves the frame that `renderer` shows, if frames are saved.
  func save(_ renderer: CARenderer, at frame: Int, name: String) throws {
    guard let folder else { return }
    let file = try OutputFile(path: "\(folder)/\(name).png")
    try PNGSink(file: file).write(try renderer.image(at: Double(frame) / 60))
  }
}

/// `lamina bench`.
struct BenchCommand {
  let cases: [BenchCase]
  /// The names of the cases that were asked for; nil if all are meant.
  let chosenNames: Set<String>?
  let size: PixelSize
  /// The number of frames to time of each case, in all rounds; nil for as many as fit.
  let frameCount: Int?
  /// How often all cases are measured, one after the other.
  let roundCount: Int
  /// The destination of the JSON lines: a path, or `-` for standard output, which then has nothing
  /// else.
  let json: String?
  let folder: String?
  /// Where to draw a chart.
  let plot: String?
  /// Where to write what was done when.
  let trace: String?
  let isList: Bool
  /// The files of an earlier run, and of the run to compare with it, which is this one if there is
  /// only one file.
  let compared: [String]
  /// Part by which times may differ without counting.
  let allowedPart: Double
  let arguments: RendererArguments
  /// Each case is measured on all of them before the next case is.
  let platforms: [RenderPlatform]

  init(_ arguments: ParsedArguments) throws(UsageError) {
    cases = try Self.cases(arguments)
    chosenNames = arguments.has("--scene") ? Set(cases.map(\.name)) : nil
    let size = try arguments.size("--size") ?? CGSize(width: 1920, height: 1080)
    guard let width = Int(exactly: size.width), let height = Int(exactly: size.height),
      (256...16_384).contains(width), (256...16_384).contains(height)
    else {
      throw UsageError("--size: scenes take whole pixels, from 256 to 16384 a side")
    }
    self.size = PixelSize(width: width, height: height)
    frameCount = try arguments.integer("--frames", in: 1...100_000)
    let rounds = try arguments.integer("--rounds", in: 1...BenchFile.mostRounds)
    roundCount = rounds ?? min(Self.usualRounds, frameCount ?? .max)
    if let frameCount, frameCount < roundCount {
      throw UsageError("--frames: \(frameCount) are fewer than the \(roundCount) rounds")
    }
    json = arguments.value("--json")
    folder = arguments.value("--save")
    plot = arguments.value("--plot")
    if let plot, !plot.lowercased().hasSuffix(".png") {
      throw UsageError("--plot: \(plot) is no name of a PNG picture, such as bench.png")
    }
    trace = arguments.value("--trace")
    isList = arguments.has("--list")
    compared = arguments.values["--compare"] ?? []
    allowedPart =
      try arguments.number("--allow", limit: 1000).map { $0 / 100 } ?? BenchComparison.allowedPart
    self.arguments = try RendererArguments(arguments)
    var platforms: [RenderPlatform] = []
    for name in arguments.values["--platform"] ?? [] {
      let platform = try RendererArguments.platform(name)
      if !platforms.contains(platform) { platforms.append(platform) }
    }
    self.platforms = platforms.isEmpty ? [.auto] : platforms
    try checkComparison(arguments)
  }

  private static let usualRounds = 5

  private static func cases(_ arguments: ParsedArguments) throws(UsageError) -> [BenchCase] {
    guard let texts = arguments.values["--scene"] else { return BenchCase.all }
    let names = texts.flatMap { $0.split(separator: ",").map(String.init) }
    guard !names.isEmpty else { throw UsageError("--scene: no name is given") }
    var cases: [BenchCase] = []
    for name in names {
      guard let known = BenchCase.all.first(where: { $0.name == name }) else {
        let hint = nearestName(to: name, among: BenchCase.all.map(\.name))
        let question = hint.map { "; did you mean \($0)?" } ?? ""
        throw UsageError("--scene: there is no \(name)\(question)")
      }
      if !cases.contains(where: { $0.name == name }) { cases.append(known) }
    }
    return cases
  }

  private func checkComparison(_ arguments: ParsedArguments) throws(UsageError) {
    guard allowedPart >= 0 else { throw UsageError("--allow: a percentage is not below 0") }
    guard compared.count <= 2 else {
      throw UsageError("--compare: \(compared.count) files; one or two can be compared")
    }
    if arguments.has("--allow"), compared.isEmpty {
      throw UsageError("--allow: nothing is compared without --compare")
    }
    if compared.count == 1, roundCount < BenchStatistics.leastRounds {
      throw UsageError("--compare: \(BenchFile.tooFew(roundCount))")
    }
    // Two files are compared without measuring anything.
    let measuring = ["--size", "--frames", "--rounds", "--platform", "--json", "--save", "--trace"]
    if compared.count == 2, let option = measuring.first(where: arguments.has) {
      throw UsageError("\(option): nothing is measured where --compare has two files")
    }
  }

  func run() throws -> ExitStatus {
    if isList {
      for known in BenchCase.all {
        print(known.name.padding(toLength: 15, withPad: " ", startingAt: 0) + known.summary)
      }
      return .success
    }
    if compared.count == 2 { return try compareFiles() }
    // Opened and read before any work, which a path that cannot be written or read would waste.
    let before = try compared.first.map { path throws(UsageError) in
      let file = try BenchFile(path: path)
      try file.requireComparable(name: path, size: size)
      return file.results
    }
    let file = try json == "-" ? nil : json.map { try OutputFile(path: $0) }
    let chart = try plot.map { try OutputFile(path: $0) }
    let traceFile = try trace.map { try OutputFile(path: $0) }
    let recorded = trace == nil ? nil : BenchTrace()
    let results = try measure(recorded) { result in
      guard json == "-", before == nil else { return }
      print(result.json())
    }
    let comparisons = before.map { BenchComparisons($0, results, allowing: allowedPart) }
    let lines = results.map { $0.json(comparisons?[$0]) + "\n" }.joined()
    try file?.write(Data(lines.utf8))
    if json == "-", before != nil { print(lines, terminator: "") }
    if let recorded { try traceFile?.write(recorded.json()) }
    try chart.map { try draw(results, comparisons, to: $0) }
    guard let comparisons else { return .success }
    return try report(comparisons)
  }

  private func compareFiles() throws -> ExitStatus {
    let runs = try compared.map { path throws(UsageError) in
      let file = try BenchFile(path: path)
      try file.requireComparable(name: path)
      return file
    }
    if let size = runs[0].results.first?.size {
      try runs[1].requireComparable(name: compared[1], size: size)
    }
    let chosen = runs.map { $0.results.filter { chosenNames?.contains($0.scene) ?? true } }
    let comparisons = BenchComparisons(chosen[0], chosen[1], allowing: allowedPart)
    let status = try report(comparisons)
    if let plot { try draw(chosen[1], comparisons, to: try OutputFile(path: plot)) }
    return status
  }

  private func draw(
    _ results: [BenchResult], _ comparisons: BenchComparisons?, to file: OutputFile
  ) throws {
    let image = try BenchPlot(results, comparisons).image(on: arguments.server)
    try PNGSink(file: file).write(image)
  }

  /// Prints the comparisons. With none there is nothing that could have been found.
  private func report(_ comparisons: BenchComparisons) throws -> ExitStatus {
    guard !comparisons.comparisons.isEmpty else {
      throw UsageError("--compare: \(compared[0]) has none of the cases of this run")
    }
    if json == "-" {
      Report.write(comparisons.table + "\n")
    } else {
      print((compared.count == 2 ? "" : "\n") + comparisons.table)
    }
    return comparisons.status
  }

  /// Measures all cases in each round. `isDone` gets each result after its last round, and so
  /// does the table.
  private func measure(
    _ trace: BenchTrace?, _ isDone: (BenchResult) -> Void
  ) throws -> [BenchResult] {
    let isTable = json != "-"
    if isTable { print(BenchResult.heading) }
    let runs = cases.flatMap { known in platforms.map { (known, $0) } }
    let progress = ProgressBar(total: runs.count * roundCount, unit: "cases")
    var origins: [RenderPlatform: BenchOrigin] = [:]
    var results: [BenchResult] = []
    for round in 0..<roundCount {
      for (index, (known, platform)) in runs.enumerated() {
        if round > 0, known.isMeasuredOnce { continue }
        progress.update(round * runs.count + index)
        var server = arguments.server.on(platform)
        server.isTraced = trace != nil
        let stage = BenchStage(
          size: size, length: BenchLength(frameCount: frameCount, round: round, of: roundCount),
          server: server, folder: folder, trace: trace)
        let start = trace?.now
        let measured = try known.measure(stage)
        if let start { trace?.note(known.name, since: start, on: .bench) }
        // Asked after the first case, since another render process would count in its memory.
        let origin = try origins[platform] ?? stage.origin()
        origins[platform] = origin
        progress.finish()
        for var result in measured {
          (result.platform, result.size, result.origin) = (platform, size, origin)
          if let place = results.firstIndex(where: { $0.key == result.key }) {
            results[place].append(result)
            result = results[place]
          } else {
            results.append(result)
          }
          guard known.isMeasuredOnce || round == roundCount - 1 else { continue }
          if isTable { print(result.row) }
          isDone(result)
        }
        // A scene can take seconds, so each result is flushed at once.
        fflush(nil)
      }
    }
    return results
  }
}
