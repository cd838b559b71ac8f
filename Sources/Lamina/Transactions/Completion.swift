import Foundation
import Synchronization

/// Counts the things that a transaction's completion blocks wait for: its own end, its animations,
/// and the transactions nested in it.
final class Completion: @unchecked Sendable {
  private let outer: Completion?
  /// The number of things to wait for, including the transaction itself until it is committed.
  private let pending = Atomic(1)
  private let lock = NSLock()
  private var blocks: [() -> Void] = []

  init(inside outer: Completion?) {
    self.outer = outer
    outer?.enter()
  }

  func add(_ block: @escaping () -> Void) { lock.withLock { blocks.append(block) } }

  /// Adds one thing to wait for.
  func enter() { pending.add(1, ordering: .relaxed) }

  /// Notes that one of the things is over. Returns the blocks to call now, in order: the last one
  /// set comes first, and those of the enclosing transaction come after.
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
