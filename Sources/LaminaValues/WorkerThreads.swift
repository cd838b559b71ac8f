import Dispatch
import Foundation
import Synchronization

/// Work that several threads share.
package protocol SharedWork: AnyObject, Sendable {
  /// Does what is left of the work, as far as no other thread has begun it. Each thread has a
  /// number of its own. One may call this again when nothing is left.
  func run(onThread thread: Int)
}

/// Threads that wait for work together with the one that has it, which alone may call them.
///
/// They are not Dispatch's: in the midst of work, its queues look for their threads in `/proc`, and
/// end a process whose sandbox does not let them.
///
/// A core without work halts, and to wake it takes 20 to 50 microseconds in a virtual machine. So
/// nobody waits for a thread that has not begun when nothing is left to do. And the first of the
/// threads keeps its core awake for a little while when it is done: more may come in the same
/// frame, or another core has only the rest of it to draw, and then somebody waits for it.
package final class WorkerThreads {
  private struct State {
    var work: (any SharedWork)?
    var hasEnded = false
  }

  /// What the threads hold, since they outlive the object.
  private final class Shared: Sendable {
    /// Added to the gate when no thread may begin any more.
    static let closed = 1 << 32

    let state = Lock(State())
    let starts: [DispatchSemaphore]
    /// Number of works so far.
    let rounds = Atomic(0)
    /// Number of threads at work beside the one that has it.
    let gate = Atomic(Shared.closed)
    /// Whether the thread that has the work sleeps until the last one has.
    let isAwaited = Atomic(false)
    let finish = DispatchSemaphore(value: 0)

    init(count: Int) { starts = (0..<count).map { _ in DispatchSemaphore(value: 0) } }

    /// Returns false if there is no work for a thread.
    func begin() -> Bool {
      var old = gate.load(ordering: .relaxed)
      while old < Self.closed {
        let result = gate.weakCompareExchange(
          expected: old, desired: old + 1, ordering: .sequentiallyConsistent)
        if result.exchanged { return true }
        old = result.original
      }
      return false
    }

    /// Called by a thread that began, when nothing is left for it.
    func end() {
      let others = gate.subtract(1, ordering: .sequentiallyConsistent).newValue
      if others == Self.closed, isAwaited.exchange(false, ordering: .sequentiallyConsistent) {
        finish.signal()
      }
    }
  }

  /// Number of the threads together with the one that has the work.
  package let count: Int
  private let shared: Shared
  /// Number of threads that the system gave, which are started when they are first of use.
  private lazy var startedCount = start()
  /// The wait for the last one that has not finished its part.
  private var end = BriefWait()

  /// By default one for each of the machine's cores.
  package init(count: Int = ProcessInfo.processInfo.activeProcessorCount) {
    self.count = max(count, 1)
    shared = Shared(count: self.count - 1)
  }

  deinit {
    shared.state.withLock { $0.hasEnded = true }
    for start in shared.starts { start.signal() }
  }

  private func start() -> Int {
    let shared = shared
    return shared.starts.indices.prefix { index in
      DetachedThread.start(named: "lamina-worker") { Self.serve(shared, index) } == 0
    }.count
  }

  /// Has the calling thread, which is number 0, and others do the work: at most about as many as
  /// `threads` says in all. Returns when it is done.
  package func perform(_ work: some SharedWork, threads: Int) {
    let others = threads > 1 ? min(threads - 1, startedCount) : 0
    if others == 0 { return work.run(onThread: 0) }
    shared.state.withLock { $0.work = work }
    shared.gate.store(0, ordering: .sequentiallyConsistent)
    shared.rounds.add(1, ordering: .relaxed)
    for start in shared.starts.prefix(others) { start.signal() }
    work.run(onThread: 0)
    let busy = shared.gate.add(Shared.closed, ordering: .sequentiallyConsistent).oldValue
    if busy > 0 { waitForOthers() }
    shared.state.withLock { $0.work = nil }
  }

  private func waitForOthers() {
    end.wait {
      shared.gate.load(ordering: .acquiring) == Shared.closed
    } orSleep: {
      // The last one of an earlier work may come to the flag only now, and wake this thread.
      repeat {
        shared.isAwaited.store(true, ordering: .sequentiallyConsistent)
        // Whoever takes the flag back knows: the last one that it has to wake this thread.
        if shared.gate.load(ordering: .sequentiallyConsistent) == Shared.closed,
          shared.isAwaited.exchange(false, ordering: .sequentiallyConsistent)
        {
          return
        }
        shared.finish.wait()
      } while shared.gate.load(ordering: .sequentiallyConsistent) != Shared.closed
    }
  }

  private static func serve(_ shared: Shared, _ index: Int) {
    while true {
      shared.starts[index].wait()
      let round = shared.rounds.load(ordering: .relaxed)
      if shared.begin() {
        shared.state.withLock { $0.work }?.run(onThread: index + 1)
        shared.end()
      } else if shared.state.withLock({ $0.hasEnded }) {
        return
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

extension WorkerThreads {
  /// Calls `body` with parts of `0..<count`, each `size` long but for the last, and the number of
  /// the thread that calls it. The calling thread goes through them from the first on, the others
  /// from the last on: at most about as many as `threads` says in all. Returns when all parts are
  /// done.
  ///
  /// A part should take some microseconds, and all together twenty or more.
  package func share(
    _ count: Int, by size: Int, threads: Int = .max,
    _ body: (Range<Int>, _ thread: Int) -> Void
  ) {
    let parts = (count + size - 1) / size
    withoutActuallyEscaping(body) { body in
      let work = SharedParts(count: count, size: size, body: body)
      perform(work, threads: min(self.count, parts, threads))
      // Threads may hold the work for a moment longer.
      work.body = nil
    }
  }
}

/// Parts of a range, which threads take one by one.
private final class SharedParts: SharedWork, @unchecked Sendable {
  private let count: Int
  private let size: Int
  /// nil when all parts are done.
  var body: ((Range<Int>, Int) -> Void)?
  private let left = SharedRange()

  init(count: Int, size: Int, body: @escaping (Range<Int>, Int) -> Void) {
    (self.count, self.size, self.body) = (count, size, body)
    left.fill(0..<(count + size - 1) / size)
  }

  func run(onThread thread: Int) {
    while let part = left.take(last: thread > 0) {
      body?(part * size..<min((part + 1) * size, count), thread)
    }
  }
}

/// Numbers that threads take one by one, from either end.
package final class SharedRange: Sendable {
  /// The first number in the lower half, the one after the last in the upper.
  private let ends = Atomic<UInt64>(0)

  package init() {}

  /// The range lies in those of 32 bits.
  package func fill(_ range: Range<Int>) {
    ends.store(UInt64(range.lowerBound) | UInt64(range.upperBound) << 32, ordering: .relaxed)
  }

  /// Takes the first number, or the last one; nil if none is left.
  package func take(last: Bool) -> Int? {
    var old = ends.load(ordering: .relaxed)
    while true {
      let (lower, upper) = (old & 0xffff_ffff, old >> 32)
      guard lower < upper else { return nil }
      let new = last ? lower | (upper - 1) << 32 : (lower + 1) | upper << 32
      let result = ends.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
      if result.exchanged { return Int(last ? upper - 1 : lower) }
      old = result.original
    }
  }
}
