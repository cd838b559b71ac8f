import Foundation
import LaminaCommit
import LaminaRenderServer
import LaminaValues
import ServerSupport
import TestSupport
import Testing

@Suite("Malformed streams")
struct MalformedStreamTests {
  @Test(
    "No stream of bytes makes a server trap or hang, and it says why it ends one",
    arguments: 0..<10)
  func streams(part: Int) throws {
    let memory = try StreamMemory()
    var good = 0
    for seed in 0..<1000 {
      var random = SeededGenerator(seed: UInt64(part * 1000 + seed))
      var stream = MessageStream(&random, memory)
      stream.damage(&random, memory)
      let (client, server) = try Socket.pair()
      try stream.send(over: client)
      let end = ServerLoop(recordingOn: server).run()
      if end == .clientGone { good += 1 }
      try expectAnswers(on: client, after: end, seed: part * 1000 + seed)
    }
    // The damage is so small that many streams get through to the end.
    #expect(good > 200)
  }

  /// Expects that every message of the server can be decoded, and that a failure, if any, is the
  /// last.
  private func expectAnswers(
    on client: Socket, after end: ServerLoop.End, seed: Int
  ) throws {
    let buffer = MessageBuffer()
    var last: ServerMessage?
    while try client.receive(into: buffer, wait: false) {
      last = try ServerMessage.decode(buffer.bytes)
    }
    guard case .failed(let why) = end else { return }
    #expect(last == .failed(nil, why: why), "seed \(seed)")
    #expect(!why.isEmpty)
  }

  @Test("Memory is given back only when no image lies in it", arguments: [false, true])
  func releasedArena(isFree: Bool) throws {
    let memory = try StreamMemory()
    let (arena, image) = (ArenaID(rawValue: 1), ImageID(rawValue: 1))
    var commit = Commit(sequence: 1)
    commit.stores = [
      Commit.StoreUpdate(
        image: image, memory: MemoryRange(arena: arena, offset: 0, count: 4096),
        layout: PixelLayout(width: 8, height: 8, format: .bgra8)!)
    ]
    var next = Commit(sequence: 2)
    next.releasedStores = isFree ? [image] : []
    var stream = MessageStream()
    stream.append(.hello(Hello(platform: .auto)))
    stream.append(.arena(arena, byteCount: 1 << 16, use: .stores), [memory.stores])
    stream.append(.commit(commit))
    stream.append(.commit(next))
    stream.append(.releaseArena(arena))
    let (client, server) = try Socket.pair()
    try stream.send(over: client)
    let end = ServerLoop(recordingOn: server).run()
    let why = "shared memory refused: arena 1 is given back while an image lies in it"
    #expect(end == (isFree ? .clientGone : .failed(why)))
  }

  @Test("A server process still draws after thousands of requests that it had to refuse")
  func liveServer() throws {
    let connection = try ServerConnection(launcher: .process, platform: .surfaceless)
    let good = try connection.openSession(
      SessionOptions(size: PixelSize(width: 4, height: 4), scale: 1))
    try connection.send(.filling(good, with: CGColor(red: 1, green: 0, blue: 0, alpha: 1)))
    let surface = try PixelBuffer(width: 4, height: 4, format: .bgra8, use: .surface)
    let tiny = try PixelBuffer(width: 1, height: 1, format: .bgra8, use: .surface)
    let store = try PixelBuffer(width: 4, height: 4, format: .bgra8, use: .store)
    var random = SeededGenerator(seed: 7)
    for turn in 0..<3000 {
      #expect(throws: ServerFailure.self) {
        switch random.below(4) {
        case 0:  // A session that does not exist.
          _ = try connection.frame(
            FrameRequest(
              session: SessionID(rawValue: 1_000_000 + UInt32(turn)), time: 0, afterSequence: 0,
              surface: nil))
        case 1:  // Too large for any device.
          let session = try connection.openSession(
            SessionOptions(size: PixelSize(width: 65536, height: 65536), scale: 1))
          _ = try connection.frame(.of(session))
        case 2:  // A surface that is too small or read-only.
          let session = try connection.openSession(
            SessionOptions(size: PixelSize(width: 4, height: 4), scale: 1))
          _ = try connection.frame(.of(session), surface: random.one(in: 2) ? tiny : store)
        default:  // A commit that was never sent.
          let session = try connection.openSession(
            SessionOptions(size: PixelSize(width: 4, height: 4), scale: 1))
          _ = try connection.inspect(
            session: session, time: 0, subject: .tree, afterSequence: .max)
        }
      }
      guard turn.isMultiple(of: 500) else { continue }
      surface.clear()
      let frame = try connection.frame(.of(good), surface: surface)
      #expect(frame.sequence == 1)
      #expect(surface.firstPixel == [0, 0, 255, 255])
    }
    #expect(connection.failure == nil)
  }

  @Test(
    "A server process that really draws ends by itself after any stream, and never by a signal",
    arguments: 0..<40)
  func serverProcess(seed: Int) throws {
    let memory = try StreamMemory()
    var random = SeededGenerator(seed: UInt64(20_000 + seed))
    var stream = MessageStream(&random, memory)
    if !seed.isMultiple(of: 3) { stream.damage(&random, memory) }
    let server = try RenderServerLauncher.process.start()
    try stream.send(over: server.socket)
    let buffer = MessageBuffer()
    var last: ServerMessage?
    while (try? server.socket.receive(into: buffer)) == true {
      last = try ServerMessage.decode(buffer.bytes)
    }
    var status: Int32 = -1
    #expect(waitpid(try #require(server.processID), &status, 0) > 0)
    if case .failed(nil, let why)? = last {
      #expect(!why.isEmpty)
      #expect(status == 1 << 8)
    } else {
      #expect(status == 0)
    }
  }
}

extension FrameRequest {
  static func of(_ session: SessionID, time: Double = 0, after sequence: UInt64 = 0) -> Self {
    FrameRequest(session: session, time: time, afterSequence: sequence, surface: nil)
  }
}

extension Commit {
  /// A layer that covers a session of up to 100 × 100 pixels.
  static func filling(
    _ session: SessionID, with color: CGColor?, contents: ImageID? = nil, index: UInt32 = 0
  ) -> Commit {
    var commit = Commit(sequence: 0)
    let layer = LayerID(index: index, generation: 0)
    commit.created = [Creation(layer: layer, kind: .layer)]
    commit.roots = [RootChange(session: session, layer: layer)]
    commit.changes = [.color(color, of: layer).showing(contents)]
    return commit
  }
}

extension Commit.LayerChange {
  static func color(_ color: CGColor?, of layer: LayerID) -> Self {
    var values = LayerValues()
    values.bounds = CGRect(x: 0, y: 0, width: 100, height: 100)
    values.position = CGPoint(x: 50, y: 50)
    values.backgroundColor = color
    return Self(layer: layer, [.bounds, .position, .backgroundColor], values)
  }

  /// The same with other contents as well.
  func showing(_ contents: ImageID?) -> Self {
    var change = self
    change.values.contents = contents
    change.properties.insert(.contents)
    return change
  }
}

extension PixelBuffer {
  var firstPixel: [UInt8] { withUnsafeBytes { Array($0[..<4]) } }
}
