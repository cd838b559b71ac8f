import LaminaCommit
import LaminaValues
import Testing

@testable import LaminaRenderServer

@Suite("Turns")
struct TurnsTests {
  private let first = SessionID(rawValue: 1)
  private let second = SessionID(rawValue: 2)

  /// The session that waits with the lowest account, which is then served for its time.
  private func serve(_ turns: inout Turns, _ seconds: [SessionID: Double]) -> SessionID? {
    let next = seconds.keys.min {
      (turns.account(of: $0), $0.rawValue) < (turns.account(of: $1), $1.rawValue)
    }
    if let next { turns.noteTurn(of: next, seconds: seconds[next] ?? 0) }
    return next
  }

  @Test("Who takes a third of the time for a frame gets three frames for one")
  func shares() {
    var turns = Turns()
    for session in [first, second] { turns.startWaiting(session) }
    let served = (0..<40).map { _ in serve(&turns, [first: 3, second: 1]) }
    #expect(served.filter { $0 == second }.count == 30)
  }

  @Test("A pause saves nothing up: after it, turns alternate")
  func pause() {
    var turns = Turns()
    turns.startWaiting(first)
    for _ in 0..<100 { _ = serve(&turns, [first: 1]) }
    turns.startWaiting(second)
    let served = (0..<10).map { _ in serve(&turns, [first: 1, second: 1]) }
    #expect(served.filter { $0 == second }.count == 5)
    #expect(served.first == second)
  }

  @Test("Who comes and goes beside one who always waits is next each time it comes")
  func comingAndGoing() {
    var turns = Turns()
    turns.startWaiting(first)
    for _ in 0..<20 {
      _ = serve(&turns, [first: 1])
      turns.startWaiting(second)
      #expect(serve(&turns, [first: 1, second: 1]) == second)
      turns.stopWaiting(second)
    }
  }

  @Test("A long turn is remembered through a pause, until the others had as much")
  func debt() {
    var turns = Turns()
    for session in [first, second] { turns.startWaiting(session) }
    turns.noteTurn(of: second, seconds: 5)
    turns.stopWaiting(second)
    turns.startWaiting(second)
    let served = (0..<5).map { _ in serve(&turns, [first: 1, second: 5]) }
    #expect(served.allSatisfy { $0 == first })
  }
}
