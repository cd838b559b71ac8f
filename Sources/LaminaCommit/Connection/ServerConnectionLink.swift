import Foundation
import LaminaValues

/// The working part of a connection, shared by its threads. It outlives the `ServerConnection`
/// until they have finished.
///
/// One thread receives and never sends, so that the server can always deliver its answers. Callers
/// send without waiting; while the server's queue is full, a second thread waits in their place.
/// If the server dies, the receiving thread starts another and brings it to the same state, so that
/// callers notice nothing but the time it takes.
final class ServerConnectionLink: Sendable {
  typealias FrameAnswer = @Sendable (Result<FrameDone, ServerFailure>) -> Void
  typealias InspectionAnswer = @Sendable (Result<Inspection, ServerFailure>) -> Void

  /// A session as its client sees it.
  struct Session {
    var options: SessionOptions
    /// Whether a server that applied the record's commits has opened it.
    var isRecorded = false
    var failure: ServerFailure?
    /// Pending frame requests, in the order in which they were made and will be answered. Each
    /// holds its surface until then.
    var frames: [(answer: FrameAnswer, surface: PixelBuffer?)] = []
    /// The number of the last frame, and that of the last one that another server drew: each server
    /// counts from 1.
    var frameNumber: UInt64 = 0
    var frameNumberBefore: UInt64 = 0
  }

  struct State {
    var server: ConnectedServer
    /// Counts the servers.
    var generation = 1
    /// Why the last server died.
    var lastDeath: ServerFailure?
    var failure: ServerFailure?
    /// Why nothing more is sent, if not because the server is gone.
    var sendFailure: ServerFailure?
    /// Whether there is no server at the moment.
    var isRestarting = false
    var isFlushing = false
    var queue = SendQueue()
    var record = CommitRecord()
    var stores = StoreLedger()
    var dmaBufs = DMABufOffers()
    var sessions: [SessionID: Session] = [:]
    var inspections: [UInt32: (session: SessionID, answer: InspectionAnswer)] = [:]
    var lastSequence: UInt64 = 0
    var lastApplied: UInt64 = 0
    var lastSession: UInt32 = 0
    var lastInspection: UInt32 = 0

    /// Whether the server has something to answer.
    var isWaiting: Bool {
      queue.credits < SendQueue.creditLimit || !inspections.isEmpty || dmaBufs.isWaiting
        || sessions.values.contains { !$0.frames.isEmpty }
    }
  }

  /// The process that has the connection. One that is forked from it has neither its threads nor,
  /// perhaps, its lock in a usable state, and what it would write goes where the parent's does.
  private let owner = getpid()
  let key: ServerConnection.Key
  let warnings = Warnings.current
  let state: Lock<State>

  init(_ server: ConnectedServer, _ key: ServerConnection.Key) {
    self.key = key
    state = Lock(State(server: server))
  }

  /// Starts the thread that receives. If there is none to be had, the server is ended.
  func startReceiving() throws(ServerFailure) {
    let code = DetachedThread.start(named: "lamina-receive") { self.receiveAll() }
    guard code != 0 else { return }
    let server = server
    server.socket.shutDown()
    _ = server.child?.reap()
    throw .couldNotStart("\(SocketError.system(call: "pthread_create", code: code))")
  }

  /// Closes the connection, which makes the server quit.
  func close() {
    if isForked { return }
    fail(.closed)
    state.withLock { $0.server.socket.shutDown() }
  }

  var failure: ServerFailure? { isForked ? .forked : state.withLock { $0.failure } }

  var server: ConnectedServer { state.withLock { $0.server } }

  /// How often a server that died was replaced, and why the last one died.
  var restarts: (count: Int, last: ServerFailure?) {
    state.withLock { ($0.generation - 1, $0.lastDeath) }
  }

  private var isForked: Bool { getpid() != owner }

  // MARK: Sending

  func openSession(_ options: SessionOptions) throws(ServerFailure) -> SessionID {
    try withState { state throws(ServerFailure) in
      state.lastSession += 1
      let session = SessionID(rawValue: state.lastSession)
      state.sessions[session] = Session(options: options)
      state.queue.append(.openSession(session, options))
      return session
    }
  }

  func closeSession(_ session: SessionID) {
    // If the connection is gone, so is the session.
    try? withState { state throws(ServerFailure) in state.queue.append(.closeSession(session)) }
  }

  func send(_ commit: Commit, stores: [StorePixels]) throws(ServerFailure) -> UInt64 {
    guard commit.stores.count == stores.count else {
      programmerError("\(commit.stores.count) store updates and \(stores.count) buffers")
    }
    return try withState { state throws(ServerFailure) in
      state.lastSequence += 1
      var commit = commit
      commit.sequence = state.lastSequence
      for case .memory(let buffer) in stores { state.queue.announce(buffer) }
      state.stores.add(commit, stores)
      for unused in state.dmaBufs.takeUnused() { state.queue.append(.releaseDMABuf(unused)) }
      state.queue.append(commit)
      return commit.sequence
    }
  }

  /// Asks whether the server can draw from a dma-buf, once for each. `receiver` is called once, on
  /// any thread.
  func offer(_ buffer: DMABuf, _ receiver: @escaping DMABufOffers.Receiver) {
    do throws(ServerFailure) {
      let known = try withState { state throws(ServerFailure) -> DMABufAnswer? in
        if !state.isRestarting, let refusal = state.server.platform.refusal { return refusal }
        let (known, isNew) = state.dmaBufs.add(buffer, receiver)
        if isNew { state.queue.offer(buffer) }
        return known
      }
      if let known { receiver(.success(known)) }
    } catch {
      receiver(.failure(error))
    }
  }

  func requestFrame(
    _ request: FrameRequest, _ surface: PixelBuffer?, showing frame: UInt64,
    _ answer: @escaping FrameAnswer
  ) {
    let session = request.session
    do throws(ServerFailure) {
      try withState { state throws(ServerFailure) in
        guard let known = state.sessions[session] else {
          throw .sessionFailed(session, "it is closed")
        }
        if let failure = known.failure { throw failure }
        var request = request
        if let surface {
          state.queue.announce(surface)
          let isKnown = frame > known.frameNumberBefore
          request.surface = FrameRequest.Surface(
            memory: MemoryRange(
              arena: surface.arenaID, offset: UInt64(surface.offset),
              count: UInt64(surface.byteCount)),
            stride: UInt32(clamping: surface.layout.stride),
            frame: isKnown ? frame - known.frameNumberBefore : 0)
        }
        state.sessions[session]?.frames.append((answer, surface))
        state.queue.append(.frameRequest(request))
      }
    } catch {
      answer(.failure(error))
    }
  }

  func inspect(
    _ session: SessionID, time: Double, afterSequence: UInt64, subject: Inspect.Subject,
    _ answer: @escaping InspectionAnswer
  ) {
    do throws(ServerFailure) {
      try withState { state throws(ServerFailure) in
        if let failure = state.sessions[session]?.failure { throw failure }
        state.lastInspection &+= 1
        state.inspections[state.lastInspection] = (session, answer)
        state.queue.append(
          .inspect(
            Inspect(
              request: state.lastInspection, session: session, time: time,
              afterSequence: afterSequence, subject: subject)))
      }
    } catch {
      answer(.failure(error))
    }
  }

  var heldStores: Int { state.withLock { $0.stores.count } }

  /// Bytes that are kept so that another server can be brought to the same state.
  var recordedBytes: Int { state.withLock { $0.record.cost } }

  /// Changes the state of a living connection, then sends what the change queued.
  private func withState<Result>(
    _ body: (inout State) throws(ServerFailure) -> Result
  ) throws(ServerFailure) -> Result where Result: Sendable {
    if isForked { throw .forked }
    return try state.withLock { state throws(ServerFailure) in
      if let failure = state.failure { throw failure }
      let result = try body(&state)
      flush(&state)
      return result
    }
  }

  func flush(_ state: inout State) {
    guard !state.isFlushing, !state.isRestarting else { return }
    do throws(SocketError) {
      guard try !state.queue.send(over: state.server.socket) else { return }
      state.isFlushing = true
      let (socket, generation) = (state.server.socket, state.generation)
      let code = DetachedThread.start(named: "lamina-send") {
        self.flushWhenPossible(socket, generation)
      }
      if code != 0 { throw .system(call: "pthread_create", code: code) }
    } catch {
      giveUp(&state, error)
    }
  }

  private func flushWhenPossible(_ socket: Socket, _ generation: Int) {
    var isDone = false
    while !isDone {
      var failure: SocketError?
      do throws(SocketError) { try socket.waitUntilWritable() } catch { failure = error }
      isDone = state.withLock { state in
        // Another server has another thread, if it needs one.
        guard state.generation == generation, !state.isRestarting else { return true }
        do throws(SocketError) {
          if let failure { throw failure }
          guard state.failure == nil else { return true }
          state.isFlushing = try !state.queue.send(over: socket)
          return !state.isFlushing
        } catch {
          giveUp(&state, error)
          return true
        }
      }
    }
  }

  /// Stops sending. The receiving thread finds out why the server is gone: the server may have sent
  /// a reason before.
  private func giveUp(_ state: inout State, _ error: SocketError) {
    guard error != .closed else { return }
    state.sendFailure = .couldNotSend("\(error)")
    state.server.socket.shutDown()
  }

  // MARK: Ending

  /// Ends a session and fails its pending requests.
  func fail(_ session: SessionID, _ why: String) {
    let error = ServerFailure.sessionFailed(session, why)
    let (frames, inspections) = state.withLock { state in
      state.sessions[session]?.failure = error
      state.queue.removeRequests(of: session)
      let frames = state.sessions[session]?.frames ?? []
      state.sessions[session]?.frames = []
      let inspections = state.inspections.filter { $0.value.session == session }
      for request in inspections.keys { state.inspections[request] = nil }
      return (frames, inspections)
    }
    for frame in frames { frame.answer(.failure(error)) }
    for request in inspections.keys.sorted() { inspections[request]?.answer(.failure(error)) }
  }

  /// Ends the connection and fails all pending requests; does nothing the second time.
  func fail(_ error: ServerFailure) {
    let (frames, inspections, offers) = state.withLock { state in
      guard state.failure == nil else { return ([], [:], []) as Waiting }
      state.failure = error
      state.queue.removeAll()
      let sessions = state.sessions.sorted { $0.key.rawValue < $1.key.rawValue }
      let waiting = (
        sessions.flatMap(\.value.frames), state.inspections, state.dmaBufs.removeAll()
      )
      state.sessions = [:]
      state.inspections = [:]
      return waiting
    }
    for frame in frames { frame.answer(.failure(error)) }
    for request in inspections.keys.sorted() { inspections[request]?.answer(.failure(error)) }
    for receiver in offers { receiver(.failure(error)) }
  }

  private typealias Waiting = (
    [(answer: FrameAnswer, surface: PixelBuffer?)],
    [UInt32: (session: SessionID, answer: InspectionAnswer)], [DMABufOffers.Receiver]
  )
}
