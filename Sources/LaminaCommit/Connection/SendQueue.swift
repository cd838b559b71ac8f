import LaminaValues

/// The messages that wait to be sent, in order, those that were sent and not answered, and the
/// credits for sending commits.
///
/// Each commit needs a credit, which returns when the server has applied the commit. Commits that
/// wait without one are merged, with two exceptions: not across a request for a frame, which must
/// show the commits before it and none after it; and not if the later commit adds a transition,
/// because its frozen subtree is the result of the commits before it.
struct SendQueue {
  /// Largest number of commits sent but not yet applied.
  static let creditLimit = 8

  fileprivate enum Item {
    case commit(Commit)
    /// A commit that a server which is gone did not apply, or all that it applied.
    case encoded(EncodedCommit)
    case message(ClientMessage)
  }

  private struct Announcement {
    var message: ClientMessage
    var memory: Memory

    enum Memory {
      case shared(SharedMemory)
      case dmaBuf(DMABuf)

      var descriptors: [Int32] {
        switch self {
        case .shared(let memory): [memory.descriptor]
        case .dmaBuf(let buffer): buffer.descriptors
        }
      }
    }
  }

  private struct Imported {
    var id: ArenaID
    weak var memory: SharedMemory?
  }

  private var announcements: [Announcement] = []
  private var announced: Set<ArenaID> = []
  /// The announced arenas that are somebody else's memory, which may come to an end.
  private var imported: [Imported] = []
  private var items: [Item] = []
  /// The messages that the server may not have acted on: commits, all others since the last that it
  /// applied, and requests that it has not answered. No item is a `commit`.
  private var sent: [Item] = []
  private(set) var credits = SendQueue.creditLimit
  private let writer = ByteWriter()

  /// Queues the announcement of the buffer's arena, once per arena, ahead of everything queued
  /// later.
  mutating func announce(_ buffer: PixelBuffer) {
    guard announced.insert(buffer.arenaID).inserted else { return }
    if buffer.isImported { imported.append(Imported(id: buffer.arenaID, memory: buffer.arena)) }
    announcements.append(
      Announcement(
        message: .arena(
          buffer.arenaID, byteCount: UInt64(buffer.arena.byteCount),
          use: buffer.use == .surface ? .surfaces : .stores),
        memory: .shared(buffer.arena)))
  }

  /// Queues the offer of a dma-buf ahead of everything queued later.
  mutating func offer(_ buffer: DMABuf) {
    announcements.append(
      Announcement(message: .dmaBuf(buffer.id, buffer.layout), memory: .dmaBuf(buffer)))
  }

  mutating func append(_ commit: Commit) {
    releaseArenas()
    guard case .commit(var waiting)? = items.last, !commit.addsTransition,
      !commit.reusesIndices(of: waiting)
    else {
      items.append(.commit(commit))
      return
    }
    items.removeLast()
    waiting.merge(commit)
    items.append(.commit(waiting))
  }

  /// Gives back the arenas of which nobody holds a buffer any more. Images lay there only in
  /// commits that other commits, which the server applied, have undone.
  private mutating func releaseArenas() {
    guard imported.contains(where: { $0.memory == nil }) else { return }
    for arena in imported where arena.memory == nil {
      announced.remove(arena.id)
      append(.releaseArena(arena.id))
    }
    imported.removeAll { $0.memory == nil }
  }

  mutating func append(_ message: ClientMessage) { items.append(.message(message)) }

  /// Sends as much as possible without waiting. Returns false if the peer's queue is full.
  mutating func send(over socket: Socket) throws(SocketError) -> Bool {
    while let next = announcements.first {
      writer.removeAll()
      next.message.encode(to: writer)
      guard try socket.send(writer.bytes, descriptors: next.memory.descriptors, wait: false)
      else { return false }
      announcements.removeFirst()
    }
    var count = 0
    defer { items.removeFirst(count) }
    while count < items.count {
      switch items[count] {
      case .commit(let commit):
        guard credits > 0 else { return true }
        items[count] = .encoded(EncodedCommit(commit, with: writer))
        continue
      case .encoded(let commit):
        guard credits > 0 else { return true }
        let isSent = try commit.bytes.withBytes { bytes throws(SocketError) in
          try socket.send(bytes, wait: false)
        }
        guard isSent else { return false }
        credits -= 1
      case .message(let message):
        writer.removeAll()
        message.encode(to: writer)
        guard try socket.send(writer.bytes, wait: false) else { return false }
      }
      sent.append(items[count])
      count += 1
    }
    return true
  }

  // MARK: Answers

  /// Notes that the server has applied a commit, and so acted on all messages sent before it,
  /// except for requests of sessions that the commit does not change: they may wait still. Returns
  /// the messages acted on, the commit among them.
  mutating func commitApplied(
    _ sequence: UInt64
  ) -> (commits: [EncodedCommit], messages: [ClientMessage]) {
    credits = min(credits + 1, Self.creditLimit)
    var (commits, messages) = ([EncodedCommit](), [ClientMessage]())
    let end = sent.firstIndex { item in
      if case .encoded(let commit) = item { commit.sequence > sequence } else { false }
    }
    // What follows the commit, up to the next, may not have been acted on.
    let last = sent[..<(end ?? sent.count)].lastIndex { item in
      if case .encoded = item { true } else { false }
    }
    guard let last else { return ([], []) }
    var unanswered: [Item] = []
    for item in sent[...last] {
      switch item {
      case .encoded(let commit): commits.append(commit)
      case .message(.frameRequest), .message(.inspect): unanswered.append(item)
      case .message(let message): messages.append(message)
      case .commit: break
      }
    }
    sent.replaceSubrange(...last, with: unanswered)
    return (commits, messages)
  }

  /// Notes that the session's first request for a frame was answered.
  mutating func frameDone(_ session: SessionID) {
    let place = sent.firstIndex { item in
      guard case .message(.frameRequest(let request)) = item else { return false }
      return request.session == session
    }
    if let place { sent.remove(at: place) }
  }

  mutating func inspected(_ request: UInt32) {
    sent.removeAll { item in
      guard case .message(.inspect(let inspect)) = item else { return false }
      return inspect.request == request
    }
  }

  /// Forgets the requests of a session that failed.
  mutating func removeRequests(of session: SessionID) {
    let isKept = { (item: Item) in
      switch item {
      case .message(.frameRequest(let request)): request.session != session
      case .message(.inspect(let inspect)): inspect.session != session
      default: true
      }
    }
    sent = sent.filter(isKept)
    items = items.filter(isKept)
  }

  mutating func removeAll() {
    announcements = []
    items = []
    sent = []
  }

  // MARK: Another server

  /// Prepares for a server that knows nothing: what these messages and the commit say comes first,
  /// then all that the last server may not have acted on. Arenas must be announced again.
  mutating func restart(_ messages: [ClientMessage], _ commit: EncodedCommit?) {
    announcements = []
    announced = []
    imported = []
    credits = Self.creditLimit
    // What the last server was told to give back, this one never had.
    let pending = (sent + items).filter { item in
      switch item {
      case .message(.releaseArena), .message(.releaseDMABuf): false
      default: true
      }
    }
    let known = messages.map { Item.message($0) } + (commit.map { [.encoded($0)] } ?? [])
    items = known + pending.map(\.withUnknownSurface)
    sent = []
  }
}

extension SendQueue {
  /// Puts memory in the place of dma-bufs, in the commits that wait or that the server did not
  /// apply.
  mutating func replace(_ copies: DMABufCopies) throws(CommitError) {
    items = try items.map { item throws(CommitError) in try item.replacing(copies, writer) }
    sent = try sent.map { item throws(CommitError) in try item.replacing(copies, writer) }
  }
}

extension SendQueue.Item {
  fileprivate func replacing(
    _ copies: DMABufCopies, _ writer: ByteWriter
  ) throws(CommitError) -> Self {
    switch self {
    case .message: return self
    case .commit(var commit):
      commit.stores = commit.stores.map { copies.replacing($0) }
      return .commit(commit)
    case .encoded(let encoded):
      let message = try encoded.bytes.withBytes { bytes throws(CommitError) in
        try ClientMessage.decode(bytes)
      }
      guard case .commit(var commit) = message,
        commit.stores.contains(where: { $0.place.dmaBuf != nil })
      else { return self }
      commit.stores = commit.stores.map { copies.replacing($0) }
      return .encoded(EncodedCommit(commit, with: writer))
    }
  }

  /// The same, but for a surface of which nobody knows what it shows.
  fileprivate var withUnknownSurface: Self {
    guard case .message(.frameRequest(var request)) = self else { return self }
    request.surface?.frame = 0
    return .message(.frameRequest(request))
  }
}

extension Commit {
  /// Whether this commit gives a new layer the index of a layer that `earlier` destroys. One commit
  /// cannot express that, because destroying comes last in it.
  fileprivate func reusesIndices(of earlier: Commit) -> Bool {
    guard !created.isEmpty, !earlier.destroyed.isEmpty else { return false }
    let freed = Set(earlier.destroyed.map(\.index))
    return created.contains { freed.contains($0.layer.index) }
  }
}
