import LaminaCommit
import LaminaValues

/// Decides whose turn it is, so that sessions that wait get equal shares of the drawing time.
///
/// A session's account is the time that was spent on it, in seconds. The one that waits with the
/// lowest account is next. Who comes back after a pause starts at the account of who was served
/// last, so a pause saves nothing up.
struct Turns {
  private var accounts: [SessionID: Double] = [:]
  private var waiting: Set<SessionID> = []
  /// The account, before its turn, of the session that was served last.
  private var current = 0.0

  /// The session has something to be served now.
  mutating func startWaiting(_ session: SessionID) {
    guard waiting.insert(session).inserted else { return }
    accounts[session] = max(accounts[session] ?? 0, current)
  }

  mutating func stopWaiting(_ session: SessionID) {
    waiting.remove(session)
    guard waiting.isEmpty else { return }
    // Nobody was kept waiting by what was spent so far.
    accounts = [:]
    current = 0
  }

  func account(of session: SessionID) -> Double { accounts[session] ?? 0 }

  /// Notes what the turn of a session took, which waits now or has stopped waiting.
  mutating func noteTurn(of session: SessionID, seconds: Double) {
    guard let account = accounts[session] else { return }
    current = max(current, account)
    accounts[session] = account + max(0, seconds)
    accounts = accounts.filter { waiting.contains($0.key) || $0.value > current }
  }

  /// Forgets a session that is gone.
  mutating func remove(_ session: SessionID) {
    stopWaiting(session)
    accounts[session] = nil
  }
}
