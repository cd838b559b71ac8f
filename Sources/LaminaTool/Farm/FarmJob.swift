import Foundation

/// A job: tasks that may run on any machine, in any order and more than once. It is described by a
/// file in a folder that all machines see; what became of the tasks is told by the other files
/// there.
struct FarmJob: Codable, Equatable {
  /// What the tasks make.
  enum Work: Codable, Equatable {
    case films(FilmWork)
    case comparison(ComparisonWork)
    case bench(BenchWork)
  }

  /// The version of the folder's contents.
  var version = 1
  /// A random name, by which the queue's jobs are found.
  var id: String
  var work: Work
  var engine: EngineFlags

  /// The number of tasks that can run at once.
  var taskCount: Int {
    switch work {
    case .films(let work): work.shards.count
    case .comparison(let work): work.parts.count
    case .bench(let work): work.nodes.count
    }
  }

  /// The number of tasks that run after these. Their numbers follow.
  var joinCount: Int {
    if case .films(let work) = work { work.joins.count } else { 0 }
  }

  /// Whether all numbers name something. A job's file may be damaged.
  var isConsistent: Bool {
    guard case .films(let work) = work else { return true }
    return work.shards.allSatisfy { shard in
      work.documents.indices.contains(shard.document) && shard.first >= 0
        && shard.first <= shard.last
        && shard.last < work.documents[shard.document].frameCount
    } && work.joins.allSatisfy(work.documents.indices.contains)
  }

  init(work: Work, engine: EngineFlags) {
    id = String(format: "%016llx", UInt64.random(in: 0...UInt64.max))
    (self.work, self.engine) = (work, engine)
  }
}

/// Which machines run a job, and how.
struct EngineFlags: Codable, Equatable {
  enum Name: String, Codable, CaseIterable {
    case slurm, local
  }

  var name: Name
  /// How many tasks run at once on this machine, for `local`; nil for one on each processor.
  var tasksAtOnce: Int?
  /// The processors of a task, for `slurm`.
  var processors = 1
  /// More arguments for sbatch.
  var sbatch: [String] = []

  init(_ arguments: ParsedArguments) throws(UsageError) {
    let names = Name.allCases.map(\.rawValue).joined(separator: " or ")
    if let text = arguments.value("--engine") {
      guard let name = Name(rawValue: text) else {
        throw UsageError("--engine: \"\(text)\" is not \(names)")
      }
      self.name = name
    } else {
      name = FilmTools.executable("sbatch") == nil ? .local : .slurm
    }
    guard name == .local || FilmTools.executable("sbatch") != nil else {
      throw UsageError(
        "--engine slurm: sbatch is not in PATH: install the package slurm-client, or use --engine"
          + " local")
    }
    if name == .slurm { try SlurmEngine.requireCluster() }
    tasksAtOnce = try arguments.integer("--at-once", in: 1...1024)
    processors = try arguments.integer("--processors", in: 1...1024) ?? 1
    sbatch = arguments.values["--sbatch"] ?? []
    guard name == .local || tasksAtOnce == nil else {
      throw UsageError("--at-once: how many tasks run at once is for the queue to say")
    }
    guard name == .slurm || (sbatch.isEmpty && arguments.value("--processors") == nil) else {
      throw UsageError("--sbatch and --processors are for --engine slurm")
    }
  }
}

/// Films that are rendered in shards.
struct FilmWork: Codable, Equatable {
  struct Document: Codable, Equatable {
    var path: String
    /// The digest of its files.
    var digest: String
    /// A file with the document's files, for machines that do not see them; nil if they do.
    var pack: String?
    var film: String
    var frameCount: Int
  }

  /// A part of a film; all of it if it has one part.
  struct Shard: Codable, Equatable {
    var document: Int
    var first: Int
    var last: Int

    var frames: ClosedRange<Int> { first...last }
  }

  var documents: [Document]
  /// The flags of `lamina render` for all documents.
  var flags: [String]
  /// Whether shards encode what they draw.
  var isInPieces: Bool
  var shards: [Shard]
  /// The documents whose film is joined of segments.
  var joins: [Int]

  /// Cuts films into at most `shardCount` shards each; nil for one of every 250 frames. Of films in
  /// pieces, each piece is a shard.
  init(documents: [Document], flags: [String], shardCount: Int?, pieceLength: Int? = nil) {
    (self.documents, self.flags) = (documents, flags)
    isInPieces = pieceLength != nil
    (shards, joins) = ([], [])
    for (index, document) in documents.enumerated() {
      let frames = document.frameCount
      if let pieceLength {
        for first in stride(from: 0, to: frames, by: pieceLength) {
          let last = min(first + pieceLength, frames) - 1
          shards.append(Shard(document: index, first: first, last: last))
        }
        if frames > pieceLength { joins.append(index) }
        continue
      }
      let count = min(shardCount ?? (frames + 249) / 250, frames)
      for part in 0..<count {
        shards.append(
          Shard(
            document: index, first: frames * part / count, last: frames * (part + 1) / count - 1))
      }
      if count > 1 { joins.append(index) }
    }
  }

  /// The number of frames of all films.
  var frameCount: Int { documents.reduce(0) { $0 + $1.frameCount } }

  /// The ending of the file of a shard's frames.
  func ending(_ shard: Shard) -> String {
    isInPieces ? URL(fileURLWithPath: documents[shard.document].film).pathExtension : "mkv"
  }

  func isWhole(_ shard: Shard) -> Bool {
    shard.frames.count == documents[shard.document].frameCount
  }
}
