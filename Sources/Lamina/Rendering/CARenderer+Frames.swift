import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaValues

extension CARenderer {
  /// A frame and its time, in seconds of the renderer's clock.
  public struct Frame {
    /// The frame's time, in seconds of the renderer's clock.
    public let time: CFTimeInterval
    /// The frame's pixels: premultiplied, on a transparent background.
    public let image: CGImage
    /// The parts of the image that may differ from the frame before it in the sequence, in its
    /// pixels, y down: at most eight rectangles that do not overlap, or more if a frame between the
    /// two was discarded. Empty if the two are equal; in the first frame, the whole image unless
    /// the renderer has drawn an earlier frame.
    public let damage: [CGRect]

    init(time: CFTimeInterval, image: CGImage, damage: [PixelRect]) {
      (self.time, self.image) = (time, image)
      self.damage = damage.map(\.cgRect)
    }
  }

  /// A sequence of a renderer's frames.
  public struct Frames: AsyncSequence {
    public typealias Element = Frame
    public typealias Failure = any Error

    let renderer: CARenderer
    /// The number of frames.
    public let count: Int
    /// The time of the frame at an index, in seconds of the clock.
    let time: (Int) -> CFTimeInterval

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Requests the next frame before it returns one, so that the render process works while the
    /// app does.
    public struct Iterator: AsyncIteratorProtocol {
      private let frames: Frames
      private var next = 0
      private var ahead: (frame: PendingFrame, sequence: UInt64)?
      /// The damage of a discarded frame.
      private var discarded: [PixelRect] = []

      init(_ frames: Frames) { self.frames = frames }

      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws -> Frame? {
        guard next < frames.count else { return nil }
        try Task.checkCancellation()
        let renderer = frames.renderer
        let time = frames.time(next)
        next += 1
        let current = try await frame(at: time, isolation: actor)
        ahead = nil
        if next < frames.count {
          ahead = (try renderer.request(at: frames.time(next)), renderer.committedSequence)
        }
        let done = try await current.value()
        defer { discarded = [] }
        return Frame(
          time: time, image: try renderer.take(current, done), damage: discarded + done.damage)
      }

      /// The frame that was requested ahead, or a new one if the app has changed something since.
      private mutating func frame(
        at time: CFTimeInterval, isolation: isolated (any Actor)?
      ) async throws -> PendingFrame {
        let renderer = frames.renderer
        try renderer.prepareFrame(at: time)
        guard let ahead else { return try renderer.request(at: time) }
        if ahead.sequence == renderer.committedSequence { return ahead.frame }
        discarded = try await ahead.frame.value().damage
        return try renderer.request(at: time)
      }

      public mutating func next() async throws -> Frame? {
        try await next(isolation: #isolation)
      }
    }
  }
}
