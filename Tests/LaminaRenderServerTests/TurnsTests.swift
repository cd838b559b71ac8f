import LaminaCommit
import LaminaValues
import Testing

@testable import LaminaRenderServer

@Suite("Turns")
struct TurnsTests {
  private let first = SessionID(rawValue: 1)
  private let second = SessionID(rawValue: 2)

  /// The session that waits with the lowest account, which is then served for its time.
  private func serve(
    _ turns: inout Turns, _ seconds: [SessionID: Double], batch: SessionID? = nil
  ) -> SessionID? {
    let next = seconds.keys.min {
      (turns.account(of: $0), $0.rawValue) < (turns.account(of: $1), $1.rawValue)
    }
    if let next {
      turns.noteTurn(of: next, seconds: seconds[next] ?? 0, isBatch: next == batch, at: 0)
    }
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
    turns.noteTurn(of: second, seconds: 5, isBatch: false, at: 0)
    turns.stopWaiting(second)
    turns.startWaiting(second)
    let served = (0..<5).map { _ in serve(&turns, [first: 1, second: 5]) }
    #expect(served.allSatisfy { $0 == first })
  }

  @Test("A batch gets a fifth of the time beside one who asks for a frame at a time")
  func batches() {
    var turns = Turns()
    for session in [first, second] { turns.startWaiting(session) }
    let served = (0..<40).map { _ in serve(&turns, [first: 1, second: 1], batch: first) }
    #expect(served.filter { $0 == second }.count == 32)
  }

  /// The first always waits, as a batch. The second asks again `pauses` after each answer, and its
  /// turns take 1: if its pause is longer than what is waited for, the first has a turn in between.
  /// Returns what is waited for after each answer. The unit is a 1,024th of a second.
  private func patience(after pauses: [Double], isBatch: Bool = true) -> [Double] {
    var turns = Turns()
    var time = 0.0
    func serve(_ session: SessionID, isBatch: Bool) {
      time += 1
      turns.noteTurn(of: session, seconds: 1 / 1024, isBatch: isBatch, at: time / 1024)
    }
    turns.startWaiting(first)
    serve(first, isBatch: isBatch)
    return pauses.map { pause in
      turns.startWaiting(second)
      turns.stopWaiting(second)
      serve(second, isBatch: false)
      let patience = turns.patience(at: time / 1024) * 1024
      if patience > 0 {
        #expect(turns.patience(at: (time + patience / 2) / 1024) == patience / 2048)
      }
      time += pause
      if pause >= patience {
        #expect(turns.patience(at: time / 1024) == 0)
        serve(first, isBatch: isBatch)
        if pause > 100 { serve(first, isBatch: isBatch) }
      }
      return patience
    }
  }

  @Test("Who asks again before two others are served is waited for, as long as its turn took")
  func prompt() {
    #expect(patience(after: [0.5, 0.5, 0.5, 0.5]) == [0, 0, 0, 1])
  }

  @Test("It is waited for until it had as much as a batch, for which time counts four times")
  func promptBesideBatch() {
    let patience = patience(after: Array(repeating: 0.5, count: 12))
    #expect(patience == [0, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1])
  }

  @Test("It is not waited for beside one who also waits for each frame")
  func promptBesideAnother() {
    let pauses = Array(repeating: 0.5, count: 12)
    #expect(patience(after: pauses, isBatch: false).allSatisfy { $0 == 0 })
  }

  @Test("Who takes its time is not waited for, and who was in vain not before it is prompt again")
  func slow() {
    #expect(patience(after: Array(repeating: 200, count: 12)).allSatisfy { $0 == 0 })
    let pauses = [0.5, 0.5, 0.5, 0.5, 2, 0.5, 0.5, 0.5]
    #expect(patience(after: pauses) == [0, 0, 0, 1, 1, 0, 0, 1])
  }

  @Test("A session that is gone is not waited for")
  func gone() {
    var turns = Turns()
    turns.startWaiting(first)
    for time in 1...4 {
      turns.noteTurn(of: first, seconds: 1, isBatch: true, at: Double(time))
      turns.startWaiting(second)
      turns.stopWaiting(second)
      turns.noteTurn(of: second, seconds: 1, isBatch: false, at: Double(time))
    }
    #expect(turns.patience(at: 4) > 0)
    turns.remove(second)
    #expect(turns.patience(at: 4) == 0)
  }
}
