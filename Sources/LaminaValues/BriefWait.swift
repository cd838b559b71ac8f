import Foundation

/// A thread's waits for what often comes at once.
///
/// A core without work halts, and to wake it takes 20 to 50 microseconds in a virtual machine: as
/// much as a small frame takes, and a tenth of one of a thousand layers. After a brief wait, the
/// next one therefore begins by looking again and again, while other threads run in between.
/// Between long ones, such as those for the frames of a display, the thread sleeps at once.
package struct BriefWait {
  /// The time from which a wait is not brief any more, in nanoseconds.
  package static let limit: UInt64 = 200_000

  private let now: @Sendable () -> UInt64
  private var wasBrief = false

  /// `now` is the time in nanoseconds.
  package init(now: @escaping @Sendable () -> UInt64 = { MonotonicTime.nanoseconds }) {
    self.now = now
  }

  /// Returns when `isOver` has returned true, or after `sleep`, which waits for the same.
  package mutating func wait<Failure: Error>(
    until isOver: () throws(Failure) -> Bool, orSleep sleep: () throws(Failure) -> Void
  ) throws(Failure) {
    let start = now()
    if wasBrief {
      repeat {
        if try isOver() { return }
        sched_yield()
      } while now() - start < Self.limit
    }
    try sleep()
    wasBrief = now() - start < Self.limit
  }
}
