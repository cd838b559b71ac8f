import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaRenderServer
import LaminaValues
import ServerSupport
import TestSupport
import Testing

/// Frames of several sessions that wait while commits come.
@Suite("The order in which messages take effect")
struct OrderTests {
  /// All that a client sends, with memory of its own.
  private struct Story {
    var stream = MessageStream()
    let surfaces: SharedMemory
    /// The session of each frame.
    var frames: [SessionID] = []
  }

  static let sessions = (1...3).map { SessionID(rawValue: UInt32($0)) }
  private static let side = 12
  private static let frameBytes = side * side * 4
  /// Rows of stores are 64 bytes apart.
  private static let storeBytes = 4 * 64

  private struct Author {
    var random: SeededGenerator
    var parents: [UInt32: UInt32] = [:]
    var masks: Set<UInt32> = []
    var children: [UInt32: Int] = [:]
    var living: [UInt32] = []
    var nextLayer: UInt32 = 0
    var roots: [SessionID: UInt32] = [:]
    var storeCount = 0
    var images: [ImageID] = []
    var animated: [UInt32] = []

    func id(_ index: UInt32) -> LayerID { LayerID(index: index, generation: 0) }

    mutating func color() -> CGColor {
      CGColor(
        red: Double(random.below(6)) / 5, green: Double(random.below(6)) / 5,
        blue: Double(random.below(6)) / 5, alpha: random.one(in: 3) ? 0.6 : 1)
    }

    mutating func change(_ layer: UInt32) -> Commit.LayerChange {
      var values = LayerValues()
      values.bounds = CGRect(x: 0, y: 0, width: 4 + random.below(9), height: 4 + random.below(9))
      values.position = CGPoint(x: random.below(12), y: random.below(12))
      values.backgroundColor = color()
      var properties: [StoredProperty] = [.bounds, .position, .backgroundColor]
      if random.one(in: 2), !images.isEmpty {
        values.contents = random.pick(images)
        properties.append(.contents)
      }
      return Commit.LayerChange(layer: id(layer), properties, values)
    }

    mutating func create(in commit: inout Commit) -> UInt32 {
      let layer = nextLayer
      nextLayer += 1
      living.append(layer)
      commit.created.append(Commit.Creation(layer: id(layer), kind: .layer))
      commit.changes.append(change(layer))
      return layer
    }

    func isBelow(_ layer: UInt32, _ other: UInt32) -> Bool {
      var next: UInt32? = layer
      while let here = next {
        if here == other { return true }
        next = parents[here]
      }
      return false
    }

    mutating func detach(_ layer: UInt32) {
      if let parent = parents.removeValue(forKey: layer), masks.remove(layer) == nil {
        children[parent, default: 0] -= 1
      }
    }

    mutating func insert(_ layer: UInt32, _ parent: UInt32, in commit: inout Commit) {
      detach(layer)
      let index = random.below((children[parent] ?? 0) + 1)
      commit.edits.append(.insert(child: id(layer), parent: id(parent), index: UInt32(index)))
      parents[layer] = parent
      children[parent, default: 0] += 1
    }

    mutating func store(_ image: ImageID, in commit: inout Commit) {
      commit.stores.append(
        Commit.StoreUpdate(
          image: image,
          memory: MemoryRange(
            arena: ArenaID(rawValue: 1), offset: UInt64(storeCount * OrderTests.storeBytes),
            count: UInt64(OrderTests.storeBytes)),
          layout: PixelLayout(width: 4, height: 4, format: .bgra8)!))
      storeCount += 1
    }

    /// One random edit.
    mutating func edit(_ commit: inout Commit) {
      let layer = random.pick(living)
      switch random.below(13) {
      case 0, 1: commit.changes.append(change(layer))
      case 2, 3, 4:
        let parent = random.pick(living)
        guard !isBelow(parent, layer) else { return }
        insert(layer, parent, in: &commit)
      case 5:
        guard parents[layer] != nil else { return }
        detach(layer)
        commit.edits.append(.remove(child: id(layer)))
      case 6:
        let owner = random.pick(living)
        guard !isBelow(owner, layer) else { return }
        detach(layer)
        for old in masks where parents[old] == owner { detach(old) }
        commit.edits.append(.setMask(mask: id(layer), layer: id(owner)))
        parents[layer] = owner
        masks.insert(layer)
      case 7:
        // Of those that nothing names any more; destroying comes last in a commit.
        guard living.count > 8, commit.destroyed.isEmpty, !parents.values.contains(layer) else {
          return
        }
        detach(layer)
        roots = roots.filter { $0.value != layer }
        if random.one(in: 2) { commit.edits.append(.remove(child: id(layer))) }
        commit.changes.removeAll { $0.layer == id(layer) }
        commit.animations.removeAll { $0.layer == id(layer) }
        guard !commit.created.contains(where: { $0.layer == id(layer) }) else { return }
        commit.destroyed.append(id(layer))
        living.removeAll { $0 == layer }
      case 8:
        let parent = random.pick(living)
        insert(create(in: &commit), parent, in: &commit)
      case 9, 10:
        guard commit.releasedStores.isEmpty, storeCount < 200 else { return }
        store(random.pick(images), in: &commit)
      case 11:
        let session = random.pick(OrderTests.sessions)
        roots[session] = layer
        commit.roots.append(Commit.RootChange(session: session, layer: id(layer)))
      default:
        let key = random.pick(["one", "two"])
        guard !random.one(in: 4) else {
          commit.animations.append(.remove(layer: id(layer), key: key))
          return
        }
        commit.animations.append(.add(layer: id(layer), key: key, animation: animation()))
      }
    }

    mutating func animation() -> AnimationDescription {
      let content: AnimationDescription.Content =
        switch random.below(3) {
        case 0:
          .basic(
            .init(keyPath: "position"),
            .init(from: .point(.zero), to: .point(CGPoint(x: 10, y: 10))))
        case 1:
          .basic(
            .init(keyPath: "contents"),
            .init(from: .image(images[0]), to: .image(images[random.below(images.count)])))
        default: .transition(.init())
        }
      return AnimationDescription(
        timing: MediaTiming(beginTime: Double(random.below(8)) / 8, duration: 1), content: content)
    }
  }

  private static func story(_ seed: Int) throws -> Story {
    var author = Author(random: SeededGenerator(seed: seed &* 977 &+ 5))
    let requests = 40
    let stores = try SharedMemory.create(byteCount: 220 * storeBytes)
    var bytes = SeededGenerator(seed: seed)
    for place in 0..<220 * storeBytes / 4 {
      // Premultiplied and opaque.
      stores.base.storeBytes(
        of: UInt32(truncatingIfNeeded: bytes.next()) | 0xff00_0000, toByteOffset: place * 4,
        as: UInt32.self)
    }
    let surfaces = try SharedMemory.create(byteCount: requests * frameBytes)
    try surfaces.populate(0..<surfaces.byteCount)
    var story = Story(surfaces: surfaces)
    story.stream.append(.hello(Hello(platform: .software)))
    story.stream.append(
      .arena(ArenaID(rawValue: 1), byteCount: UInt64(220 * storeBytes), use: .stores), [stores])
    story.stream.append(
      .arena(
        ArenaID(rawValue: 2), byteCount: UInt64(requests * frameBytes), use: .surfaces),
      [surfaces])
    for session in sessions {
      story.stream.append(
        .openSession(
          session, SessionOptions(size: PixelSize(width: side, height: side), scale: 1)))
    }
    var sequence: UInt64 = 1
    var commit = Commit(sequence: sequence)
    author.images = (1...4).map { ImageID(rawValue: UInt64($0)) }
    for image in author.images { author.store(image, in: &commit) }
    for session in sessions {
      let root = author.create(in: &commit)
      author.roots[session] = root
      commit.roots.append(Commit.RootChange(session: session, layer: author.id(root)))
      for _ in 0..<3 { author.insert(author.create(in: &commit), root, in: &commit) }
    }
    story.stream.append(.commit(commit))
    var times: [SessionID: Double] = [:]
    while story.frames.count < requests {
      if author.random.one(in: 3) {
        sequence += 1
        var commit = Commit(sequence: sequence)
        for _ in 0...author.random.below(2) { author.edit(&commit) }
        story.stream.append(.commit(commit))
        continue
      }
      let session = author.random.pick(sessions)
      times[session, default: 0] += author.random.pick([0, 0.1, 0.25])
      story.stream.append(
        .frameRequest(
          FrameRequest(
            session: session, time: times[session] ?? 0, afterSequence: sequence,
            surface: FrameRequest.Surface(
              memory: MemoryRange(
                arena: ArenaID(rawValue: 2), offset: UInt64(story.frames.count * frameBytes),
                count: UInt64(frameBytes)), stride: UInt32(side * 4)))))
      story.frames.append(session)
    }
    // Serves what waits, before the end.
    for session in sessions { story.stream.append(.closeSession(session)) }
    return story
  }

  /// The pixels of all frames, and the answers' order.
  private static func answers(
    _ seed: Int, oneByOne: Bool
  ) throws -> (pixels: [[UInt8]], order: [UInt64]) {
    let story = try story(seed)
    let (client, server) = try Socket.pair()
    let buffer = MessageBuffer()
    var order: [UInt64] = []
    var damage: [SessionID: [[PixelRect]]] = [:]
    func read() throws {
      _ = try client.receive(into: buffer)
      switch try ServerMessage.decode(buffer.bytes) {
      case .commitApplied(let sequence): order.append(sequence)
      case .frameDone(let done):
        order.append(1_000_000)
        damage[done.session, default: []].append(done.damage)
      case .failed(_, let why): Issue.record("\(seed): \(why)")
      default: break
      }
    }
    func start() {
      let thread = Thread {
        _ = ServerLoop(socket: server).run()
        server.shutDown()
      }
      thread.stackSize = 8 << 20
      thread.start()
    }
    // Either all messages are there before the first is read, so that requests wait, or each waits
    // for the last one's answer.
    if oneByOne { start() }
    var expected = 0
    for message in story.stream.messages {
      try message.bytes.withUnsafeBytes {
        _ = try client.send($0, descriptors: message.memory.map(\.descriptor))
      }
      let isAnswered =
        switch try message.bytes.withUnsafeBytes({ try ClientMessage.decode($0) }) {
        case .hello, .commit, .frameRequest: true
        default: false
        }
      guard isAnswered else { continue }
      if oneByOne { try read() } else { expected += 1 }
    }
    if !oneByOne { start() }
    for _ in 0..<expected { try read() }
    client.shutDown()
    let pixels = story.frames.indices.map { frame in
      Array(
        UnsafeRawBufferPointer(
          start: story.surfaces.base + frame * frameBytes, count: frameBytes))
    }
    expectDamage(damage, covers: pixels, of: story.frames, seed)
    return (pixels, order)
  }

  /// Expects that frames of a session differ from one to the next in nothing but the damage.
  private static func expectDamage(
    _ damage: [SessionID: [[PixelRect]]], covers pixels: [[UInt8]], of sessions: [SessionID],
    _ seed: Int
  ) {
    for session in Set(sessions) {
      let frames = sessions.indices.filter { sessions[$0] == session }
      for (place, (before, after)) in zip(frames, frames.dropFirst()).enumerated() {
        for byte in pixels[after].indices where pixels[after][byte] != pixels[before][byte] {
          let (x, y) = (byte / 4 % side, byte / 4 / side)
          let pixel = PixelRect(minX: x, minY: y, maxX: x + 1, maxY: y + 1)
          guard damage[session]?[place + 1].contains(where: { $0.contains(pixel) }) != true else {
            continue
          }
          Issue.record("frame \(after) of \(seed) changed outside its damage")
          break
        }
      }
    }
  }

  @Test(
    "Frames that wait while other sessions' commits are applied are those of messages in their order",
    arguments: 0..<12)
  func order(part: Int) throws {
    var overtaken = 0
    for seed in part * 12..<(part + 1) * 12 {
      let inOrder = try Self.answers(seed, oneByOne: true)
      let waiting = try Self.answers(seed, oneByOne: false)
      for frame in inOrder.pixels.indices where waiting.pixels[frame] != inOrder.pixels[frame] {
        Issue.record("frame \(frame) of \(seed) differs")
      }
      #expect(Set(inOrder.pixels).count > 4)
      if waiting.order != inOrder.order { overtaken += 1 }
    }
    // Most stories have commits that overtake requests.
    #expect(overtaken > 6)
  }
}
