import Foundation
import LaminaValues

/// A client's connection to its render process, which it starts. Usable from any thread; closed
/// with the last reference.
package final class ServerConnection: Sendable {
  /// What the server draws with.
  package let platform: PlatformReport
  /// nil where the server shares this process.
  package let processID: pid_t?
  private let link: ServerConnectionLink

  /// Starts a server and waits until it is ready.
  package init(
    launcher: RenderServerLauncher, platform choice: PlatformChoice
  ) throws(RenderServerError) {
    let server = try launcher.start()
    do throws(RenderServerError) {
      platform = try Self.greet(server.socket, choice, timeout: launcher.startTimeout)
    } catch {
      server.socket.shutDown()
      let isGone = error == .died(.unknown)
      guard let process = server.processID else { throw error }
      if error == .startTimedOut(seconds: launcher.startTimeout) { kill(process, SIGKILL) }
      let end = reap(process)
      throw isGone ? .died(end) : error
    }
    processID = server.processID
    link = ServerConnectionLink(server)
    link.startReceiving()
  }

  deinit { link.close() }

  /// Whether the server is known to be gone, and why.
  package var failure: RenderServerError? { link.failure }

  private static func greet(
    _ socket: Socket, _ choice: PlatformChoice, timeout: Double
  ) throws(RenderServerError) -> PlatformReport {
    let writer = ByteWriter()
    ClientMessage.hello(Hello(platform: choice)).encode(to: writer)
    let buffer = MessageBuffer()
    do throws(SocketError) {
      // Where the server is gone already, what it said before that is still there to be read.
      do throws(SocketError) { try socket.send(writer.bytes) } catch .closed {}
      let isAnswered = try socket.waitUntilReadable(seconds: timeout)
      if isAnswered { _ = try socket.receive(into: buffer) }
    } catch .closed {
      throw .died(.unknown)
    } catch {
      throw .badMessage("\(error)")
    }
    guard !buffer.bytes.isEmpty else { throw .startTimedOut(seconds: timeout) }
    if let theirs = ServerMessage.versionOfWelcome(buffer.bytes), theirs != Hello.currentVersion {
      throw .wrongVersion(theirs: theirs)
    }
    let message: ServerMessage
    do throws(CommitError) {
      message = try ServerMessage.decode(buffer.bytes)
    } catch {
      throw .badMessage("\(error)")
    }
    switch message {
    case .welcome(let welcome): return welcome.platform
    case .failed(_, let why): throw .refused(why)
    default: throw .badMessage("no welcome")
    }
  }
}

extension ServerConnection {
  package func openSession(
    _ options: SessionOptions
  ) throws(RenderServerError) -> SessionID { try link.openSession(options) }

  package func closeSession(_ session: SessionID) { link.closeSession(session) }

  /// Sends a commit, or queues it, without waiting for the server. Its sequence is given here,
  /// whatever it was, and returned.
  ///
  /// `stores[i]` is the memory that `commit.stores[i]` names. It is held here as long as the server
  /// may read it: until another of the same image took its place or the image was released.
  @discardableResult
  package func send(
    _ commit: Commit, stores: [PixelBuffer] = []
  ) throws(RenderServerError) -> UInt64 { try link.send(commit, stores: stores) }

  /// Asks for a frame and waits for it. It shows every commit sent before, and none sent after.
  /// With a surface, its pixels are there when this returns; the request's own is ignored then.
  package func frame(
    _ request: FrameRequest, surface: PixelBuffer? = nil
  ) throws(RenderServerError) -> FrameDone {
    let answer = Answer<FrameDone>()
    link.requestFrame(request, surface) { answer.give($0) }
    return try answer.wait()
  }

  /// As the one that waits, for a task.
  package func frame(
    _ request: FrameRequest, surface: PixelBuffer? = nil
  ) async throws(RenderServerError) -> FrameDone {
    let result = await withCheckedContinuation { continuation in
      link.requestFrame(request, surface) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  /// Asks for a frame without waiting for it. `answer` is called once, on any thread.
  package func requestFrame(
    _ request: FrameRequest, surface: PixelBuffer? = nil,
    answer: @escaping @Sendable (Result<FrameDone, RenderServerError>) -> Void
  ) { link.requestFrame(request, surface, answer) }

  /// A stage of the pipeline, after every commit sent before.
  package func inspect(
    session: SessionID, time: Double, subject: Inspect.Subject, afterSequence: UInt64 = 0
  ) throws(RenderServerError) -> Inspection {
    let answer = Answer<Inspection>()
    link.inspect(session, time: time, afterSequence: afterSequence, subject: subject) {
      answer.give($0)
    }
    return try answer.wait()
  }

  /// Whether the last store of an image that was sent may be written again; true also for an image
  /// of which none was sent.
  package func isConsumed(_ image: ImageID) -> Bool { link.isConsumed(image) }

  /// How many stores' memory is held for the server.
  package var heldStores: Int { link.heldStores }
}

extension ServerConnection {
  private struct Key: Hashable {
    var launcher: RenderServerLauncher
    var platform: PlatformChoice
  }

  /// The place of one shared connection. Its lock is held while the server starts, so that those
  /// who ask meanwhile get the same one.
  private final class Slot: Sendable {
    private struct Holder {
      weak var connection: ServerConnection?
    }

    private let holder = Lock(Holder())

    func connection(_ key: Key) throws(RenderServerError) -> ServerConnection {
      try holder.withLock { holder throws(RenderServerError) in
        if let connection = holder.connection, connection.failure == nil { return connection }
        let connection = try ServerConnection(launcher: key.launcher, platform: key.platform)
        holder.connection = connection
        return connection
      }
    }
  }

  private static let slots = Lock<[Key: Slot]>([:])

  /// The process's one connection to that server, started where there is none or where it died.
  /// Lives as long as somebody holds it.
  package static func shared(
    launcher: RenderServerLauncher, platform: PlatformChoice
  ) throws(RenderServerError) -> ServerConnection {
    let key = Key(launcher: launcher, platform: platform)
    let slot = slots.withLock { slots in
      if let slot = slots[key] { return slot }
      let slot = Slot()
      slots[key] = slot
      return slot
    }
    return try slot.connection(key)
  }
}

/// Hands a result from one thread to another that waits for it.
private final class Answer<Value: Sendable>: Sendable {
  private let result = Lock<Result<Value, RenderServerError>?>(nil)
  private let isGiven = DispatchSemaphore(value: 0)

  func give(_ value: Result<Value, RenderServerError>) {
    result.withLock { $0 = value }
    isGiven.signal()
  }

  func wait() throws(RenderServerError) -> Value {
    isGiven.wait()
    guard let result = result.withLock({ $0 }) else { throw .closed }
    return try result.get()
  }
}

extension ServerMessage {
  /// The version in a welcome, which is read before anything that another version may have changed.
  static func versionOfWelcome(_ bytes: UnsafeRawBufferPointer) -> UInt32? {
    guard bytes.count >= 5, bytes[0] == 0 else { return nil }
    return bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self)
  }
}
