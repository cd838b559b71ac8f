import Foundation
import LaminaValues

/// A server that answered, and is ready.
struct ConnectedServer: Sendable {
  let socket: Socket
  /// nil if the server shares this process.
  let child: ServerChild?
  /// What was asked for.
  let choice: RenderPlatform
  /// What it draws with.
  let platform: PlatformReport
  /// What it is working on; nil if there was no memory to share.
  let progress: ServerProgress?
}

extension PlatformReport {
  /// What the server says of every dma-buf, if it is always the same.
  var refusal: DMABufAnswer? {
    importsDMABufs ? nil : .refused("the platform \(name) does not draw from dma-bufs")
  }
}

extension ConnectedServer {
  /// Offers dma-bufs before any other message is sent, and waits for the answers. A server that
  /// does not answer is ended.
  func answers(
    to buffers: [DMABuf], within seconds: Double
  ) throws(ServerFailure) -> [DMABufID: DMABufAnswer] {
    var answers: [DMABufID: DMABufAnswer] = [:]
    for buffer in buffers {
      if let refusal = platform.refusal {
        answers[buffer.id] = refusal
        continue
      }
      do throws(ServerFailure) {
        answers[buffer.id] = try answer(to: buffer, within: seconds)
      } catch {
        socket.shutDown()
        guard let child else { throw error }
        kill(child.id, SIGKILL)
        let end = child.reap()
        throw error == .died(.unknown) ? .died(end) : error
      }
    }
    return answers
  }

  private func answer(
    to buffer: DMABuf, within seconds: Double
  ) throws(ServerFailure) -> DMABufAnswer {
    let writer = ByteWriter()
    ClientMessage.dmaBuf(buffer.id, buffer.layout).encode(to: writer)
    let received = MessageBuffer()
    do throws(SocketError) {
      try socket.send(writer.bytes, descriptors: buffer.descriptors)
      guard try socket.waitUntilReadable(seconds: seconds) else { throw .closed }
      _ = try socket.receive(into: received)
    } catch .closed {
      throw .died(.unknown)
    } catch {
      throw ServerFailure(receiving: error)
    }
    do throws(CommitError) {
      switch try ServerMessage.decode(received.bytes) {
      case .dmaBufTaken(buffer.id): return .taken
      case .dmaBufRefused(buffer.id, let why): return .refused(why)
      case .failed(_, let why): throw .protocolViolation(why)
      default: throw .protocolViolation("no answer to \(buffer.id)")
      }
    } catch {
      throw .badMessage("\(error)")
    }
  }
}

/// A server that was started and told what to draw on, and has not answered yet.
struct ServerStart: Sendable {
  private let socket: Socket
  private let child: ServerChild?
  private let choice: RenderPlatform
  private let timeout: Double
  private let progress: ServerProgress?
  /// Why the server could not be told.
  private let sendFailure: ServerFailure?

  /// Starts the key's server on a platform, which may be another than the key's.
  init(_ key: ServerConnection.Key, _ platform: RenderPlatform) throws(ServerFailure) {
    let server = try key.launcher.start()
    socket = server.socket
    child = server.processID.map(ServerChild.init)
    choice = platform
    timeout = key.launcher.startTimeout
    progress = try? ServerProgress()
    let writer = ByteWriter()
    let hello = Hello(
      platform: platform, memoryBudget: key.memoryBudget, isTraced: key.isTraced)
    ClientMessage.hello(hello).encode(to: writer)
    var failure: ServerFailure?
    do throws(SocketError) {
      try socket.send(
        writer.bytes, descriptors: progress.map { [$0.descriptor] } ?? [])
    } catch {
      // If the server is gone already, its last message can still be read.
      if error != .closed { failure = .couldNotSend("\(error)") }
    }
    sendFailure = failure
  }

  /// Waits until the server is ready. A server that is not is ended.
  func waitForWelcome() throws(ServerFailure) -> ConnectedServer {
    do throws(ServerFailure) {
      return ConnectedServer(
        socket: socket, child: child, choice: choice, platform: try readWelcome(),
        progress: progress)
    } catch {
      socket.shutDown()
      let isGone = error == .died(.unknown)
      guard let child else { throw error }
      if error == .startTimedOut(seconds: timeout) { kill(child.id, SIGKILL) }
      let end = child.reap()
      throw isGone ? .died(end) : error
    }
  }

  private func readWelcome() throws(ServerFailure) -> PlatformReport {
    if let sendFailure { throw sendFailure }
    let buffer = MessageBuffer()
    do throws(SocketError) {
      let isAnswered = try socket.waitUntilReadable(seconds: timeout)
      if isAnswered { _ = try socket.receive(into: buffer) }
    } catch .closed {
      throw .died(.unknown)
    } catch {
      throw ServerFailure(receiving: error)
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
