import Dispatch
import LaminaValues

/// Work that several threads share.
protocol SharedWork: AnyObject, Sendable {
  /// Does a thread's part. Each thread has a number of its own.
  func run(onThread thread: Int)
}

/// Threads that wait for work together with the thread that has it.
///
/// They are not Dispatch's: in the midst of work, its queues look for their threads in `/proc`, and
/// end a process whose sandbox does not let them.
final class BandThreads: Sendable {
  private struct State {
    var work: (any SharedWork)?
    /// Threads that have not finished their part.
    var busy = 0
    var hasEnded = false
  }

  /// What the threads hold, since they outlive the object.
  private final class Shared: Sendable {
    let state = Lock(State())
    let starts: [DispatchSemaphore]
    let finish = DispatchSemaphore(value: 0)

    init(count: Int) { starts = (0..<count).map { _ in DispatchSemaphore(value: 0) } }
  }

  private let shared: Shared
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
    shared.state.withLock {
      $0.work = work
      $0.busy = count
    }
    for start in shared.starts.prefix(count) { start.signal() }
    work.run(onThread: 0)
    if count > 0 { shared.finish.wait() }
    shared.state.withLock { $0.work = nil }
  }

  private static func serve(_ shared: Shared, _ index: Int) {
    while true {
      shared.starts[index].wait()
      guard let work = shared.state.withLock({ $0.hasEnded ? nil : $0.work }) else { return }
      work.run(onThread: index + 1)
      let isLast = shared.state.withLock { state in
        state.busy -= 1
        return state.busy == 0
      }
      if isLast { shared.finish.signal() }
    }
  }
}
