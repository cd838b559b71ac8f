import Foundation
import Lamina
import LaminaCAML

/// `lamina farm render`.
struct FarmRender {
  private let paths: [String]
  private let output: String
  /// The flags of `lamina render`.
  private let flags: [String]
  private let shardCount: Int?
  private let pieceLength: Int?
  private let packs: Bool
  private let detaches: Bool
  private let engine: EngineFlags
  private let folder: FarmFolder

  init(_ arguments: ParsedArguments) throws(UsageError) {
    paths = arguments.positionals
    guard let output = arguments.value("--output") else {
      throw UsageError("farm render: -o OUT is missing")
    }
    self.output = output
    guard paths.count == 1 || output.contains("%s") else {
      throw UsageError("--output: for \(paths.count) documents, %s has to stand for their names")
    }
    var flags = arguments.flags(of: Commands.renderFlags)
    if !arguments.has("--platform") {
      let platform = ProcessInfo.processInfo.environment["LAMINA_PLATFORM"] ?? "software"
      flags.append("--platform=\(platform)")
    }
    self.flags = flags
    shardCount = try arguments.integer("--shards", in: 1...FrameTimesArguments.maximumCount)
    pieceLength = try arguments.integer("--pieces", in: 2...FrameTimesArguments.maximumCount)
    guard shardCount == nil || pieceLength == nil else {
      throw UsageError("--shards and --pieces: with --pieces, each piece is a shard; drop one")
    }
    packs = arguments.has("--pack")
    detaches = arguments.has("--detach")
    engine = try EngineFlags(arguments)
    if detaches, engine.name == .local { throw UsageError("--detach is for --engine slurm") }
    folder = arguments.value("--job").map { FarmFolder($0) } ?? FarmFolder(output: output)
  }

  func run() throws -> ExitStatus {
    _ = try FilmTools()
    let found = try paths.map { path in try document(path) }
    try checkNames(found.map(\.document.film))
    let work = FilmWork(
      documents: found.map(\.document), flags: flags, shardCount: shardCount,
      pieceLength: pieceLength)
    try checkParts(work)
    let job = try prepared(work, packs: found.compactMap(\.pack))
    let follower = try FarmFollower(folder: folder, job: job)
    if detaches {
      try follower.submit()
      Report.note(
        "\(job.taskCount) shards are submitted: lamina farm resume \(folder.path) follows them,"
          + " lamina farm status \(folder.path) says how far they are")
      return .success
    }
    return try FarmEnd(folder: folder, job: job).finish(follower.run())
  }

  /// Makes the job's folder, or takes up the job that is there if it is the same.
  private func prepared(_ work: FilmWork, packs: [PackedDocument]) throws -> FarmJob {
    if let old = try? folder.job() {
      guard old.work == .films(work), old.engine.name == engine.name else { throw folder.isTaken }
      try FarmEnd(folder: folder, job: old).clearFailures()
      return old
    }
    let job = FarmJob(work: .films(work), engine: engine)
    try folder.begin(job) {
      for pack in packs { try pack.write() }
    }
    return job
  }

  // MARK: Documents

  /// Reads a document, for its digest and the number of its frames, and for its files if it is to
  /// be packed.
  private func document(
    _ path: String
  ) throws -> (document: FilmWork.Document, pack: PackedDocument?) {
    let path = Self.absolute(path)
    let film = Self.absolute(output.replacingOccurrences(of: "%s", with: Self.name(of: path)))
    let command = try RenderCommand(Commands.render.parse(flags + ["-o", film, "--", path]))
    guard case .film = command.form else {
      throw UsageError("--output: \"\(output)\" ends in none of .mp4, .webm, .gif, .apng")
    }
    let document = try CAMLDocument(path: path)
    let digest = try document.digest(path: path)
    let pack =
      packs
      ? PackedDocument(document, path: path, digest: digest, folder: folder.packs) : nil
    return (
      FilmWork.Document(
        path: path, digest: digest, pack: pack?.path, film: film,
        frameCount: try command.frameCount(of: document)), pack
    )
  }

  /// A path that is the same on all machines.
  private static func absolute(_ path: String) -> String {
    URL(fileURLWithPath: path).standardizedFileURL.path
  }

  private static func name(of path: String) -> String {
    URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
  }

  private func checkNames(_ films: [String]) throws(UsageError) {
    var seen: Set<String> = []
    for film in films where !seen.insert(film).inserted {
      throw UsageError("\(film): two documents have this film; their names have to differ")
    }
    for film in Set(films.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path })
    where access(film, W_OK) != 0 {
      throw UsageError("\(film): films cannot be written there")
    }
  }

  /// Throws if the flags do not let a film be cut.
  private func checkParts(_ work: FilmWork) throws(UsageError) {
    guard let shard = work.shards.first(where: { !work.isWhole($0) }) else { return }
    _ = try RenderCommand(
      Commands.render.parse(
        flags + [
          "--frames", "\(shard.first)-\(shard.last)", "-o", "x.\(work.ending(shard))", "--", "x",
        ]))
  }
}

/// The end of a job.
struct FarmEnd {
  let folder: FarmFolder
  let job: FarmJob

  /// Forgets failures, so that what failed runs again.
  func clearFailures() throws {
    for task in folder.tasks(in: folder.failures) {
      try? FileManager.default.removeItem(atPath: folder.failure(task))
    }
    try? FileManager.default.removeItem(atPath: folder.cancellation)
    guard case .films(let work) = job.work else { return }
    // Films that are gone or changed since are made again.
    for task in folder.tasks(in: folder.results) {
      guard let result = folder.read(FilmResult.self, from: folder.result(task)),
        work.documents.contains(where: { $0.film == result.film }),
        (try? Digest.text(ofFile: result.film)) == result.digest
      else {
        try? FileManager.default.removeItem(atPath: folder.result(task))
        continue
      }
    }
  }

  /// Removes what a job that succeeded needs no more. Throws if a film is not as it was made.
  func finish(_ status: ExitStatus) throws -> ExitStatus {
    guard status == .success, case .films(let work) = job.work else { return status }
    for task in folder.tasks(in: folder.results).sorted() {
      guard let result = folder.read(FilmResult.self, from: folder.result(task)) else { continue }
      guard (try? Digest.text(ofFile: result.film)) == result.digest else {
        throw InputError("\(result.film): is not the film that the job made")
      }
    }
    for path in [folder.segments, folder.packs, folder.progress] {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
        try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
      }
    }
    let films = work.documents.count == 1 ? work.documents[0].film : "\(work.documents.count) films"
    let shards = work.shards.count == 1 ? "1 shard" : "\(work.shards.count) shards"
    Report.note("\(films): \(work.frameCount) frames in \(shards)")
    return status
  }
}
