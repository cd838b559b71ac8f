import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaValues

extension CARenderer {
  /// The frames that the render process shows as time goes on, `fps` a second.
  ///
  /// Any task may read them, even while the thread that uses the layers is busy: they show what was
  /// committed so far, animated by the render process alone. Only content that the app draws itself
  /// at each frame waits for the app. The sequence continues until it fails or the task is
  /// cancelled. Its frames do not move a manual clock. A rate that is not positive and finite stops
  /// the program with a message.
  public func liveFrames(fps: Double = 60) -> LiveFrames {
    // A Duration holds at most 2⁶³ seconds.
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

  /// A sequence of frames, each for the time at which it is requested.
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

    /// Waits until the next frame is due. Frames whose time has passed are skipped.
    public struct Iterator: AsyncIteratorProtocol {
      private let frames: LiveFrames
      private let surfaces: SurfaceRing
      private var due = ContinuousClock.now
      /// The last frame's image, and the frame's number.
      private var last: (image: CGImage, number: UInt64)?

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
        let done = try await pending.value()
        // If nothing changed since the last frame, the image is the same.
        let isSame = done.damage.isEmpty && last.map { $0.number + 1 == done.number } == true
        let image = isSame ? last!.image : try surfaces.copy(pending.surface)
        last = (image, done.number)
        return Frame(time: time, image: image, damage: done.damage)
      }

      public mutating func next() async throws -> Frame? { try await next(isolation: #isolation) }
    }
  }
}
