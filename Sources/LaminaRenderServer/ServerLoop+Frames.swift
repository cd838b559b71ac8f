import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaPlanner
import LaminaRenderTree
import LaminaValues

extension ServerLoop {
  /// Serves all waiting requests, so that the tree may change.
  func serveAll() throws(ConnectionEnd) {
    while !requests.isEmpty { try serveNext() }
  }

  func serveNext() throws(ConnectionEnd) {
    switch requests.next() {
    case .frame(let request): try draw(request)
    case .inspect(let inspect): try answer(inspect)
    case nil: break
    }
  }

  private func draw(_ request: FrameRequest) throws(ConnectionEnd) {
    guard let options = sessions[request.session]?.options else { return }
    var destination: UnsafeMutableRawBufferPointer?
    var planned: FramePlan?
    var (evaluationTime, planningTime) = (0.0, 0.0)
    try ending(request.session) { () throws(CommitError) in
      destination = try request.surface.map { surface throws(CommitError) in
        try memory.surface(surface, options)
      }
      let start = Self.monotonicTime
      try device?.planner.update(tree, session: request.session, to: request.time)
      evaluationTime = Self.monotonicTime - start
      planned = device?.planner.plan(tree, session: request.session)
      planningTime = Self.monotonicTime - start
    }
    guard let planned else { return }
    sessions[request.session]?.note(planned.damage)
    guard let session = sessions[request.session] else { return }
    let drawCalls = try execute(planned, request, session, readingBackInto: destination)
    let consumed = planned.consumedStores
    if !consumed.isEmpty { try send(.storeConsumed(consumed)) }
    try send(
      .frameDone(
        FrameDone(
          session: request.session, time: request.time, sequence: tree.sequence,
          number: session.frameNumber, damage: planned.damage, nextFrameTime: planned.nextFrameTime,
          drawCalls: UInt32(clamping: drawCalls), instances: UInt32(clamping: planned.instances),
          uploadedBytes: planned.uploadedBytes, evaluationTime: evaluationTime,
          planningTime: planningTime)))
  }

  private static var monotonicTime: Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
  }

  /// Executes a plan and reads it back. If that fails, the connection ends, because the planner
  /// assumes that the plan was executed, and now has a false record of all sessions' textures.
  private func execute(
    _ plan: FramePlan, _ request: FrameRequest, _ session: Session,
    readingBackInto destination: UnsafeMutableRawBufferPointer?
  ) throws(ConnectionEnd) -> Int {
    guard let renderer = device?.renderer else { return 0 }
    do throws(ExecutorError) {
      let drawCalls =
        plan.isEmpty
        ? 0 : try renderer.execute(plan, on: session.surface) { store(of: $0) }
      if let destination, let surface = request.surface {
        for region in session.changes(since: surface.frame) {
          try renderer.readBack(
            session.surface, region: region, into: destination, stride: Int(surface.stride))
        }
      } else if !plan.isEmpty {
        // The answer promises that the frame is drawn, even if its pixels are not read.
        try renderer.finish()
      }
      return drawCalls
    } catch {
      throw .failed("the frame of \(request.session) at \(request.time): \(error)")
    }
  }

  private func store(
    of image: ImageID
  ) -> (layout: PixelLayout, bytes: UnsafeRawBufferPointer)? {
    guard let image = tree.image(image), let bytes = try? memory.bytes(image.memory) else {
      return nil
    }
    return (image.layout, UnsafeRawBufferPointer(bytes))
  }

  private func answer(_ inspect: Inspect) throws(ConnectionEnd) {
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
      }
    }
    if let result { try send(.inspected(request: inspect.request, result)) }
  }
}

extension FramePlan {
  fileprivate var uploadedBytes: UInt64 {
    uploads.reduce(0) { bytes, upload in
      let region = upload.region
      return bytes + UInt64(region.width * region.height * upload.format.bytesPerPixel)
    }
  }

  /// The images whose stores this plan reads, in order.
  fileprivate var consumedStores: [ImageID] {
    var images: Set<ImageID> = []
    for upload in uploads {
      if case .store(let image, _, _) = upload.source { images.insert(image) }
    }
    return images.sorted()
  }
}
