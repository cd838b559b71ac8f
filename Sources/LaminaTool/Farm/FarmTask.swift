import Foundation
import LaminaCAML

/// `lamina farm task`: one task of a job, on any machine. What becomes of it is told by files; two
/// copies may run at once.
struct FarmTask {
  let folder: FarmFolder
  let task: Int

  init(_ arguments: ParsedArguments) throws(UsageError) {
    folder = FarmFolder(arguments.positionals[0])
    guard let task = Int(arguments.positionals[1]), task >= 0 else {
      throw UsageError("farm task: \"\(arguments.positionals[1])\" is not a task's number")
    }
    self.task = task
  }

  /// The name of this machine, as Slurm knows it if it runs the task.
  static let node =
    ProcessInfo.processInfo.environment["SLURMD_NODENAME"] ?? UnfinishedOutput.host

  func run() async throws -> ExitStatus {
    let job = try folder.job()
    do {
      guard task < job.taskCount + job.joinCount else {
        throw UsageError("farm task: the job has tasks 0 to \(job.taskCount + job.joinCount - 1)")
      }
      switch job.work {
      case .films(let work): try await run(work)
      case .comparison(let work): try run(work)
      case .bench(let work): try run(work)
      }
      return .success
    } catch {
      let failure = ToolFailure(error)
      try? folder.write(
        FarmFailure(
          message: Report.oneLine(failure.message), status: failure.status.rawValue,
          node: Self.node),
        to: folder.failure(task))
      throw error
    }
  }

  private func run(_ work: FilmWork) async throws {
    if task >= work.shards.count {
      return try await join(work.joins[task - work.shards.count], of: work)
    }
    let shard = work.shards[task]
    guard work.isWhole(shard) else { return try await render(task, of: work) }
    let film = work.documents[shard.document].film
    guard !isDone(film) else { return }
    try await withDocument(shard.document, of: work) { path in
      try await render(path, work, shard, ["-o", film])
    }
    try note(film)
  }

  // MARK: Segments

  /// Renders a segment, unless it is there and whole.
  private func render(_ number: Int, of work: FilmWork) async throws {
    let shard = work.shards[number]
    try await withDocument(shard.document, of: work) { path in
      try await render(
        path, work, shard,
        ["--frames", "\(shard.first)-\(shard.last)", "-o", folder.segment(number, of: work)])
    }
  }

  private func render(
    _ path: String, _ work: FilmWork, _ shard: FilmWork.Shard, _ flags: [String]
  ) async throws {
    var command = try RenderCommand(Commands.render.parse(work.flags + flags + ["--", path]))
    command.expectedDocument = work.documents[shard.document].digest
    let progress = ProgressFile(folder.progress(task))
    _ = try await command.run { progress.write($0) }
  }

  /// Calls `body` with the path of a document, for which its files are unpacked if they are packed.
  private func withDocument(
    _ index: Int, of work: FilmWork, _ body: (String) async throws -> Void
  ) async throws {
    let document = work.documents[index]
    guard let pack = document.pack else { return try await body(document.path) }
    let folder = try TemporaryFolder()
    let name = URL(fileURLWithPath: document.path).lastPathComponent
    try await body(try PackedDocument.unpack(pack, name: name, to: folder))
    _ = consume folder
  }

  // MARK: Films

  private func join(_ index: Int, of work: FilmWork) async throws {
    let document = work.documents[index]
    guard !isDone(document.film) else { return }
    guard case .film(_, let format) = try OutputForm(document.film) else {
      throw InputError("\(document.film): not a film")
    }
    let shards = work.shards.indices.filter { work.shards[$0].document == index }
    let paths = shards.map { folder.segment($0, of: work) }
    let tools = try FilmTools()
    let progress = ProgressFile(folder.progress(task))
    do {
      try SegmentList(paths: paths, tools: tools)
        .encode(to: document.film, format: format, tools: tools) { progress.write($0) }
    } catch let error as InputError {
      // Another copy of this task may be done, and the segments removed.
      guard !isDone(document.film) else { return }
      Report.error("\(error.message); what is not whole is rendered again here")
      for shard in shards { try await render(shard, of: work) }
      try SegmentList(paths: paths, tools: tools)
        .encode(to: document.film, format: format, tools: tools) { progress.write($0) }
    }
    try note(document.film)
  }

  /// Whether a copy of this task has made the film.
  private func isDone(_ film: String) -> Bool {
    guard let result = folder.read(FilmResult.self, from: folder.result(task)) else { return false }
    return result.film == film && (try? Digest.text(ofFile: film)) == result.digest
  }

  private func note(_ film: String) throws {
    try folder.write(
      FilmResult(film: film, digest: try Digest.text(ofFile: film)), to: folder.result(task))
  }
}

/// A file with the number of frames that a task has done, for those who follow the job. It is of no
/// consequence if it cannot be written.
final class ProgressFile {
  private let path: String
  private var last: ContinuousClock.Instant?

  init(_ path: String) { self.path = path }

  /// Writes at most once a second.
  func write(_ count: Int) {
    let now = ContinuousClock.now
    if let last, now - last < .seconds(1) { return }
    last = now
    try? Data("\(count)\n".utf8).write(to: URL(fileURLWithPath: path))
  }

  static func read(_ path: String) -> Int? {
    FileManager.default.contents(atPath: path).flatMap {
      Int(String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }
  }
}
