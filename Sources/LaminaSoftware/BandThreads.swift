import Dispatch
import Foundation
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

  /// Starts `count` threads.
  init(count: Int) {
    let shared = Shared(count: count)
    self.shared = shared
    for index in 0..<count {
      Thread { Self.serve(shared, index) }.start()
    }
  }

  deinit {
    shared.state.withLock { $0.hasEnded = true }
    for start in shared.starts { start.signal() }
  }

  /// Has the calling thread, which is number 0, and `others` more do the work. Returns when all have
  /// done their part.
  func perform(_ work: some SharedWork, others: Int) {
    shared.state.withLock {
      $0.work = work
      $0.busy = others
    }
    for start in shared.starts.prefix(others) { start.signal() }
    work.run(onThread: 0)
    if others > 0 { shared.finish.wait() }
    shared.state.withLock { $0.work = nil }
  }

  private static func serve(_ shared: Shared, _ index: Int) {
    Thread.current.name = "lamina-band"
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
