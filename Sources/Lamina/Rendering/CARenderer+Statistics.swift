import Foundation
import LaminaCommit
import LaminaValues

extension CARenderer {
  /// The cost of drawing a frame.
  package struct FrameStatistics: Hashable, Sendable {
    package var drawCalls = 0
    /// The layers' instances that were evaluated, and those that were drawn.
    package var instances = 0
    package var passes = 0
    /// The pixels that was drawn on, each as often as it was.
    package var shadedPixels = 0
    /// The pixels that may differ from the last frame's.
    package var damagedPixels = 0
    /// The bytes of pixels uploaded to the device.
    package var uploadedBytes = 0
    /// Textures that were drawn: those that were there, and those that were not or not up to date.
    /// Textures of images, paths, gradients and rasterized layers are kept from frame to frame.
    package var cacheHits = 0
    package var cacheMisses = 0
    /// Textures that were freed to keep to a budget.
    package var cacheEvictions = 0
    /// The bytes of all textures that are kept after the frame.
    package var cacheBytes = 0
    /// The time that the render process took to evaluate the tree, in seconds.
    package var evaluationTime = 0.0
    /// The time that it took to evaluate the tree and to plan the frame, in seconds.
    package var planningTime = 0.0
    /// The time that the GPU was busy with the frame, in seconds; nil if its driver cannot tell, if
    /// the CPU draws, or if nothing was drawn.
    package var deviceTime: Double?
    /// What the render process has done since the frame before; empty unless the server is traced.
    package var trace: [TraceEvent] = []

    package init() {}

    init(_ done: FrameDone) {
      drawCalls = Int(done.drawCalls)
      instances = Int(done.instances)
      passes = Int(done.counters.passes)
      shadedPixels = Int(clamping: done.counters.shadedPixels)
      // The rectangles come from another process, and their product may exceed an Int.
      let damaged = done.damage.reduce(0.0) { $0 + Double($1.width) * Double($1.height) }
      damagedPixels = Int(min(damaged, 0x1p53))
      uploadedBytes = Int(clamping: done.uploadedBytes)
      cacheHits = Int(done.counters.cacheHits)
      cacheMisses = Int(done.counters.cacheMisses)
      cacheEvictions = Int(done.counters.cacheEvictions)
      cacheBytes = Int(clamping: done.counters.cacheBytes)
      evaluationTime = done.evaluationTime
      planningTime = done.planningTime
      deviceTime = done.deviceTime
      trace = done.trace
    }
  }

  /// Commits all changes and waits until the frame for `time`, in seconds of the clock, is drawn.
  /// Its pixels are not read back.
  package func drawFrame(at time: CFTimeInterval) throws -> FrameStatistics {
    try prepareFrame(at: time)
    try commitContents(at: time)
    let answer = FrameAnswer()
    let request = FrameRequest(
      session: tree.session, time: time, afterSequence: tree.lastSequence, surface: nil)
    tree.context.lock.withLock {
      connection.requestFrame(request) { answer.give($0) }
      tree.context.noteFrame()
    }
    let done = try answer.wait()
    if clock.isManual { clock.time = done.time }
    tree.followAnimations()
    return FrameStatistics(done)
  }

  /// Commits all changes and asks for the frame for `time`, whose pixels are not read back.
  /// `answer` is called once it is drawn or has failed, on any thread. The clock stays where it is.
  package func requestFrame(
    at time: CFTimeInterval,
    answer: @escaping @Sendable (Result<FrameStatistics, RenderServerError>) -> Void
  ) throws {
    try prepareFrame(at: time)
    let request = FrameRequest(
      session: tree.session, time: time, afterSequence: tree.lastSequence, surface: nil)
    tree.context.lock.withLock {
      connection.requestFrame(request) { outcome in
        answer(outcome.map { FrameStatistics($0) }.mapError { RenderServerError($0) })
      }
      tree.context.noteFrame()
    }
  }

  /// Commits all changes, then returns a layer's values as the render process evaluates them for
  /// the frame at `time`, one for each of its instances. Empty if the layer is not drawn or is not
  /// in this renderer.
  package func evaluatedLayers(
    _ layer: CALayer, at time: CFTimeInterval
  ) throws -> [EvaluatedLayer] {
    try commitChanges()
    guard let rendered = layer.rendered, rendered.tree === tree,
      case .values(let layers) = try inspect(.values(rendered.id), at: time)
    else { return [] }
    return layers
  }

  /// Commits all changes and returns the size of the message in bytes, 0 if nothing was sent.
  package func commitByteCount() throws -> Int {
    guard let commit = try tree.commit() else { return 0 }
    let writer = ByteWriter()
    ClientMessage.commit(commit).encode(to: writer)
    return writer.bytes.count
  }
}

/// Passes the answer to a frame request to the thread that waits for it.
private final class FrameAnswer: Sendable {
  private let result = Lock<Result<FrameDone, ServerFailure>?>(nil)
  private let isGiven = DispatchSemaphore(value: 0)

  func give(_ outcome: Result<FrameDone, ServerFailure>) {
    result.withLock { $0 = outcome }
    isGiven.signal()
  }

  func wait() throws(RenderServerError) -> FrameDone {
    isGiven.wait()
    switch result.withLock({ $0 }) {
    case .success(let done): return done
    case .failure(let error): throw RenderServerError(error)
    case nil: programmerError("a frame was taken before it was drawn")
    }
  }
}
