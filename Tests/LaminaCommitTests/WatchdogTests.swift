import Testing

@testable import LaminaCommit

@Suite("The watchdog") struct WatchdogTests {
  private var watchdog = Watchdog(patience: 16)

  /// Looks at a silent server so often; whether it is given up each time.
  private mutating func looks(_ count: Int, isWaiting: Bool = true) -> [Bool] {
    (0..<count).map { _ in watchdog.notesSilence(isWaiting: isWaiting) }
  }

  private static let eight = [Bool](repeating: false, count: 8)

  @Test("A server is given up after its time, in eight parts and the one in which it was asked")
  mutating func silence() {
    let looks = looks(9)
    #expect(watchdog.interval == 2)
    #expect(looks == Self.eight + [true])
  }

  @Test("An answer, or that nothing is asked any more, starts the time again")
  mutating func startsAgain() {
    let first = looks(8)
    watchdog.noteAnswer()
    let second = looks(8)
    let idle = looks(1, isWaiting: false)
    let third = looks(9)
    #expect(first == Self.eight)
    #expect(second + idle == Self.eight + [false])
    #expect(third == Self.eight + [true])
  }

  @Test("A server of which nothing is asked may be silent for ever")
  mutating func idle() {
    watchdog = Watchdog(patience: 0)
    let looks = looks(1000, isWaiting: false)
    #expect(watchdog.interval == 0.01)
    #expect(!looks.contains(true))
  }
}
