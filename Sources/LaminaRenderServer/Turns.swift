import LaminaCommit
import LaminaValues

/// Decides whose turn it is, and for whom to wait.
///
/// A session's account is the time that was spent on it, in seconds. The one that waits with the
/// lowest account is next. Who comes back after a pause starts at the account of who was served
/// last, so a pause saves nothing up. The time of a batch, a session that has several requests
/// waiting, counts several times, because others wait for each frame.
///
/// A session that asks again as soon as it is answered would nevertheless get every other turn
/// only, because at the moment of its answer only others wait. So its next request is waited for,
/// if it would be next and usually asks soon.
struct Turns {
  /// What a second of a batch's turns costs it.
  static let batchPrice = 4.0
  /// Most seconds that a request is waited for.
  private static let mostPatience = 0.004
  /// The promptness from which on it is waited for.
  private static let enoughPromptness = 3

  /// How soon a session asks again.
  private struct Habit {
    /// When its last turn ended.
    var end: Double
    /// How long that took.
    var seconds: Double
    /// The number of turns until then, of all sessions.
    var turnCount: Int
    /// In how many turns on end it asked again before more than one other had been served.
    var promptness: Int

    /// When its next request is no longer waited for.
    var deadline: Double { end + min(seconds, mostPatience) }
  }

  private var accounts: [SessionID: Double] = [:]
  private var waiting: Set<SessionID> = []
  private var habits: [SessionID: Habit] = [:]
  private var turnCount = 0
  /// The session that was served last.
  private var last: SessionID?
  /// Its account before that turn.
  private var current = 0.0

  /// The session has something to be served now.
  mutating func startWaiting(_ session: SessionID) {
    guard waiting.insert(session).inserted else { return }
    accounts[session] = max(accounts[session] ?? 0, current)
    if let habit = habits[session] {
      habits[session]?.promptness = turnCount - habit.turnCount <= 1 ? habit.promptness + 1 : 0
    }
  }

  mutating func stopWaiting(_ session: SessionID) {
    waiting.remove(session)
    guard waiting.isEmpty else { return }
    // Nobody was kept waiting by what was spent so far.
    accounts = [:]
    current = 0
  }

  func account(of session: SessionID) -> Double { accounts[session] ?? 0 }

  /// Notes what the turn of a session took, which ended now. It waits still, or has stopped
  /// waiting. All times are in seconds, of one clock.
  mutating func noteTurn(
    of session: SessionID, seconds: Double, isBatch: Bool, at time: Double
  ) {
    last = session
    turnCount += 1
    habits[session] = Habit(
      end: time, seconds: seconds, turnCount: turnCount,
      promptness: habits[session]?.promptness ?? 0)
    guard let account = accounts[session] else { return }
    current = max(current, account)
    accounts[session] = account + max(0, seconds) * (isBatch ? Self.batchPrice : 1)
    accounts = accounts.filter { waiting.contains($0.key) || $0.value > current }
  }

  /// Seconds to wait for the next request of the session that was answered last; 0 if another's
  /// turn should begin. A session for which was waited in vain has to be prompt again.
  mutating func patience(at time: Double) -> Double {
    guard let last, !waiting.contains(last), let habit = habits[last],
      habit.promptness >= Self.enoughPromptness, let account = accounts[last],
      waiting.allSatisfy({ account < self.account(of: $0) })
    else { return 0 }
    if time < habit.deadline { return habit.deadline - time }
    habits[last]?.promptness = 0
    return 0
  }

  /// Forgets a session that is gone.
  mutating func remove(_ session: SessionID) {
    stopWaiting(session)
    accounts[session] = nil
    habits[session] = nil
    if last == session { last = nil }
  }
}
