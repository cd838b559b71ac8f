import Dispatch
import Foundation

/// A context in which an app's code runs: the main queue, which may run on different threads over
/// time, or another thread. Callbacks run in it, in the next turn of the main queue or of the
/// thread's run loop, or during a renderer's frame.
final class ExecutionContext: @unchecked Sendable {
  static let main = ExecutionContext()

  private let lock = NSLock()
  private var callbacks: [() -> Void] = []
  private var flush: (() -> Void)?
  private var isTurnScheduled = false

  /// Calls the callbacks in the next turn.
  func call(_ callbacks: [() -> Void]) {
    guard !callbacks.isEmpty else { return }
    lock.lock()
    self.callbacks += callbacks
    scheduleTurn()
  }

  /// Calls `flush` in the next turn, before the callbacks.
  func scheduleTurn(_ flush: @escaping () -> Void) {
    lock.lock()
    self.flush = flush
    scheduleTurn()
  }

  /// Expects `lock` to be held, and releases it.
  private func scheduleTurn() {
    let isNew = !isTurnScheduled
    isTurnScheduled = true
    lock.unlock()
    if isNew { perform(after: 0) { self.turn() } }
  }

  /// The work of one turn: commits changes, then makes the callbacks.
  private func turn() {
    lock.lock()
    let flush = flush
    self.flush = nil
    isTurnScheduled = false
    lock.unlock()
    flush?()
    callBack()
  }

  /// Makes the pending callbacks. Callbacks that these add wait for the next turn.
  func callBack() {
    lock.lock()
    let due = callbacks
    callbacks = []
    lock.unlock()
    for callback in due { callback() }
  }

  /// Runs `job` in this context after a number of seconds. On a thread other than the main one it
  /// must be called from that thread, and that thread's run loop must run.
  func perform(after seconds: Double, _ job: @escaping () -> Void) {
    nonisolated(unsafe) let job = job
    if self === Self.main {
      guard seconds > 0 else { return DispatchQueue.main.async { job() } }
      DispatchQueue.main.asyncAfter(deadline: .now() + seconds) { job() }
    } else {
      let timer = Timer(timeInterval: seconds, repeats: false) { _ in job() }
      RunLoop.current.add(timer, forMode: .common)
    }
  }

  // MARK: The current context

  private static let queueKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the caller runs on the main queue, on any thread.
  static var isMainQueue: Bool { DispatchQueue.getSpecific(key: queueKey) == true }

  /// Whether the caller runs on the main thread, or on the main queue on another thread.
  static var isMain: Bool { TransactionStack.current.context === main }
}
