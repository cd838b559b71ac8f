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
/// The answers are those of messages that take effect one after the other. A commit may be applied
/// once no request waits that came before it and that it may change; a request may be served once
/// no commit waits that came before it and that may change it. So a request waits neither for those
/// of other sessions nor for their commits, except for its turn.
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
  /// Whether the last turn was a commit that no waiting request is concerned with.
  private var wasForNobody = false
  /// Number of a session's waiting requests that make it a batch.
  private static let batchLength = 2

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

  /// What takes effect next.
  enum Turn {
    /// With the sequence of the last commit that came before it.
    case request(SessionRequest, sequence: UInt64)
    /// For the session whose request waits for it; nil if it changes no session of which one waits.
    /// The tree changes with it, and so do the sessions that later commits may change: `renew` is
    /// to follow.
    case commit(Commit, for: SessionID?)
  }

  /// Takes what is next: the request of the session whose turn it is, or the commit that keeps that
  /// waiting. So what a session's commits cost is its own time. In between come commits that change
  /// no session of which a request waits, one at a time.
  mutating func nextTurn() -> Turn? {
    wasForNobody = !wasForNobody && isFirstCommitForNobody
    if wasForNobody { return .commit(takeFirstCommit(), for: nil) }
    guard
      let session = requests.keys.min(by: {
        (turns.account(of: $0), requests[$0]?.first?.place ?? 0)
          < (turns.account(of: $1), requests[$1]?.first?.place ?? 0)
      })
    else { return commits.isEmpty ? nil : .commit(takeFirstCommit(), for: nil) }
    guard let first = commits.first, isKeptWaiting(in: session) else { return take(of: session) }
    // Requests that the commit may change, and that came before it, come first.
    let earlier = requests.first { _, waiting in
      waiting.contains { $0.place < first.place && $0.request.depends(on: first.sessions) }
    }
    if let earlier { return take(of: earlier.key) }
    return .commit(takeFirstCommit(), for: session)
  }

  private var isFirstCommitForNobody: Bool {
    guard let first = commits.first else { return false }
    return !requests.values.contains { waiting in
      waiting.contains { $0.request.depends(on: first.sessions) }
    }
  }

  private mutating func takeFirstCommit() -> Commit {
    let first = commits.removeFirst()
    commitBytes -= first.byteCount
    return first.commit
  }

  /// Takes a session's first request.
  private mutating func take(of session: SessionID) -> Turn? {
    guard let request = requests[session]?.removeFirst() else { return nil }
    if requests[session]?.isEmpty == true {
      requests[session] = nil
      turns.stopWaiting(session)
    }
    return .request(request.request, sequence: request.sequence)
  }

  /// Asks again which sessions each waiting commit may change.
  mutating func renew(_ sessions: (Commit) -> Set<SessionID>) {
    for place in commits.indices { commits[place].sessions = sessions(commits[place].commit) }
  }

  /// Whether a commit has to be applied before a session's first request is served.
  private func isKeptWaiting(in session: SessionID) -> Bool {
    guard let request = requests[session]?.first else { return false }
    return commits.contains { commit in
      commit.place < request.place && request.request.depends(on: commit.sessions)
    }
  }

  /// Notes how long a session's request took, or a commit that it waited for, which ended now.
  mutating func noteTurn(of session: SessionID, seconds: Double, at time: Double) {
    turns.noteTurn(
      of: session, seconds: seconds,
      isBatch: (requests[session]?.count ?? 0) >= Self.batchLength, at: time)
  }

  /// Seconds to wait for a message before the next turn begins: see `Turns`.
  mutating func patience(at time: Double) -> Double {
    requests.isEmpty ? 0 : turns.patience(at: time)
  }

  mutating func removeRequests(of session: SessionID) {
    requests[session] = nil
    turns.remove(session)
  }
}
