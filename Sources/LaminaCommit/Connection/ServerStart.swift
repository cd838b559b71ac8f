import Foundation
import LaminaValues

/// A server that was started and told what to draw on, and has not answered yet.
struct ServerStart: Sendable {
  let server: RenderServerLauncher.Started
  private let timeout: Double
  /// Why the server could not be told.
  private let sendFailure: ServerFailure?

  init(_ launcher: RenderServerLauncher, _ platform: RenderPlatform) throws(ServerFailure) {
    server = try launcher.start()
    timeout = launcher.startTimeout
    let writer = ByteWriter()
    ClientMessage.hello(Hello(platform: platform)).encode(to: writer)
    var failure: ServerFailure?
    do throws(SocketError) {
      try server.socket.send(writer.bytes)
    } catch {
      // If the server is gone already, its last message can still be read.
      if error != .closed { failure = .badMessage("\(error)") }
    }
    sendFailure = failure
  }

  /// Waits until the server is ready. A server that is not is ended.
  func waitForWelcome() throws(ServerFailure) -> PlatformReport {
    do throws(ServerFailure) {
      return try readWelcome()
    } catch {
      server.socket.shutDown()
      let isGone = error == .died(.unknown)
      guard let process = server.processID else { throw error }
      if error == .startTimedOut(seconds: timeout) { kill(process, SIGKILL) }
      let end = reap(process)
      throw isGone ? .died(end) : error
    }
  }

  private func readWelcome() throws(ServerFailure) -> PlatformReport {
    if let sendFailure { throw sendFailure }
    let buffer = MessageBuffer()
    do throws(SocketError) {
      let isAnswered = try server.socket.waitUntilReadable(seconds: timeout)
      if isAnswered { _ = try server.socket.receive(into: buffer) }
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
