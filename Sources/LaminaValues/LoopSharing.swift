/// How loops whose steps need nothing of each other are shared among threads.
package struct LoopSharing {
  package let threads: WorkerThreads
  /// Number of steps below which more threads would cost more than they bring.
  package var least = 512
  /// Number of steps that a thread takes at a time.
  package var part = 32

  package init(_ threads: WorkerThreads) { self.threads = threads }

  /// Whether so many steps are shared.
  package func isWorth(_ count: Int) -> Bool { count >= least && threads.count > 1 }

  /// Number of the parts of so many steps.
  package func partCount(of count: Int) -> Int { (count + part - 1) / part }

  /// Calls `body` with the parts, each with its number and that of the thread that calls it, as
  /// `WorkerThreads.share` does. To wake a thread takes the time of many steps, so few steps have
  /// few threads.
  package func share(_ count: Int, _ body: (Range<Int>, _ part: Int, _ thread: Int) -> Void) {
    threads.share(count, by: part, threads: count / max(least / 2, 1)) {
      body($0, $0.lowerBound / part, $1)
    }
  }
}
