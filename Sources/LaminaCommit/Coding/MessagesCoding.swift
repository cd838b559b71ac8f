import LaminaValues

extension ClientMessage {
  /// Appends the message: a byte for its kind, then its members.
  package func encode(to writer: ByteWriter) {
    switch self {
    case .hello(let hello):
      writer.write(0 as UInt8)
      hello.encode(to: writer)
    case .arena(let id, let byteCount, let use):
      writer.write(1 as UInt8)
      writer.write(id.rawValue)
      writer.write(byteCount)
      writer.write(use.rawValue)
    case .releaseArena(let id):
      writer.write(7 as UInt8)
      writer.write(id.rawValue)
    case .dmaBuf(let id, let layout):
      writer.write(8 as UInt8)
      writer.write(id.rawValue)
      layout.encode(to: writer)
    case .releaseDMABuf(let id):
      writer.write(9 as UInt8)
      writer.write(id.rawValue)
    case .openSession(let session, let options):
      writer.write(2 as UInt8)
      writer.write(session.rawValue)
      options.encode(to: writer)
    case .closeSession(let session):
      writer.write(3 as UInt8)
      writer.write(session.rawValue)
    case .commit(let commit):
      writer.write(Self.commitCode)
      commit.encode(to: writer)
    case .frameRequest(let request):
      writer.write(5 as UInt8)
      request.encode(to: writer)
    case .inspect(let inspect):
      writer.write(6 as UInt8)
      inspect.encode(to: writer)
    }
  }

  static let commitCode: UInt8 = 4

  /// Decodes a message, which must take all of `bytes`.
  package static func decode(_ bytes: UnsafeRawBufferPointer) throws(CommitError) -> Self {
    var reader = ByteReader(bytes)
    let message = try Self(from: &reader)
    try reader.finish()
    return message
  }

  private init(from reader: inout ByteReader) throws(CommitError) {
    let code = try reader.read(UInt8.self)
    switch code {
    case 0: self = .hello(try Hello(from: &reader))
    case 1:
      self = .arena(
        ArenaID(rawValue: try reader.read()), byteCount: try reader.read(),
        use: try reader.readCode("use of an arena"))
    case 2:
      self = .openSession(
        SessionID(rawValue: try reader.read()), try SessionOptions(from: &reader))
    case 3: self = .closeSession(SessionID(rawValue: try reader.read()))
    case Self.commitCode: self = .commit(try Commit(from: &reader))
    case 5: self = .frameRequest(try FrameRequest(from: &reader))
    case 6: self = .inspect(try Inspect(from: &reader))
    case 7: self = .releaseArena(ArenaID(rawValue: try reader.read()))
    case 8:
      self = .dmaBuf(DMABufID(rawValue: try reader.read()), try DMABufLayout(from: &reader))
    case 9: self = .releaseDMABuf(DMABufID(rawValue: try reader.read()))
    default: throw .unknownCode(of: "client message", code: Int(code))
    }
  }
}

extension ServerMessage {
  /// Appends the message: a byte for its kind, then its members.
  package func encode(to writer: ByteWriter) {
    switch self {
    case .welcome(let welcome):
      writer.write(0 as UInt8)
      writer.write(welcome.version)
      welcome.platform.encode(to: writer)
    case .frameDone(let frame):
      writer.write(1 as UInt8)
      frame.encode(to: writer)
    case .commitApplied(let sequence):
      writer.write(2 as UInt8)
      writer.write(sequence)
    case .inspected(let request, let inspection):
      writer.write(3 as UInt8)
      writer.write(request)
      inspection.encode(to: writer)
    case .dmaBufTaken(let id):
      writer.write(5 as UInt8)
      writer.write(id.rawValue)
    case .dmaBufRefused(let id, let why):
      writer.write(6 as UInt8)
      writer.write(id.rawValue)
      writer.write(why)
    case .failed(let session, let why):
      writer.write(4 as UInt8)
      writer.write(session != nil)
      if let session { writer.write(session.rawValue) }
      writer.write(why)
    }
  }

  /// Decodes a message, which must take all of `bytes`.
  package static func decode(_ bytes: UnsafeRawBufferPointer) throws(CommitError) -> Self {
    var reader = ByteReader(bytes)
    let message = try Self(from: &reader)
    try reader.finish()
    return message
  }

  private init(from reader: inout ByteReader) throws(CommitError) {
    let code = try reader.read(UInt8.self)
    switch code {
    case 0:
      let version = try reader.readVersion()
      self = .welcome(Welcome(version: version, platform: try PlatformReport(from: &reader)))
    case 1: self = .frameDone(try FrameDone(from: &reader))
    case 2: self = .commitApplied(sequence: try reader.read())
    case 3: self = .inspected(request: try reader.read(), try Inspection(from: &reader))
    case 4:
      let session = try reader.readBool() ? SessionID(rawValue: try reader.read()) : nil
      self = .failed(session, why: try reader.readString())
    case 5: self = .dmaBufTaken(DMABufID(rawValue: try reader.read()))
    case 6:
      self = .dmaBufRefused(
        DMABufID(rawValue: try reader.read()), why: try reader.readString())
    default: throw .unknownCode(of: "server message", code: Int(code))
    }
  }
}

extension Hello {
  func encode(to writer: ByteWriter) {
    writer.write(Hello.magic)
    writer.write(version)
    platform.encode(to: writer)
    writer.write(memoryBudget != nil)
    if let memoryBudget { writer.write(memoryBudget) }
    writer.write(isTraced)
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    guard try reader.read(UInt32.self) == Hello.magic else {
      throw .protocolViolation("the peer does not speak Lamina's protocol")
    }
    self.init(
      version: try reader.readVersion(), platform: try RenderPlatform(from: &reader),
      memoryBudget: try reader.readBool() ? try reader.read(UInt64.self) : nil,
      isTraced: try reader.readBool())
  }
}

extension PlatformReport {
  func encode(to writer: ByteWriter) {
    name.encode(to: writer)
    reasons.encode(to: writer)
    vendor.encode(to: writer)
    renderer.encode(to: writer)
    version.encode(to: writer)
    writer.write(maxTextureSize)
    writer.write(isSoftware)
    framebufferFormat.encode(to: writer)
    writer.write(isRobust)
    writer.write(importsDMABufs)
    sandbox.measures.encode(to: writer)
    sandbox.gaps.encode(to: writer)
    writer.write(memoryBudget)
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    self.init(
      name: try reader.readString(), reasons: try [String](from: &reader),
      vendor: try reader.readString(), renderer: try reader.readString(),
      version: try reader.readString(), maxTextureSize: try reader.read(),
      isSoftware: try reader.readBool(), framebufferFormat: try reader.readString(),
      isRobust: try reader.readBool(), importsDMABufs: try reader.readBool(),
      sandbox: SandboxReport(
        measures: try [String](from: &reader), gaps: try [String](from: &reader)),
      memoryBudget: try reader.read())
  }
}

extension SessionOptions {
  /// Allowed scales, in pixels per point: beyond any display, yet too small for sizes to overflow.
  package static let scales = 1.0 / 64...64

  func encode(to writer: ByteWriter) {
    size.encode(to: writer)
    writer.write(scale)
    writer.write(format.rawValue)
    writer.write(overlay != nil)
    overlay?.encode(to: writer)
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    self.init(
      size: try PixelSize(from: &reader), scale: try reader.readFinite("scale"),
      format: try reader.readCode("pixel format"))
    if try reader.readBool() { overlay = try OverlayKind(from: &reader) }
    guard Self.scales.contains(scale) else { throw .outOfRange("scale", value: "\(scale)") }
  }
}

extension FrameRequest {
  func encode(to writer: ByteWriter) {
    writer.write(session.rawValue)
    writer.write(time)
    writer.write(afterSequence)
    writer.write(surface != nil)
    if let surface {
      surface.memory.encode(to: writer)
      writer.write(surface.stride)
      writer.write(surface.frame)
    }
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    self.init(
      session: SessionID(rawValue: try reader.read()), time: try reader.readFinite("frame time"),
      afterSequence: try reader.read(), surface: nil)
    guard try reader.readBool() else { return }
    let memory = try MemoryRange(from: &reader)
    let stride = try reader.read(UInt32.self)
    guard stride > 0, Int(stride) <= PixelLayout.maximumStride else {
      throw .outOfRange("stride of a surface", value: "\(stride)")
    }
    surface = Surface(memory: memory, stride: stride, frame: try reader.read())
  }
}

extension FrameDone {
  func encode(to writer: ByteWriter) {
    writer.write(session.rawValue)
    writer.write(time)
    writer.write(sequence)
    writer.write(number)
    damage.encode(to: writer) { $0.encode(to: $1) }
    writer.write(nextFrameTime)
    writer.write(drawCalls)
    writer.write(instances)
    writer.write(uploadedBytes)
    writer.write(evaluationTime)
    writer.write(planningTime)
    writer.write(deviceTime != nil)
    if let deviceTime { writer.write(deviceTime) }
    counters.encode(to: writer)
    trace.encode(to: writer) { $0.encode(to: $1) }
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    self.init(
      session: SessionID(rawValue: try reader.read()), time: try reader.readFinite("frame time"),
      sequence: try reader.read(), number: try reader.read(),
      damage: try reader.readArray(of: "rectangles of damage", minimumSize: 16) {
        reader throws(CommitError) in try PixelRect(from: &reader)
      },
      nextFrameTime: try reader.readNumber(), drawCalls: try reader.read(),
      instances: try reader.read(), uploadedBytes: try reader.read(),
      evaluationTime: try reader.readFinite("evaluation time"),
      planningTime: try reader.readFinite("planning time"),
      deviceTime: try reader.readBool() ? try reader.readFinite("device time") : nil,
      counters: try FrameCounters(from: &reader),
      trace: try reader.readArray(of: "events of a trace", minimumSize: 17) {
        reader throws(CommitError) in try TraceEvent(from: &reader)
      })
    guard damage.count <= Self.damageLimit else {
      throw .tooMany("rectangles of damage", count: damage.count, limit: Self.damageLimit)
    }
    guard trace.count <= TraceRecorder.limit else {
      throw .tooMany("events of a trace", count: trace.count, limit: TraceRecorder.limit)
    }
  }
}

extension FrameCounters {
  func encode(to writer: ByteWriter) {
    writer.write(passes)
    writer.write(shadedPixels)
    writer.write(cacheHits)
    writer.write(cacheMisses)
    writer.write(cacheEvictions)
    writer.write(cacheBytes)
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    self.init(
      passes: try reader.read(), shadedPixels: try reader.read(), cacheHits: try reader.read(),
      cacheMisses: try reader.read(), cacheEvictions: try reader.read(),
      cacheBytes: try reader.read())
  }
}

extension TraceEvent {
  func encode(to writer: ByteWriter) {
    writer.write(stage.rawValue)
    writer.write(start)
    writer.write(end)
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    self.init(
      try reader.readCode("stage of a trace"), start: try reader.read(), end: try reader.read())
    guard start <= end else {
      throw .outOfRange("event of a trace", value: "\(start) to \(end)")
    }
  }
}
