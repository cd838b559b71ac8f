import LaminaAnimation
import LaminaValues
import TestSupport
import Testing

@testable import LaminaCommit

/// The bytes of a message, as if they came from a socket.
private func bytes(_ encode: (ByteWriter) -> Void) -> [UInt8] {
  let writer = ByteWriter()
  encode(writer)
  return Array(writer.bytes)
}

private func clientMessage(_ bytes: [UInt8]) throws -> ClientMessage {
  try bytes.withUnsafeBytes { try ClientMessage.decode($0) }
}

private func serverMessage(_ bytes: [UInt8]) throws -> ServerMessage {
  try bytes.withUnsafeBytes { try ServerMessage.decode($0) }
}

@Suite("Messages as bytes")
struct CodingTests {
  @Test("Every message comes back as it went", arguments: 0..<60 as Range<UInt64>)
  func roundTrip(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for message in ClientMessage.all(&random) {
      #expect(try clientMessage(bytes(message.encode)) == message)
    }
    for message in ServerMessage.all(&random) {
      #expect(try serverMessage(bytes(message.encode)) == message)
    }
  }

  @Test("Every property that crosses comes back as it went", arguments: StoredProperty.allCases)
  func everyProperty(property: StoredProperty) throws {
    var random = SeededGenerator(seed: UInt64(property.rawValue))
    for _ in 0..<10 {
      var change = Commit.LayerChange(
        layer: LayerID(index: 3, generation: 1), properties: StoredPropertySet(),
        values: LayerValues())
      change.properties.insert(property)
      change.values.randomize(property, &random)
      var commit = Commit(sequence: 1)
      commit.changes = [change]
      let decoded = try clientMessage(bytes(ClientMessage.commit(commit).encode))
      if !property.declaration.crosses { commit.changes = [] }
      #expect(decoded == .commit(commit))
    }
  }

  // A history is only ever replaced whole, by the client itself.
  @Test(
    "Every property's value can be put back as it was",
    arguments: StoredProperty.allCases.filter { $0 != .emissionHistory })
  func everyValue(property: StoredProperty) {
    var random = SeededGenerator(seed: UInt64(property.rawValue))
    for _ in 0..<10 {
      var values = LayerValues()
      values.randomize(property, &random)
      var others = LayerValues()
      others.randomize(property, &random)
      others.set(property, to: values.value(of: property))
      #expect(others == values)
    }
  }

  @Test("A message cut off anywhere is refused", arguments: 0..<6 as Range<UInt64>)
  func truncation(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for message in ClientMessage.all(&random) {
      let whole = bytes(message.encode)
      for count in 0..<whole.count {
        #expect(throws: CommitError.self) { try clientMessage(Array(whole[..<count])) }
      }
    }
    for message in ServerMessage.all(&random) {
      let whole = bytes(message.encode)
      for count in 0..<whole.count {
        #expect(throws: CommitError.self) { try serverMessage(Array(whole[..<count])) }
      }
    }
  }

  @Test("Bytes after a message's end are refused")
  func trailingBytes() {
    var random = SeededGenerator(seed: 1)
    for message in ClientMessage.all(&random) {
      #expect(throws: CommitError.trailingBytes(1)) {
        try clientMessage(bytes(message.encode) + [0])
      }
    }
    for message in ServerMessage.all(&random) {
      #expect(throws: CommitError.trailingBytes(1)) {
        try serverMessage(bytes(message.encode) + [0])
      }
    }
  }

  @Test(
    "A flipped bit gives an error or another message, never a trap",
    arguments: 0..<6 as Range<UInt64>)
  func bitFlips(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for message in ClientMessage.all(&random) {
      try forEachFlip(of: bytes(message.encode)) { flipped in
        guard let decoded = try? clientMessage(flipped) else { return }
        // An accepted message can be encoded again.
        let again = try clientMessage(bytes(decoded.encode))
        #expect(again == decoded)
      }
    }
    for message in ServerMessage.all(&random) {
      try forEachFlip(of: bytes(message.encode)) { flipped in
        guard let decoded = try? serverMessage(flipped) else { return }
        let again = try serverMessage(bytes(decoded.encode))
        #expect(again == decoded)
      }
    }
  }

  private func forEachFlip(of whole: [UInt8], _ body: ([UInt8]) throws -> Void) rethrows {
    var flipped = whole
    for bit in 0..<whole.count * 8 {
      flipped[bit / 8] ^= 1 << (bit % 8)
      try body(flipped)
      flipped[bit / 8] ^= 1 << (bit % 8)
    }
  }

  @Test("Arbitrary bytes are refused or understood, never trapped on")
  func noise() {
    var random = SeededGenerator(seed: 9)
    for _ in 0..<20_000 {
      let noise = (0..<random.below(120)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      _ = try? clientMessage([UInt8(random.below(8))] + noise)
      _ = try? serverMessage([UInt8(random.below(8))] + noise)
    }
  }

  @Test("A count larger than what follows is refused before memory is taken for it")
  func lyingCounts() {
    // Each section of a commit, with only a count in it.
    for section in 0..<8 {
      let lie: [UInt8] =
        [4] + [1, 0, 0, 0, 0, 0, 0, 0] + [1 << section] + [255, 255, 255, 127]
      #expect(throws: CommitError.self) { try clientMessage(lie) }
    }
  }

  @Test("The same commit has the same bytes")
  func stableBytes() {
    func make() -> Commit {
      var random = SeededGenerator(seed: 4)
      return .arbitrary(&random)
    }
    #expect(bytes(make().encode) == bytes(make().encode))
  }

  @Test("Moving one layer takes 40 bytes")
  func oneMover() {
    var change = Commit.LayerChange(
      layer: LayerID(index: 7, generation: 0), properties: StoredPropertySet(),
      values: LayerValues())
    change.properties.insert(.position)
    change.values.position.x = 12
    var commit = Commit(sequence: 100)
    commit.changes = [change]
    #expect(bytes(ClientMessage.commit(commit).encode).count == 40)
  }
}

@Suite("What a message may not say")
struct RefusalTests {
  @Test("Too many events of a trace, one that ends before it begins, an unknown stage are refused")
  func traces() throws {
    func answer(_ trace: [TraceEvent]) -> ServerMessage {
      .frameDone(
        FrameDone(
          session: SessionID(rawValue: 1), time: 0, sequence: 1, number: 1, damage: [],
          nextFrameTime: 0, drawCalls: 0, instances: 0, uploadedBytes: 0, trace: trace))
    }
    let event = TraceEvent(.apply, start: 7, end: 7)
    let most = answer(Array(repeating: event, count: TraceRecorder.limit))
    #expect(try serverMessage(bytes(most.encode)) == most)
    func refusal(_ bytes: [UInt8]) -> String? {
      #expect(throws: CommitError.self) { try serverMessage(bytes) }.map { "\($0)" }
    }
    let many = answer(Array(repeating: event, count: TraceRecorder.limit + 1))
    #expect(refusal(bytes(many.encode))?.contains("events of a trace") == true)
    let backward = answer([TraceEvent(.apply, start: 8, end: 7)])
    #expect(refusal(bytes(backward.encode))?.contains("8 to 7") == true)
    // The stage is the first of the last 17 bytes.
    var unknown = bytes(answer([event]).encode)
    unknown[unknown.count - 17] = UInt8(TraceEvent.Stage.allCases.count)
    #expect(refusal(unknown)?.contains("stage of a trace") == true)
  }

  private func decode(_ message: ClientMessage) throws -> ClientMessage {
    try clientMessage(bytes(message.encode))
  }

  private func commit(_ animation: AnimationDescription) -> ClientMessage {
    var commit = Commit(sequence: 1)
    commit.animations = [
      .add(layer: LayerID(index: 0, generation: 0), key: "k", animation: animation)
    ]
    return .commit(commit)
  }

  @Test("Groups nest up to the limit and not deeper")
  func groupDepth() throws {
    func nested(_ depth: Int) -> AnimationDescription {
      var animation = AnimationDescription(timing: MediaTiming(), content: .group([]))
      for _ in 1..<depth {
        animation = AnimationDescription(timing: MediaTiming(), content: .group([animation]))
      }
      return animation
    }
    let limit = TreeLimit.animationDepth
    #expect(try decode(commit(nested(limit))) == commit(nested(limit)))
    #expect(throws: CommitError.tooDeep("animation group", limit: limit)) {
      try decode(commit(nested(limit + 1)))
    }

    // 100,000 groups in each other, as bytes: a group ends with the number of its members.
    let empty = bytes(nested(1).encode)
    let level = empty.dropLast(4) + [1, 0, 0, 0]
    let message = bytes(commit(nested(1)).encode)
    let deep =
      message.dropLast(empty.count) + [[UInt8]](repeating: Array(level), count: 100_000).joined()
      + empty
    #expect(throws: CommitError.tooDeep("animation group", limit: limit)) {
      try clientMessage(Array(deep))
    }
  }

  @Test("Arrays of values nest up to the limit and not deeper")
  func valueDepth() throws {
    func animation(_ depth: Int) -> AnimationDescription {
      var value = AnimationValue.number(1)
      for _ in 0..<depth { value = .array([value]) }
      return AnimationDescription(
        timing: MediaTiming(),
        content: .basic(.init(keyPath: "colors"), .init(from: value)))
    }
    let limit = TreeLimit.animatedArrayDepth
    #expect(try decode(commit(animation(limit))) == commit(animation(limit)))
    #expect(throws: CommitError.tooDeep("array of animation values", limit: limit)) {
      try decode(commit(animation(limit + 1)))
    }
  }

  @Test("A time that is not finite is refused", arguments: [Double.nan, .infinity, -.infinity])
  func times(time: Double) {
    #expect(throws: CommitError.self) {
      try decode(
        .frameRequest(
          FrameRequest(
            session: SessionID(rawValue: 1), time: time, afterSequence: 0, surface: nil)))
    }
    #expect(throws: CommitError.self) {
      try decode(
        commit(AnimationDescription(timing: MediaTiming(speed: time), content: .group([]))))
    }
  }

  @Test("A transition's progress is finite", arguments: [Double.nan, .infinity])
  func transitionProgress(progress: Double) {
    for values in [
      AnimationDescription.TransitionValues(startProgress: progress),
      AnimationDescription.TransitionValues(endProgress: progress),
    ] {
      #expect(throws: CommitError.self) {
        try decode(
          commit(AnimationDescription(timing: MediaTiming(), content: .transition(values))))
      }
    }
  }

  @Test("A duration may be infinite, and not NaN")
  func durations() throws {
    let endless = commit(
      AnimationDescription(timing: MediaTiming(duration: .infinity), content: .group([])))
    #expect(try decode(endless) == endless)
    #expect(throws: CommitError.self) {
      try decode(
        commit(AnimationDescription(timing: MediaTiming(duration: .nan), content: .group([]))))
    }
  }

  @Test(
    "A store that contradicts itself is refused",
    arguments: [
      Commit.StoreUpdate(  // More pixels than memory.
        image: ImageID(rawValue: 1),
        memory: MemoryRange(arena: ArenaID(rawValue: 1), offset: 0, count: 1023),
        layout: PixelLayout(width: 16, height: 16, stride: 64, format: .bgra8)),
      Commit.StoreUpdate(  // Rows that overlap.
        image: ImageID(rawValue: 1),
        memory: MemoryRange(arena: ArenaID(rawValue: 1), offset: 0, count: 4096),
        layout: PixelLayout(width: 16, height: 16, stride: 63, format: .bgra8)),
      Commit.StoreUpdate(  // No pixels.
        image: ImageID(rawValue: 1),
        memory: MemoryRange(arena: ArenaID(rawValue: 1), offset: 0, count: 4096),
        layout: PixelLayout(width: 0, height: 16, stride: 64, format: .bgra8)),
      Commit.StoreUpdate(  // A range beyond the end of memory.
        image: ImageID(rawValue: 1),
        memory: MemoryRange(arena: ArenaID(rawValue: 1), offset: .max, count: 4096),
        layout: PixelLayout(width: 16, height: 16, stride: 64, format: .bgra8)),
      Commit.StoreUpdate(  // Too large.
        image: ImageID(rawValue: 1),
        memory: MemoryRange(arena: ArenaID(rawValue: 1), offset: 0, count: 1 << 40),
        layout: PixelLayout(width: 70_000, height: 16, stride: 280_000, format: .bgra8)),
      Commit.StoreUpdate(  // A dirty rectangle outside.
        image: ImageID(rawValue: 1),
        memory: MemoryRange(arena: ArenaID(rawValue: 1), offset: 0, count: 4096),
        layout: PixelLayout(width: 16, height: 16, stride: 64, format: .bgra8),
        dirty: [PixelRect(minX: 0, minY: 0, maxX: 17, maxY: 1)]),
    ])
  func stores(store: Commit.StoreUpdate) {
    var commit = Commit(sequence: 1)
    commit.stores = [store]
    #expect(throws: CommitError.self) { try decode(.commit(commit)) }
  }

  @Test("Dma-bufs with layouts that contradict themselves, or of other formats, are refused")
  func dmaBufs() throws {
    let good = DMABufLayout(
      size: PixelSize(width: 8, height: 8), format: .argb8888, modifier: DMABufLayout.linear,
      planes: [DMABufLayout.Plane(offset: 0, stride: 32)])
    let id = DMABufID(rawValue: 7)
    #expect(try decode(.dmaBuf(id, good)) == .dmaBuf(id, good))
    var bad = [good, good, good, good]
    bad[0].planes[0].stride = 31
    bad[1].planes = []
    bad[2].planes.append(good.planes[0])
    bad[3].size.height = ServerLimit.side + 1
    for layout in bad {
      #expect(throws: CommitError.self, "\(layout)") { try decode(.dmaBuf(id, layout)) }
    }
    var bytes = bytes { ClientMessage.dmaBuf(id, good).encode(to: $0) }
    bytes[13] = 0x30  // The first letter of the format.
    #expect(throws: CommitError.unknownCode(of: "format of dma-bufs", code: 0x3432_5230)) {
      try clientMessage(bytes)
    }
    var commit = Commit(sequence: 1)
    for (format, coding) in [(PixelFormat.a8, nil), (.bgra8, YCbCrCoding.bt709)] {
      commit.stores = [
        Commit.StoreUpdate(
          image: ImageID(rawValue: 1), place: .dmaBuf(id),
          layout: PixelLayout(width: 8, height: 8, format: format, coding: coding)!,
          isOpaque: false)
      ]
      #expect(throws: CommitError.self) { try decode(.commit(commit)) }
    }
  }

  @Test("A property of the client's own, and one that does not exist, are refused")
  func properties() {
    func change(_ code: UInt8, _ value: [UInt8]) -> [UInt8] {
      [4, 1, 0, 0, 0, 0, 0, 0, 0, 8, 1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 1, code] + value
    }
    #expect(throws: Never.self) { try clientMessage(change(StoredProperty.isHidden.rawValue, [1])) }
    let first = UInt8(StoredProperty.allCases.count)
    for code in [StoredProperty.isOpaque.rawValue, first, 255] {
      #expect(throws: CommitError.unknownCode(of: "layer property", code: Int(code))) {
        try clientMessage(change(code, [1]))
      }
    }
  }

  @Test("A peer of another version is told so")
  func version() {
    let hello = ClientMessage.hello(Hello(version: Hello.currentVersion + 1, platform: .auto))
    #expect {
      try decode(hello)
    } throws: { error in
      "\(error)".contains("version \(Hello.currentVersion + 1)")
    }
  }
}
