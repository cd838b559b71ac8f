import Foundation
import Synchronization

/// What a transaction waits for before its completion blocks are called: its own end, its
/// animations, and the transactions inside it.
final class Completion: @unchecked Sendable {
  private let outer: Completion?
  /// How many things are waited for. The transaction itself, until it is committed, is one.
  private let pending = Atomic(1)
  private let lock = NSLock()
  private var blocks: [() -> Void] = []

  init(inside outer: Completion?) {
    self.outer = outer
    outer?.enter()
  }

  func add(_ block: @escaping () -> Void) { lock.withLock { blocks.append(block) } }

  /// There is one more thing to wait for.
  func enter() { pending.add(1, ordering: .relaxed) }

  /// One of the things is over. Returns the blocks to be called now, in their order: the last that
  /// was set comes first, and those of the transaction around follow.
  func leave() -> [() -> Void] {
    let left = pending.subtract(1, ordering: .acquiringAndReleasing).newValue
    return left == 0 ? takeBlocks() + (outer?.leave() ?? []) : []
  }

  private func takeBlocks() -> [() -> Void] {
    lock.withLock {
      defer { blocks = [] }
      return blocks.reversed()
    }
  }
}
