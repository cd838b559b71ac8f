import Foundation

/// What the files in a job's folder say of its tasks.
struct FarmProgress {
  let unfinishedTasks: Set<Int>
  let unfinishedJoins: Set<Int>
  /// The failures by their tasks; nil if there are none.
  let failures: [Int: FarmFailure]?
  /// What the progress is counted in.
  let unit: String
  /// How much is done of how much: the shards' frames, and once they are there, those of the films
  /// that are joined.
  let total: (done: Int, frames: Int)

  var isFinished: Bool { unfinishedTasks.isEmpty && unfinishedJoins.isEmpty }

  init(folder: FarmFolder, job: FarmJob) {
    let results = folder.tasks(in: folder.results)
    let joins = job.taskCount..<job.taskCount + job.joinCount
    unfinishedJoins = Set(joins).subtracting(results)
    let failed = folder.tasks(in: folder.failures)
    let failures = failed.reduce(into: [Int: FarmFailure]()) { failures, task in
      failures[task] = folder.read(FarmFailure.self, from: folder.failure(task))
    }
    self.failures = failures.isEmpty ? nil : failures
    var done = results
    if case .films(let work) = job.work {
      // A piece is whole when its digest is there.
      done.formUnion(
        folder.tasks(in: folder.segments, ending: work.isInPieces ? ".sha256" : ""))
      // A film that is joined needs its segments no more.
      let joined = Set(joins.filter(results.contains).map { work.joins[$0 - joins.lowerBound] })
      for (task, shard) in work.shards.enumerated() where joined.contains(shard.document) {
        done.insert(task)
      }
    }
    unfinishedTasks = Set(0..<job.taskCount).subtracting(done)
    let counted = unfinishedTasks.isEmpty && !unfinishedJoins.isEmpty ? joins : 0..<job.taskCount
    // Most tasks have none yet, and looking for each one's would be much for a shared folder.
    let reporting = folder.tasks(in: folder.progress)
    var total = (done: 0, frames: 0)
    for task in counted {
      let count = job.frameCount(task)
      total.frames += count
      if !unfinishedTasks.contains(task) && !unfinishedJoins.contains(task) {
        total.done += count
      } else if reporting.contains(task) {
        total.done += min(ProgressFile.read(folder.progress(task)) ?? 0, count)
      }
    }
    self.total = total
    unit =
      switch job.work {
      case .films: unfinishedTasks.isEmpty ? "frames joined" : "frames"
      case .comparison: "pictures"
      case .bench: "nodes"
      }
  }
}

extension FarmJob {
  /// How much a task counts in the progress.
  func frameCount(_ task: Int) -> Int {
    switch work {
    case .films(let work):
      task < work.shards.count
        ? work.shards[task].frames.count
        : work.documents[work.joins[task - work.shards.count]].frameCount
    case .comparison(let work): work.parts[task].count
    case .bench: 1
    }
  }
}
