import LaminaValues

/// Counts calls, on any thread.
package final class Counter: Sendable {
  private let count = Lock(0)

  package init() {}

  package func add() { count.withLock { $0 += 1 } }
  package var value: Int { count.withLock { $0 } }
}
