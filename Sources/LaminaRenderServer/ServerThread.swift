import CLinux
import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaValues

/// A thread that serves a client.
///
/// In `exit`, drivers free their resources on the calling thread, without regard for other threads.
/// A thread that uses GL at that time, or is about to release it, corrupts the heap. These threads
/// are therefore ended and joined before the drivers' exit handlers run.
package final class ServerThread: Sendable {
  /// Longest time for which `exit` waits for the threads. A driver that hangs must not keep the
  /// program from ending.
  private static let patience = Duration.seconds(5)

  private struct Threads {
    /// Threads that were started and not yet joined.
    var started: [(id: pthread_t, socket: Socket)] = []
    /// Sockets of the threads that `exit` ended. Kept open, so that clients notice nothing.
    var atExit: [Socket] = []
  }
  private static let threads = Lock(Threads())

  package typealias Confine = @Sendable () -> SandboxReport
  package typealias MakeRenderer =
    @Sendable (RenderPlatform) throws(ExecutorError) -> any FrameExecutor

  private let socket: Socket
  private let confine: Confine
  private let makeRenderer: MakeRenderer
  private let ended: @Sendable (ServerLoop.End) -> Void

  private init(
    _ socket: Socket, _ confine: @escaping Confine, _ makeRenderer: @escaping MakeRenderer,
    _ ended: @escaping @Sendable (ServerLoop.End) -> Void
  ) {
    self.socket = socket
    self.confine = confine
    self.makeRenderer = makeRenderer
    self.ended = ended
  }

  /// Starts a thread that serves `socket`, drawing with what `makeRenderer` makes. Calls `confine`
  /// once that is made, and `ended` at the end: on that thread, or on the caller's if no thread can
  /// be created.
  package static func start(
    socket: Socket,
    ended: @escaping @Sendable (ServerLoop.End) -> Void = { _ in },
    makeRenderer: @escaping MakeRenderer = { choice throws(ExecutorError) in
      try makeExecutor(for: choice)
    }, confine: @escaping Confine = { SandboxReport() }
  ) {
    endAllInExit()
    let code = threads.withLock { threads in
      threads.started.removeAll { lamina_join($0.id, 0) == 0 }
      var id = pthread_t()
      let thread = Unmanaged.passRetained(ServerThread(socket, confine, makeRenderer, ended))
      let code = pthread_create(
        &id, nil,
        { thread in
          thread.map { Unmanaged<ServerThread>.fromOpaque($0).takeRetainedValue().run() }
          return nil
        }, thread.toOpaque())
      if code == 0 { threads.started.append((id, socket)) } else { thread.release() }
      return code
    }
    guard code != 0 else { return }
    ended(.failed("no thread: \(String(cString: strerror(code)))"))
    socket.shutDown()
  }

  private func run() {
    Thread.current.name = "lamina-render"
    ended(serve())
    // Only after all objects of the loop are gone, because a client waits for this.
    Self.threads.withLock { if $0.atExit.isEmpty { socket.shutDown() } }
  }

  private func serve() -> ServerLoop.End {
    let makeRenderer = makeRenderer
    let loop = ServerLoop(
      socket: socket,
      makeRenderer: { choice throws(ExecutorError) in
        let renderer = try makeRenderer(choice)
        // `exit` calls handlers in reverse order: registered again, this one runs before the
        // driver's.
        Self.endAllInExit()
        return renderer
      }, confine: confine)
    return loop.run()
  }

  private static func endAllInExit() { atexit { ServerThread.endAll() } }

  private static func endAll() {
    let started = threads.withLock { threads in
      let started = threads.started
      threads.started = []
      threads.atExit += started.map(\.socket)
      return started
    }
    for thread in started { thread.socket.shutDownReceiving() }
    let deadline = ContinuousClock.now.advanced(by: patience)
    for thread in started {
      let left = max(.zero, ContinuousClock.now.duration(to: deadline))
      _ = lamina_join(thread.id, Int32(left / .milliseconds(1)))
    }
  }
}

extension RenderServerLauncher {
  /// Serves on a thread of this process, over a socket as the separate process does: with the same
  /// bytes and the same pixels.
  package static let inProcess = RenderServerLauncher(name: "in-process") {
    () throws(ServerFailure) in
    do throws(SocketError) {
      let (ours, theirs) = try Socket.pair()
      ServerThread.start(socket: theirs)
      return Started(socket: ours)
    } catch {
      throw .couldNotStart("\(error)")
    }
  }
}
