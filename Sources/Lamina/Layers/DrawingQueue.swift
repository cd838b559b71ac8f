import Foundation
import LaminaValues

/// Something that a `DrawingQueue` draws, once.
protocol BackgroundDrawing: AnyObject, Sendable {
  func run()
}

/// Draws for a renderer's layers on threads of its own, what was asked for first first. The threads
/// end when nothing waits.
final class DrawingQueue: @unchecked Sendable {
  // Members are used while `condition` is locked.
  private let condition = NSCondition()
  private var waiting: [any BackgroundDrawing] = []
  private var running: [any BackgroundDrawing] = []
  /// Kept so that no thread of the queue's is the last to hold a layer.
  private var finished: [any BackgroundDrawing] = []
  private var threadCount = 0

  static let threadLimit = min(max(ProcessInfo.processInfo.activeProcessorCount, 1), 8)

  func add(_ drawings: [any BackgroundDrawing]) {
    guard !drawings.isEmpty else { return }
    condition.lock()
    // The next one is last.
    waiting.insert(contentsOf: drawings.reversed(), at: 0)
    let wanted = min(waiting.count, Self.threadLimit) - threadCount
    for _ in 0..<max(wanted, 0) {
      threadCount += 1
      if DetachedThread.start(named: "lamina drawing", { self.work() }) == 0 { continue }
      threadCount -= 1
      break
    }
    let hasThread = threadCount > 0
    condition.unlock()
    // A system that has no thread left draws late rather than never.
    if !hasThread { work(isThread: false) }
  }

  /// Removes a drawing that has not begun. Returns whether it did.
  func cancel(_ drawing: any BackgroundDrawing) -> Bool {
    condition.withLock {
      guard let place = waiting.firstIndex(where: { $0 === drawing }) else { return false }
      waiting.remove(at: place)
      return true
    }
  }

  /// Releases the finished drawings, on the layers' thread.
  func releaseFinished() {
    let released = condition.withLock {
      defer { finished = [] }
      return finished
    }
    withExtendedLifetime(released) {}
  }

  /// Returns once a drawing that was added is finished.
  func wait(for drawing: any BackgroundDrawing) {
    condition.withLock {
      while (waiting + running).contains(where: { $0 === drawing }) { condition.wait() }
    }
  }

  /// Returns once all drawings are finished.
  func waitUntilIdle() {
    condition.withLock { while threadCount > 0 { condition.wait() } }
  }

  private func work(isThread: Bool = true) {
    while let drawing = next(isThread) {
      drawing.run()
      condition.withLock {
        running.removeAll { $0 === drawing }
        finished.append(drawing)
        condition.broadcast()
      }
    }
  }

  private func next(_ isThread: Bool) -> (any BackgroundDrawing)? {
    condition.withLock {
      if let drawing = waiting.popLast() {
        running.append(drawing)
        return drawing
      }
      if isThread { threadCount -= 1 }
      condition.broadcast()
      return nil
    }
  }
}
