import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaValues
import TestSupport

extension SeededGenerator {
  mutating func bytes(upTo count: Int) -> [UInt8] {
    (0...below(count)).map { _ in UInt8(truncatingIfNeeded: next()) }
  }

  /// Mostly sizes that layers have, sometimes the most extreme of the finite doubles.
  mutating func number() -> Double {
    if one(in: 6) {
      return pick([
        -1, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, 1e9,
        -1e18, 1e-9, 4_294_967_296,
      ])
    }
    return Double(below(80))
  }
  mutating func point() -> CGPoint { CGPoint(x: number(), y: number()) }
  mutating func color() -> CGColor {
    CGColor(
      red: Double(below(3)) / 2, green: Double(below(3)) / 2, blue: 1,
      alpha: Double(1 + below(4)) / 4)
  }
}

/// One client's messages as bytes, with the memory whose descriptors they carry.
package struct MessageStream {
  package struct Message {
    package var bytes: [UInt8]
    package var memory: [SharedMemory] = []

    package init(bytes: [UInt8], memory: [SharedMemory] = []) {
      (self.bytes, self.memory) = (bytes, memory)
    }
  }

  package var messages: [Message] = []

  package init() {}

  package mutating func append(_ message: ClientMessage, _ memory: [SharedMemory] = []) {
    let writer = ByteWriter()
    message.encode(to: writer)
    messages.append(Message(bytes: Array(writer.bytes), memory: memory))
  }

  /// Sends all messages and nothing more: after the last one, which closes the session so that its
  /// requests are served, the peer finds the end. A peer that has ended at a damaged one takes no
  /// more.
  package func send(over socket: Socket) throws {
    var stream = self
    stream.append(.closeSession(Self.session))
    let messages = stream.messages
    do {
      for message in messages where !message.bytes.isEmpty {
        try message.bytes.withUnsafeBytes {
          _ = try socket.send($0, descriptors: message.memory.map(\.descriptor), wait: false)
        }
      }
    } catch SocketError.closed {
      return
    }
    shutdown(socket.descriptor, Int32(SHUT_WR))
  }
}

/// Memory that all streams share. Its contents do not matter.
package struct StreamMemory {
  package let stores: SharedMemory
  package let surfaces: SharedMemory

  package init() throws {
    stores = try SharedMemory.create(byteCount: 1 << 16)
    surfaces = try SharedMemory.create(byteCount: 1 << 16)
    for memory in [stores, surfaces] { try memory.populate(0..<1 << 16) }
  }
}

extension MessageStream {
  package static let session = SessionID(rawValue: 1)
  private static let dmaBuf = DMABufID(rawValue: 1)

  /// Everything that a client may send, but with unreasonable numbers: a session, some animated
  /// layers, frames and inspections.
  package init(_ random: inout SeededGenerator, _ memory: StreamMemory) {
    append(.hello(Hello(platform: .auto)))
    append(.arena(ArenaID(rawValue: 1), byteCount: 1 << 16, use: .stores), [memory.stores])
    append(.arena(ArenaID(rawValue: 2), byteCount: 1 << 16, use: .surfaces), [memory.surfaces])
    if random.one(in: 3) {
      let layout = DMABufLayout(
        size: PixelSize(width: 8, height: 8), format: random.pick(DMABufFormat.allCases),
        modifier: random.pick([nil, DMABufLayout.linear, 1 << 56]),
        planes: [DMABufLayout.Plane(offset: 0, stride: 64)])
      // Memory that is no dma-buf.
      append(.dmaBuf(Self.dmaBuf, layout), [memory.stores])
    }
    append(
      .openSession(
        Self.session,
        SessionOptions(
          size: PixelSize(width: 1 + random.below(64), height: 1 + random.below(64)),
          scale: random.pick([1, 2, 0.5]))))
    append(.commit(Self.firstCommit(&random)))
    for _ in 0...random.below(3) { appendRequest(&random, after: 1) }
    append(.commit(Self.secondCommit(&random)))
    appendRequest(&random, after: 2)
    if random.one(in: 4) { append(.releaseArena(ArenaID(rawValue: 1))) }
    if random.one(in: 40) { append(.releaseDMABuf(Self.dmaBuf)) }
    if random.one(in: 2) { append(.closeSession(Self.session)) }
    if random.one(in: 4) { appendRequest(&random, after: 2) }
  }

  private mutating func appendRequest(_ random: inout SeededGenerator, after sequence: UInt64) {
    let time = random.pick([0, 0.25, 1, -3, 1e300])
    if random.one(in: 3) {
      append(
        .inspect(
          Inspect(
            request: 1, session: Self.session, time: time, afterSequence: sequence,
            subject: random.pick([
              .tree, .plan, .layers, .values(Self.layer(random.below(3))),
            ]))))
      return
    }
    let surface = FrameRequest.Surface(
      memory: MemoryRange(arena: ArenaID(rawValue: 2), offset: 0, count: 1 << 15), stride: 256)
    append(
      .frameRequest(
        FrameRequest(
          session: Self.session, time: time, afterSequence: sequence,
          surface: random.one(in: 2) ? surface : nil)))
  }

  private static func layer(_ index: Int) -> LayerID {
    LayerID(index: UInt32(index), generation: 0)
  }

  private static func firstCommit(_ random: inout SeededGenerator) -> Commit {
    var commit = Commit(sequence: 1)
    commit.stores = [store(&random)]
    let count = 1 + random.below(6)
    for index in 0..<count {
      commit.created.append(
        Commit.Creation(
          layer: layer(index), kind: random.pick(LayerKind.allCases + [.layer, .shape])))
      commit.changes.append(change(of: layer(index), &random))
      if random.one(in: 3) {
        commit.animations.append(
          .add(layer: layer(index), key: "a", animation: animation(&random)))
      }
      guard index > 0 else { continue }
      let parent = layer(random.below(index))
      commit.edits.append(
        random.one(in: 4)
          ? .setMask(mask: layer(index), layer: parent)
          : .insert(child: layer(index), parent: parent, index: 0))
    }
    commit.roots = [Commit.RootChange(session: session, layer: layer(0))]
    return commit
  }

  private static func secondCommit(_ random: inout SeededGenerator) -> Commit {
    var commit = Commit(sequence: 2)
    commit.changes = [change(of: layer(0), &random)]
    for _ in 0..<random.below(3) {
      // Not all of these layers exist in every stream.
      let layer = layer(random.one(in: 4) ? random.below(3) : 0)
      commit.animations.append(
        .add(layer: layer, key: "transition", animation: transition(&random)))
    }
    if random.one(in: 3) { commit.stores = [store(&random)] }
    if random.one(in: 2) { commit.releasedStores = [ImageID(rawValue: 1)] }
    if random.one(in: 2) { commit.destroyed = [layer(0)] }
    return commit
  }

  private static func store(_ random: inout SeededGenerator) -> Commit.StoreUpdate {
    Commit.StoreUpdate(
      image: ImageID(rawValue: 1),
      memory: MemoryRange(
        arena: ArenaID(rawValue: 1), offset: UInt64(random.below(9)) * 64, count: 4096),
      layout: PixelLayout(
        width: 8, height: 8, format: .bgra8,
        coding: random.one(in: 3) ? random.pick(YCbCrCoding.allCases) : nil)!)
  }

  private static func transition(_ random: inout SeededGenerator) -> AnimationDescription {
    AnimationDescription(
      timing: MediaTiming(
        beginTime: random.pick([0, 0.1, -1, 1e300]), duration: random.pick([1, 0.5, .infinity]),
        fillMode: random.pick(FillMode.allCases)),
      content: .transition(
        AnimationDescription.TransitionValues(
          style: random.pick(AnimationDescription.TransitionStyle.allCases),
          side: random.pick(AnimationDescription.TransitionSide.allCases),
          startProgress: random.number(), endProgress: random.number())))
  }

  private static func change(
    of layer: LayerID, _ random: inout SeededGenerator
  ) -> Commit.LayerChange {
    var values = LayerValues()
    values.bounds = CGRect(
      origin: random.point(), size: CGSize(width: random.number(), height: random.number()))
    values.position = random.point()
    values.opacity = random.pick([1, 1, 0.5])
    values.backgroundColor = random.one(in: 2) ? random.color() : nil
    values.contents = random.one(in: 2) ? ImageID(rawValue: 1) : nil
    values.contentsGravity = random.pick(ContentsGravity.allCases)
    values.cornerRadius = random.one(in: 2) ? random.number() : 0
    values.borderWidth = random.one(in: 3) ? random.number() : 0
    values.masksToBounds = random.one(in: 2)
    values.transform.m11 = random.number()
    values.transform.m34 = random.one(in: 3) ? random.number() : 0
    values.shape.fillColor = random.color()
    values.shape.lineWidth = random.number()
    values.shape.path = Path([
      .move(random.point()), .line(random.point()),
      .cubic(control1: random.point(), control2: random.point(), end: random.point()), .close,
    ])
    let optional: [StoredProperty] = [
      .opacity, .backgroundColor, .contents, .contentsGravity, .cornerRadius, .borderWidth,
      .masksToBounds, .transform, .fillColor, .lineWidth,
    ]
    var properties = [.bounds, .position, .path] + optional.filter { _ in random.one(in: 2) }
    // Sometimes, properties of any class with values that are rare in practice.
    let crossing = Array(StoredPropertySet.crossing)
    while random.one(in: 2) {
      let property = random.pick(crossing)
      values.randomize(property, &random)
      properties.append(property)
    }
    return Commit.LayerChange(layer: layer, properties, values)
  }

  private static func animation(_ random: inout SeededGenerator) -> AnimationDescription {
    AnimationDescription(
      timing: MediaTiming(
        beginTime: random.pick([0, -1, 1e300]), duration: random.number(),
        speed: random.pick([1, -1, 0, 1e9]), repeatCount: random.pick([0, 2, .infinity])),
      content: .basic(
        AnimationDescription.PropertyTarget(
          keyPath: random.pick(["position", "opacity", "bounds.size.width", "transform.rotation.z"])
        ),
        AnimationDescription.BasicValues(
          from: .number(random.number()),
          to: random.one(in: 2) ? .number(random.number()) : .point(random.point()))))
  }

  /// Damages the stream in one way, or leaves it as it is.
  package mutating func damage(_ random: inout SeededGenerator, _ memory: StreamMemory) {
    let place = random.below(messages.count)
    switch random.below(10) {
    case 0: messages = (0...random.below(4)).map { _ in Message(bytes: random.bytes(upTo: 200)) }
    case 1, 2:
      let kept = random.below(messages[place].bytes.count)
      messages[place].bytes.removeLast(messages[place].bytes.count - kept)
    case 3, 4, 5:
      for _ in 0...random.below(4) {
        let byte = random.below(messages[place].bytes.count)
        messages[place].bytes[byte] ^= 1 << UInt8(random.below(8))
      }
    case 6: messages[place].bytes = [UInt8(random.below(8))] + random.bytes(upTo: 100)
    case 7: messages.swapAt(place, random.below(messages.count))
    case 8:
      // Envelopes with a wrong length, missing descriptors, and descriptors that do not belong
      // there.
      let length = random.pick([0, 9, 1 << 16, 1 << 40, UInt64.max])
      let envelope = [0xff] + withUnsafeBytes(of: length) { Array($0) }
      switch random.below(4) {
      case 0: messages[place] = Message(bytes: envelope, memory: [memory.stores])
      case 1: messages[place] = Message(bytes: envelope)
      case 2: messages[place].memory = []
      default: messages[place].memory.append(memory.stores)
      }
    default: break
    }
  }
}

extension Commit.LayerChange {
  package init(layer: LayerID, _ properties: [StoredProperty], _ values: LayerValues) {
    var set = StoredPropertySet()
    for property in properties { set.insert(property) }
    self.init(layer: layer, properties: set, values: values)
  }
}

/// Gives fields of numbers, flags or names a random value.
private struct FieldRandomizer: LayerFieldVisitor {
  var random: SeededGenerator

  mutating func visit<Field: LayerField>(_ field: inout Field) {
    let value: AnimationValue
    switch field.animationValue {
    case .number: value = .number(random.number())
    case .point: value = .point(random.point())
    case .size: value = .size(CGSize(width: random.number(), height: random.number()))
    case .rect:
      let size = CGSize(width: random.number(), height: random.number())
      value = .rect(CGRect(origin: random.point(), size: size))
    case .transform:
      var transform = CATransform3D.identity
      transform.m11 = random.number()
      transform.m12 = random.number()
      transform.m24 = random.one(in: 2) ? random.number() : 0
      transform.m34 = random.one(in: 2) ? random.number() : 0
      transform.m41 = random.number()
      value = .transform(transform)
    case .color: value = .color(random.color())
    case .string:
      guard let names = Field.self as? any LayerName.Type else { return }
      value = .string(name(of: names))
    default: value = .array((0..<random.below(5)).map { _ in .number(random.number()) })
    }
    if let random = Field(value) { field = random }
  }

  private mutating func name<Name: LayerName>(of type: Name.Type) -> String {
    random.pick(Name.allCases).rawValue
  }
}

extension LayerValues {
  fileprivate mutating func randomize(
    _ property: StoredProperty, _ random: inout SeededGenerator
  ) {
    var randomizer = FieldRandomizer(random: random)
    try? visit(property, with: &randomizer)  // The randomizer does not throw.
    random = randomizer.random
  }
}
