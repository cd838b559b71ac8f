import LaminaCommit
import LaminaValues

/// A request from a session that is not served yet.
enum SessionRequest {
  case frame(FrameRequest)
  case inspect(Inspect)
}

/// The requests of all sessions, served in turn, one of each session at a time.
struct RequestQueue {
  /// Largest number of waiting requests per session. A client has only three surfaces.
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
