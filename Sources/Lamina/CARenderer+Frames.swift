import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaValues

extension CARenderer {
  /// A frame and its time, in seconds of the renderer's clock.
  public struct Frame {
    public let time: CFTimeInterval
    /// Premultiplied, on a transparent background.
    public let image: CGImage
  }

  /// Frames of a renderer, one after the other.
  public struct Frames: AsyncSequence {
    public typealias Element = Frame
    public typealias Failure = any Error

    let renderer: CARenderer
    /// How many frames there are.
    public let count: Int
    /// The time of the frame of an index.
    let time: (Int) -> CFTimeInterval

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Asks for the frame after the one that it returns, so that the render process works while
    /// the program does.
    public struct Iterator: AsyncIteratorProtocol {
      private let frames: Frames
      private var next = 0
      private var ahead: (frame: PendingFrame, sequence: UInt64)?

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
        return Frame(time: time, image: try renderer.take(current, await current.value()))
      }

      /// The frame that was asked for, or another where the program changed something since.
      private func frame(
        at time: CFTimeInterval, isolation: isolated (any Actor)?
      ) async throws -> PendingFrame {
        let renderer = frames.renderer
        try renderer.prepareFrame(at: time)
        guard let ahead else { return try renderer.request(at: time) }
        if ahead.sequence == renderer.committedSequence { return ahead.frame }
        _ = try await ahead.frame.value()
        return try renderer.request(at: time)
      }

      public mutating func next() async throws -> Frame? {
        try await next(isolation: #isolation)
      }
    }
  }
}
