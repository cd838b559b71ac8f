import LaminaCommit
import LaminaValues

/// A request from a session that is not served yet.
enum SessionRequest {
  case frame(FrameRequest)
  case inspect(Inspect)

  var session: SessionID {
    switch self {
    case .frame(let request): request.session
    case .inspect(let inspect): inspect.session
    }
  }

  /// Whether a commit that changes those sessions may change the answer.
  fileprivate func depends(on sessions: Set<SessionID>) -> Bool {
    // Whether a layer exists at all shows in its values, whatever session it is in.
    if case .inspect(let inspect) = self, case .values = inspect.subject { return true }
    return sessions.contains(session)
  }
}

/// The messages that wait to take effect: commits, and the requests of all sessions.
///
/// The answers are those of messages that take effect one after the other. A commit is applied once
/// no request waits that came before it and that it may change; a request may be served once no
/// commit waits that came before it and that may change it. So a request never waits for those of
/// other sessions, except for its turn.
struct MessageQueue {
  private struct WaitingRequest {
    var request: SessionRequest
    /// Counts the messages.
    var place: UInt64
    /// Sequence of the last commit before it.
    var sequence: UInt64
  }

  private struct WaitingCommit {
    var commit: Commit
    var place: UInt64
    var byteCount: Int
    /// The sessions that it may change.
    var sessions: Set<SessionID>
  }

  /// Never empty arrays.
  private var requests: [SessionID: [WaitingRequest]] = [:]
  private var commits: [WaitingCommit] = []
  private var commitBytes = 0
  private var lastPlace: UInt64 = 0
  private var turns = Turns()

  var isEmpty: Bool { requests.isEmpty && commits.isEmpty }
  var hasCommits: Bool { !commits.isEmpty }
  var takesCommits: Bool {
    commits.count < ServerLimit.waitingCommits && commitBytes < ServerLimit.waitingCommitBytes
  }
  /// Sequence of the commit that came last; nil if none waits.
  var lastSequence: UInt64? { commits.last?.commit.sequence }

  func hasRequests(of session: SessionID) -> Bool { requests[session] != nil }

  /// `sequence` is that of the last commit that came before.
  mutating func append(
    _ request: SessionRequest, after sequence: UInt64
  ) throws(CommitError) {
    let session = request.session
    let count = requests[session]?.count ?? 0
    guard count < ServerLimit.waitingRequests else {
      throw .tooMany("waiting requests", count: count + 1, limit: ServerLimit.waitingRequests)
    }
    lastPlace += 1
    requests[session, default: []].append(
      WaitingRequest(request: request, place: lastPlace, sequence: sequence))
    turns.startWaiting(session)
  }

  /// `sessions` are those that the commit may change, in the tree as it is now.
  mutating func append(_ commit: Commit, byteCount: Int, changing sessions: Set<SessionID>) {
    lastPlace += 1
    commitBytes += byteCount
    commits.append(
      WaitingCommit(commit: commit, place: lastPlace, byteCount: byteCount, sessions: sessions))
  }

  /// Takes the next commit that may be applied now. The tree changes with it, and so do the
  /// sessions that later commits may change: `renew` is to follow.
  mutating func nextCommit() -> Commit? {
    guard let first = commits.first else { return nil }
    for waiting in requests.values {
      for request in waiting {
        guard request.place < first.place else { break }
        if request.request.depends(on: first.sessions) { return nil }
      }
    }
    commits.removeFirst()
    commitBytes -= first.byteCount
    return first.commit
  }

  /// Asks again which sessions each waiting commit may change.
  mutating func renew(_ sessions: (Commit) -> Set<SessionID>) {
    for place in commits.indices { commits[place].sessions = sessions(commits[place].commit) }
  }

  /// Takes the request whose turn it is, with the sequence of the last commit that came before it.
  mutating func nextRequest() -> (request: SessionRequest, sequence: UInt64)? {
    var next: (session: SessionID, account: Double, place: UInt64)?
    for (session, waiting) in requests {
      guard let first = waiting.first, !isKeptWaiting(first) else { continue }
      let account = turns.account(of: session)
      if let best = next, (best.account, best.place) < (account, first.place) { continue }
      next = (session, account, first.place)
    }
    guard let session = next?.session, let request = requests[session]?.removeFirst() else {
      return nil
    }
    if requests[session]?.isEmpty == true {
      requests[session] = nil
      turns.stopWaiting(session)
    }
    return (request.request, request.sequence)
  }

  private func isKeptWaiting(_ request: WaitingRequest) -> Bool {
    commits.contains { commit in
      commit.place < request.place && request.request.depends(on: commit.sessions)
    }
  }

  /// Notes how long serving a session's request took.
  mutating func noteTurn(of session: SessionID, seconds: Double) {
    turns.noteTurn(of: session, seconds: seconds)
  }

  mutating func removeRequests(of session: SessionID) {
    requests[session] = nil
    turns.remove(session)
  }
}
