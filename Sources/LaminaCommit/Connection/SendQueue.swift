import LaminaValues

/// The messages that wait to be sent, in order, and the credits for sending commits.
///
/// Each commit needs a credit, which returns when the server has applied the commit. Commits that
/// wait without one are merged, with two exceptions: not across a request for a frame, which must
/// show the commits before it and none after it; and not if the later commit adds a transition,
/// because its frozen subtree is the result of the commits before it.
struct SendQueue {
  /// Largest number of commits sent but not yet applied.
  static let creditLimit = 8

  enum Item {
    case commit(Commit)
    case message(ClientMessage)
  }

  private struct Announcement {
    var message: ClientMessage
    var memory: SharedMemory
  }

  private var announcements: [Announcement] = []
  private var announced: Set<ArenaID> = []
  private var items: [Item] = []
  private(set) var credits = SendQueue.creditLimit
  private let writer = ByteWriter()

  /// Queues the announcement of the buffer's arena, once per arena, ahead of everything queued
  /// later.
  mutating func announce(_ buffer: PixelBuffer) {
    guard announced.insert(buffer.arenaID).inserted else { return }
    announcements.append(
      Announcement(
        message: .arena(
          buffer.arenaID, byteCount: UInt64(buffer.arena.byteCount),
          use: buffer.use == .surface ? .surfaces : .stores),
        memory: buffer.arena))
  }

  mutating func append(_ commit: Commit) {
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

  mutating func append(_ message: ClientMessage) { items.append(.message(message)) }

  mutating func returnCredit() { credits = min(credits + 1, Self.creditLimit) }

  /// Sends as much as possible without waiting. Returns false if the peer's queue is full.
  mutating func send(over socket: Socket) throws(SocketError) -> Bool {
    while let next = announcements.first {
      guard try send(next.message, [next.memory.descriptor], over: socket) else { return false }
      announcements.removeFirst()
    }
    var sent = 0
    defer { items.removeFirst(sent) }
    for item in items {
      switch item {
      case .commit(let commit):
        guard credits > 0 else { return true }
        guard try send(.commit(commit), [], over: socket) else { return false }
        credits -= 1
      case .message(let message):
        guard try send(message, [], over: socket) else { return false }
      }
      sent += 1
    }
    return true
  }

  private func send(
    _ message: ClientMessage, _ descriptors: [Int32], over socket: Socket
  ) throws(SocketError) -> Bool {
    writer.removeAll()
    message.encode(to: writer)
    return try socket.send(writer.bytes, descriptors: descriptors, wait: false)
  }

  mutating func removeAll() {
    announcements = []
    items = []
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
