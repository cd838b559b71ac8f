import CLinux
import Foundation
import LaminaCommit
import LaminaGLES
import LaminaValues

/// A thread that serves a client.
///
/// In `exit`, drivers free what they hold, on the thread that called it and without a look at
/// others: a thread that uses GL then, or is about to let go of it, corrupts the heap. So these
/// threads are ended, and waited for, before the drivers' handlers are called.
package final class ServerThread: Sendable {
  /// How long `exit` waits for the threads. A driver that hangs must not keep the program from
  /// ending.
  private static let patience = Duration.seconds(5)

  private struct Threads {
    /// Those started and not yet joined.
    var started: [(id: pthread_t, socket: Socket)] = []
    /// Their sockets, when the program exits. Held, for clients are to notice nothing.
    var atExit: [Socket] = []
  }
  private static let threads = Lock(Threads())

  private let socket: Socket
  private let sandbox: [String]
  private let ended: @Sendable (ServerLoop.End) -> Void

  private init(
    _ socket: Socket, _ sandbox: [String], _ ended: @escaping @Sendable (ServerLoop.End) -> Void
  ) {
    self.socket = socket
    self.sandbox = sandbox
    self.ended = ended
  }

  /// `ended` is called on the thread, or here where there can be none.
  package static func start(
    socket: Socket, sandbox: [String] = [],
    ended: @escaping @Sendable (ServerLoop.End) -> Void = { _ in }
  ) {
    endAllInExit()
    let code = threads.withLock { threads in
      threads.started.removeAll { lamina_join($0.id, 0) == 0 }
      var attributes = pthread_attr_t()
      pthread_attr_init(&attributes)
      defer { pthread_attr_destroy(&attributes) }
      pthread_attr_setstacksize(&attributes, TreeLimit.planningStackSize)
      var id = pthread_t()
      let thread = Unmanaged.passRetained(ServerThread(socket, sandbox, ended))
      let code = pthread_create(
        &id, &attributes,
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
    // Not before everything of the loop's is gone, and a client waits for it.
    Self.threads.withLock { if $0.atExit.isEmpty { socket.shutDown() } }
  }

  private func serve() -> ServerLoop.End {
    let loop = ServerLoop(socket: socket, sandbox: sandbox) { choice throws(GLESError) in
      let renderer = try GLESRenderer(choice)
      // Handlers are called from the last to the first: once more, after the driver's.
      Self.endAllInExit()
      return renderer
    }
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
  /// A thread of this process, which serves over a socket as the process does: the same bytes, and
  /// the same pixels.
  package static let inProcess = RenderServerLauncher(name: "in-process") {
    () throws(RenderServerError) in
    do throws(SocketError) {
      let (ours, theirs) = try Socket.pair()
      ServerThread.start(socket: theirs)
      return Started(socket: ours)
    } catch {
      throw .couldNotStart("\(error)")
    }
  }
}
