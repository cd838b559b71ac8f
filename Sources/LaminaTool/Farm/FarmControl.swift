import Foundation

/// `lamina farm status`, `resume` and `cancel`.
struct FarmControl {
  private let folder: FarmFolder
  private let job: FarmJob

  init(_ arguments: ParsedArguments) throws(InputError) {
    folder = try FarmFolder.find(arguments.positionals[0])
    job = try folder.job()
  }

  func status() throws -> ExitStatus {
    let progress = FarmProgress(folder: folder, job: job)
    let shards = job.taskCount - progress.unfinishedTasks.count
    var parts = [
      "\(progress.total.done) of \(progress.total.frames) \(progress.unit)",
      "\(shards) of \(job.taskCount) shards done",
    ]
    if job.joinCount > 0 {
      parts.append("\(job.joinCount - progress.unfinishedJoins.count) of \(job.joinCount) joins")
    }
    print("\(folder.path): " + parts.joined(separator: ", "))
    for (task, failure) in (progress.failures ?? [:]).sorted(by: { $0.key < $1.key }) {
      print("  \(job.describe(task)) failed on \(failure.node): \(failure.message)")
    }
    if progress.isFinished {
      print("  all is done")
    } else if job.engine.name == .local {
      let isRunning = LocalEngine.isRunning(folder)
      print(
        isRunning ? "  runs on this machine" : "  does not run on this machine: lamina farm resume")
    } else {
      try printQueue(progress)
    }
    return .success
  }

  private func printQueue(_ progress: FarmProgress) throws {
    guard let queue = try SlurmEngine(folder: folder, job: job).look() else { return }
    var nodes: [String: Int] = [:]
    var waiting = 0
    for activity in queue.active.values {
      switch activity {
      case .waiting: waiting += 1
      case .running(let node): nodes[node, default: 0] += 1
      }
    }
    for (node, count) in nodes.sorted(by: { $0.key < $1.key }) {
      print("  \(count) on \(node)")
    }
    print(
      queue.active.isEmpty
        ? "  nothing is in the queue: lamina farm resume submits what is not done"
        : "  \(waiting) waiting")
  }

  func resume() throws -> ExitStatus {
    let end = FarmEnd(folder: folder, job: job)
    try end.clearFailures()
    return try end.finish(FarmFollower(folder: folder, job: job).run())
  }

  func cancel() throws -> ExitStatus {
    // Whoever follows the job must not submit anything any more.
    try OutputFile.write(Data(), to: folder.cancellation)
    switch job.engine.name {
    case .slurm:
      let engine = SlurmEngine(folder: folder, job: job)
      try engine.cancel()
      try folder.remove()
      try engine.cancel()
    case .local:
      while LocalEngine.isRunning(folder) { usleep(50_000) }
      try folder.remove()
    }
    return .success
  }
}
