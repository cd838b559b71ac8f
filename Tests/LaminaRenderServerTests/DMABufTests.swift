import Foundation
import LaminaCommit
import LaminaRenderServer
import LaminaValues
import ServerSupport
import TestSupport
import Testing

@Suite("Offered dma-bufs") struct DMABufTests {
  private let layout = DMABufLayout(
    size: PixelSize(width: 4, height: 4), format: .argb8888, modifier: DMABufLayout.linear,
    planes: [DMABufLayout.Plane(offset: 0, stride: 16)])
  private let image = ImageID(rawValue: 5)
  private let memory: SharedMemory

  init() throws { memory = try SharedMemory.create(byteCount: 4096) }

  private func id(_ number: Int) -> DMABufID { DMABufID(rawValue: UInt32(number)) }

  /// What a server answers to these messages after hello, and how it ends.
  private func answers(
    to messages: [(ClientMessage, [SharedMemory])], budget: UInt64? = nil,
    _ makeLoop: (Socket) -> ServerLoop = { ServerLoop(importingOn: $0) }
  ) throws -> (answers: [ServerMessage], end: ServerLoop.End) {
    var stream = MessageStream()
    stream.append(.hello(Hello(platform: .auto, memoryBudget: budget)))
    for (message, memory) in messages { stream.append(message, memory) }
    let (client, server) = try Socket.pair()
    try stream.send(over: client)
    let end = makeLoop(server).run()
    var answers: [ServerMessage] = []
    let buffer = MessageBuffer()
    while try client.receive(into: buffer, wait: false) {
      answers.append(try ServerMessage.decode(buffer.bytes))
    }
    return (Array(answers.dropFirst()), end)
  }

  private func update(_ number: Int, side: Int = 4) -> Commit.StoreUpdate {
    Commit.StoreUpdate(
      image: image, place: .dmaBuf(id(number)),
      layout: PixelLayout(width: side, height: side, format: .bgra8)!, isOpaque: false)
  }

  @Test("that are memory files are refused, by name, and the connection goes on")
  func memoryFile() throws {
    let offer = (ClientMessage.dmaBuf(id(1), layout), [memory])
    let result = try answers(to: [offer, offer]) { ServerLoop(recordingOn: $0) }
    let refusal = ServerMessage.dmaBufRefused(
      id(1), why: "the descriptor of plane 0 is no dma-buf's")
    #expect(result.answers == [refusal, refusal])
    #expect(result.end == .clientGone)
  }

  @Test("are taken where the device imports them, unless they are too small")
  func taken() throws {
    var large = layout
    large.planes[0].offset = 4096
    var tiled = layout
    tiled.modifier = 7
    let result = try answers(to: [
      (.dmaBuf(id(1), layout), [memory]), (.dmaBuf(id(2), large), [memory]),
      (.dmaBuf(id(3), tiled), [memory]),
    ])
    #expect(
      result.answers == [
        .dmaBufTaken(id(1)),
        .dmaBufRefused(
          id(2), why: "the dma-buf of plane 0 has 4096 bytes, and 4160 are needed"),
        .dmaBufRefused(id(3), why: "the test's device takes no 4x4 AR24, modifier 0x7"),
      ])
    #expect(result.end == .clientGone)
  }

  @Test("are refused beyond their number and their half of the budget, until others are given back")
  func limits() throws {
    let many = (0...ServerLimit.dmaBufs).map {
      (ClientMessage.dmaBuf(id($0), layout), [memory])
    }
    let last = id(ServerLimit.dmaBufs)
    let again: [(ClientMessage, [SharedMemory])] = [
      (.releaseDMABuf(id(3)), []), (.dmaBuf(last, layout), [memory]),
    ]
    let counted = try answers(to: many + again)
    #expect(
      counted.answers == many.dropLast().indices.map { .dmaBufTaken(id($0)) } + [
        .dmaBufRefused(last, why: "129 dma-bufs, at most 128 are taken"), .dmaBufTaken(last),
      ])
    let budgeted = try answers(
      to: Array(many[..<3]) + [(.releaseDMABuf(id(0)), []), many[2]], budget: 16384)
    #expect(
      budgeted.answers == [
        .dmaBufTaken(id(0)), .dmaBufTaken(id(1)),
        .dmaBufRefused(id(2), why: "12288 bytes of dma-bufs, at most 8192 are taken"),
        .dmaBufTaken(id(2)),
      ])
  }

  @Test("end the connection, with the reason, where the client contradicts itself")
  func contradictions() throws {
    let offer = (ClientMessage.dmaBuf(id(1), layout), [memory])
    var commit = Commit(sequence: 1)
    func end(_ messages: [(ClientMessage, [SharedMemory])]) throws -> ServerLoop.End {
      try answers(to: messages).end
    }
    #expect(try end([offer, offer]) == .failed("dma-buf 1 is known already"))
    #expect(
      try end([(.dmaBuf(id(1), layout), [])]) == .failed("dma-buf 1 of 1 planes came with 0"))
    #expect(
      try end([(.dmaBuf(id(1), layout), [memory, memory])]) == .failed("1 descriptors too many"))
    #expect(
      try end([(.releaseDMABuf(id(1)), [])]) == .failed("shared memory refused: no dma-buf 1"))
    commit.stores = [update(2)]
    #expect(
      try end([offer, (.commit(commit), [])])
        == .failed("commit 1: shared memory refused: no dma-buf 2 for image 5"))
    commit.stores = [update(1, side: 5)]
    #expect(
      try end([offer, (.commit(commit), [])])
        == .failed("commit 1: shared memory refused: image 5 of 5x5 in dma-buf 1 of 4x4"))
    commit.stores = [update(1)]
    let release = (ClientMessage.releaseDMABuf(id(1)), [SharedMemory]())
    #expect(
      try end([offer, (.commit(commit), []), release])
        == .failed("shared memory refused: dma-buf 1 is given back while an image lies in it"))
    var next = Commit(sequence: 2)
    next.releasedStores = [image]
    #expect(try end([offer, (.commit(commit), []), (.commit(next), []), release]) == .clientGone)
  }

  // MARK: Connections

  /// A launcher of servers in threads, the first few of which import.
  private static func launcher(importing count: Int) -> RenderServerLauncher {
    let started = Lock(0)
    return RenderServerLauncher(name: "importing \(UUID())") { () throws(ServerFailure) in
      let number = started.withLock { started in
        started += 1
        return started
      }
      return try .serving { socket in
        number <= count ? ServerLoop(importingOn: socket) : ServerLoop(socket: socket)
      }
    }
  }

  private func picture(_ buffer: DMABuf, _ value: UInt8, _ freed: Counter) -> StorePixels {
    memset(memory.base, Int32(value), 64)
    return .dmaBuf(DMABufPicture(buffer) { freed.add() })
  }

  @Test("are drawn from without an upload, and free when another picture took their place")
  func drawing() throws {
    let connection = try ServerConnection(
      launcher: Self.launcher(importing: 1), platform: .software)
    #expect(connection.platform.importsDMABufs)
    let session = try connection.openSession(options)
    let surface = try PixelBuffer(width: 4, height: 4, format: .bgra8, use: .surface)
    let freed = Counter()
    let buffer = try DMABuf(layout, copying: [memory.descriptor], allowingMemoryFiles: true)
    #expect(try connection.offer(buffer) == .taken)
    #expect(try connection.offer(buffer) == .taken)
    for value in 1...3 as ClosedRange<UInt8> {
      var commit =
        value == 1 ? Commit.filling(session, with: nil, contents: image) : Commit(sequence: 0)
      let pixels = picture(buffer, value * 50, freed)
      commit.stores = [Commit.StoreUpdate(image: image, pixels: pixels, isOpaque: false)]
      try connection.send(commit, stores: [pixels])
      let frame = try connection.frame(.of(session), surface: surface)
      #expect(frame.uploadedBytes == 0)
      #expect(surface.firstPixel == [UInt8](repeating: value * 50, count: 4))
    }
    #expect(freed.value == 2)
    #expect(connection.heldStores == 1)
  }
}
