import LaminaValues

/// What waits to be sent, in order, and whether it may be.
///
/// Commits need a credit each, which returns when the server has applied one. Those that wait
/// without one merge, as long as nothing stands between them: a request for a frame shows the
/// commits before it and none after it. Nor does a commit merge into an earlier one if it adds a
/// transition, whose old picture is what the commits before it made.
struct SendQueue {
  /// Commits that may be under way at a time.
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

  /// Sees to it that the server knows a buffer's arena before what is queued from here on, and
  /// that its descriptor travels once.
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

  /// Sends what can be sent without waiting. Returns false where the peer's queue is full.
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
  /// Whether this commit gives a layer the index of one that `earlier` destroys, which one commit
  /// cannot say: destroying comes last in it.
  fileprivate func reusesIndices(of earlier: Commit) -> Bool {
    guard !created.isEmpty, !earlier.destroyed.isEmpty else { return false }
    let freed = Set(earlier.destroyed.map(\.index))
    return created.contains { freed.contains($0.layer.index) }
  }
}
