import Foundation
import LaminaInProcess
import LaminaValues
import TestSupport
import Testing

@testable import Lamina

// Values of Apple's QuartzCore from sidestep's conformance/tests/quartzcore.rs (MIT), whose tests
// assert them on macOS. Unless stated otherwise, a layer with an opacity of 0.5 has its opacity
// animated from 0 to 1 in a second.
@Suite("Timing of animations in both processes") struct BasicTimingTableTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var times: [Double]
    var expected: [Double]
    var change: @Sendable (CABasicAnimation) -> Void
    var testDescription: String { name }
  }

  private static let fillTimes = [0, 0.5, 1, 1.5, 2.5]
  private static let times = [0, 0.2, 0.5, 0.9, 1.2, 1.5, 1.9, 2.1, 3, 4.5]

  private static func fill(_ mode: CAMediaTimingFillMode, _ expected: [Double]) -> Row {
    Row(name: "fill \(mode.rawValue)", times: fillTimes, expected: expected) {
      $0.beginTime = 1
      $0.fillMode = mode
    }
  }

  private static func row(
    _ name: String, _ expected: [Double], _ change: @escaping @Sendable (CABasicAnimation) -> Void
  ) -> Row {
    Row(name: name, times: times, expected: expected, change: change)
  }

  static let rows = [
    fill(.removed, [0.5, 0.5, 0, 0.5, 0.5]), fill(.forwards, [0.5, 0.5, 0, 0.5, 1]),
    fill(.backwards, [0, 0, 0, 0.5, 0.5]), fill(.both, [0, 0, 0, 0.5, 1]),
    row("autoreverses", [0, 0.2, 0.5, 0.9, 0.8, 0.5, 0.1, 0.5, 0.5, 0.5]) {
      $0.autoreverses = true
    },
    row("repeatCount 2.5", [0, 0.2, 0.5, 0.9, 0.2, 0.5, 0.9, 0.1, 0.5, 0.5]) {
      $0.repeatCount = 2.5
    },
    row("repeatDuration 1.7", [0, 0.2, 0.5, 0.9, 0.2, 0.5, 0.5, 0.5, 0.5, 0.5]) {
      $0.repeatDuration = 1.7
    },
    row("speed 2", [0, 0.4, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]) { $0.speed = 2 },
    row("timeOffset 0.3", [0.3, 0.5, 0.8, 0.2, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]) {
      $0.timeOffset = 0.3
    },
    row("speed -1", [0, 0.8, 0.5, 0.1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]) { $0.speed = -1 },
    row("duration 0", [0, 0.8, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]) { $0.duration = 0 },
  ]

  @Test("Opacity follows the timing", arguments: rows, [RenderServer.inProcess, .process])
  func timing(row: Row, server: RenderServer) throws {
    let animation = CABasicAnimation("opacity", from: 0, to: 1)
    row.change(animation)
    let layer = CALayer(animating: animation)
    layer.opacity = 0.5
    let evaluation = try Evaluation(layer, server: server)
    for (time, expected) in zip(row.times, row.expected) {
      #expect(isClose(try evaluation.number("opacity", at: time), expected), "at \(time)")
    }
  }

  private func halfWay(_ animations: CABasicAnimation...) throws -> Double {
    let layer = CALayer()
    layer.opacity = 0.5
    for animation in animations { layer.add(animation, forKey: nil) }
    return try Evaluation(layer).number("opacity", at: 0.5)
  }

  @Test("From, to and by, as far as they are given")
  func ends() throws {
    #expect(isClose(try halfWay(CABasicAnimation("opacity", from: 0.2)), 0.35))
    #expect(isClose(try halfWay(CABasicAnimation("opacity", to: 0.8)), 0.65))
    #expect(isClose(try halfWay(CABasicAnimation("opacity", by: 0.3)), 0.65))
    #expect(isClose(try halfWay(CABasicAnimation("opacity", from: 0.2, by: 0.3)), 0.35))
    #expect(isClose(try halfWay(CABasicAnimation("opacity", to: 0.9, by: 0.3)), 0.75))
    #expect(isClose(try halfWay(CABasicAnimation("opacity")), 0.5))
  }

  @Test("Additive animations add to the value that is there, and to each other")
  func additive() throws {
    let (first, second) = (
      CABasicAnimation("opacity", from: 0, to: 0.2), CABasicAnimation("opacity", from: 0, to: 0.1)
    )
    first.isAdditive = true
    second.isAdditive = true
    #expect(isClose(try halfWay(first), 0.6))
    #expect(isClose(try halfWay(first, second), 0.65))
  }

  @Test("Cumulative animations go on from the end of each cycle")
  func cumulative() throws {
    func expect(
      _ animation: CABasicAnimation, count: Float, model: CGFloat = 0,
      _ rows: KeyValuePairs<Double, Double>
    ) throws {
      animation.isCumulative = true
      animation.repeatCount = count
      let layer = CALayer(animating: animation)
      layer.position.x = model
      let evaluation = try Evaluation(layer)
      for (time, x) in rows {
        #expect(isClose(try evaluation.number("position.x", at: time), x), "at \(time)")
      }
    }
    try expect(
      CABasicAnimation("position.x", from: 0, to: 10), count: 3, [0.5: 5, 1.5: 15, 2.5: 25])
    try expect(
      CABasicAnimation("position.x", by: 10), count: 3, model: 100,
      [0.5: 105, 1.5: 215, 2.5: 325])
    let back = CABasicAnimation("position.x", from: 0, to: 10)
    back.autoreverses = true
    try expect(back, count: 2, [2.5: 5])
  }

  @Test("Flags are on as soon as their number is not 0")
  func flags() throws {
    let layer = CALayer(animating: CABasicAnimation("hidden", from: 0, to: 1))
    #expect(try Evaluation(layer).shown(at: 0.25).isHidden)
  }

  @Test("Colours mix by straight components, and no colour does not mix")
  func colors() throws {
    let (red, blue) = (
      CGColor(red: 1, green: 0, blue: 0, alpha: 1), CGColor(red: 0, green: 0, blue: 1, alpha: 0.5)
    )
    let none = CALayer(animating: CABasicAnimation("backgroundColor", to: red))
    #expect(try Evaluation(none).shown(at: 0.5).backgroundColor == nil)
    let mixed = CALayer(animating: CABasicAnimation("backgroundColor", from: red, to: blue))
    let half = try #require(try Evaluation(mixed).shown(at: 0.5).backgroundColor)
    #expect(half == CGColor(red: 0.5, green: 0, blue: 0.5, alpha: 0.75))
  }

  @Test(
    "A group's children run in its time; without a duration they take its",
    arguments: [
      RenderServer.inProcess, .process,
    ])
  func groups(server: RenderServer) throws {
    let fade = CABasicAnimation("opacity", from: 0, to: 1)
    fade.beginTime = 0.5
    let move = CABasicAnimation("position.x", from: 0, to: 100, duration: 0)
    let group = CAAnimationGroup()
    group.animations = [fade, move]
    group.duration = 2
    let layer = CALayer(animating: group)
    layer.opacity = 0.5
    let evaluation = try Evaluation(layer, server: server)
    for (time, opacity, x) in [
      (0.25, 0.5, 12.5), (0.5, 0, 25), (1, 0.5, 50), (1.4, 0.9, 70), (1.6, 0.5, 80),
    ] {
      #expect(isClose(try evaluation.number("opacity", at: time), opacity), "at \(time)")
      #expect(isClose(try evaluation.number("position.x", at: time), x), "at \(time)")
    }
  }
}
