import Foundation
import LaminaCommit
import LaminaValues
import LayerSupport
import TestSupport
import Testing

@testable import Lamina

/// GL calls that fail, and devices that are reset, in a render process of its own.
@Suite("Devices that fail", .enabled(if: !sandboxIsOff)) struct DeviceFailureTests {
  /// A server that no other test uses, in which calls fail as `calls` says.
  private static func server(_ calls: FailingCalls) -> RenderServer {
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("lamina-render-server").path
    let words = calls.environment.map { "\($0)=\($1)" } + [program]
    return RenderServer(
      launcher: RenderServerLauncher(name: "failing \(UUID())") { () throws(ServerFailure) in
        try RenderServerLauncher.spawn("/usr/bin/env", words)
      }, platform: .surfaceless)
  }

  private static func failingCalls() throws -> FailingCalls {
    try FailingCalls(of: "lamina-render-server")
  }

  private static let size = CGSize(width: Story.size, height: Story.size)

  /// The frames of two stories by two renderers of one server, in turn. `before` and `after` are
  /// called around each.
  private static func pictures(
    rounds: Int, _ calls: FailingCalls, before: () -> Void = {}, after: () -> Void = {}
  ) throws -> [[UInt8]] {
    let server = server(calls)
    let scenes = try (1...2).map { seed in
      let story = try Story(seed: seed)
      let renderer = try CARenderer(size: size, clock: .manual(), server: server)
      renderer.layer = story.root
      return (story, renderer)
    }
    return try (0..<rounds).flatMap { round in
      try scenes.map { story, renderer in
        for _ in 0..<4 { withoutActions { story.edit() } }
        before()
        let picture = try renderer.image(at: 0.1 * Double(round)).pixels
        after()
        return picture
      }
    }
  }

  private static func expectEqual(_ pictures: [[UInt8]], _ expected: [[UInt8]], _ what: String) {
    for (number, (picture, expected)) in zip(pictures, expected).enumerated() {
      if picture != expected { Issue.record("\(what): frame \(number) differs") }
    }
  }

  // MARK: Resets

  /// GL_GUILTY_CONTEXT_RESET_EXT and its kin.
  private static let statuses: [Int32] = [0x8253, 0x8254, 0x8255]

  @Test(
    "Wherever a frame asks whether the device was reset, it was: no picture of a renderer tells")
  func reset() throws {
    let calls = try Self.failingCalls()
    let undisturbed = try Self.pictures(rounds: 6, calls)
    var place = 1 as UInt64
    while true {
      var resets = 0 as UInt64
      let status = Self.statuses[Int(place) % 3]
      let pictures = try Self.pictures(rounds: 6, calls) {
        calls.fail(.reset, code: status, at: place)
      } after: {
        resets += calls.failures
      }
      Self.expectEqual(pictures, undisturbed, "a reset at question \(place)")
      if resets == 0 { break }
      place += 1
    }
    // After the passes, and after each rectangle that is read back.
    #expect(place > 3)
  }

  @Test("A device that is reset again and again is an error that says so, and why")
  func resetAgain() throws {
    for (status, why) in zip(
      Self.statuses,
      ["of what this process drew", "of what another process drew", "the driver does not know why"])
    {
      let calls = try Self.failingCalls()
      calls.fail(.reset, code: status, at: 1, every: 1)
      let error = #expect(throws: Lamina.RenderServerError.self) {
        try Self.pictures(rounds: 1, calls)
      }
      let said = error?.description ?? ""
      #expect(said.contains("the frame of session 1 at 0.0: the graphics device was reset, "))
      #expect(said.hasSuffix(why), "\(said)")
    }
  }

  @Test("A context that is not robust is not asked for resets, and draws the same")
  func notRobust() throws {
    let calls = try Self.failingCalls()
    calls.fail(.reset, at: 0)
    let undisturbed = try Self.pictures(rounds: 4, calls)
    #expect(calls.count > 0)
    calls.fail(.robustness, at: 0)
    let pictures = try Self.pictures(rounds: 4, calls)
    #expect(calls.count == 0)
    Self.expectEqual(pictures, undisturbed, "without robustness")
  }

  // MARK: Calls

  @Test("A GL call that fails costs a device, and no frame shows it")
  func failingCall() throws {
    let calls = try Self.failingCalls()
    let undisturbed = try Self.pictures(rounds: 15, calls)
    var (place, failures) = (1 as UInt64, 0 as UInt64)
    let pictures = try Self.pictures(rounds: 15, calls) {
      calls.fail(.graphics, at: place)
    } after: {
      failures += calls.failures
      // Frames have about a hundred calls.
      place = calls.failures == 0 ? place % 5 + 1 : place + 5
    }
    Self.expectEqual(pictures, undisturbed, "a failing call")
    #expect(failures > 20)
  }

  @Test("A GL call that fails while a renderer is made costs a device, and not the renderer")
  func failingSurface() throws {
    let calls = try Self.failingCalls()
    let server = Self.server(calls)
    let layer = CALayer()
    layer.frame = CGRect(origin: .zero, size: Self.size)
    layer.backgroundColor = .red
    let first = try CARenderer(size: Self.size, clock: .manual(), server: server)
    first.layer = layer
    let expected = try first.image(at: 0).pixels
    var place = 0 as UInt64
    repeat {
      place += 1
      calls.fail(.graphics, at: place)
      let second = try CARenderer(size: Self.size, clock: .manual(), server: server)
      // Answers after the session is open.
      _ = try second.treeDescription(at: 0)
      let isReached = calls.failures > 0
      calls.fail(.graphics, at: 0)
      second.layer = layer
      #expect(try second.image(at: 0).pixels == expected, "call \(place)")
      first.layer = layer
      #expect(try first.image(at: 0).pixels == expected, "call \(place)")
      guard isReached else { break }
    } while place < 50
    #expect(place > 4)
    #expect(place < 50)
  }

  @Test("If the new device fails too, the error names both failures")
  func failsAgain() throws {
    let calls = try Self.failingCalls()
    _ = try Self.pictures(rounds: 1, calls)
    let error = #expect(throws: Lamina.RenderServerError.self) {
      try Self.pictures(rounds: 2, calls) { calls.fail(.graphics, at: 12, every: 6) }
    }
    let said = error?.description ?? ""
    #expect(said.contains("; then, on a new device, "), "\(said)")
  }
}
