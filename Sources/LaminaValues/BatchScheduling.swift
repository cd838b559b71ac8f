import CLinux

/// A time in which a thread starts threads that, when they wake, do not take the core of what runs.
///
/// Others often interrupt the thread that woke them, and if it holds a lock which they then wait
/// for, it runs again before they do: four switches, each of which costs a small frame a hundredth.
package struct BatchScheduling {
  private let hasBegun: Bool

  /// Begins it for the calling thread. Without effect if that one has a policy of its own.
  package static func begin() -> BatchScheduling {
    BatchScheduling(hasBegun: lamina_schedule_as_batch(true))
  }

  /// Ends it for the calling thread. Threads that it started stay as they are.
  package func end() {
    if hasBegun { _ = lamina_schedule_as_batch(false) }
  }
}
