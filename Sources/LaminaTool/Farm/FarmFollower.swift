import Foundation

/// Follows a job to its end: has what is lost run again, and says what becomes of it.
///
/// What is done is judged by the files in the job's folder alone. What the queue says only tells
/// what need not be submitted again.
final class FarmFollower {
  private let folder: FarmFolder
  private let job: FarmJob
  private let engine: any FarmEngine

  /// How often each task was submitted because it was in the queue no more and not done.
  private var submissions: [Int: Int] = [:]
  /// Since when each task is neither done nor in the queue.
  private var missing: [Int: ContinuousClock.Instant] = [:]

  /// How often a task is submitted again.
  private static let maximumSubmissions = 3
  /// How long a task may be neither done nor in the queue, in which a shared folder may be late.
  private static let patience = Duration.seconds(3)

  init(folder: FarmFolder, job: FarmJob) throws {
    (self.folder, self.job) = (folder, job)
    engine =
      switch job.engine.name {
      case .slurm: SlurmEngine(folder: folder, job: job)
      case .local: try LocalEngine(folder: folder, flags: job.engine)
      }
  }

  /// Submits all tasks that are neither done nor in the queue.
  func submit() throws {
    let progress = FarmProgress(folder: folder, job: job)
    var queue = try engine.look()
    while queue == nil {
      sleep(1)
      queue = try engine.look()
    }
    let active = queue?.active ?? [:]
    let tasks = progress.unfinishedTasks.filter { active[$0] == nil }
    let joins = progress.unfinishedJoins.filter { active[$0] == nil }
    // Joins wait for the tasks that are submitted with them. If others are on their way, `mend`
    // submits the joins when all are done.
    let isAll = tasks.count == progress.unfinishedTasks.count
    guard !tasks.isEmpty || (isAll && !joins.isEmpty) else { return }
    do {
      try engine.submit(tasks.sorted(), thenJoins: isAll ? joins.sorted() : [])
    } catch {
      // A part of them may be in the queue.
      if active.isEmpty { try engine.cancel() }
      throw error
    }
  }

  /// Follows the job to its end.
  func run() throws -> ExitStatus {
    Unfinished.work.withLock { [job, folder] work in
      work.farewell =
        job.engine.name == .slurm
        ? "the job goes on without this process: lamina farm resume \(folder.path) follows it again,"
          + " lamina farm cancel \(folder.path) ends it"
        : "the job has stopped: lamina farm resume \(folder.path) takes it up again"
    }
    defer { Unfinished.work.withLock { $0.farewell = nil } }
    try submit()
    return try follow()
  }

  private func follow() throws -> ExitStatus {
    let first = FarmProgress(folder: folder, job: job)
    let bar = ProgressBar(total: first.total.frames, unit: first.unit, doneBefore: first.total.done)
    var unit = first.unit
    defer { bar.finish() }
    while true {
      let progress = FarmProgress(folder: folder, job: job)
      if folder.isCancelled {
        bar.finish()
        try engine.cancel()
        throw InputError("\(folder.path): the job was cancelled")
      }
      if let failures = progress.failures {
        bar.finish()
        try engine.cancel()
        return report(failures)
      }
      if progress.unit != unit {
        unit = progress.unit
        bar.restart(total: progress.total.frames, unit: unit)
      }
      bar.update(progress.total.done)
      if progress.isFinished { return .success }
      if let queue = try engine.look(), let failures = try mend(progress, queue) {
        bar.finish()
        try engine.cancel()
        return report(failures)
      }
      usleep(pause)
    }
  }

  /// Between two looks, in microseconds. A queue of very many tasks is asked less often.
  private var pause: UInt32 {
    job.engine.name == .local ? 100_000 : UInt32(500_000 + min(job.taskCount, 20_000) * 200)
  }

  /// Submits what was lost. Returns the failures of tasks that were lost too often.
  private func mend(_ progress: FarmProgress, _ queue: FarmQueue) throws -> [Int: FarmFailure]? {
    let now = ContinuousClock.now
    let tasks = progress.unfinishedTasks
    // Joins have to wait for all tasks.
    let candidates = tasks.isEmpty ? progress.unfinishedJoins : tasks
    let lost = candidates.filter { queue.active[$0] == nil }
    missing = missing.filter { lost.contains($0.key) }
    for task in lost where missing[task] == nil { missing[task] = now }
    let due = lost.filter { now - missing[$0]! > Self.patience }
    guard !due.isEmpty else { return nil }
    var failures: [Int: FarmFailure] = [:]
    for task in due {
      submissions[task, default: 0] += 1
      missing[task] = nil
      if submissions[task]! > Self.maximumSubmissions {
        let end = queue.ends[task] ?? "no trace of it is in the queue"
        failures[task] = FarmFailure(
          message: "did not end \(Self.maximumSubmissions + 1) times; the last time: \(end)",
          status: ExitStatus.renderFailed.rawValue, node: "")
      }
    }
    guard failures.isEmpty else { return failures }
    // A task that has failed has said why by now, if it could.
    guard FarmProgress(folder: folder, job: job).failures == nil else { return nil }
    for task in due.sorted().prefix(3) where queue.ends[task] != nil {
      Report.note("\(job.describe(task)) \(queue.ends[task] ?? ""), and runs again")
    }
    if tasks.isEmpty {
      try engine.submit([], thenJoins: due.sorted())
    } else {
      try engine.submit(due.sorted(), thenJoins: [])
    }
    return nil
  }

  /// Says what failed. Returns the first failure's status.
  private func report(_ failures: [Int: FarmFailure]) -> ExitStatus {
    let sorted = failures.sorted { $0.key < $1.key }
    for (task, failure) in sorted.prefix(20) {
      let node = failure.node.isEmpty ? "" : " on \(failure.node)"
      Report.error("\(job.describe(task))\(node): \(failure.message)")
    }
    if sorted.count > 20 { Report.error("\(sorted.count - 20) more tasks failed") }
    return sorted.first.flatMap { ExitStatus(rawValue: $0.value.status) } ?? .renderFailed
  }
}

extension FarmJob {
  /// A task in words.
  func describe(_ task: Int) -> String {
    switch work {
    case .films(let work):
      guard task < work.shards.count else {
        return "the join of \(work.documents[work.joins[task - work.shards.count]].film)"
      }
      let shard = work.shards[task]
      let path = work.documents[shard.document].path
      return work.isWhole(shard) ? path : "frames \(shard.first) to \(shard.last) of \(path)"
    case .comparison(let work):
      return "pictures \(work.parts[task].lowerBound) to \(work.parts[task].upperBound)"
    case .bench(let work): return "the bench of \(work.nodes[task])"
    }
  }
}
