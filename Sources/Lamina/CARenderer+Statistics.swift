import Foundation
import LaminaCommit
import LaminaValues

extension CARenderer {
  /// What drawing a frame took.
  package struct FrameStatistics: Hashable, Sendable {
    package var drawCalls: Int
    /// Pixels brought to the device, in bytes.
    package var uploadedBytes: Int
    /// The seconds that the render process took to evaluate the tree.
    package var evaluationTime: Double
  }

  /// Commits what changed and waits until the frame of that time is drawn, without its pixels
  /// coming back. `time` is in seconds of the clock.
  package func drawFrame(at time: CFTimeInterval) throws -> FrameStatistics {
    try prepareFrame(at: time)
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
    return FrameStatistics(
      drawCalls: Int(done.drawCalls), uploadedBytes: Int(clamping: done.uploadedBytes),
      evaluationTime: done.evaluationTime)
  }

  /// Commits what changed; a layer as the render process evaluates it for the frame of that time,
  /// once for each of its instances there. Empty where it is not drawn, or not this renderer's.
  package func evaluatedLayers(
    _ layer: CALayer, at time: CFTimeInterval
  ) throws -> [EvaluatedLayer] {
    try commitChanges()
    guard let rendered = layer.rendered, rendered.tree === tree,
      case .values(let layers) = try inspect(.values(rendered.id), at: time)
    else { return [] }
    return layers
  }

  /// Commits what changed; the bytes of the message that says so, 0 where nothing was sent.
  package func commitByteCount() throws -> Int {
    guard let commit = try tree.commit() else { return 0 }
    let writer = ByteWriter()
    ClientMessage.commit(commit).encode(to: writer)
    return writer.bytes.count
  }
}

/// Hands a frame's answer to the thread that waits for it.
private final class FrameAnswer: Sendable {
  private let result = Lock<Result<FrameDone, LaminaCommit.RenderServerError>?>(nil)
  private let isGiven = DispatchSemaphore(value: 0)

  func give(_ outcome: Result<FrameDone, LaminaCommit.RenderServerError>) {
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
