import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaValues

/// The memory that a renderer's frames are read back into: three surfaces used in turn, so that one
/// can be drawn into while another is read.
final class SurfaceRing {
  /// One of the surfaces.
  final class Surface: Sendable {
    let pixels: PixelBuffer
    /// The number of the session's frame that it shows; 0 for none.
    fileprivate let frame = Lock<UInt64>(0)

    fileprivate init(_ pixels: PixelBuffer) { self.pixels = pixels }
  }

  private let size: PixelSize
  let format: PixelFormat
  private var surfaces: [Surface] = []
  private var turn = 0

  init(size: PixelSize, format: PixelFormat) {
    self.size = size
    self.format = format
  }

  /// The next surface. The frame before the last one must be finished.
  func take() throws(RenderServerError) -> Surface {
    if surfaces.count < 3 {
      surfaces.append(Surface(try buffer(.surface)))
      return surfaces[surfaces.count - 1]
    }
    turn = (turn + 1) % surfaces.count
    return surfaces[turn]
  }

  /// A copy of a surface's pixels. The surface can then be reused.
  func copy(_ surface: Surface) throws(RenderServerError) -> CGImage {
    let copy = try buffer(.store)
    surface.pixels.withUnsafeBytes { source in
      copy.withUnsafeMutableBytes { $0.copyMemory(from: source) }
    }
    return CGImage(copy)
  }

  fileprivate func buffer(_ use: PixelBuffer.Use) throws(RenderServerError) -> PixelBuffer {
    do throws(SharedMemoryError) {
      return try PixelBuffer(width: size.width, height: size.height, format: format, use: use)
    } catch {
      throw RenderServerError(.memory(error))
    }
  }
}

extension CARenderer {
  /// Takes the memory of a frame and of its copy from the system, in a time in which a renderer of
  /// that size would wait for its server.
  package static func prepareMemory(
    size: PixelSize, contentsFormat: CALayerContentsFormat
  ) throws(RenderServerError) {
    let ring = SurfaceRing(size: size, format: contentsFormat.ofFrames)
    _ = try (ring.buffer(.surface), ring.buffer(.store))
  }
}

extension CALayerContentsFormat {
  /// The format of frames of a renderer with this one.
  var ofFrames: PixelFormat { self == .RGBA16Float ? .rgba16f : .bgra8 }
}

/// A requested frame. It can be waited for once.
final class PendingFrame: Sendable {
  let surface: SurfaceRing.Surface
  private let answer: Lock<State>
  private let isGiven = DispatchSemaphore(value: 0)

  fileprivate typealias Outcome = Result<FrameDone, ServerFailure>

  fileprivate enum State {
    case pending
    case awaited(CheckedContinuation<Outcome, Never>)
    case given(Outcome)
  }

  init(connection: ServerConnection, request: FrameRequest, surface: SurfaceRing.Surface) {
    self.surface = surface
    answer = Lock(.pending)
    let shown = surface.frame.withLock { frame in
      // Until the answer, it is not known what is in it.
      defer { frame = 0 }
      return frame
    }
    connection.requestFrame(request, surface: surface.pixels, showing: shown) { self.give($0) }
  }

  private func give(_ outcome: Outcome) {
    if case .success(let done) = outcome { surface.frame.withLock { $0 = done.number } }
    let waiting = answer.withLock { state -> CheckedContinuation<Outcome, Never>? in
      defer { state = .given(outcome) }
      guard case .awaited(let continuation) = state else { return nil }
      return continuation
    }
    waiting?.resume(returning: outcome)
    isGiven.signal()
  }

  /// Blocks the thread until the frame is drawn.
  func wait() throws(RenderServerError) -> FrameDone {
    isGiven.wait()
    return try answer.withLock { $0 }.outcome()
  }

  /// Suspends the task until the frame is drawn.
  func value() async throws(RenderServerError) -> FrameDone {
    let outcome = await withCheckedContinuation { continuation in
      let known = answer.withLock { state -> Outcome? in
        if case .given(let outcome) = state { return outcome }
        state = .awaited(continuation)
        return nil
      }
      if let known { continuation.resume(returning: known) }
    }
    return try State.given(outcome).outcome()
  }
}

extension PendingFrame.State {
  fileprivate func outcome() throws(RenderServerError) -> FrameDone {
    switch self {
    case .given(.success(let frame)): return frame
    case .given(.failure(let error)): throw RenderServerError(error)
    case .pending, .awaited: programmerError("a frame was taken before it was drawn")
    }
  }
}
