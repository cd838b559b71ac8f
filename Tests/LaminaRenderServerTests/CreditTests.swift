import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaValues
import TestSupport
import Testing

/// A server that the test plays itself, so that the test decides when credits return.
private struct PlayedServer {
  let connection: ServerConnection
  let socket: Socket
  private let buffer = MessageBuffer()

  init() throws {
    let (client, server) = try Socket.pair()
    socket = server
    let report = PlatformReport(
      name: "played", reasons: [], vendor: "", renderer: "", version: "", maxTextureSize: 1,
      isSoftware: true, framebufferFormat: "BGRA8", isRobust: false)
    try Self.send(.welcome(Welcome(platform: report)), over: server)
    connection = try ServerConnection(
      launcher: RenderServerLauncher(name: "played") { () throws(ServerFailure) in
        RenderServerLauncher.Started(socket: client)
      }, platform: .auto)
    guard case .hello = try next() else { throw ServerFailure.closed }
  }

  static func send(_ message: ServerMessage, over socket: Socket) throws {
    let writer = ByteWriter()
    message.encode(to: writer)
    try socket.send(writer.bytes)
  }

  func send(_ message: ServerMessage) throws { try Self.send(message, over: socket) }

  /// Waits for the client's next message.
  func next() throws -> ClientMessage {
    _ = try socket.receive(into: buffer)
    return try ClientMessage.decode(buffer.bytes)
  }

  func commit() throws -> Commit? {
    guard case .commit(let commit) = try next() else { return nil }
    return commit
  }

  var hasMessage: Bool {
    get throws { try socket.waitUntilReadable(seconds: 0) }
  }
}

@Suite("Credits")
struct CreditTests {
  private func change(_ color: Double) -> Commit {
    var commit = Commit(sequence: 0)
    commit.changes = [
      .color(
        CGColor(red: color, green: 0, blue: 0, alpha: 1), of: LayerID(index: 1, generation: 0))
    ]
    return commit
  }

  @Test("Without credit, commits merge: the last value wins, under the last sequence")
  func merging() throws {
    let server = try PlayedServer()
    for i in 1...20 { try server.connection.send(change(Double(i) / 20)) }
    for i in 1...8 { #expect(try server.commit()?.sequence == UInt64(i)) }
    #expect(try !server.hasMessage)
    try server.send(.commitApplied(sequence: 1))
    let merged = try #require(try server.commit())
    #expect(merged.sequence == 20)
    #expect(merged.changes.count == 1)
    #expect(merged.changes[0].values.backgroundColor == .red)
    #expect(try !server.hasMessage)
  }

  @Test("A commit that adds a transition does not merge into those before it, which it shows")
  func transitions() throws {
    let server = try PlayedServer()
    for i in 1...9 { try server.connection.send(change(Double(i) / 20)) }
    var adding = change(0.75)
    adding.animations = [
      .add(
        layer: LayerID(index: 1, generation: 0), key: "transition",
        animation: AnimationDescription(
          timing: MediaTiming(duration: 1), content: .transition(.init())))
    ]
    try server.connection.send(adding)
    try server.connection.send(change(1))
    for i in 1...8 { #expect(try server.commit()?.sequence == UInt64(i)) }
    for _ in 1...2 { try server.send(.commitApplied(sequence: 1)) }
    let before = try #require(try server.commit())
    #expect(before.sequence == 9 && before.animations.isEmpty)
    let merged = try #require(try server.commit())
    #expect(merged.sequence == 11)
    #expect(merged.animations == adding.animations)
    #expect(merged.changes[0].values.backgroundColor == .red)
  }

  @Test("A client does not wait for a server that does not read, and loses nothing")
  func fullQueue() throws {
    let server = try PlayedServer()
    let filler = (0..<1500).map { index in
      Commit.LayerChange.color(.red, of: LayerID(index: index, generation: 0))
    }
    for _ in 1...8 {
      var commit = Commit(sequence: 0)
      commit.changes = LayerChanges(filler)
      try server.connection.send(commit)
    }
    for i in 1...8 {
      let commit = try #require(try server.commit())
      #expect(commit.sequence == UInt64(i))
      #expect(commit.changes.count == filler.count)
    }
  }

  @Test("A request stands between the commits before it and those after it")
  func requests() throws {
    let server = try PlayedServer()
    for i in 1...10 { try server.connection.send(change(Double(i) / 20)) }
    let session = try server.connection.openSession(options)
    for i in 11...12 { try server.connection.send(change(Double(i) / 20)) }
    for _ in 1...8 { _ = try server.commit() }
    #expect(try !server.hasMessage)
    try server.send(.commitApplied(sequence: 1))
    #expect(try server.commit()?.sequence == 10)
    #expect(try server.next() == .openSession(session, options))
    #expect(try !server.hasMessage)
    try server.send(.commitApplied(sequence: 2))
    #expect(try server.commit()?.sequence == 12)
  }

  @Test("Commits that would give one index to two layers do not merge")
  func reusedIndex() throws {
    let server = try PlayedServer()
    for i in 1...8 { try server.connection.send(change(Double(i) / 20)) }
    var destroying = Commit(sequence: 0)
    destroying.destroyed = [LayerID(index: 3, generation: 0)]
    try server.connection.send(destroying)
    var creating = Commit(sequence: 0)
    creating.created = [Commit.Creation(layer: LayerID(index: 3, generation: 1), kind: .layer)]
    try server.connection.send(creating)
    for _ in 1...8 { _ = try server.commit() }
    for i in 1...2 { try server.send(.commitApplied(sequence: UInt64(i))) }
    #expect(try server.commit()?.destroyed == destroying.destroyed)
    #expect(try server.commit()?.created == creating.created)
  }

  @Test("An arena's descriptor travels once, before whatever names it")
  func arenas() throws {
    let server = try PlayedServer()
    let arenas = SharedArenas(arenaByteCount: 4096)
    func store() throws -> PixelBuffer {
      try PixelBuffer(width: 4, height: 4, format: .bgra8, use: .store, arenas: arenas)
    }
    for i in 1...2 {
      let buffer = try store()
      var commit = Commit(sequence: 0)
      commit.stores = [buffer.update(ImageID(rawValue: UInt64(i)))]
      try server.connection.send(commit, stores: [buffer])
    }
    guard case .arena(_, let byteCount, let use) = try server.next() else {
      Issue.record("no arena")
      return
    }
    #expect(byteCount == 4096)
    #expect(use == .stores)
    #expect(try server.commit()?.sequence == 1)
    #expect(try server.commit()?.sequence == 2)
  }

  @Test("The next server is asked again for a frame that waited while later commits were applied")
  func waitingFrame() throws {
    let servers = Lock<[Socket]>([])
    let starts = DispatchSemaphore(value: 0)
    let report = PlatformReport(
      name: "played", reasons: [], vendor: "", renderer: "", version: "", maxTextureSize: 1,
      isSoftware: true, framebufferFormat: "BGRA8", isRobust: false)
    let launcher = RenderServerLauncher(name: "played twice") { () throws(ServerFailure) in
      do throws(SocketError) {
        let (client, server) = try Socket.pair()
        let writer = ByteWriter()
        ServerMessage.welcome(Welcome(platform: report)).encode(to: writer)
        try server.send(writer.bytes)
        servers.withLock { $0.append(server) }
        starts.signal()
        return RenderServerLauncher.Started(socket: client)
      } catch {
        throw .couldNotStart("\(error)")
      }
    }
    let connection = try ServerConnection(launcher: launcher, platform: .auto)
    let buffer = MessageBuffer()
    func next(from place: Int) throws -> ClientMessage {
      _ = try servers.withLock { $0[place] }.receive(into: buffer)
      return try ClientMessage.decode(buffer.bytes)
    }
    let session = try connection.openSession(options)
    try connection.send(.filling(session, with: .red))
    connection.requestFrame(.of(session, time: 3, after: 1)) { _ in }
    var other = Commit(sequence: 0)
    other.created = [Commit.Creation(layer: LayerID(index: 1, generation: 0), kind: .layer)]
    try connection.send(other)
    for _ in 0..<5 { _ = try next(from: 0) }
    let first = servers.withLock { $0[0] }
    for sequence: UInt64 in 1...2 {
      try PlayedServer.send(.commitApplied(sequence: sequence), over: first)
    }
    first.shutDown()
    starts.wait()
    try #require(starts.wait(timeout: .now() + 60) == .success)
    // What is asked of the next server comes after what the last one had not answered.
    let later = try connection.openSession(options)
    var asked: [ClientMessage] = []
    while asked.last != .openSession(later, options) { asked.append(try next(from: 1)) }
    let requests = asked.compactMap { message -> FrameRequest? in
      if case .frameRequest(let request) = message { request } else { nil }
    }
    #expect(requests.map(\.session) == [session] && requests.map(\.time) == [3])
    #expect(asked.contains(.openSession(session, options)))
  }
}
