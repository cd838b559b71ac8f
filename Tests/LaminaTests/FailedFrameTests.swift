import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaGLES
import LaminaRenderServer
import LaminaValues
import LayerSupport
import ServerSupport
import TestSupport
import Testing

@testable import Lamina

@Suite("Frames that the device fails to draw") struct FailedFrameTests {
  /// Pictures of a story's rounds, of which each but the first may fail as `failure` says.
  private func pictures(_ seed: Int, _ failure: FailingRenderer.Failure?) throws -> [[UInt8]] {
    let story = try Story(seed: seed)
    let renderer = try CARenderer(
      size: CGSize(width: Story.size, height: Story.size),
      server: RenderServer(
        launcher: .failing(failure.map { [2: $0, 4: $0] } ?? [:]), platform: .surfaceless))
    renderer.layer = story.root
    return try (0..<5).map { round in
      for _ in 0..<4 { withoutActions { story.edit() } }
      return try renderer.image(at: Double(round) / 4).pixels
    }
  }

  @Test(
    "are drawn again on a new device, as a whole: no picture tells, nor any that comes after",
    arguments: 0..<16)
  func drawnAgain(seed: Int) throws {
    let expected = try pictures(seed, nil)
    for failure in FailingRenderer.Failure.allCases {
      #expect(try pictures(seed, failure) == expected, "\(failure)")
    }
  }

  @Test("end the connection if the new device fails too, with its reason")
  func failsAgain() throws {
    let renderer = try CARenderer(
      size: CGSize(width: 8, height: 8),
      server: RenderServer(
        launcher: .failing([1: .beforeDrawing, 2: .beforeDrawing]), platform: .surfaceless))
    renderer.layer = CALayer()
    let error = #expect(throws: (any Error).self) { try renderer.image(at: 0) }
    #expect("\(error as Any)".contains("0x505"))
  }
}

/// Draws as the renderer that it wraps does, but for some frames, in which GL reports that memory
/// has run out.
private final class FailingRenderer: WrappingExecutor {
  enum Failure: CaseIterable {
    case beforeDrawing, afterDrawing, readingBack
  }

  let real: any FrameExecutor
  private let frames: FrameCount
  private var failure: Failure?

  init(_ real: any FrameExecutor, _ frames: FrameCount) {
    (self.real, self.frames) = (real, frames)
  }

  private func fail(_ now: Failure) throws(ExecutorError) {
    guard failure == now else { return }
    failure = nil
    throw .gl(code: 0x505, label: "a test")
  }

  func execute(
    _ plan: FramePlan, on surface: SurfaceID,
    stores: (ImageID) -> (layout: PixelLayout, bytes: UnsafeRawBufferPointer)?
  ) throws(ExecutorError) -> Int {
    failure = frames.next()
    try fail(.beforeDrawing)
    let drawCalls = try real.execute(plan, on: surface, stores: stores)
    try fail(.afterDrawing)
    return drawCalls
  }

  func readBack(
    _ surface: SurfaceID, region: PixelRect?, into memory: UnsafeMutableRawBufferPointer,
    stride: Int
  ) throws(ExecutorError) {
    try fail(.readingBack)
    try real.readBack(surface, region: region, into: memory, stride: stride)
  }
}

/// Numbers the frames of all renderers of a server, from 1.
private final class FrameCount: Sendable {
  private let count = Lock(0)
  private let failures: [Int: FailingRenderer.Failure]

  init(_ failures: [Int: FailingRenderer.Failure]) { self.failures = failures }

  func next() -> FailingRenderer.Failure? {
    count.withLock {
      $0 += 1
      return failures[$0]
    }
  }
}

extension RenderServerLauncher {
  /// Serves in this process. Some frames fail, by their numbers.
  fileprivate static func failing(_ failures: [Int: FailingRenderer.Failure]) -> Self {
    Self(name: "failing \(UUID())") { () throws(ServerFailure) in
      do throws(SocketError) {
        let (ours, theirs) = try Socket.pair()
        let frames = FrameCount(failures)
        ServerThread.start(
          socket: theirs,
          makeRenderer: { choice throws(ExecutorError) in
            FailingRenderer(try GLESRenderer(platform: choice), frames)
          })
        return Started(socket: ours)
      } catch {
        throw .couldNotStart("\(error)")
      }
    }
  }
}
