import Foundation
import LaminaCommit

extension ServerLoop {
  /// As much as the deepest tree that decoding lets pass needs, many times over.
  private static let stackSize = 64 << 20

  /// Serves a client on a new thread; `ended` is called there.
  package static func start(
    socket: Socket, sandbox: [String] = [], ended: @escaping @Sendable (End) -> Void = { _ in }
  ) {
    let thread = Thread {
      ended(ServerLoop(socket: socket, sandbox: sandbox).run())
      // Not before everything on this thread is gone, and a client waits for it.
      socket.shutDown()
    }
    thread.name = "lamina-render"
    thread.stackSize = stackSize
    thread.start()
  }
}

extension RenderServerLauncher {
  /// A thread of this process, which serves over a socket as the process does: the same bytes, and
  /// the same pixels.
  package static let inProcess = RenderServerLauncher(name: "in-process") {
    () throws(RenderServerError) in
    do throws(SocketError) {
      let (ours, theirs) = try Socket.pair()
      ServerLoop.start(socket: theirs)
      return Started(socket: ours)
    } catch {
      throw .couldNotStart("\(error)")
    }
  }
}
