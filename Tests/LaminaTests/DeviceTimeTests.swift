import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaGLES
import LaminaInProcess
import LaminaRenderServer
import LaminaValues
import ServerSupport
import Testing

@testable import Lamina

@Suite("How long the device takes")
struct DeviceTimeTests {
  private func layer(in renderer: CARenderer) -> CALayer {
    let layer = CALayer()
    layer.frame = CGRect(x: 5, y: 5, width: 20, height: 20)
    layer.backgroundColor = CGColor(gray: 0.5, alpha: 1)
    renderer.layer = layer
    return layer
  }

  @Test("A device's frame has a time, read back or not, and one that draws nothing has none")
  func frames() throws {
    let renderer = try CARenderer(
      size: CGSize(width: 40, height: 30),
      server: RenderServer(launcher: .device, platform: .surfaceless))
    let layer = layer(in: renderer)
    let start = MonotonicTime.nanoseconds
    let first = try #require(try renderer.drawFrame(at: 0).deviceTime)
    #expect(first > 0 && first * 1e9 < Double(MonotonicTime.nanoseconds - start))
    #expect(try renderer.drawFrame(at: 1).deviceTime == nil)
    layer.opacity = 0.5
    _ = try renderer.image(at: 2)
    let second = try #require(renderer.lastStatistics?.deviceTime)
    #expect(second > 0 && second * 1e9 < Double(MonotonicTime.nanoseconds - start))
  }

  @Test("Where the CPU draws there is no device's time")
  func software() throws {
    for platform in [RenderPlatform.software, .surfaceless] {
      let renderer = try CARenderer(
        size: CGSize(width: 40, height: 30), server: RenderServer.inProcess.on(platform))
      _ = layer(in: renderer)
      let frame = try renderer.drawFrame(at: 0)
      #expect(frame.shadedPixels > 0 && frame.deviceTime == nil)
    }
  }
}

/// Draws as another executor does, and passes for a device of its own.
private final class DeviceRenderer: WrappingExecutor {
  let real: any FrameExecutor

  init(_ real: any FrameExecutor) { self.real = real }

  var description: DeviceDescription {
    var description = real.description
    description.isSoftware = false
    return description
  }
}

extension RenderServerLauncher {
  /// Serves in this process with what passes for a device of its own.
  fileprivate static let device = Self(name: "device") { () throws(ServerFailure) in
    do throws(SocketError) {
      let (ours, theirs) = try Socket.pair()
      ServerThread.start(
        socket: theirs,
        makeRenderer: { choice throws(ExecutorError) in
          DeviceRenderer(try GLESRenderer(platform: choice))
        })
      return Started(socket: ours)
    } catch {
      throw .couldNotStart("\(error)")
    }
  }
}
