import Foundation
import LaminaCommit
import LaminaRenderServer
import LaminaValues
import TestSupport
import Testing

let options = SessionOptions(size: PixelSize(width: 4, height: 4), scale: 1)

@Suite("Connections")
struct ConnectionTests {
  @Test(
    "A committed layer becomes pixels, in a process or in this one",
    arguments: [RenderServerLauncher.process, .inProcess])
  func pixels(launcher: RenderServerLauncher) throws {
    let connection = try ServerConnection(launcher: launcher, platform: .surfaceless)
    #expect(connection.platform.name == "surfaceless")
    let session = try connection.openSession(options)
    let sequence = try connection.send(.filling(session, with: .red))
    let surface = try PixelBuffer(width: 4, height: 4, format: .bgra8, use: .surface)
    let frame = try connection.frame(.of(session, time: 2, after: sequence), surface: surface)
    #expect(frame.time == 2)
    #expect(frame.sequence == sequence)
    #expect(frame.instances > 0)
    #expect(surface.firstPixel == [0, 0, 255, 255])
    let tree = try connection.inspect(session: session, time: 0, subject: .tree)
    #expect(tree.text.contains("backgroundColor"))
    let plan = try connection.inspect(session: session, time: 0, subject: .plan)
    #expect(plan.text.contains("4x4"))
    let layer = LayerID(index: 0, generation: 0)
    let values = Commit.LayerChange.color(.red, of: layer).values
    #expect(
      try connection.inspect(session: session, time: 3, subject: .values(layer))
        == .values([EvaluatedLayer(time: 3, values: values)]))
  }

  @Test("A frame asked for by a task comes as well")
  func asynchronous() async throws {
    let connection = try ServerConnection(launcher: .inProcess, platform: .surfaceless)
    let session = try connection.openSession(options)
    try connection.send(.filling(session, with: .red))
    let surface = try PixelBuffer(width: 4, height: 4, format: .bgra8, use: .surface)
    let frame = try await connection.frame(.of(session), surface: surface)
    #expect(frame.sequence == 1)
    #expect(surface.firstPixel == [0, 0, 255, 255])
  }

  @Test("Those who ask for the same server share it, as long as somebody holds it")
  func shared() throws {
    let launcher = RenderServerLauncher(name: "shared test") {
      () throws(ServerFailure) in try RenderServerLauncher.inProcess.start()
    }
    weak var weakly: ServerConnection?
    do {
      let first = try ServerConnection.shared(.init(launcher: launcher, platform: .surfaceless))
      let second = try ServerConnection.shared(.init(launcher: launcher, platform: .surfaceless))
      #expect(first === second)
      weakly = first
    }
    #expect(weakly == nil)
  }

  @Test("A server that was started early is the one that is connected to")
  func prepared() throws {
    let starts = Lock(0)
    let launcher = RenderServerLauncher(name: "prepare test") { () throws(ServerFailure) in
      starts.withLock { $0 += 1 }
      return try RenderServerLauncher.inProcess.start()
    }
    ServerConnection.prepare(.init(launcher: launcher, platform: .software))
    ServerConnection.prepare(.init(launcher: launcher, platform: .software))
    #expect(starts.withLock { $0 } == 1)
    let connection = try ServerConnection.shared(.init(launcher: launcher, platform: .software))
    ServerConnection.prepare(.init(launcher: launcher, platform: .software))
    #expect(starts.withLock { $0 } == 1)
    #expect(connection.platform.name == "software")
  }

  @Test("Why a server cannot be started early is told to who connects")
  func preparedInVain() throws {
    let failure = ServerFailure.couldNotStart("there is none")
    let launcher = RenderServerLauncher(name: "prepare in vain") { () throws(ServerFailure) in
      throw failure
    }
    ServerConnection.prepare(.init(launcher: launcher, platform: .software))
    #expect(throws: failure) {
      try ServerConnection.shared(.init(launcher: launcher, platform: .software))
    }
  }

  @Test("Sessions are served side by side from several threads")
  func threads() throws {
    let connection = try ServerConnection(launcher: .process, platform: .surfaceless)
    DispatchQueue.concurrentPerform(iterations: 6) { thread in
      do {
        let color = CGColor(red: 0, green: 0, blue: Double(thread) / 5, alpha: 1)
        let session = try connection.openSession(options)
        let surface = try PixelBuffer(width: 4, height: 4, format: .bgra8, use: .surface)
        let index = UInt32(thread)
        try connection.send(.filling(session, with: .red, index: index))
        for _ in 0..<30 {
          var commit = Commit(sequence: 0)
          commit.changes = [.color(color, of: LayerID(index: index, generation: 0))]
          let sequence = try connection.send(commit)
          let frame = try connection.frame(.of(session, after: sequence), surface: surface)
          #expect(frame.sequence >= sequence)
          #expect(surface.firstPixel == [UInt8(thread * 51), 0, 0, 255])
        }
        connection.closeSession(session)
      } catch {
        Issue.record(error)
      }
    }
    #expect(connection.failure == nil)
  }

  @Test("A commit larger than a message travels in memory of its own, and so does a long answer")
  func largeCommit() throws {
    let connection = try ServerConnection(launcher: .process, platform: .surfaceless)
    let session = try connection.openSession(options)
    var commit = Commit.filling(session, with: .red)
    for index in 1...5000 {
      let layer = LayerID(index: UInt32(index), generation: 0)
      commit.created.append(Commit.Creation(layer: layer, kind: .layer))
      commit.changes.append(.color(.blue, of: layer))
      commit.edits.append(
        .insert(child: layer, parent: LayerID(index: 0, generation: 0), index: UInt32(index - 1)))
    }
    try connection.send(commit)
    let text = try connection.inspect(session: session, time: 0, subject: .tree).text
    #expect(text.utf8.count > Socket.inlineLimit)
    let surface = try PixelBuffer(width: 4, height: 4, format: .bgra8, use: .surface)
    _ = try connection.frame(.of(session), surface: surface)
    #expect(surface.firstPixel == [255, 0, 0, 255])
  }

  @Test("A store is held until another took its place or it was released")
  func stores() throws {
    let connection = try ServerConnection(launcher: .inProcess, platform: .surfaceless)
    let session = try connection.openSession(options)
    let image = ImageID(rawValue: 5)
    func buffer(_ value: UInt8) throws -> PixelBuffer {
      let buffer = try PixelBuffer(width: 4, height: 4, format: .bgra8, use: .store)
      buffer.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: value) }
      return buffer
    }
    let first = try buffer(255)
    var commit = Commit.filling(session, with: nil, contents: image)
    commit.stores = [first.update(image)]
    try connection.send(commit, stores: [first])
    let surface = try PixelBuffer(width: 4, height: 4, format: .bgra8, use: .surface)
    _ = try connection.frame(.of(session), surface: surface)
    #expect(surface.firstPixel == [255, 255, 255, 255])
    #expect(connection.heldStores == 1)

    let second = try buffer(128)
    var update = Commit(sequence: 0)
    update.stores = [second.update(image)]
    try connection.send(update, stores: [second])
    _ = try connection.frame(.of(session), surface: surface)
    #expect(surface.firstPixel == [128, 128, 128, 128])
    #expect(connection.heldStores == 1)

    var release = Commit(sequence: 0)
    release.releasedStores = [image]
    try connection.send(release)
    _ = try connection.frame(.of(session))
    #expect(connection.heldStores == 0)
  }

  @Test("Two sessions draw one image, which is uploaded once")
  func sharedImage() throws {
    let connection = try ServerConnection(launcher: .inProcess, platform: .surfaceless)
    let sessions = try [connection.openSession(options), connection.openSession(options)]
    let image = ImageID(rawValue: 1)
    let store = try PixelBuffer(width: 4, height: 4, format: .bgra8, use: .store)
    store.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 255) }
    for (index, session) in sessions.enumerated() {
      var commit = Commit.filling(session, with: nil, contents: image, index: UInt32(index))
      if index == 0 { commit.stores = [store.update(image)] }
      try connection.send(commit, stores: index == 0 ? [store] : [])
    }
    let surface = try PixelBuffer(width: 4, height: 4, format: .bgra8, use: .surface)
    for session in sessions {
      surface.clear()
      _ = try connection.frame(.of(session), surface: surface)
      #expect(surface.firstPixel == [255, 255, 255, 255])
      connection.closeSession(session)
    }
  }

  @Test("A surface that is too small ends its session, with the reason, and no other")
  func smallSurface() throws {
    let connection = try ServerConnection(launcher: .inProcess, platform: .surfaceless)
    let session = try connection.openSession(options)
    let other = try connection.openSession(options)
    let small = try PixelBuffer(width: 4, height: 3, format: .bgra8, use: .surface)
    let error = #expect(throws: ServerFailure.self) {
      try connection.frame(.of(session), surface: small)
    }
    #expect(error?.description.contains("too small for 4x4 pixels") == true)
    #expect(throws: try #require(error)) { try connection.frame(.of(session)) }
    _ = try connection.frame(.of(other))
  }

  @Test("A commit that cannot be applied ends the connection, with the reason")
  func badCommit() throws {
    let connection = try ServerConnection(launcher: .process, platform: .surfaceless)
    let session = try connection.openSession(options)
    var commit = Commit(sequence: 0)
    commit.destroyed = [LayerID(index: 77, generation: 1)]
    try connection.send(commit)
    let why = ServerFailure.failed("commit 1: no layer #77.1")
    #expect(throws: why) { try connection.frame(.of(session)) }
    #expect(throws: why) { try connection.openSession(options) }
  }
}

extension PixelBuffer {
  func update(_ image: ImageID) -> Commit.StoreUpdate {
    Commit.StoreUpdate(
      image: image,
      memory: MemoryRange(arena: arenaID, offset: UInt64(offset), count: UInt64(byteCount)),
      layout: layout)
  }
}
