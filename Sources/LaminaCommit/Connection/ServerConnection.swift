import Foundation
import LaminaValues

/// A client's connection to a render process that it started. Usable from any thread; closed when
/// the last reference goes away.
///
/// If the process dies, another one takes its place and is brought to the same state: what was
/// asked is answered, later. `RestartPolicy` says how often.
package final class ServerConnection: Sendable {
  /// A way to get a server. Who asks for the same way shares the connection.
  package struct Key: Hashable, Sendable {
    package var launcher: RenderServerLauncher
    package var platform: RenderPlatform
    package var policy: RestartPolicy
    /// Bytes that pixels may take in the server; nil for its own choice.
    package var memoryBudget: UInt64?
    /// Whether answers to frames tell how long each stage took.
    package var isTraced: Bool

    package init(
      launcher: RenderServerLauncher, platform: RenderPlatform, policy: RestartPolicy = .init(),
      memoryBudget: UInt64? = nil, isTraced: Bool = false
    ) {
      (self.launcher, self.platform, self.policy) = (launcher, platform, policy)
      (self.memoryBudget, self.isTraced) = (memoryBudget, isTraced)
    }
  }

  private let link: ServerConnectionLink

  /// Starts a server and waits until it is ready.
  package convenience init(
    launcher: RenderServerLauncher, platform: RenderPlatform, policy: RestartPolicy = .init(),
    memoryBudget: UInt64? = nil
  ) throws(ServerFailure) {
    let key = Key(
      launcher: launcher, platform: platform, policy: policy, memoryBudget: memoryBudget)
    try self.init(ServerStart(key, platform), key)
  }

  /// Waits until a server that was started is ready.
  private init(_ start: ServerStart, _ key: Key) throws(ServerFailure) {
    link = ServerConnectionLink(try start.waitForWelcome(), key)
    try link.startReceiving()
  }

  deinit { link.close() }

  /// Why there is no server any more; nil while there is one, or another one is being started.
  package var failure: ServerFailure? { link.failure }

  /// The platform that the server draws with.
  package var platform: PlatformReport { link.server.platform }
  /// The server's process; nil if it shares this one.
  package var processID: pid_t? { link.server.child?.id }

  /// How often a server that died was replaced, and why the last one died.
  package var restarts: (count: Int, last: ServerFailure?) { link.restarts }

  /// Bytes that are kept so that another server can be brought to the same state.
  package var recordedBytes: Int { link.recordedBytes }
}

extension ServerConnection {
  package func openSession(
    _ options: SessionOptions
  ) throws(ServerFailure) -> SessionID { try link.openSession(options) }

  package func closeSession(_ session: SessionID) { link.closeSession(session) }

  /// Sends or queues a commit without waiting for the server. Assigns the commit's sequence,
  /// whatever it was, and returns it.
  ///
  /// `stores[i]` are the pixels that `commit.stores[i]` names. The connection holds it as long as
  /// the server may read it: until the image gets another store or is released.
  @discardableResult
  package func send(
    _ commit: Commit, stores: [StorePixels]
  ) throws(ServerFailure) -> UInt64 { try link.send(commit, stores: stores) }

  /// Sends a commit whose stores are all in memory.
  @discardableResult
  package func send(
    _ commit: Commit, stores: [PixelBuffer] = []
  ) throws(ServerFailure) -> UInt64 { try link.send(commit, stores: stores.map { .memory($0) }) }

  /// Asks whether the server can draw from a dma-buf, and waits for the answer the first time. Only
  /// dma-bufs that it has taken may be in commits. A server that takes the place of a dead one is
  /// offered them again; of those that it refuses, the last pictures are copied for it.
  package func offer(_ buffer: DMABuf) throws(ServerFailure) -> DMABufAnswer {
    let answer = Answer<DMABufAnswer>()
    link.offer(buffer) { answer.give($0) }
    return try answer.wait()
  }

  /// Asks for a frame and waits for it. The frame shows every commit sent before, and none sent
  /// after. If `surface` is given, the pixels are in it on return, and the surface of the request
  /// is ignored.
  package func frame(
    _ request: FrameRequest, surface: PixelBuffer? = nil
  ) throws(ServerFailure) -> FrameDone {
    let answer = Answer<FrameDone>()
    link.requestFrame(request, surface, showing: 0) { answer.give($0) }
    return try answer.wait()
  }

  /// Asks for a frame as the method that waits does, but suspends the task instead.
  package func frame(
    _ request: FrameRequest, surface: PixelBuffer? = nil
  ) async throws(ServerFailure) -> FrameDone {
    let result = await withCheckedContinuation { continuation in
      link.requestFrame(request, surface, showing: 0) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  /// Asks for a frame without waiting for it. `answer` is called once, on any thread. If the
  /// surface still shows the session's frame of a number, only what changed since is written into
  /// it.
  package func requestFrame(
    _ request: FrameRequest, surface: PixelBuffer? = nil, showing frame: UInt64 = 0,
    answer: @escaping @Sendable (Result<FrameDone, ServerFailure>) -> Void
  ) { link.requestFrame(request, surface, showing: frame, answer) }

  /// Returns a stage of the pipeline, after every commit sent before.
  package func inspect(
    session: SessionID, time: Double, subject: Inspect.Subject, afterSequence: UInt64 = 0
  ) throws(ServerFailure) -> Inspection {
    let answer = Answer<Inspection>()
    link.inspect(session, time: time, afterSequence: afterSequence, subject: subject) {
      answer.give($0)
    }
    return try answer.wait()
  }

  /// Number of stores whose memory is held for the server.
  package var heldStores: Int { link.heldStores }
}

extension ServerConnection {
  /// Holds one shared connection. The lock is held while the server starts, so that all callers get
  /// the same connection.
  private final class Slot: Sendable {
    private struct Holder {
      weak var connection: ServerConnection?
      /// A server that was started before anyone needed it.
      var start: ServerStart?

      /// A forked process is told by its parent's connection that it has none.
      var living: ServerConnection? {
        guard let failure = connection?.failure else { return connection }
        return failure == .forked ? connection : nil
      }
    }

    private let holder = Lock(Holder())

    func connection(_ key: Key) throws(ServerFailure) -> ServerConnection {
      try holder.withLock { holder throws(ServerFailure) in
        if let connection = holder.living { return connection }
        guard FileDescriptor.canOpen(Self.neededFiles) else {
          throw .couldNotStart(String(cString: strerror(EMFILE)))
        }
        let start: ServerStart
        if let prepared = holder.start {
          start = prepared
          holder.start = nil
        } else {
          start = try ServerStart(key, key.platform)
        }
        let connection = try Self.connect(start, key)
        holder.connection = connection
        return connection
      }
    }

    /// The number of descriptors that a connection and its first frame take: the socket's two ends,
    /// the page of `ServerProgress`, two arenas, and those of Dispatch's main queue, which ends the
    /// program by a signal if it gets none.
    private static let neededFiles = 8

    /// Waits for a server that was started. One that does not answer, or dies, is tried once more:
    /// what kept it, such as a machine out of memory, may have passed.
    private static func connect(
      _ start: ServerStart, _ key: Key
    ) throws(ServerFailure) -> ServerConnection {
      do throws(ServerFailure) {
        return try ServerConnection(start, key)
      } catch .startTimedOut, .died {
        return try ServerConnection(ServerStart(key, key.platform), key)
      }
    }

    func prepare(_ key: Key) {
      holder.withLock { holder in
        guard holder.start == nil, holder.living == nil else { return }
        // Whoever connects starts a server again, and is told why that fails.
        holder.start = try? ServerStart(key, key.platform)
      }
    }
  }

  private static let slots = Lock<[Key: Slot]>([:])

  /// Returns the process's one connection to that server, which it starts if there is none or if
  /// the last one died. The connection lives as long as it is referenced.
  package static func shared(_ key: Key) throws(ServerFailure) -> ServerConnection {
    try slot(key).connection(key)
  }

  /// Starts that server without waiting for it, unless it runs. `shared` returns the connection to
  /// it. The server ends with this process if nobody asks for the connection.
  package static func prepare(_ key: Key) { slot(key).prepare(key) }

  private static func slot(_ key: Key) -> Slot {
    slots.withLock { slots in
      if let slot = slots[key] { return slot }
      let slot = Slot()
      slots[key] = slot
      return slot
    }
  }
}

/// Hands a result to another thread, which waits for it.
private final class Answer<Value: Sendable>: Sendable {
  private let result = Lock<Result<Value, ServerFailure>?>(nil)
  private let isGiven = DispatchSemaphore(value: 0)

  func give(_ value: Result<Value, ServerFailure>) {
    result.withLock { $0 = value }
    isGiven.signal()
  }

  func wait() throws(ServerFailure) -> Value {
    isGiven.wait()
    guard let result = result.withLock({ $0 }) else { throw .closed }
    return try result.get()
  }
}

extension ServerMessage {
  /// Reads the version in a welcome, before anything that another version may have changed.
  static func versionOfWelcome(_ bytes: UnsafeRawBufferPointer) -> UInt32? {
    guard bytes.count >= 5, bytes[0] == 0 else { return nil }
    return bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self)
  }
}
