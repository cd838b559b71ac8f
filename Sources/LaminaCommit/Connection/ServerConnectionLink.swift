import Foundation
import LaminaValues

/// The working part of a connection, shared by its threads. It outlives the `ServerConnection`
/// until they have finished.
///
/// One thread receives and never sends, so that the server can always deliver its answers. Callers
/// send without waiting; while the server's queue is full, a second thread waits in their place.
final class ServerConnectionLink: Sendable {
  typealias FrameAnswer = @Sendable (Result<FrameDone, ServerFailure>) -> Void
  typealias InspectionAnswer = @Sendable (Result<Inspection, ServerFailure>) -> Void

  private struct State {
    var failure: ServerFailure?
    /// Why nothing more is sent, if not because the server is gone.
    var sendFailure: ServerFailure?
    var queue = SendQueue()
    var stores = StoreLedger()
    var isFlushing = false
    var lastSequence: UInt64 = 0
    var lastSession: UInt32 = 0
    var lastInspection: UInt32 = 0
    var sessionFailures: [SessionID: ServerFailure] = [:]
    /// Pending frame requests, in the order in which they were made and will be answered. Each
    /// holds its surface until then.
    var frames: [SessionID: [(answer: FrameAnswer, surface: PixelBuffer?)]] = [:]
    var inspections: [UInt32: (session: SessionID, answer: InspectionAnswer)] = [:]
  }

  private let socket: Socket
  private let processID: pid_t?
  /// The process that has the connection. One that is forked from it has neither its threads nor,
  /// perhaps, its lock in a usable state, and what it would write goes where the parent's does.
  private let owner = getpid()
  private let state = Lock(State())

  init(_ server: RenderServerLauncher.Started) {
    socket = server.socket
    processID = server.processID
  }

  func startReceiving() {
    let thread = Thread { self.receiveAll() }
    thread.name = "lamina-receive"
    thread.start()
  }

  /// Closes the connection, which makes the server quit.
  func close() {
    if isForked { return }
    fail(.closed)
    socket.shutDown()
  }

  var failure: ServerFailure? { isForked ? .forked : state.withLock { $0.failure } }

  private var isForked: Bool { getpid() != owner }

  // MARK: Sending

  func openSession(_ options: SessionOptions) throws(ServerFailure) -> SessionID {
    try withState { state throws(ServerFailure) in
      state.lastSession += 1
      let session = SessionID(rawValue: state.lastSession)
      state.queue.append(.openSession(session, options))
      return session
    }
  }

  func closeSession(_ session: SessionID) {
    // If the connection is gone, so is the session.
    try? withState { state throws(ServerFailure) in
      guard state.sessionFailures.removeValue(forKey: session) == nil else { return }
      state.queue.append(.closeSession(session))
    }
  }

  func send(_ commit: Commit, stores: [PixelBuffer]) throws(ServerFailure) -> UInt64 {
    guard commit.stores.count == stores.count else {
      programmerError("\(commit.stores.count) store updates and \(stores.count) buffers")
    }
    return try withState { state throws(ServerFailure) in
      state.lastSequence += 1
      var commit = commit
      commit.sequence = state.lastSequence
      for buffer in stores { state.queue.announce(buffer) }
      state.stores.add(commit, stores)
      state.queue.append(commit)
      return commit.sequence
    }
  }

  func requestFrame(
    _ request: FrameRequest, _ surface: PixelBuffer?, showing frame: UInt64,
    _ answer: @escaping FrameAnswer
  ) {
    var request = request
    if let surface {
      request.surface = FrameRequest.Surface(
        memory: MemoryRange(
          arena: surface.arenaID, offset: UInt64(surface.offset),
          count: UInt64(surface.byteCount)),
        stride: UInt32(clamping: surface.layout.stride), frame: frame)
    }
    let message = ClientMessage.frameRequest(request)
    let session = request.session
    do throws(ServerFailure) {
      try withState { state throws(ServerFailure) in
        if let failure = state.sessionFailures[session] { throw failure }
        if let surface { state.queue.announce(surface) }
        state.frames[session, default: []].append((answer, surface))
        state.queue.append(message)
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
        if let failure = state.sessionFailures[session] { throw failure }
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

  func isConsumed(_ image: ImageID) -> Bool { state.withLock { $0.stores.isConsumed(image) } }

  var heldStores: Int { state.withLock { $0.stores.count } }

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

  private func flush(_ state: inout State) {
    guard !state.isFlushing else { return }
    do throws(SocketError) {
      guard try !state.queue.send(over: socket) else { return }
      state.isFlushing = true
      let thread = Thread { self.flushWhenPossible() }
      thread.name = "lamina-send"
      thread.start()
    } catch {
      giveUp(&state, error)
    }
  }

  private func flushWhenPossible() {
    var isDone = false
    while !isDone {
      do throws(SocketError) {
        try socket.waitUntilWritable()
      } catch {
        return state.withLock { giveUp(&$0, error) }
      }
      isDone = state.withLock { state in
        do throws(SocketError) {
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
    socket.shutDown()
  }

  // MARK: Receiving

  private func receiveAll() {
    let buffer = MessageBuffer()
    var end: ServerFailure?
    while end == nil {
      do throws(SocketError) {
        _ = try socket.receive(into: buffer)
      } catch .closed {
        end = state.withLock { $0.sendFailure }
        break
      } catch {
        end = .badMessage("\(error)")
        break
      }
      do throws(CommitError) {
        end = handle(try ServerMessage.decode(buffer.bytes))
      } catch {
        end = .badMessage("\(error)")
      }
    }
    socket.shutDown()
    // Fails the pending requests first, so that they do not wait for the server's process to end.
    if let end { fail(end) }
    let how = processID.map(reap) ?? .unknown
    fail(.died(how))
  }

  /// Returns why the connection ends, or nil if the message does not end it.
  private func handle(_ message: ServerMessage) -> ServerFailure? {
    switch message {
    case .frameDone(let frame):
      let answer = state.withLock { state -> FrameAnswer? in
        guard state.frames[frame.session]?.isEmpty == false else { return nil }
        return state.frames[frame.session]?.removeFirst().answer
      }
      answer?(.success(frame))
    case .commitApplied(let sequence):
      state.withLock { state in
        state.stores.commitApplied(sequence)
        state.queue.returnCredit()
        flush(&state)
      }
    case .storeConsumed(let images): state.withLock { $0.stores.consumed(images) }
    case .inspected(let request, let result):
      let inspection = state.withLock { $0.inspections.removeValue(forKey: request) }
      inspection?.answer(.success(result))
    case .failed(let session?, let why): fail(session, why)
    case .failed(nil, let why): return .failed(why)
    case .welcome: return .badMessage("a second welcome")
    }
    return nil
  }

  private func fail(_ session: SessionID, _ why: String) {
    let error = ServerFailure.sessionFailed(session, why)
    let (frames, inspections) = state.withLock { state in
      state.sessionFailures[session] = error
      let inspections = state.inspections.filter { $0.value.session == session }
      for request in inspections.keys { state.inspections[request] = nil }
      return (state.frames.removeValue(forKey: session) ?? [], inspections)
    }
    for frame in frames { frame.answer(.failure(error)) }
    for request in inspections.keys.sorted() { inspections[request]?.answer(.failure(error)) }
  }

  /// Ends the connection and fails all pending requests; does nothing the second time.
  private func fail(_ error: ServerFailure) {
    let (frames, inspections) = state.withLock { state in
      guard state.failure == nil else { return ([:], [:]) as Waiting }
      state.failure = error
      state.queue.removeAll()
      let waiting = (state.frames, state.inspections)
      state.frames = [:]
      state.inspections = [:]
      return waiting
    }
    for session in frames.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      for frame in frames[session] ?? [] { frame.answer(.failure(error)) }
    }
    for request in inspections.keys.sorted() { inspections[request]?.answer(.failure(error)) }
  }

  private typealias Waiting = (
    [SessionID: [(answer: FrameAnswer, surface: PixelBuffer?)]],
    [UInt32: (session: SessionID, answer: InspectionAnswer)]
  )
}
