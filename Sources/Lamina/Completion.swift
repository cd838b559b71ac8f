import Foundation

/// What a transaction waits for before its completion blocks are called: its own end, its
/// animations, and the transactions inside it.
final class Completion: @unchecked Sendable {
  private let outer: Completion?
  private let lock = NSLock()
  /// The transaction itself, until it is committed, is one.
  private var pending = 1
  private var blocks: [() -> Void] = []

  init(inside outer: Completion?) {
    self.outer = outer
    outer?.enter()
  }

  func add(_ block: @escaping () -> Void) { lock.withLock { blocks.append(block) } }

  /// There is one more thing to wait for.
  func enter() { lock.withLock { pending += 1 } }

  /// One of the things is over. Returns the blocks to be called now, in their order: the last that
  /// was set comes first, and those of the transaction around follow.
  func leave() -> [() -> Void] {
    lock.lock()
    pending -= 1
    let isOver = pending == 0
    let due = isOver ? Array(blocks.reversed()) : []
    if isOver { blocks = [] }
    lock.unlock()
    return isOver ? due + (outer?.leave() ?? []) : []
  }
}
