import Foundation
import LaminaInProcess
import LaminaValues
import Testing

@testable import Lamina

@Suite("Display links") struct DisplayLinkTests {
  private func renderer(_ layer: CALayer, _ clock: MediaClock = .manual()) throws -> CARenderer {
    let renderer = try CARenderer(
      size: CGSize(width: 16, height: 4), clock: clock, server: .inProcess.on(.surfaceless))
    renderer.layer = layer
    return renderer
  }

  /// A bar whose length a display link sets; one point at first.
  private func bar() -> CALayer {
    let bar = CALayer()
    bar.anchorPoint = .zero
    bar.bounds = CGRect(x: 0, y: 0, width: 1, height: 4)
    bar.backgroundColor = .black
    bar.actions = ["bounds": NSNull()]
    return bar
  }

  private func length(_ image: CGImage) throws -> Int {
    let picture = Picture(image)
    return (0..<16).count { picture[$0, 1][3] == 255 }
  }

  @Test("On a manual clock a link is called before each frame and changes what it shows")
  func manual() async throws {
    let bar = bar()
    let renderer = try renderer(bar)
    var calls: [(Double, Double, Double)] = []
    let link = CADisplayLink(clock: renderer.clock) { link in
      calls.append((link.timestamp, link.targetTimestamp, link.duration))
      bar.bounds.size.width = link.targetTimestamp * 4
    }
    link.add(to: .main, forMode: .common)
    link.add(to: .main, forMode: .default)
    #expect(try length(renderer.image(at: 1)) == 4)
    #expect(try length(renderer.image(at: 1.5)) == 6)
    var lengths: [Int] = []
    for try await frame in renderer.frames(from: 2, to: 4, fps: 2) {
      lengths.append(try length(frame.image))
    }
    #expect(lengths == [8, 10, 12, 14])
    #expect(calls.map(\.0) == [0, 1, 1.5, 2, 2.5, 3])
    #expect(calls.map(\.1) == [1, 1.5, 2, 2.5, 3, 3.5])
    #expect(calls.map(\.2) == [1, 0.5, 0.5, 0.5, 0.5, 0.5])
    link.isPaused = true
    #expect(try length(renderer.image(at: 4)) == 14)
    link.isPaused = false
    link.remove(from: .main, forMode: .common)
    #expect(try length(renderer.image(at: 4.25)) == 16)
    link.invalidate()
    link.add(to: .main, forMode: .common)
    bar.bounds.size.width = 1
    #expect(try length(renderer.image(at: 5)) == 1)
  }

  @Test("A link that asks for fewer frames is called for fewer")
  func rate() throws {
    let bar = bar()
    let renderer = try renderer(bar)
    var calls: [Double] = []
    let link = CADisplayLink(clock: renderer.clock) { calls.append($0.targetTimestamp) }
    link.preferredFramesPerSecond = 10
    #expect(link.preferredFrameRateRange.preferred == 10)
    link.add(to: .main, forMode: .common)
    for frame in 0...12 { _ = try renderer.image(at: Double(frame) / 30) }
    let wanted: [Double] = [0, 3, 6, 9, 12].map { $0 / 30 }
    #expect(calls == wanted)
  }

  @Test(
    "On the host's clock a link in the main run loop is called on the main queue, time after time")
  @MainActor func host() async throws {
    var calls: [(timestamp: Double, target: Double)] = []
    let start = CACurrentMediaTime()
    let links = AsyncStream<Void> { stream in
      let link = CADisplayLink { link in
        MainActor.assumeIsolated {
          calls.append((link.timestamp, link.targetTimestamp))
          guard calls.count == 3 else { return }
          link.invalidate()
          stream.finish()
        }
      }
      link.preferredFrameRateRange = CAFrameRateRange(minimum: 100, maximum: 120, preferred: 120)
      link.add(to: .main, forMode: .common)
    }
    for await _ in links {}
    #expect(calls.count == 3)
    #expect(calls[0].timestamp >= start && calls[2].timestamp > calls[0].timestamp)
    for call in calls {
      let ahead: Double = call.target - call.timestamp
      #expect(abs(ahead * 120 - 1) < 1e-6)
    }
  }
}
