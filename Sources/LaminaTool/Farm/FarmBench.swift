import Foundation

/// Scenes that are timed on nodes.
struct BenchWork: Codable, Equatable {
  var nodes: [String]
  /// The flags of `lamina bench`.
  var flags: [String]
}

/// What a node's task found.
struct NodeTimings: Codable, Equatable {
  struct Line: Codable, Equatable {
    var scene: String
    /// The scene's variant.
    var `var`: String?
    /// Milliseconds.
    var med: Double

    var name: String { self.var.map { $0.isEmpty ? scene : "\(scene) \($0)" } ?? scene }
  }

  var node: String
  var processor: String
  var processorCount: Int
  var lines: [Line]
}

extension FarmTask {
  func run(_ work: BenchWork) throws {
    let lamina = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let run = try ProgramRun(lamina, ["bench"] + work.flags + ["--json", "-"])
    guard run.status == 0 else {
      throw InputError(run.firstComplaint ?? "lamina bench ended with status \(run.status)")
    }
    let lines = try run.text.split(separator: "\n").map {
      try JSONDecoder().decode(NodeTimings.Line.self, from: Data($0.utf8))
    }
    try folder.write(
      NodeTimings(
        node: Self.node, processor: BenchOrigin.processor ?? "unknown",
        processorCount: ProcessInfo.processInfo.activeProcessorCount, lines: lines),
      to: folder.result(task))
  }
}

/// `lamina farm bench`.
struct FarmBench {
  private let flags: [String]
  private let nodes: [String]
  private let engine: EngineFlags
  private let folder: FarmFolder

  init(_ arguments: ParsedArguments) throws(UsageError) {
    var flags = ["--scene"] + (arguments.values["--scene"] ?? ["S1a", "S3", "S4"])
    flags += arguments.flags(of: Commands.timingOptions) + ["--platform=software"]
    // What no node could do is an error here.
    _ = try BenchCommand(Commands.bench.parse(flags))
    self.flags = flags
    nodes = arguments.values["--node"] ?? []
    engine = try EngineFlags(arguments)
    folder = FarmFolder(arguments.value("--job") ?? "lamina-bench.farm")
  }

  func run() throws -> ExitStatus {
    var others: [(name: String, state: String)] = []
    var nodes = nodes
    switch engine.name {
    case .local: nodes = [UnfinishedOutput.host]
    case .slurm:
      if nodes.isEmpty { (nodes, others) = try SlurmEngine.nodes() }
    }
    guard !nodes.isEmpty else { throw InputError("sinfo: no node is up") }
    let job = FarmJob(work: .bench(BenchWork(nodes: nodes, flags: flags)), engine: engine)
    try folder.begin(job)
    let status = try FarmFollower(folder: folder, job: job).run()
    guard status == .success else { return status }
    let results = (0..<job.taskCount).compactMap {
      folder.read(NodeTimings.self, from: folder.result($0))
    }
    print(Self.table(results))
    for other in others { print("\(other.name) is \(other.state)") }
    try folder.remove()
    return status
  }

  /// A row for each node, and a column for each scene.
  static func table(_ results: [NodeTimings]) -> String {
    var names: [String] = []
    for name in results.flatMap({ $0.lines.map(\.name) }) where !names.contains(name) {
      names.append(name)
    }
    var rows = [["node", "cores"] + names + ["processor"]]
    for result in results.sorted(by: { $0.node < $1.node }) {
      let medians = names.map { name in
        result.lines.first { $0.name == name }.map { String(format: "%.3f", $0.med) } ?? "-"
      }
      rows.append([result.node, "\(result.processorCount)"] + medians + [result.processor])
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      zip(row, widths).enumerated().map { column, cell in
        let gap = String(repeating: " ", count: cell.1 - cell.0.count)
        return column == 0 || column == row.count - 1 ? cell.0 + gap : gap + cell.0
      }.joined(separator: "  ").trimmingCharacters(in: .whitespaces)
    }.joined(separator: "\n")
  }
}
