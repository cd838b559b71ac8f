import LaminaCommit
import LaminaInProcess
import Testing

@testable import Lamina

@Suite("The clock of a program") struct DefaultClockTests {
  @Test("Unset, the time is the host's and renderers have manual clocks of their own")
  func unset() throws {
    #expect(MediaClock.default == nil)
    func renderer() throws -> CARenderer {
      try CARenderer(size: CGSize(width: 4, height: 4), server: .inProcess.on(.surfaceless))
    }
    let (first, second) = (try renderer(), try renderer())
    #expect(first.clock !== second.clock && first.clock.isManual && first.clock.time == 0)
    let before = MediaClock.host.time
    let now = CACurrentMediaTime()
    #expect(before <= now && now <= MediaClock.host.time)
  }

  @Test("Set, it is what CACurrentMediaTime(), new renderers and display links follow")
  func set() async {
    await #expect(processExitsWith: .success) {
      let clock = MediaClock.manual(time: 40)
      MediaClock.default = clock
      try #require(CACurrentMediaTime() == 40)
      try MediaClock.$current.withValue(.manual(time: 3)) {
        try #require(CACurrentMediaTime() == 3)
      }
      let layer = CALayer()
      let slide = CABasicAnimation("position.x", from: 0, to: 10)
      slide.beginTime = CACurrentMediaTime() + 1
      layer.add(slide, forKey: "slide")
      let server = RenderServer.inProcess.on(.surfaceless)
      let size = CGSize(width: 4, height: 4)
      let renderer = try CARenderer(size: size, server: server)
      try #require(renderer.clock === clock)
      try #require(try CARenderer(size: size, clock: .manual(), server: server).clock !== clock)
      renderer.layer = layer
      var calls: [Double] = []
      let link = CADisplayLink { calls.append($0.targetTimestamp) }
      link.add(to: .main, forMode: .common)
      _ = try renderer.image(at: 41.5)
      try #require(layer.presentation()?.position.x == 5)
      try #require(CACurrentMediaTime() == 41.5 && calls == [41.5])
      MediaClock.default = nil
      try #require(CACurrentMediaTime() != 41.5)
    }
  }

  /// Records the current time in everything that a renderer calls.
  private final class Watcher: CALayer, CAAnimationDelegate {
    var times: [Double] = []

    override func layoutSublayers() { times.append(CACurrentMediaTime()) }
    override func display() { times.append(CACurrentMediaTime()) }
    func animationDidStart(_ anim: CAAnimation) { times.append(CACurrentMediaTime()) }
    func animationDidStop(_ anim: CAAnimation, finished flag: Bool) {
      times.append(CACurrentMediaTime())
    }
  }

  @Test("In what a renderer calls, CACurrentMediaTime() is its clock's")
  func callbacks() throws {
    let watcher = Watcher()
    let clock = MediaClock.manual(time: 100)
    let tree = try tree(watcher, clock)
    defer { tree.close() }
    watcher.setNeedsLayout()
    watcher.setNeedsDisplay()
    let animation = CABasicAnimation("opacity", from: 0, to: 1)
    animation.delegate = watcher
    watcher.add(animation, forKey: nil)
    try tree.commit()
    #expect(watcher.times == [100, 100])
    for time in [100.5, 101.5] { clock.time = time }
    #expect(watcher.times == [100, 100, 100.5, 101.5])
    let link = CADisplayLink(clock: clock) { _ in watcher.times.append(CACurrentMediaTime()) }
    link.add(to: .main, forMode: .common)
    clock.callLinks(forFrameAt: 103)
    #expect(watcher.times.last == 101.5 && watcher.times.count == 5)
    #expect(CACurrentMediaTime() != 101.5)
  }

  private func tree(_ root: CALayer, _ clock: MediaClock) throws -> LayerTree {
    let tree = LayerTree(
      context: LayerContext { commit, _ in commit.sequence }, session: SessionID(rawValue: 0),
      clock: clock)
    tree.root = root
    return tree
  }

  @Test("A begin by the host's clock under a manual one is named once, with the cure")
  func foreignBegin() throws {
    let said = try warnings {
      for _ in 0..<2 {
        let layer = CALayer()
        layer.name = "spinner"
        // The manual clock is far from the host's, however long ago the host was started.
        let tree = try tree(layer, .manual(time: MediaClock.host.time + 1e6))
        defer { tree.close() }
        for delay in [0.1, 0.2] {
          let animation = CABasicAnimation("opacity", from: 0, to: 1)
          animation.beginTime = CACurrentMediaTime() + delay
          layer.add(animation, forKey: "\(delay)")
        }
        try tree.commit()
        #expect(layer.presentation()?.opacity == 1)
      }
    }
    #expect(said.count == 1)
    #expect(said.first?.hasPrefix("lamina: warning: CALayer \"spinner\" has the time ") == true)
    #expect(
      said.first?.hasSuffix("set MediaClock.default, or add to the renderer's clock.time") == true)
  }

  @Test("So is a layer that was paused by the host's clock")
  func foreignPause() throws {
    let said = try warnings {
      let layer = CALayer()
      let tree = try tree(layer, .manual(time: MediaClock.host.time + 1e6))
      defer { tree.close() }
      try tree.commit()
      let now = layer.convertTime(CACurrentMediaTime(), from: nil)
      layer.speed = 0
      layer.timeOffset = now
      try tree.commit()
    }
    #expect(said.count == 1)
  }

  @Test("Times of the clock's own, and any times on the host's clock, are passed over")
  func ownTimes() {
    let clock = MediaClock.manual(time: 5)
    #expect(!clock.isForeign(7, hostTime: 1e6) && !clock.isForeign(0, hostTime: 1e6))
    #expect(clock.isForeign(1e6 + 2, hostTime: 1e6) && clock.isForeign(1e6 - 3000, hostTime: 1e6))
    #expect(!clock.isForeign(1e6 + 3601, hostTime: 1e6))
    // On hosts that were started minutes ago, such as those of CI, the nearer clock counts.
    #expect(clock.isForeign(181, hostTime: 180) && !clock.isForeign(60, hostTime: 180))
    #expect(!clock.isForeign(31, hostTime: 30))
    #expect(!MediaClock.host.isForeign(1e6, hostTime: 1e6))
  }
}
