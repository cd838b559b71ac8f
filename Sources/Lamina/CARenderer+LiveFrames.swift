import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaValues

extension CARenderer {
  /// What the render process shows while time goes on, `fps` times a second.
  ///
  /// It may be read by any task, whatever the thread does that has the layers: the frames show what
  /// was committed so far, animated by the render process alone. Only what a program draws itself
  /// at each frame waits for the program. The stream goes on until it fails, or the task is
  /// cancelled; its frames do not move a manual clock. A rate that is not
  /// positive and finite ends the program with a message.
  public func liveFrames(fps: Double = 60) -> LiveFrames {
    // A Duration has no more seconds than fit in 64 bits.
    guard fps.isFinite, fps > 1e-9 else {
      programmerError("there are no \(fps) frames a second")
    }
    let size = PixelSize(
      width: Int((size.width * scale).rounded(.up)), height: Int((size.height * scale).rounded(.up))
    )
    return LiveFrames(
      connection: connection, session: tree.session, size: size, format: surfaces.format,
      clock: clock, interval: 1 / fps)
  }

  /// Frames at the times at which they are asked for.
  public struct LiveFrames: AsyncSequence, Sendable {
    public typealias Element = Frame
    public typealias Failure = any Error

    let connection: ServerConnection
    let session: SessionID
    let size: PixelSize
    let format: PixelFormat
    let clock: MediaClock
    let interval: Double

    public func makeAsyncIterator() -> Iterator { Iterator(frames: self) }

    /// Waits for the next frame's moment; moments that were missed are left out.
    public struct Iterator: AsyncIteratorProtocol {
      private let frames: LiveFrames
      private let surfaces: SurfaceRing
      private var due = ContinuousClock.now

      init(frames: LiveFrames) {
        self.frames = frames
        surfaces = SurfaceRing(size: frames.size, format: frames.format)
      }

      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws -> Frame? {
        try await Task.sleep(until: due)
        due = Swift.max(due.advanced(by: .seconds(frames.interval)), .now)
        let time = frames.clock.time
        let request = FrameRequest(
          session: frames.session, time: time, afterSequence: 0, surface: nil)
        let pending = PendingFrame(
          connection: frames.connection, request: request, surface: try surfaces.take())
        _ = try await pending.value()
        return Frame(time: time, image: try surfaces.copy(pending.surface))
      }

      public mutating func next() async throws -> Frame? { try await next(isolation: #isolation) }
    }
  }
}
