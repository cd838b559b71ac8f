import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaRenderServer
import LaminaValues
import ServerSupport
import TestSupport
import Testing

/// Servers that fail in different ways, and how the client reports them.
@Suite("What becomes of a server")
struct DeathTests {
  @Test("If no death is allowed, all that waits fails with the server, by name")
  func killed() async throws {
    let connection = try ServerConnection(
      launcher: .process, platform: .surfaceless, policy: RestartPolicy(deathsAllowed: 0))
    let session = try connection.openSession(options)
    try connection.send(.filling(session, with: .red))
    let process = try #require(connection.processID)
    // A stopped process cannot answer before it is killed.
    kill(process, SIGSTOP)
    let frames = [0.0, 1].map { time in
      Task { try await connection.frame(.of(session, time: time)) }
    }
    kill(process, SIGKILL)
    let died = ServerFailure.died(.signal(SIGKILL))
    for frame in frames { await #expect(throws: died) { try await frame.value } }
    #expect(throws: died) { try connection.send(Commit(sequence: 0)) }
    #expect(connection.failure == died)
    #expect(died.description == "the render process was killed by signal 9 (Killed)")
  }

  @Test("After a server died for good, the next who asks gets a new one")
  func restarted() throws {
    let launcher = RenderServerLauncher(name: "restart test") {
      () throws(ServerFailure) in try RenderServerLauncher.process.start()
    }
    let key = ServerConnection.Key(
      launcher: launcher, platform: .surfaceless, policy: RestartPolicy(deathsAllowed: 0))
    let first = try ServerConnection.shared(key)
    let session = try first.openSession(options)
    kill(try #require(first.processID), SIGKILL)
    #expect(throws: ServerFailure.died(.signal(SIGKILL))) {
      while true { _ = try first.frame(.of(session)) }
    }
    let second = try ServerConnection.shared(key)
    #expect(first !== second)
    _ = try second.frame(.of(second.openSession(options)))
  }

  @Test("A server leaves with its client")
  func clientGone() throws {
    let server = try RenderServerLauncher.process.start()
    server.socket.shutDown()
    var status: Int32 = -1
    #expect(waitpid(try #require(server.processID), &status, 0) > 0)
    #expect(status == 0)
  }

  @Test("A server that never answers is given up, and ended")
  func timeout() throws {
    let launcher = RenderServerLauncher(name: "sleeper", startTimeout: 0.05) {
      () throws(ServerFailure) in try RenderServerLauncher.spawn("/bin/sleep", ["60"])
    }
    #expect(throws: ServerFailure.startTimedOut(seconds: 0.05)) {
      try ServerConnection(launcher: launcher, platform: .auto)
    }
  }

  @Test(
    "A server that does not come up is started once more, and no more often",
    arguments: [["/bin/sleep", "60"], ["/bin/false"]])
  func secondTry(command: [String]) throws {
    let startCount = Lock(0)
    func launcher(failing: Int) -> RenderServerLauncher {
      let name = "\(command) \(failing) times"
      return RenderServerLauncher(name: name, startTimeout: command.count > 1 ? 4 : 10) {
        () throws(ServerFailure) in
        let isFailing = startCount.withLock { count in
          count += 1
          return count <= failing
        }
        if isFailing {
          return try RenderServerLauncher.spawn(command[0], Array(command.dropFirst()))
        }
        return try .serving { ServerLoop(recordingOn: $0) }
      }
    }
    let connection = try ServerConnection.shared(
      .init(launcher: launcher(failing: 1), platform: .surfaceless))
    #expect(startCount.withLock { $0 } == 2)
    _ = try connection.frame(.of(connection.openSession(options)))
    startCount.withLock { $0 = 0 }
    #expect(throws: ServerFailure.self) {
      try ServerConnection.shared(.init(launcher: launcher(failing: 9), platform: .surfaceless))
    }
    #expect(startCount.withLock { $0 } == 2)
  }

  @Test("A program that ends at once is named with its status")
  func ended() throws {
    let launcher = RenderServerLauncher(name: "false") {
      () throws(ServerFailure) in try RenderServerLauncher.spawn("/bin/false")
    }
    #expect(throws: ServerFailure.died(.status(1))) {
      try ServerConnection(launcher: launcher, platform: .auto)
    }
  }

  @Test("The program is looked for where it was said to be, and else beside these tests")
  func finding() throws {
    #expect(throws: ServerFailure.notFound(lookedAt: ["/nonexistent"])) {
      try RenderServerLauncher.findProgram(named: "/nonexistent")
    }
    let program = try RenderServerLauncher.findProgram(named: nil)
    #expect(program.contains("/lamina-render-server"))
    #expect(try RenderServerLauncher.findProgram(named: program) == program)
  }

  @Test("A program that is not there is named with its place")
  func notThere() throws {
    let error = #expect(throws: ServerFailure.self) {
      try RenderServerLauncher.spawn("/nonexistent/lamina-render-server")
    }
    #expect(error?.description.contains("/nonexistent/lamina-render-server") == true)
  }

  @Test("A server of another version is told from a broken one")
  func wrongVersion() throws {
    #expect(throws: ServerFailure.wrongVersion(theirs: 77)) {
      try ServerConnection(launcher: .scripted([[0, 77, 0, 0, 0, 1]]), platform: .auto)
    }
    #expect(throws: ServerFailure.badMessage("9 is no code of a server message")) {
      try ServerConnection(launcher: .scripted([[9]]), platform: .auto)
    }
    #expect(throws: ServerFailure.died(.unknown)) {
      try ServerConnection(launcher: .scripted([]), platform: .auto)
    }
  }

  @Test("A server refuses a client of another version")
  func wrongClient() throws {
    let (client, server) = try Socket.pair()
    var stream = MessageStream()
    stream.append(.hello(Hello(version: 77, platform: .auto)))
    try stream.send(over: client)
    guard case .failed(let why) = ServerLoop(recordingOn: server).run() else {
      Issue.record("it served")
      return
    }
    #expect(why.contains("77"))
  }

  @Test("A server without a platform says so")
  func refused() throws {
    let launcher = RenderServerLauncher(name: "refusing") { () throws(ServerFailure) in
      try .serving { socket in
        ServerLoop(socket: socket) { _ throws(ExecutorError) in
          throw .noPlatform(reasons: ["none was built"])
        }
      }
    }
    #expect(throws: ServerFailure.refused("no platform to draw on: none was built")) {
      try ServerConnection(launcher: launcher, platform: .auto)
    }
  }
}
