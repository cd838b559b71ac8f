import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaValues
import LayerSupport
import TestSupport
import Testing

@testable import Lamina

/// What an app sees of a render process that dies.
@Suite("Render processes that die") struct RestoringTests {
  /// A server that no other test uses.
  private static func server(
    _ platform: RenderPlatform, deathsAllowed: Int = 2, faulty arguments: [String] = []
  ) -> RenderServer {
    let program = arguments.isEmpty ? nil : faultyServer
    var server = RenderServer(
      launcher: RenderServerLauncher(name: "restoring \(UUID())") { () throws(ServerFailure) in
        guard let program else { return try RenderServerLauncher.process.start() }
        return try RenderServerLauncher.spawn(program, arguments)
      }, platform: platform)
    server.options.deathsAllowed = deathsAllowed
    return server
  }

  private static let faultyServer = URL(fileURLWithPath: "/proc/self/exe")
    .resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("faulty-server")
    .path

  private static let platforms = [RenderPlatform.software, .surfaceless]

  private static func renderer(_ root: CALayer, _ server: RenderServer) throws -> CARenderer {
    let renderer = try CARenderer(
      size: CGSize(width: Story.size, height: Story.size), clock: .manual(), server: server)
    renderer.layer = root
    return renderer
  }

  /// The pictures of a story of edits, animations, commits and frames. `checkpoint` is called four
  /// times a round: with changes that are not committed, after a commit, while a frame is drawn,
  /// and after it.
  private static func pictures(
    rounds: Int, _ server: RenderServer, seed: Int = 1,
    checkpoint: (CARenderer) throws -> Void = { _ in }
  ) throws -> [[UInt8]] {
    let story = try Story(seed: seed)
    let renderer = try renderer(story.root, server)
    return try (0..<rounds).map { round in
      // Actions would add transitions.
      for _ in 0..<4 { withoutActions { story.edit() } }
      try checkpoint(renderer)
      try renderer.commitChanges()
      try checkpoint(renderer)
      let time = 0.1 * Double(round)
      try renderer.prepareFrame(at: time)
      let frame = try renderer.request(at: time)
      // What is committed meanwhile is not in the frame.
      withoutActions { story.edit() }
      try renderer.commitChanges()
      try checkpoint(renderer)
      let picture = try renderer.take(frame, frame.wait()).pixels
      try checkpoint(renderer)
      return picture
    }
  }

  @Test(
    "Killed at 200 points of a story, it draws every frame as if nothing had been",
    arguments: platforms)
  func killedAnywhere(platform: RenderPlatform) throws {
    let undisturbed = try Self.pictures(rounds: 50, Self.server(platform))
    var (kills, last) = (0, 0 as Int32)
    var renderer: CARenderer?
    let pictures = try Self.pictures(
      rounds: 50, Self.server(platform, deathsAllowed: 1000)
    ) {
      renderer = $0
      // The one before may still be on its way out; an answer comes from the next.
      if $0.serverProcessID == last { _ = try $0.treeDescription(at: 0) }
      last = try #require($0.serverProcessID)
      #expect(kill(last, SIGKILL) == 0)
      kills += 1
    }
    for (round, (picture, expected)) in zip(pictures, undisturbed).enumerated() {
      if picture != expected { Issue.record("round \(round) differs") }
    }
    #expect(kills == 200)
    #expect(try #require(renderer).connection.restarts.count >= 199)
  }

  @Test(
    "Killed at any stage of drawing, it draws every frame as if nothing had been",
    arguments: platforms, [4, 5, 6, 7])
  func killedWhileDrawing(platform: RenderPlatform, calls: Int) throws {
    let undisturbed = try Self.pictures(rounds: 12, Self.server(platform), seed: calls)
    var renderer: CARenderer?
    let pictures = try Self.pictures(
      rounds: 12,
      Self.server(platform, deathsAllowed: 1000, faulty: ["dies-at", "\(calls)"]), seed: calls
    ) { renderer = $0 }
    for (round, (picture, expected)) in zip(pictures, undisturbed).enumerated() {
      if picture != expected { Issue.record("round \(round) differs") }
    }
    #expect(try #require(renderer).connection.restarts.count > 3)
  }

  @Test("A transition under way shows its end", arguments: platforms)
  func transition(platform: RenderPlatform) throws {
    let layer = CALayer()
    layer.frame = CGRect(x: 0, y: 0, width: Story.size, height: Story.size)
    layer.backgroundColor = .red
    let renderer = try Self.renderer(layer, Self.server(platform))
    _ = try renderer.image(at: 0)
    let fade = CATransition()
    fade.duration = 2
    layer.add(fade, forKey: nil)
    withoutActions { layer.backgroundColor = .blue }
    let mixed = Array(try renderer.image(at: 1).pixels.prefix(4))
    #expect(mixed == [128, 0, 127, 255])
    kill(try #require(renderer.serverProcessID), SIGKILL)
    #expect(Array(try renderer.image(at: 1).pixels.prefix(4)) == [255, 0, 0, 255])
  }

  private final class Listener: CARendererDelegate {
    var failures: [String] = []
    func renderer(_ renderer: CARenderer, didRestartServerAfter failure: Lamina.RenderServerError) {
      failures.append("\(failure)")
    }
  }

  @Test("The delegate hears of it with the next frame, and a line is written")
  func delegate() throws {
    let lines = Lock<[String]>([])
    try Warnings.$current.withValue(Warnings { line in lines.withLock { $0.append(line) } }) {
      let renderer = try Self.renderer(CALayer(), Self.server(.software))
      let listener = Listener()
      renderer.delegate = listener
      _ = try renderer.image(at: 0)
      #expect(listener.failures == [])
      kill(try #require(renderer.serverProcessID), SIGKILL)
      for time in 1...3 { _ = try renderer.image(at: Double(time)) }
      #expect(listener.failures == ["the render process was killed by signal 9 (Killed)"])
    }
    #expect(
      lines.withLock { $0 } == [
        "lamina: warning: the render process was killed by signal 9 (Killed); another one took its"
          + " place"
      ])
  }

  @Test("Live frames go on while the thread with the layers sleeps", arguments: platforms)
  func liveFrames(platform: RenderPlatform) async throws {
    let layer = CALayer()
    layer.frame = CGRect(x: 0, y: 0, width: Story.size, height: Story.size)
    layer.backgroundColor = .red
    let fade = CABasicAnimation(keyPath: "opacity")
    fade.fromValue = 1
    fade.toValue = 0.5
    fade.duration = 1000
    layer.add(fade, forKey: nil)
    let renderer = try Self.renderer(layer, Self.server(platform, deathsAllowed: 1000))
    renderer.clock.time = 10
    try renderer.commitChanges()
    let expected = try renderer.image(at: 10).pixels
    var number = 0
    for try await frame in renderer.liveFrames(fps: 1000) {
      number += 1
      #expect(frame.image.pixels == expected)
      if number.isMultiple(of: 5) { kill(try #require(renderer.serverProcessID), SIGKILL) }
      if number == 50 { break }
    }
    #expect(number == 50)
    #expect(renderer.connection.restarts.count >= 8)
  }

  @Test("A layer far from the others in number is restored too")
  func sparse() throws {
    let root = CALayer()
    let renderer = try Self.renderer(root, Self.server(.software))
    for _ in 0..<20_000 { root.addSublayer(CALayer()) }
    let last = CALayer()
    last.frame = CGRect(x: 0, y: 0, width: 8, height: 8)
    last.backgroundColor = .green
    root.addSublayer(last)
    _ = try renderer.image(at: 0)
    root.sublayers = [last]
    let before = try renderer.image(at: 1).pixels
    kill(try #require(renderer.serverProcessID), SIGKILL)
    #expect(try renderer.image(at: 1).pixels == before)
  }

  // MARK: Servers that die of what they are asked

  @Test("A renderer whose frame ended two processes fails by name, and others go on")
  func lethalFrame() throws {
    let server = Self.server(.software, faulty: ["dies-drawing", "13"])
    let layer = CALayer()
    layer.frame = CGRect(x: 0, y: 0, width: Story.size, height: Story.size)
    layer.backgroundColor = .red
    let good = try Self.renderer(layer, server)
    let expected = try good.image(at: 0).pixels
    let lethal = try CARenderer(
      size: CGSize(width: 13, height: 13), clock: .manual(), server: server)
    lethal.layer = CALayer()
    lethal.layer?.frame = CGRect(x: 0, y: 0, width: 13, height: 13)
    lethal.layer?.backgroundColor = .blue
    let why = "its frame ended the render process twice; the last time, the render process was"
    for _ in 0..<2 {
      let error = #expect(throws: Lamina.RenderServerError.self) { _ = try lethal.image(at: 0) }
      #expect(error?.description.contains(why) == true, "\(String(describing: error))")
      #expect(error?.description.contains("killed by signal 11") == true)
    }
    #expect(try good.image(at: 0).pixels == expected)
    #expect(good.connection.restarts.count == 2)
  }

  /// A renderer of a red layer, after three deaths.
  private func afterThreeDeaths(_ platform: RenderPlatform) throws -> CARenderer {
    let layer = CALayer()
    layer.frame = CGRect(x: 0, y: 0, width: Story.size, height: Story.size)
    layer.backgroundColor = .red
    let renderer = try Self.renderer(layer, Self.server(platform))
    for death in 0..<3 {
      #expect(renderer.platform.name == "surfaceless")
      _ = try renderer.image(at: Double(death))
      kill(try #require(renderer.serverProcessID), SIGKILL)
    }
    return renderer
  }

  @Test("At the third death within a minute, auto goes on with the next platform")
  func nextPlatform() throws {
    let renderer = try afterThreeDeaths(.auto)
    #expect(try renderer.image(at: 3).pixels.prefix(4).elementsEqual([0, 0, 255, 255]))
    #expect(renderer.platform.name == "software")
    #expect(renderer.connection.restarts.count == 3)
  }

  @Test("At the third death within a minute, a platform that was named is an error")
  func namedPlatform() throws {
    let renderer = try afterThreeDeaths(.surfaceless)
    let error = #expect(throws: Lamina.RenderServerError.self) { _ = try renderer.image(at: 3) }
    #expect(
      error?.description == "3 render processes died within a minute, and no other one was started;"
        + " the last time, the render process was killed by signal 9 (Killed)")
  }

  // MARK: Servers that hang

  @Test("A process that hangs is killed and replaced, if it drew nothing yet or much")
  func hung() throws {
    var server = Self.server(.software, faulty: ["stops-at", "7"])
    server.options.responseTimeout = 1.5
    server.options.deathsAllowed = 100
    let layer = CALayer()
    layer.frame = CGRect(x: 0, y: 0, width: Story.size, height: Story.size)
    let renderer = try Self.renderer(layer, server)
    for time in 0..<6 {
      layer.backgroundColor = CGColor(red: CGFloat(time) / 5, green: 0, blue: 0, alpha: 1)
      #expect(
        try renderer.image(at: Double(time)).pixels.prefix(4)
          .elementsEqual([0, 0, UInt8(time * 51), 255]))
    }
    #expect(renderer.connection.restarts.count >= 1)
    #expect(renderer.connection.restarts.last == .hung(seconds: 1.5))
  }
}
