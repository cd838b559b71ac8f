import LaminaCommit
import LaminaRenderServer
import LaminaValues
import ServerSupport
import TestSupport
import Testing

@Suite("Memory with holes, where a client has no pages")
struct HoleTests {
  private let memory: SharedMemory
  private let arena = ArenaID(rawValue: 1)
  private let session = SessionID(rawValue: 1)
  private let image = ImageID(rawValue: 5)

  /// Two pages, of which the second one is a hole.
  init() throws {
    memory = try SharedMemory.create(byteCount: 8192)
    try memory.populate(0..<4096)
  }

  /// What a server says to a message that follows the arena and a session, and how it ends.
  private func answer(
    to message: ClientMessage, _ use: ArenaUse
  ) throws -> (ServerMessage?, ServerLoop.End) {
    var stream = MessageStream()
    stream.append(.hello(Hello(platform: .software)))
    stream.append(.arena(arena, byteCount: 8192, use: use), [memory])
    stream.append(.openSession(session, options))
    stream.append(message)
    let (client, server) = try Socket.pair()
    try stream.send(over: client)
    let end = ServerLoop(recordingOn: server).run()
    let buffer = MessageBuffer()
    var last: ServerMessage?
    while try client.receive(into: buffer, wait: false) {
      last = try ServerMessage.decode(buffer.bytes)
    }
    return (last, end)
  }

  private func commit(offset: UInt64) throws -> ClientMessage {
    let layout = try #require(PixelLayout(width: 4, height: 4, format: .bgra8))
    var commit = Commit.filling(session, with: nil, contents: image)
    commit.sequence = 1
    let range = MemoryRange(arena: arena, offset: offset, count: 256)
    commit.stores = [
      Commit.StoreUpdate(image: image, place: .memory(range), layout: layout, isOpaque: false)
    ]
    return .commit(commit)
  }

  private func request(offset: UInt64) -> ClientMessage {
    let range = MemoryRange(arena: arena, offset: offset, count: 256)
    var request = FrameRequest.of(session)
    request.surface = FrameRequest.Surface(memory: range, stride: 64)
    return .frameRequest(request)
  }

  @Test("holds no stores: a commit that names one there ends the connection")
  func stores() throws {
    let filled = try answer(to: commit(offset: 3840), .stores)
    #expect(filled.0 == .commitApplied(sequence: 1))
    #expect(filled.1 == .clientGone)
    let why = "commit 1: shared memory refused: arena 1: it has a hole at byte 4096"
    let refused = try answer(to: commit(offset: 3904), .stores)
    #expect(refused.0 == .failed(nil, why: why))
    #expect(refused.1 == .failed(why))
  }

  @Test("takes no frames: a request that names it ends its session")
  func surfaces() throws {
    let filled = try answer(to: request(offset: 3840), .surfaces)
    guard case .frameDone = filled.0 else {
      Issue.record("\(String(describing: filled.0))")
      return
    }
    let refused = try answer(to: request(offset: 3904), .surfaces)
    let why = "shared memory refused: arena 1: it has a hole at byte 4096"
    #expect(refused.0 == .failed(session, why: why))
    #expect(refused.1 == .clientGone)
  }
}
