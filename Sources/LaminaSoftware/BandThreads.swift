import Dispatch
import Foundation
import LaminaValues
import Synchronization

/// Work that several threads share.
protocol SharedWork: AnyObject, Sendable {
  /// Does a thread's part. Each thread has a number of its own.
  func run(onThread thread: Int)
}

/// Threads that wait for work together with the thread that has it.
///
/// They are not Dispatch's: in the midst of work, its queues look for their threads in `/proc`, and
/// end a process whose sandbox does not let them.
///
/// A core without work halts, and to wake it takes 20 to 50 microseconds in a virtual machine. The
/// first of the threads that has done its part therefore keeps its core awake for a little while:
/// another core has only the rest of the frame to draw, and then somebody waits for it.
final class BandThreads {
  private struct State {
    var work: (any SharedWork)?
    var hasEnded = false
  }

  /// What the threads hold, since they outlive the object.
  private final class Shared: Sendable {
    let state = Lock(State())
    let starts: [DispatchSemaphore]
    /// Number of works so far.
    let rounds = Atomic(0)
    /// Number of threads that have not finished their part.
    let busy = Atomic(0)
    /// Whether the thread that has the work sleeps until the last one has.
    let isAwaited = Atomic(false)
    let finish = DispatchSemaphore(value: 0)

    init(count: Int) { starts = (0..<count).map { _ in DispatchSemaphore(value: 0) } }
  }

  private let shared: Shared
  /// The wait for the last one that has not finished its part.
  private var end = BriefWait()
  /// Number of the threads: those that the system gave.
  let count: Int

  /// Starts `count` threads, or fewer if the system gives no more.
  init(count: Int) {
    let shared = Shared(count: count)
    self.shared = shared
    self.count =
      (0..<count).prefix { index in
        DetachedThread.start(named: "lamina-band") { Self.serve(shared, index) } == 0
      }.count
  }

  deinit {
    shared.state.withLock { $0.hasEnded = true }
    for start in shared.starts { start.signal() }
  }

  /// Has the calling thread, which is number 0, and all others do the work. Returns when all have
  /// done their part.
  func perform(_ work: some SharedWork) {
    shared.state.withLock { $0.work = work }
    shared.busy.store(count, ordering: .sequentiallyConsistent)
    shared.rounds.add(1, ordering: .relaxed)
    for start in shared.starts.prefix(count) { start.signal() }
    work.run(onThread: 0)
    waitForOthers()
    shared.state.withLock { $0.work = nil }
  }

  private func waitForOthers() {
    end.wait {
      shared.busy.load(ordering: .acquiring) == 0
    } orSleep: {
      shared.isAwaited.store(true, ordering: .sequentiallyConsistent)
      // Whoever takes the flag back knows: the last one that it has to wake this thread.
      if shared.busy.load(ordering: .sequentiallyConsistent) == 0,
        shared.isAwaited.exchange(false, ordering: .sequentiallyConsistent)
      {
        return
      }
      shared.finish.wait()
    }
  }

  private static func serve(_ shared: Shared, _ index: Int) {
    for round in 1... {
      shared.starts[index].wait()
      guard let work = shared.state.withLock({ $0.hasEnded ? nil : $0.work }) else { return }
      work.run(onThread: index + 1)
      let busy = shared.busy.subtract(1, ordering: .sequentiallyConsistent).newValue
      if busy == 0, shared.isAwaited.exchange(false, ordering: .sequentiallyConsistent) {
        shared.finish.signal()
      }
      if index == 0 {
        keepCoreAwake { shared.rounds.load(ordering: .relaxed) > round }
      }
    }
  }

  /// Keeps this thread's core from halting for a little while, or until it or another thread has
  /// something to do.
  private static func keepCoreAwake(unless hasWork: () -> Bool) {
    let start = MonotonicTime.nanoseconds
    var (time, now) = (start, start)
    // A call that gives way to no thread takes less than a microsecond.
    while !hasWork(), now - time < 5_000, now - start < 60_000 {
      time = now
      sched_yield()
      now = MonotonicTime.nanoseconds
    }
  }
}
