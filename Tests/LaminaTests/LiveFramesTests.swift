import Dispatch
import Foundation
import LaminaInProcess
import LaminaValues
import LayerSupport
import TestSupport
import Testing

@testable import Lamina

@Suite("Frames while time goes on") struct LiveFramesTests {
  @Test(
    "The render process animates while the thread with the layers is held up",
    arguments: [RenderServer.process, .inProcess])
  func independence(server: RenderServer) async throws {
    let duration = 3600.0
    let hasEnough = DispatchSemaphore(value: 0)
    let (streams, continuation) = AsyncStream<(CARenderer.LiveFrames, Double)>.makeStream()
    let error = Box<(any Error)?>(nil)
    let thread = Thread {
      do {
        let layer = CALayer()
        layer.backgroundColor = CGColor(red: 1, green: 1, blue: 1, alpha: 1)
        layer.frame = CGRect(x: 0, y: 0, width: 8, height: 8)
        // Alpha is 255 at the start of each second and 0 at its end.
        let fade = CABasicAnimation(keyPath: "opacity")
        fade.fromValue = 1
        fade.toValue = 0
        fade.duration = 1
        fade.repeatDuration = duration
        fade.beginTime = CACurrentMediaTime()
        layer.add(fade, forKey: "fade")
        let renderer = try CARenderer(
          size: CGSize(width: 8, height: 8), clock: .host, server: server.on(.surfaceless))
        renderer.layer = layer
        CATransaction.flush()
        continuation.yield((renderer.liveFrames(fps: 100), fade.beginTime))
        continuation.finish()
        // This thread does nothing more while frames are read.
        hasEnough.wait()
        withExtendedLifetime(renderer) {}
      } catch let failure {
        error.value = failure
        continuation.finish()
      }
    }
    thread.start()
    var frames: [(time: Double, alpha: Int)] = []
    for await (stream, begin) in streams {
      for try await frame in stream {
        let alpha = Picture(frame.image)[4, 4][3]
        let expected = 255 * (1 - (frame.time - begin).truncatingRemainder(dividingBy: 1))
        let difference: Double = Double(alpha) - expected
        #expect(abs(difference) <= 1.5, "at \(frame.time - begin)")
        frames.append((frame.time, Int(alpha)))
        if frame.time - frames[0].time > 1, frames.count > 10 { break }
      }
    }
    hasEnough.signal()
    #expect(error.value == nil)
    #expect(frames.count > 10 && Set(frames.map(\.alpha)).count > 5)
    let times: [Double] = frames.map(\.time)
    #expect(times == times.sorted() && Set(times).count == times.count)
    let span: Double = try #require(times.last) - #require(times.first)
    #expect(span > 0.5)
  }
}

@Suite("Frames of a tree that stays as it is") struct StillFramesTests {
  @Test("share one image, until something changes")
  func still() async throws {
    let layer = CALayer()
    layer.frame = CGRect(x: 0, y: 0, width: 4, height: 4)
    let renderer = try CARenderer(
      size: CGSize(width: 8, height: 8), clock: .manual(), server: .inProcess.on(.surfaceless))
    renderer.layer = layer
    try renderer.commitChanges()
    var iterator = renderer.liveFrames(fps: 1000).makeAsyncIterator()
    let first = try #require(try await iterator.next())
    let second = try #require(try await iterator.next())
    #expect(second.damage == [] && second.image === first.image)
    withoutActions { layer.backgroundColor = .red }
    try renderer.commitChanges()
    let third = try #require(try await iterator.next())
    #expect(third.damage != [] && Picture(third.image)[1, 1] != Picture(second.image)[1, 1])
    // A frame that somebody else asked for takes the change along.
    withoutActions { layer.backgroundColor = .green }
    _ = try renderer.image(at: 0)
    let fourth = try #require(try await iterator.next())
    #expect(fourth.damage == [] && Picture(fourth.image)[1, 1] != Picture(third.image)[1, 1])
  }
}

/// A value that another thread sets; read after that thread is done.
private final class Box<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}
