import Foundation
import LaminaCommit
import LaminaRenderServer
import LaminaValues

extension RenderServerLauncher {
  /// The render process for tests that fails as its arguments say.
  static func faulty(_ arguments: [String]) -> Self {
    Self(name: "faulty \(arguments)") { () throws(ServerFailure) in
      let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()
      return try spawn(folder.appendingPathComponent("faulty-server").path, arguments)
    }
  }

  /// A server that answers hello with these messages and then ends.
  static func scripted(_ answers: [[UInt8]]) -> Self {
    Self(name: "scripted") { () throws(ServerFailure) in
      do throws(SocketError) {
        let (client, server) = try Socket.pair()
        for answer in answers {
          var failure: SocketError?
          answer.withUnsafeBytes { bytes in
            do throws(SocketError) { try server.send(bytes) } catch { failure = error }
          }
          if let failure { throw failure }
        }
        return Started(socket: client)
      } catch {
        throw .couldNotStart("\(error)")
      }
    }
  }
}

extension RenderServerLauncher.Started {
  /// A thread that runs the loop that `make` makes for its socket.
  static func serving(
    _ make: @escaping @Sendable (Socket) -> ServerLoop
  ) throws(ServerFailure) -> Self {
    do throws(SocketError) {
      let (client, server) = try Socket.pair()
      let thread = Thread {
        _ = make(server).run()
        server.shutDown()
      }
      thread.stackSize = 8 << 20
      thread.start()
      return Self(socket: client)
    } catch {
      throw .couldNotStart("\(error)")
    }
  }
}

extension Inspection {
  /// Empty for an inspection that is not text.
  var text: String { if case .text(let text) = self { text } else { "" } }
}
