import Foundation

/// A job's folder, which all machines see.
struct FarmFolder {
  let path: String

  init(_ path: String) { self.path = URL(fileURLWithPath: path).path }

  /// The folder of a job whose output is `output`; `%s` stands for the documents' names.
  init(output: String) {
    self.init(output.replacingOccurrences(of: "%s", with: "all") + ".farm")
  }

  /// Finds the folder by its own path or by that of the job's output.
  static func find(_ path: String) throws(InputError) -> FarmFolder {
    for folder in [FarmFolder(path), FarmFolder(output: path)]
    where access(folder.jobFile, F_OK) == 0 {
      return folder
    }
    throw InputError("\(path): there is no job, neither in this folder nor in \(path).farm")
  }

  private var jobFile: String { "\(path)/job.json" }
  var script: String { "\(path)/task.sh" }
  var segments: String { "\(path)/segments" }
  var results: String { "\(path)/results" }
  var failures: String { "\(path)/failures" }
  var progress: String { "\(path)/progress" }
  var logs: String { "\(path)/logs" }
  var packs: String { "\(path)/packs" }
  /// Locked by the process that runs the job's tasks on this machine.
  var lock: String { "\(path)/lock" }
  /// Is there if the job is to end.
  var cancellation: String { "\(path)/cancelled" }

  func segment(_ task: Int, of work: FilmWork) -> String {
    "\(segments)/\(Self.name(task)).\(work.ending(work.shards[task]))"
  }
  func result(_ task: Int) -> String { "\(results)/\(Self.name(task)).json" }
  func failure(_ task: Int) -> String { "\(failures)/\(Self.name(task)).json" }
  func progress(_ task: Int) -> String { "\(progress)/\(Self.name(task))" }

  /// Whether the job is to end, or is gone.
  var isCancelled: Bool { access(cancellation, F_OK) == 0 || access(jobFile, F_OK) != 0 }

  /// Numbers have so many digits that names sort as they do.
  static func name(_ task: Int) -> String { String(format: "%07d", task) }

  /// The numbers of the tasks that have files in a folder of the job, whose names end so.
  func tasks(in folder: String, ending: String = "") -> Set<Int> {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return Set(
      names.compactMap { name in
        name.hasPrefix(".") || !name.hasSuffix(ending) ? nil : Int(name.prefix { $0 != "." })
      })
  }

  /// Makes the folder, for a job that is written last, after what `prepare` puts there. Throws if
  /// the folder has a job.
  func begin(_ job: FarmJob, prepare: () throws -> Void = {}) throws {
    guard (try? self.job()) == nil else { throw isTaken }
    try create()
    try prepare()
    try write(job)
  }

  func write(_ job: FarmJob) throws { try write(job, to: jobFile) }

  /// The error if it has another job.
  var isTaken: InputError {
    InputError(
      "\(path): has another job; end it with lamina farm cancel \(path), or choose another folder"
        + " with --job")
  }

  private func create() throws(OutputError) {
    for folder in [path, segments, results, failures, progress, logs, packs] {
      do {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      } catch {
        throw OutputError("\(folder): this folder cannot be made")
      }
    }
  }

  func job() throws(InputError) -> FarmJob {
    guard let data = FileManager.default.contents(atPath: jobFile) else {
      throw InputError("\(jobFile): cannot be read")
    }
    guard let job = try? JSONDecoder().decode(FarmJob.self, from: data), job.version == 1,
      job.isConsistent
    else {
      throw InputError("\(jobFile): not a job of this version of lamina")
    }
    return job
  }

  func write(_ value: some Encodable, to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    try OutputFile.write(try encoder.encode(value), to: path)
  }

  func read<Value: Decodable>(_ type: Value.Type, from path: String) -> Value? {
    FileManager.default.contents(atPath: path).flatMap {
      try? JSONDecoder().decode(type, from: $0)
    }
  }

  func remove() throws(OutputError) {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      throw OutputError("\(path): cannot be removed: \(error.localizedDescription)")
    }
  }
}

/// Why a task cannot be done.
struct FarmFailure: Codable, Equatable {
  var message: String
  var status: Int32
  /// The machine's name.
  var node: String
}

/// A film that a task made.
struct FilmResult: Codable, Equatable {
  var film: String
  var digest: String
}
