import Dispatch
import Foundation

/// Where a program's code runs: the main queue, which several threads may serve one after the
/// other, or a thread. Callbacks are made in it: in the next turn of the main queue or of the
/// thread's run loop, or by a renderer's frame.
final class ExecutionContext: @unchecked Sendable {
  static let main = ExecutionContext()

  private let lock = NSLock()
  private var callbacks: [() -> Void] = []
  private var flush: (() -> Void)?
  private var isTurnScheduled = false

  /// Has these called in the next turn.
  func call(_ callbacks: [() -> Void]) {
    guard !callbacks.isEmpty else { return }
    lock.lock()
    self.callbacks += callbacks
    scheduleTurn()
  }

  /// Has `flush` called in the next turn, before its callbacks.
  func scheduleTurn(_ flush: @escaping () -> Void) {
    lock.lock()
    self.flush = flush
    scheduleTurn()
  }

  /// Unlocks.
  private func scheduleTurn() {
    let isNew = !isTurnScheduled
    isTurnScheduled = true
    lock.unlock()
    if isNew { perform(after: 0) { self.turn() } }
  }

  /// What a run loop's turn does for layers: commits changes, then calls back.
  private func turn() {
    lock.lock()
    let flush = flush
    self.flush = nil
    isTurnScheduled = false
    lock.unlock()
    flush?()
    callBack()
  }

  /// Makes the callbacks that are due. Those that they cause are for the next turn.
  func callBack() {
    lock.lock()
    let due = callbacks
    callbacks = []
    lock.unlock()
    for callback in due { callback() }
  }

  /// Runs `job` here in so many seconds. On a thread other than the main one that takes a run loop
  /// which turns, and calling from that thread.
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

  // MARK: Which one

  private static let queueKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether this is the main queue, on whichever thread.
  static var isMainQueue: Bool { DispatchQueue.getSpecific(key: queueKey) == true }

  /// Whether this is the main thread, or the main queue on another.
  static var isMain: Bool { TransactionStack.current.context === main }
}
