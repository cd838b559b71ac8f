import Foundation
import Lamina

/// Two folders of pictures that are compared in parts.
struct ComparisonWork: Codable, Equatable {
  var references: String
  var results: String
  /// The flags of `lamina compare`.
  var flags: [String]
  /// The numbers of each task's pairs, in the order of their names.
  var parts: [ClosedRange<Int>]
}

/// What a task found.
struct ComparisonPart: Codable, Equatable {
  var identical: Int
  var closeEnough: Int
  /// The names of all others.
  var others: [String]
}

extension FarmTask {
  func run(_ work: ComparisonWork) throws {
    guard folder.read(ComparisonPart.self, from: folder.result(task)) == nil else { return }
    let command = try CompareCommand(work: work)
    let part = work.parts[task]
    var folders = try command.folders()
    guard part.upperBound < folders.pairs.count else {
      throw InputError("\(work.results): has fewer pictures than when the job was made")
    }
    folders.pairs = Array(folders.pairs[part])
    let compared = try folders.run(limits: command.limits, drawings: nil, forPage: false)
    let totals = ComparisonTotals(compared)
    let others = compared.filter { pair in
      switch pair.outcome {
      case .identical, .closeEnough: false
      default: true
      }
    }
    try folder.write(
      ComparisonPart(
        identical: totals.identical, closeEnough: totals.closeEnough,
        others: others.map(\.pair.name)),
      to: folder.result(task))
  }
}

extension CompareCommand {
  init(work: ComparisonWork) throws(UsageError) {
    try self.init(
      Commands.compare.parse(work.flags + ["--", work.references, work.results]))
  }
}

/// `lamina farm compare`.
struct FarmCompare {
  private let arguments: ParsedArguments
  private let command: CompareCommand
  private let shardCount: Int?
  private let engine: EngineFlags
  private let folder: FarmFolder

  init(_ arguments: ParsedArguments) throws(UsageError) {
    self.arguments = arguments
    command = try CompareCommand(arguments)
    shardCount = try arguments.integer("--shards", in: 1...100_000)
    engine = try EngineFlags(arguments)
    let results = FarmFolder(arguments.positionals[1]).path
    folder = FarmFolder(arguments.value("--job") ?? results + ".farm")
  }

  func run() throws -> ExitStatus {
    var folders = try command.folders()
    let pairCount = folders.pairs.count
    var parts: [ComparisonPart] = []
    if pairCount > 0 {
      let job = try makeJob(pairCount)
      let status = try FarmFollower(folder: folder, job: job).run()
      guard status == .success else { return status }
      parts = (0..<job.taskCount).compactMap {
        folder.read(ComparisonPart.self, from: folder.result($0))
      }
      guard parts.count == job.taskCount else {
        throw InputError("\(folder.results): a result cannot be read")
      }
      try folder.remove()
    }
    // What differs is compared again here, to be shown.
    let others = Set(parts.flatMap(\.others))
    folders.pairs = folders.pairs.filter { others.contains($0.name) }
    return try command.compare(
      folders, identical: parts.reduce(0) { $0 + $1.identical },
      closeEnough: parts.reduce(0) { $0 + $1.closeEnough })
  }

  private func makeJob(_ pairCount: Int) throws -> FarmJob {
    let count = min(shardCount ?? (pairCount + 99) / 100, pairCount)
    let work = ComparisonWork(
      references: FarmFolder(command.first).path, results: FarmFolder(command.second).path,
      flags: arguments.flags(of: Commands.limitOptions),
      parts: (0..<count).map { pairCount * $0 / count...pairCount * ($0 + 1) / count - 1 })
    let job = FarmJob(work: .comparison(work), engine: engine)
    try folder.begin(job)
    return job
  }
}
