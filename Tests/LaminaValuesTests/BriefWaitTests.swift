import LaminaValues
import Synchronization
import Testing

@Suite("Brief waits") struct BriefWaitTests {
  /// A clock that a test moves.
  private final class Clock: Sendable {
    let time = Atomic<UInt64>(7)

    func pass(_ nanoseconds: UInt64) { time.add(nanoseconds, ordering: .relaxed) }
  }

  private let clock = Clock()
  private var wait: BriefWait { BriefWait { [clock] in clock.time.load(ordering: .relaxed) } }

  /// How often a wait looks, and whether it sleeps, if it is for something that comes after
  /// `duration`. Each look takes a tenth of the limit.
  private func looks(
    of wait: inout BriefWait, for duration: UInt64
  ) -> (count: Int, sleeps: Bool) {
    let end = clock.time.load(ordering: .relaxed) + duration
    var (count, sleeps) = (0, false)
    wait.wait {
      clock.pass(BriefWait.limit / 10)
      count += 1
      return clock.time.load(ordering: .relaxed) >= end
    } orSleep: {
      sleeps = true
      clock.time.store(max(end, clock.time.load(ordering: .relaxed)), ordering: .relaxed)
    }
    return (count, sleeps)
  }

  @Test("begin by looking only after one that was brief") func looksAfterBriefWaits() {
    var wait = wait
    let brief = BriefWait.limit / 2
    #expect(looks(of: &wait, for: brief) == (0, true), "the first one sleeps")
    #expect(looks(of: &wait, for: brief) == (5, false))
    #expect(looks(of: &wait, for: brief) == (5, false))
    #expect(looks(of: &wait, for: BriefWait.limit * 3) == (10, true), "that one was not brief")
    #expect(looks(of: &wait, for: brief) == (0, true))
    #expect(looks(of: &wait, for: 0) == (1, false))
  }

  @Test("that are long never look") func longWaits() {
    var wait = wait
    for _ in 0..<5 { #expect(looks(of: &wait, for: BriefWait.limit) == (0, true)) }
  }
}
