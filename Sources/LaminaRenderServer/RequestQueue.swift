import LaminaCommit
import LaminaValues

/// What a session was asked for and did not get yet.
enum SessionRequest {
  case frame(FrameRequest)
  case inspect(Inspect)
}

/// The requests of all sessions, served one from each session in turn.
struct RequestQueue {
  /// The most requests of one session that may wait; a client has three surfaces.
  static let limit = 64

  private var waiting: [SessionID: [SessionRequest]] = [:]
  /// The sessions with requests; the first is next.
  private var turns: [SessionID] = []

  var isEmpty: Bool { turns.isEmpty }

  mutating func append(
    _ request: SessionRequest, of session: SessionID
  ) throws(CommitError) {
    let count = waiting[session]?.count ?? 0
    guard count < Self.limit else {
      throw .tooMany("waiting requests", count: count + 1, limit: Self.limit)
    }
    if count == 0 { turns.append(session) }
    waiting[session, default: []].append(request)
  }

  mutating func next() -> SessionRequest? {
    guard let session = turns.first else { return nil }
    turns.removeFirst()
    let request = waiting[session]?.removeFirst()
    if waiting[session]?.isEmpty == true {
      waiting[session] = nil
    } else {
      turns.append(session)
    }
    return request
  }

  mutating func removeAll(of session: SessionID) {
    waiting[session] = nil
    turns.removeAll { $0 == session }
  }
}
