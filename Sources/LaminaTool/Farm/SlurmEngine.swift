import Foundation

/// Slurm, through its programs. Its jobs are found by their names, since a controller that was
/// killed may give their numbers to others.
final class SlurmEngine: FarmEngine {
  private let folder: FarmFolder
  private let job: FarmJob
  /// Whether the controller answered the last time.
  private var answers = true

  /// The largest number of an array's tasks. Slurm's own limit is 1001 unless a site says
  /// otherwise.
  private static let arraySize = 1000

  init(folder: FarmFolder, job: FarmJob) { (self.folder, self.job) = (folder, job) }

  /// Slurm's jobs are called this and the number of their first task, in thousands.
  private var namePrefix: String { "lamina-\(job.id)-" }

  // MARK: Submitting

  func submit(_ tasks: [Int], thenJoins joins: [Int]) throws {
    try writeScript()
    var arrays: [String] = []
    if case .bench(let work) = job.work {
      for task in tasks {
        arrays += try submit([task], ["--nodelist=\(work.nodes[task])", "--exclusive"])
      }
    } else {
      arrays = try submit(tasks, [])
    }
    guard !joins.isEmpty else { return }
    let dependency =
      arrays.isEmpty
      ? []
      : ["--dependency=afterok:" + arrays.joined(separator: ":"), "--kill-on-invalid-dep=yes"]
    _ = try submit(joins, dependency)
  }

  /// Submits an array for every thousand tasks. Returns the arrays' numbers.
  private func submit(_ tasks: [Int], _ flags: [String]) throws -> [String] {
    let parts = Dictionary(grouping: tasks) { $0 / Self.arraySize }.sorted { $0.key < $1.key }
    return try parts.map { part, tasks in
      let indices = tasks.sorted().map { $0 - part * Self.arraySize }
      return try submit(
        indices, ofPart: part,
        [
          "--parsable", "--job-name=\(namePrefix)\(part)", "--array=\(Self.ranges(indices))",
          "--requeue", "--export=NONE", "--open-mode=append", "--output=logs/%x-%A_%a.log",
          "--chdir=\(folder.path)", "--ntasks=1", "--cpus-per-task=\(job.engine.processors)",
        ] + job.engine.sbatch + flags + [folder.script, "\(part * Self.arraySize)"])
    }
  }

  /// Numbers separated by commas; a row of them as `A-B`.
  private static func ranges(_ indices: [Int]) -> String {
    var ranges: [ClosedRange<Int>] = []
    for index in indices {
      if let last = ranges.last, last.upperBound + 1 == index {
        ranges[ranges.count - 1] = last.lowerBound...index
      } else {
        ranges.append(index...index)
      }
    }
    return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
      .joined(separator: ",")
  }

  /// Calls sbatch until the controller answers.
  private func submit(_ indices: [Int], ofPart part: Int, _ arguments: [String]) throws -> String {
    while true {
      let run = try Self.run("sbatch", arguments)
      if run.status == 0 {
        return run.text.split(whereSeparator: { $0 == ";" || $0.isNewline }).first.map(String.init)
          ?? ""
      }
      guard Self.isAway(run.errors) else {
        throw InputError("sbatch: \(run.firstComplaint ?? "failed with status \(run.status)")")
      }
      noteAnswer(false)
      // The controller may have taken the job and not have said so.
      while true {
        sleep(1)
        guard let rows = try rows() else { continue }
        noteAnswer(true)
        let taken = rows.first { $0.part == part && indices.contains($0.index) && $0.isActive }
        if let taken { return taken.array }
        break
      }
    }
  }

  /// Whether a program of Slurm's could not reach the controller.
  private static func isAway(_ errors: String) -> Bool {
    [
      "Unable to contact", "timed out", "Connection refused", "Zero Bytes", "Communication",
      "Transport",
    ]
    .contains { errors.localizedCaseInsensitiveContains($0) }
  }

  private func writeScript() throws {
    let lamina = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let text = """
      #!/bin/sh
      # One of the job's tasks. $1 is the number of the array's first. Tasks get no environment from
      # where they were submitted, and users without a login shell none at all.
      export PATH="${PATH:+$PATH:}/usr/local/bin:/usr/bin:/bin"
      exec \(Self.quoted(lamina)) farm task \(Self.quoted(folder.path)) \\
        $(($1 + SLURM_ARRAY_TASK_ID))

      """
    try OutputFile.write(Data(text.utf8), to: folder.script)
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacingOccurrences(of: "'", with: "'\\''") + "'"
  }

  // MARK: Looking

  /// A line of squeue's.
  private struct Row {
    let part: Int
    let index: Int
    let state: String
    let node: String
    let reason: String
    let array: String
    let id: String

    var task: Int { part * SlurmEngine.arraySize + index }

    var isActive: Bool {
      [
        "PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "SUSPENDED", "REQUEUED", "REQUEUE_HOLD",
        "REQUEUE_FED", "RESIZING", "SIGNALING", "STAGE_OUT", "STOPPED", "SPECIAL_EXIT",
        "RESV_DEL_HOLD",
      ].contains(state)
    }
  }

  /// The job's tasks in the queue; nil if the controller does not answer.
  private func rows() throws -> [Row]? {
    let run = try Self.run(
      "squeue", ["-h", "-r", "-t", "all", "-u", "\(getuid())", "-o", "%j|%K|%T|%N|%r|%F|%i"])
    guard run.status == 0 else { return nil }
    return run.text.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 7, fields[0].hasPrefix(namePrefix),
        let part = Int(fields[0].dropFirst(namePrefix.count)), let index = Int(fields[1])
      else { return nil }
      return Row(
        part: part, index: index, state: fields[2], node: fields[3], reason: fields[4],
        array: fields[5], id: fields[6])
    }
  }

  func look() throws -> FarmQueue? {
    guard let rows = try rows() else {
      noteAnswer(false)
      return nil
    }
    noteAnswer(true)
    var queue = FarmQueue()
    for row in rows {
      guard row.isActive else {
        queue.ends[row.task] = row.state
        continue
      }
      if row.state == "PENDING" {
        if queue.active[row.task] == nil { queue.active[row.task] = .waiting }
        mend(row)
      } else {
        queue.active[row.task] = .running(node: row.node)
      }
    }
    return queue
  }

  /// Lifts the two minutes that a task waits after its node died, and what holds it after a node
  /// failed to start it.
  private func mend(_ row: Row) {
    if row.reason == "BeginTime" {
      _ = try? Self.run("scontrol", ["update", "jobid=\(row.id)", "starttime=now"])
    } else if row.reason.contains("launch failed") || row.reason.contains("requeued held") {
      _ = try? Self.run("scontrol", ["release", row.id])
    }
  }

  private func noteAnswer(_ answered: Bool) {
    guard answered != answers else { return }
    answers = answered
    Report.note(
      answered
        ? "Slurm's controller answers again"
        : "Slurm's controller does not answer; what runs goes on, and it is waited for")
  }

  // MARK: Ending

  func cancel() throws {
    while true {
      guard let rows = try rows() else {
        noteAnswer(false)
        sleep(1)
        continue
      }
      noteAnswer(true)
      let arrays = Set(rows.filter(\.isActive).map(\.array))
      guard !arrays.isEmpty else { return }
      _ = try Self.run("scancel", arrays.sorted())
      usleep(200_000)
    }
  }

  /// Runs one of Slurm's programs.
  private static func run(_ name: String, _ arguments: [String]) throws -> ProgramRun {
    guard let path = FilmTools.executable(name) else {
      throw UsageError("\(name) is not in PATH: install the package slurm-client")
    }
    return try ProgramRun(path, arguments)
  }

  /// Throws unless Slurm's programs know a cluster. A controller that is away is waited for later.
  static func requireCluster() throws(UsageError) {
    let run: ProgramRun
    do {
      run = try Self.run("sinfo", ["-h"])
    } catch {
      throw UsageError(ToolFailure(error).message)
    }
    guard run.status == 0 || isAway(run.errors) else {
      throw UsageError(
        "--engine slurm: \(run.firstComplaint ?? "sinfo failed with status \(run.status)");"
          + " --engine local runs the job on this machine")
    }
  }

  /// The nodes that can run something, and the states of the others.
  static func nodes() throws -> (usable: [String], others: [(name: String, state: String)]) {
    let run = try run("sinfo", ["-h", "-N", "-o", "%N %T"])
    guard run.status == 0 else {
      throw InputError("sinfo: \(run.firstComplaint ?? "failed with status \(run.status)")")
    }
    var usable: Set<String> = []
    var others: [String: String] = [:]
    for line in run.text.split(separator: "\n") {
      let fields = line.split(separator: " ").map(String.init)
      guard fields.count == 2 else { continue }
      if ["idle", "mixed", "allocated", "completing"].contains(fields[1]) {
        usable.insert(fields[0])
      } else {
        others[fields[0]] = fields[1]
      }
    }
    return (usable.sorted(), others.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }
}
