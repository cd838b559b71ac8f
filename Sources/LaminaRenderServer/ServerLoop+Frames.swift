import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaPlanner
import LaminaRenderTree
import LaminaValues

extension ServerLoop {
  /// Serves the request whose turn it is, or applies a commit. A frame is answered with the
  /// sequence of the last commit before its request, even if that waits still because it changes
  /// other sessions only.
  func serveNext() throws(ConnectionEnd) {
    let start = MonotonicTime.seconds
    let served: SessionID?
    switch queue.nextTurn() {
    case .request(let request, let sequence):
      served = request.session
      switch request {
      case .frame(let request): try draw(request, sequence: sequence)
      case .inspect(let inspect): try answer(inspect)
      }
    case .commit(let commit, let session):
      served = session
      try apply(commit)
      queue.renew { tree.sessions(changedBy: $0) }
    case nil: return
    }
    // It may have ended with its frame.
    guard let served, sessions[served] != nil else { return }
    let end = MonotonicTime.seconds
    queue.noteTurn(of: served, seconds: end - start, at: end)
  }

  private func draw(_ request: FrameRequest, sequence: UInt64) throws(ConnectionEnd) {
    guard let options = sessions[request.session]?.options else { return }
    begin(request.session, at: request.time, after: request.afterSequence)
    let start = trace?.now
    var destination: UnsafeMutableRawBufferPointer?
    try ending(request.session) { () throws(CommitError) in
      destination = try request.surface.map { surface throws(CommitError) in
        try memory.surface(surface, options)
      }
    }
    guard var frame = try plan(request) else { return }
    do throws(ExecutorError) {
      try execute(&frame, request, readingBackInto: destination)
    } catch {
      // What the device holds is not known now. On a new one the frame is drawn as a whole.
      try replaceDevice(after: error)
      guard let whole = try plan(request) else { return }
      frame = whole
      do throws(ExecutorError) {
        try execute(&frame, request, readingBackInto: destination)
      } catch {
        throw .failed("the frame of \(request.session) at \(request.time): \(error)")
      }
    }
    trace?.note(.frame, since: start)
    try answer(request, with: frame, sequence: max(tree.sequence, sequence))
  }

  /// A frame that is planned, and what was measured of it.
  private struct Frame {
    var plan: FramePlan
    var evaluationTime: Double
    /// Includes the evaluation.
    var planningTime: Double
    var counters: FrameCounters
    let uploadedBytes: UInt64
    var drawCalls = 0
    var deviceTime: Double?
  }

  /// Plans a frame. Returns nil if that ends the session, or if it has ended.
  private func plan(_ request: FrameRequest) throws(ConnectionEnd) -> Frame? {
    guard sessions[request.session] != nil else { return nil }
    var frame: Frame?
    try ending(request.session) { () throws(CommitError) in
      let start = MonotonicTime.seconds
      let traceStart = trace?.now
      if let others = device?.planner.trees(besides: request.session) {
        tree.keepToBudget(memoryBudget, besides: others)
      }
      try device?.planner.update(tree, session: request.session, to: request.time)
      let evaluationTime = MonotonicTime.seconds - start
      trace?.note(.instances, since: traceStart)
      let planningStart = trace?.now
      let plan = try device?.planner.plan(tree, session: request.session)
      trace?.note(.planning, since: planningStart)
      if let plan, let planner = device?.planner {
        frame = Frame(
          plan: plan, evaluationTime: evaluationTime, planningTime: MonotonicTime.seconds - start,
          counters: FrameCounters(plan, of: planner), uploadedBytes: plan.uploadedBytes)
      }
    }
    if device?.planner.isSpoiled == true { try replaceDevice() }
    return frame
  }

  private func answer(
    _ request: FrameRequest, with frame: Frame, sequence: UInt64
  ) throws(ConnectionEnd) {
    guard let session = sessions[request.session] else { return }
    let plan = frame.plan
    try send(
      .frameDone(
        FrameDone(
          session: request.session, time: request.time, sequence: sequence,
          number: session.frameNumber, damage: plan.damage, nextFrameTime: plan.nextFrameTime,
          drawCalls: UInt32(clamping: frame.drawCalls),
          instances: UInt32(clamping: plan.instances), uploadedBytes: frame.uploadedBytes,
          evaluationTime: frame.evaluationTime, planningTime: frame.planningTime,
          deviceTime: frame.deviceTime, counters: frame.counters, trace: trace?.take() ?? [])))
  }

  /// Executes a plan and reads it back. The planner relies on that having succeeded.
  private func execute(
    _ frame: inout Frame, _ request: FrameRequest,
    readingBackInto destination: UnsafeMutableRawBufferPointer?
  ) throws(ExecutorError) {
    sessions[request.session]?.note(frame.plan.damage)
    guard let renderer = device?.renderer, let session = sessions[request.session] else { return }
    let executionStart = MonotonicTime.seconds
    let start = trace?.now
    if !frame.plan.isEmpty {
      frame.drawCalls = try renderer.execute(frame.plan, on: session.surface) { store(of: $0) }
    }
    if let destination, let surface = request.surface {
      trace?.note(.execution, since: start)
      let readBackStart = trace?.now
      defer { trace?.note(.readBack, since: readBackStart) }
      for region in session.changes(since: surface.frame) {
        try renderer.readBack(
          session.surface, region: region, into: destination, stride: Int(surface.stride))
      }
    } else if !frame.plan.isEmpty {
      // The answer promises that the frame is drawn, even if its pixels are not read.
      try renderer.finish()
      trace?.note(.execution, since: start)
    }
    if frame.plan.isEmpty { return }
    frame.deviceTime = try renderer.deviceTime()
    giveBackMemory(
      of: &frame, seconds: frame.planningTime + MonotonicTime.seconds - executionStart)
  }

  /// Gives memory that was freed for a frame, and what it uploaded, back to the system, if it is
  /// much for the budget. It lies between other memory, and would count as this process's. Once the
  /// frame is drawn, a driver that draws on the CPU has freed what it recorded. `seconds` is what
  /// the frame took.
  private func giveBackMemory(of frame: inout Frame, seconds: Double) {
    let kept = max(Self.keptFreeBytes, memoryBudget / 8)
    let uploads = frame.plan.uploads.reduce(0) { count, upload in
      if case .bytes(let bytes) = upload.source { count + bytes.count } else { count }
    }
    if uploads > kept { frame.plan.uploads = [] }
    // To ask how much is free takes its time too, and a quick frame cannot have freed much. After a
    // slow one, another may need less.
    let isSlow = seconds > 0.004
    let mayHaveFreedMuch = isSlow || wasLastFrameSlow
    wasLastFrameSlow = isSlow
    frameCount += 1
    let mayHaveGaps = frameCount.isMultiple(of: Self.framesBetweenLooks)
    if frame.plan.isShortOfMemory || mayHaveFreedMuch && FreedMemory.byteCount > kept
      || mayHaveGaps && FreedMemory.byteCount > Self.keptGapBytes
    {
      FreedMemory.giveBack()
    } else {
      giveBackWhatSessionsFreed()
    }
  }

  /// Makes the surface of a new session, on a new device if this one fails. Returns why there can
  /// be none.
  func makeSurface(
    of id: SessionID, _ options: SessionOptions
  ) throws(ConnectionEnd) -> ExecutorError? {
    guard let failure = addSurface(of: id, options) else { return nil }
    if failure.isOfRequest { return failure }
    try replaceDevice(after: failure)
    return addSurface(of: id, options)
  }

  private func addSurface(of id: SessionID, _ options: SessionOptions) -> ExecutorError? {
    guard let renderer = device?.renderer else { return nil }
    do throws(ExecutorError) {
      let surface = try renderer.makeSurface(size: options.size, format: options.format)
      sessions[id] = Session(options: options, surface: surface)
      return nil
    } catch {
      return error
    }
  }

  /// Replaces a device, which may have failed. Nothing is drawn on the new one, and no texture is
  /// on it.
  private func replaceDevice(after failure: ExecutorError? = nil) throws(ConnectionEnd) {
    guard let old = device else { return }
    old.renderer.close()
    device = nil
    do throws(ExecutorError) {
      let renderer = try makeRenderer(old.platform)
      device = Device(old.platform, renderer, budget: memoryBudget, trace: trace)
      for id in sessions.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
        guard let options = sessions[id]?.options else { continue }
        sessions[id]?.surface = try renderer.makeSurface(
          size: options.size, format: options.format)
      }
      for buffer in dmaBufs.all {
        try renderer.importDMABuf(buffer.id, buffer.layout, descriptors: buffer.descriptors)
      }
    } catch {
      throw .failed("\(failure.map { "\($0); then, on" } ?? "on") a new device, \(error)")
    }
    countSurfaces()
  }

  private func store(
    of image: ImageID
  ) -> (layout: PixelLayout, bytes: UnsafeRawBufferPointer)? {
    guard let image = tree.image(image), let range = image.place.memory,
      let bytes = try? memory.bytes(range)
    else { return nil }
    return (image.layout, UnsafeRawBufferPointer(bytes))
  }

  private func answer(_ inspect: Inspect) throws(ConnectionEnd) {
    begin(inspect.session, at: inspect.time, after: inspect.afterSequence)
    var result: Inspection?
    try ending(inspect.session) { () throws(CommitError) in
      switch inspect.subject {
      case .tree:
        result = .text(try tree.describe(session: inspect.session, at: inspect.time))
      case .items:
        let items = try device?.planner.describeItems(
          tree, session: inspect.session, time: inspect.time)
        result = items.map { .text($0) }
      case .plan:
        let plan = try device?.planner.planAfresh(
          tree, session: inspect.session, time: inspect.time)
        result = plan.map { .text($0.description) }
      case .values(let layer):
        result = .values(
          try tree.evaluatedLayers(layer, session: inspect.session, at: inspect.time))
      case .layers:
        let records = try device?.planner.describeLayers(
          tree, session: inspect.session, time: inspect.time)
        result = records.map { .layers($0) }
      }
    }
    if let result { try send(.inspected(request: inspect.request, result)) }
  }
}

extension ExecutorError {
  /// Whether any device would refuse what was asked for.
  fileprivate var isOfRequest: Bool {
    switch self {
    case .unsupportedSize, .unsupportedFormat: true
    default: false
    }
  }
}

extension FrameCounters {
  /// Those of the planner's last plan.
  fileprivate init(_ plan: FramePlan, of planner: borrowing FramePlanner) {
    let counts = planner.textureCounts
    self.init(
      passes: UInt32(clamping: plan.passes.count),
      shadedPixels: UInt64(clamping: planner.pixelCount),
      cacheHits: UInt32(clamping: counts.hits), cacheMisses: UInt32(clamping: counts.misses),
      cacheEvictions: UInt32(clamping: counts.evictions),
      cacheBytes: UInt64(clamping: planner.textureByteCount))
  }
}

extension FramePlan {
  fileprivate var uploadedBytes: UInt64 {
    uploads.reduce(0) { bytes, upload in
      if upload.sharesStore { return bytes }
      let region = upload.region
      return bytes + UInt64(region.width * region.height * upload.format.bytesPerPixel)
    }
  }
}
