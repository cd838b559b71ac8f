import LaminaCommit
import LaminaFramePlan
import LaminaPlanner
import LaminaRenderTree
import LaminaValues

/// Serves one client over one socket, on the thread that calls `run`. The tree, the planner and the
/// renderer are used by that thread only.
///
/// Answers are those of messages that take effect in their order: a frame shows what every commit
/// before its request made of its session, and nothing of those after. In between, the sessions'
/// requests are served in turn (`MessageQueue`). It never waits for a client that does not read
/// (`Outbox`).
package final class ServerLoop {
  /// The way in which a connection ended.
  package enum End: Hashable, Sendable {
    /// The client closed the connection.
    case clientGone
    /// The client broke the protocol, or drawing is no longer possible. The client was told why.
    case failed(String)
  }

  /// A session's options and its surface on the device.
  struct Session {
    var options: SessionOptions
    var surface: SurfaceID
    /// The number of the last frame.
    var frameNumber: UInt64 = 0
    /// What the last frames changed, oldest first.
    private var recentDamage: [[PixelRect]] = []

    /// Number of frames whose damage is remembered: more than a client has surfaces.
    private static let memory = 8

    init(options: SessionOptions, surface: SurfaceID) {
      (self.options, self.surface) = (options, surface)
    }

    mutating func note(_ damage: [PixelRect]) {
      frameNumber += 1
      recentDamage = recentDamage.suffix(Self.memory - 1) + [damage]
    }

    /// What the last frame shows differently from an earlier one; all of it if that is not known.
    func changes(since number: UInt64) -> [PixelRect] {
      guard number > 0, number <= frameNumber,
        frameNumber - number <= UInt64(recentDamage.count)
      else { return [PixelRect(options.size)] }
      return recentDamage.suffix(Int(frameNumber - number)).flatMap(\.self)
    }
  }

  /// Largest number of messages that are read before a request is served, if one waits.
  private static let messagesATurn = 64
  /// Largest number of freed bytes that malloc keeps after a session ended; after a slow frame, if
  /// it is more, an eighth of the budget.
  static let keptFreeBytes = 12 << 20
  /// Number of frames after which the gaps are looked at that malloc leaves between what is in use.
  /// A block that llvmpipe fills in thousands of frames fits into none that one like it left.
  static let framesBetweenLooks = 4096
  /// Largest number of bytes in gaps that are not given back then.
  static let keptGapBytes = 4 << 20

  private let socket: Socket
  private let confine: () -> SandboxReport
  let makeRenderer: (RenderPlatform) throws(ExecutorError) -> any FrameExecutor
  private let writer = ByteWriter()
  private var outbox = Outbox()
  private var arrival = BriefWait()
  /// Where the client reads what this server is working on; nil if it does not want to know.
  private var progress: ServerProgress?
  var device: Device?
  /// Bytes that pixels may take in this process, the client's own memory not counted.
  var memoryBudget = 0
  var tree = RenderTree()
  var memory = ClientMemory()
  var dmaBufs = ClientDMABufs()
  /// Whether memory files pass for dma-bufs: in tests on machines that have none.
  private let allowsMemoryFiles: Bool
  /// Sessions that ended by a failure. Commits may still name them, because the client learns of it
  /// later.
  private var failedSessions: Set<SessionID> = []
  var sessions: [SessionID: Session] = [:]
  /// Whether a session ended since freed memory was given back.
  private var hasClosedSession = false
  var wasLastFrameSlow = false
  /// Number of frames that were drawn, of all sessions.
  var frameCount = 0
  var queue = MessageQueue()
  /// Records what is worked on; nil unless the client asked for it.
  private(set) var trace: TraceRecorder?

  /// Created when the client says hello, and anew if drawing fails.
  struct Device {
    let platform: RenderPlatform
    let renderer: any FrameExecutor
    var planner: FramePlanner

    init(
      _ platform: RenderPlatform, _ renderer: any FrameExecutor, budget: Int,
      trace: TraceRecorder?
    ) {
      (self.platform, self.renderer) = (platform, renderer)
      planner = FramePlanner(
        profile: renderer.profile, budget: budget, threads: renderer.threads ?? WorkerThreads())
      planner.trace = trace
      // Of a driver that draws on the CPU, that is processor time.
      if !renderer.description.isSoftware { renderer.measureDeviceTime() }
    }
  }

  /// `confine` is called once, when the first renderer is ready and before a commit is read.
  package init(
    socket: Socket,
    makeRenderer: @escaping (RenderPlatform) throws(ExecutorError) -> any FrameExecutor = {
      choice throws(ExecutorError) in try makeExecutor(for: choice)
    },
    confine: @escaping () -> SandboxReport = { SandboxReport() },
    allowingMemoryFiles: Bool = false
  ) {
    self.socket = socket
    self.confine = confine
    self.makeRenderer = makeRenderer
    allowsMemoryFiles = allowingMemoryFiles
  }

  /// Serves until the connection ends, which it does in some way whatever the client sends.
  package func run() -> End {
    defer { device?.renderer.close() }
    let buffer = MessageBuffer()
    do throws(ConnectionEnd) {
      while true {
        if queue.isEmpty {
          if try receive(into: buffer, wait: !hasClosedSession) {
            try handle(buffer)
          } else {
            giveBackWhatSessionsFreed()
          }
        } else {
          var count = 0
          while count < Self.messagesATurn, queue.takesCommits,
            try receive(into: buffer, wait: false)
          {
            try handle(buffer)
            count += 1
          }
          if try !waitForMessage(queue.patience(at: MonotonicTime.seconds)) { try serveNext() }
        }
      }
    } catch {
      guard case .failed(let why) = error else { return .clientGone }
      try? send(.failed(nil, why: why))
      outbox.flushAtEnd(over: socket)
      return .failed(why)
    }
  }

  /// Gives what sessions that ended since the last call have left back to the system, if it is
  /// much. malloc keeps it, and it would count as this process's.
  func giveBackWhatSessionsFreed() {
    guard hasClosedSession else { return }
    hasClosedSession = false
    if FreedMemory.byteCount > Self.keptFreeBytes { FreedMemory.giveBack() }
  }

  /// Why the loop ends. An error that ends only a session is a `CommitError`.
  enum ConnectionEnd: Error {
    case clientGone
    case failed(String)
  }

  /// Receives a message. Returns false if there is none: with `wait`, after something else that was
  /// waited for.
  private func receive(
    into buffer: MessageBuffer, wait: Bool
  ) throws(ConnectionEnd) -> Bool {
    try overSocket { () throws(SocketError) in
      try outbox.flush(over: socket)
      if wait, outbox.isEmpty {
        try arrival.wait { () throws(SocketError) in
          try socket.receive(into: buffer, wait: false)
        } orSleep: { () throws(SocketError) in
          try socket.receive(into: buffer)
        }
        return true
      }
      if wait { try socket.waitUntilReadableOrWritable() }
      return try socket.receive(into: buffer, wait: false)
    }
  }

  /// Returns whether there is a message, after at most so many seconds.
  private func waitForMessage(_ seconds: Double) throws(ConnectionEnd) -> Bool {
    guard seconds > 0, queue.takesCommits else { return false }
    return try overSocket { () throws(SocketError) in
      try outbox.flush(over: socket)
      return try socket.waitUntilReadable(seconds: seconds)
    }
  }

  func send(_ message: ServerMessage) throws(ConnectionEnd) {
    // Work ends with its answer, after which the client may kill this process.
    progress?.end()
    writer.removeAll()
    message.encode(to: writer)
    guard !outbox.isFull else {
      throw .failed("\(outbox.byteCount) bytes of answers wait for a client that does not read")
    }
    try overSocket { () throws(SocketError) in try outbox.send(writer.bytes, over: socket) }
  }

  private func overSocket<Result>(
    _ body: () throws(SocketError) -> Result
  ) throws(ConnectionEnd) -> Result {
    do throws(SocketError) {
      return try body()
    } catch .closed {
      throw .clientGone
    } catch {
      throw .failed("\(error)")
    }
  }

  // MARK: Messages

  private func handle(_ buffer: MessageBuffer) throws(ConnectionEnd) {
    let message: ClientMessage
    do throws(CommitError) {
      message = try ClientMessage.decode(buffer.bytes)
    } catch {
      throw .failed("\(error)")
    }
    if case .hello(let hello) = message {
      try greet(hello, buffer.takeDescriptor())
    } else if device == nil {
      throw .failed("the first message is not hello")
    } else {
      try handle(message, buffer)
    }
    guard buffer.remainingDescriptors == 0 else {
      throw .failed("\(buffer.remainingDescriptors) descriptors too many")
    }
  }

  private func greet(
    _ hello: Hello, _ page: consuming FileDescriptor?
  ) throws(ConnectionEnd) {
    guard device == nil else { throw .failed("a second hello") }
    if let page {
      do throws(SharedMemoryError) {
        progress = try ServerProgress(page)
      } catch {
        throw .failed("the page of hello: \(error)")
      }
    }
    let renderer: any FrameExecutor
    do throws(ExecutorError) {
      renderer = try makeRenderer(hello.platform)
    } catch {
      throw .failed("\(error)")
    }
    memoryBudget = Int(clamping: hello.memoryBudget ?? MemoryBudget.usual)
    tree.keepToBudget(memoryBudget)
    if hello.isTraced { trace = TraceRecorder() }
    device = Device(hello.platform, renderer, budget: memoryBudget, trace: trace)
    countSurfaces()
    var report = PlatformReport(renderer.description)
    report.memoryBudget = UInt64(memoryBudget)
    report.sandbox = confine()
    try send(.welcome(Welcome(platform: report)))
  }

  private func handle(
    _ message: ClientMessage, _ buffer: MessageBuffer
  ) throws(ConnectionEnd) {
    switch message {
    case .hello: break
    case .arena(let id, let byteCount, let use):
      guard let file = buffer.takeDescriptor() else {
        throw .failed("\(id) came without its descriptor")
      }
      do throws(CommitError) {
        try memory.map(id, byteCount: byteCount, use: use, file)
      } catch {
        throw .failed("\(error)")
      }
    case .releaseArena(let id):
      do throws(CommitError) {
        try memory.unmap(id, besides: tree.images.values)
      } catch {
        throw .failed("\(error)")
      }
    case .dmaBuf(let id, let layout):
      var descriptors: [Int32] = []
      while descriptors.count < layout.planes.count, let file = buffer.takeDescriptor() {
        descriptors.append(file.take())
      }
      try take(id, layout, descriptors)
    case .releaseDMABuf(let id):
      do throws(CommitError) {
        try dmaBufs.release(id, besides: tree.images.values)
      } catch {
        throw .failed("\(error)")
      }
      device?.renderer.releaseDMABuf(id)
    case .openSession(let id, let options):
      while queue.hasCommits { try serveNext() }
      begin(id, after: tree.sequence)
      try openSession(id, options)
      progress?.end()
    case .closeSession(let id):
      while queue.hasCommits || queue.hasRequests(of: id) { try serveNext() }
      closeSession(id)
    case .commit(let commit):
      guard !queue.isEmpty else { return try apply(commit) }
      queue.append(
        commit, byteCount: buffer.bytes.count, changing: tree.sessions(changedBy: commit))
    case .frameRequest(let request):
      try ending(request.session) { () throws(CommitError) in
        try enqueue(.frame(request), after: request.afterSequence)
      }
    case .inspect(let inspect):
      try ending(inspect.session) { () throws(CommitError) in
        try enqueue(.inspect(inspect), after: inspect.afterSequence)
      }
    }
  }

  /// Takes over an offered dma-buf's descriptors, and answers.
  private func take(
    _ id: DMABufID, _ layout: DMABufLayout, _ descriptors: [Int32]
  ) throws(ConnectionEnd) {
    let isKnown = dmaBufs.contains(id)
    guard let renderer = device?.renderer, !isKnown, descriptors.count == layout.planes.count
    else {
      for descriptor in descriptors { _ = FileDescriptor(rawValue: descriptor) }
      throw .failed(
        isKnown
          ? "\(id) is known already"
          : "\(id) of \(layout.planes.count) planes came with \(descriptors.count)")
    }
    let refusal = dmaBufs.take(
      id, layout, descriptors, on: renderer, budget: memoryBudget / 2,
      allowingMemoryFiles: allowsMemoryFiles)
    try send(refusal.map { .dmaBufRefused(id, why: $0) } ?? .dmaBufTaken(id))
  }

  /// Runs `body`. If it fails, only the session ends.
  func ending(
    _ id: SessionID, _ body: () throws(CommitError) -> Void
  ) throws(ConnectionEnd) {
    do throws(CommitError) {
      try body()
    } catch {
      closeSession(id)
      failedSessions.insert(id)
      try send(.failed(id, why: "\(error)"))
    }
  }

  /// Lets the client see what is worked on, until it is answered.
  func begin(_ session: SessionID?, at time: Double? = nil, after sequence: UInt64) {
    progress?.begin(ServerProgress.Work(sequence: sequence, session: session, time: time))
  }

  private func openSession(_ id: SessionID, _ options: SessionOptions) throws(ConnectionEnd) {
    var isAllowed = false
    try ending(id) { () throws(CommitError) in
      try tree.openSession(id, options)
      try checkMemory(for: options)
      isAllowed = true
    }
    guard isAllowed else { return }
    if let failure = try makeSurface(of: id, options) {
      try ending(id) { () throws(CommitError) in throw .protocolViolation("\(failure)") }
    }
    countSurfaces()
  }

  private func checkMemory(for options: SessionOptions) throws(CommitError) {
    guard let device else { return }
    let taken =
      device.planner.surfaceByteCount
      + device.renderer.profile.byteCount(of: options.size, options.format)
    guard taken <= memoryBudget else {
      throw .tooMany("bytes of surfaces", count: taken, limit: memoryBudget)
    }
  }

  /// Tells the planner what the surfaces take of the budget, and what the driver does, which is at
  /// most a quarter.
  func countSurfaces() {
    guard let profile = device?.renderer.profile else { return }
    let driver = min(profile.driverByteCount, memoryBudget / 4)
    device?.planner.surfaceByteCount = sessions.values.reduce(driver) {
      $0 + profile.byteCount(of: $1.options.size, $1.options.format)
    }
  }

  private func closeSession(_ id: SessionID) {
    hasClosedSession = true
    queue.removeRequests(of: id)
    tree.closeSession(id)
    device?.planner.closeSession(id)
    if let session = sessions.removeValue(forKey: id) {
      device?.renderer.releaseSurface(session.surface)
      countSurfaces()
    }
  }

  private func enqueue(
    _ request: SessionRequest, after sequence: UInt64
  ) throws(CommitError) {
    guard sessions[request.session] != nil else { throw .unknownSession(request.session) }
    let last = queue.lastSequence ?? tree.sequence
    guard sequence <= last else {
      throw .outOfRange("commit to wait for", value: "\(sequence) after \(last)")
    }
    try queue.append(request, after: last)
  }

  /// Applies a commit. If that fails, the connection ends, because client and server then have
  /// different trees.
  func apply(_ commit: Commit) throws(ConnectionEnd) {
    begin(nil, after: commit.sequence)
    let start = trace?.now
    var commit = commit
    commit.roots.removeAll { failedSessions.contains($0.session) }
    do throws(CommitError) {
      try memory.check(commit.stores)
      try dmaBufs.check(commit.stores)
      let events = try tree.apply(commit) { id, image in
        if device?.planner.holds(id, image) == true { return nil }
        guard let dmaBuf = image.place.dmaBuf else { return memory.pixels(of: image) }
        return device?.renderer.pixels(ofDMABuf: dmaBuf)
      }
      device?.planner.note(events)
    } catch {
      throw .failed("commit \(commit.sequence): \(error)")
    }
    trace?.note(.apply, since: start)
    try send(.commitApplied(sequence: commit.sequence))
  }
}
