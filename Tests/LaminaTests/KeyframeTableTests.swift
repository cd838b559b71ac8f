import Foundation
import LaminaInProcess
import LaminaValues
import TestSupport
import Testing

@testable import Lamina

// Values of Apple's QuartzCore from sidestep's conformance/tests/quartzcore.rs (MIT).
@Suite("Keyframes in both processes") struct KeyframeTableTests {
  private static let times = [0.05, 0.2, 0.3, 0.4, 0.5, 0.7, 0.8, 0.9]
  private static let uneven: [NSNumber] = [0, 0.1, 0.6, 1]

  struct Row: Sendable, CustomTestStringConvertible {
    var mode: CAAnimationCalculationMode
    var isUneven = false
    var expected: [Double]
    var testDescription: String { mode.rawValue + (isUneven ? " with keyTimes" : "") }
  }

  static let modeRows = [
    Row(mode: .linear, expected: [0.15, 0.6, 0.9, 0.9, 0.75, 0.52, 0.58, 0.64]),
    Row(mode: .linear, isUneven: true, expected: [0.5, 0.9, 0.8, 0.7, 0.6, 0.55, 0.6, 0.65]),
    Row(mode: .discrete, expected: [0, 0, 1, 1, 0.5, 0.5, 0.7, 0.7]),
    Row(mode: .discrete, isUneven: true, expected: [0, 1, 1, 1, 1, 0.5, 0.5, 0.5]),
    Row(mode: .paced, expected: [0.085, 0.34, 0.51, 0.68, 0.85, 0.81, 0.64, 0.53]),
    Row(
      mode: .cubic, expected: [0.16434374, 0.708, 0.96075, 0.9848, 0.8, 0.49165, 0.5296, 0.61795]),
  ]

  private func evaluation(
    _ keyframes: CAKeyframeAnimation, server: RenderServer = .inProcess
  ) throws -> Evaluation<CALayer> {
    let layer = CALayer(animating: keyframes)
    layer.opacity = 0.5
    return try Evaluation(layer, server: server)
  }

  @Test(
    "Values follow the calculation mode", arguments: modeRows, [RenderServer.inProcess, .process])
  func modes(row: Row, server: RenderServer) throws {
    let keyframes = CAKeyframeAnimation("opacity", [0, 1, 0.5, 0.7])
    keyframes.calculationMode = row.mode
    if row.isUneven { keyframes.keyTimes = Self.uneven }
    let evaluation = try evaluation(keyframes, server: server)
    for (time, expected) in zip(Self.times, row.expected) {
      #expect(isClose(try evaluation.number("opacity", at: time), expected, 2e-3), "at \(time)")
    }
  }

  @Test("Too few times drop values, too many are dropped, and one value does nothing")
  func edges() throws {
    func expect(
      _ values: [Double], _ keyTimes: [NSNumber]?, _ mode: CAAnimationCalculationMode,
      _ rows: KeyValuePairs<Double, Double>
    ) throws {
      let keyframes = CAKeyframeAnimation("opacity", values)
      keyframes.keyTimes = keyTimes
      keyframes.calculationMode = mode
      let evaluation = try evaluation(keyframes)
      for (time, expected) in rows {
        #expect(isClose(try evaluation.number("opacity", at: time), expected), "at \(time)")
      }
    }
    try expect(
      [0, 1, 0.5, 0.7], [0, 0.5, 1], .linear,
      [0.1: 0.2, 0.25: 0.5, 0.4: 0.8, 0.6: 0.9, 0.75: 0.75, 0.9: 0.6])
    try expect(
      [0, 1, 0.3], [0, 0.3, 0.6, 1], .discrete, [0.1: 0, 0.35: 1, 0.65: 0.3, 0.95: 0.3])
    try expect([0.3], nil, .linear, [0.1: 0.5, 0.9: 0.5])
  }

  private static let pathTimes = [0, 0.1, 0.25, 0.5, 0.6, 0.75, 0.9, 0.99]

  struct PathRow: Sendable, CustomTestStringConvertible {
    var mode: CAAnimationCalculationMode
    var expected: [(Double, Double)]
    var testDescription: String { mode.rawValue }
  }

  static let pathRows = [
    PathRow(
      mode: .linear,
      expected: [
        (0, 0), (20, 0), (50, 0), (100, 0), (129.6, 5.6), (168.75, 31.25), (194.4, 70.4),
        (199.94, 97),
      ]),
    PathRow(
      mode: .paced,
      expected: [
        (0, 0), (25.49, 0), (63.72, 0), (126.87, 4.62), (149.72, 15.82), (177.88, 41.5),
        (195.99, 74.98), (199.96, 97.46),
      ]),
    PathRow(
      mode: .discrete,
      expected: [
        (0, 0), (0, 0), (0, 0), (100, 0), (100, 0), (100, 0), (100, 0), (100, 0),
      ]),
  ]

  @Test("A position follows a path", arguments: pathRows, [RenderServer.inProcess, .process])
  func paths(row: PathRow, server: RenderServer) throws {
    let path = CGMutablePath()
    path.move(to: .zero)
    path.addLine(to: CGPoint(x: 100, y: 0))
    path.addCurve(
      to: CGPoint(x: 200, y: 100), control1: CGPoint(x: 150, y: 0),
      control2: CGPoint(x: 200, y: 50))
    let keyframes = CAKeyframeAnimation(keyPath: "position")
    keyframes.path = path
    keyframes.duration = 1
    keyframes.calculationMode = row.mode
    let evaluation = try evaluation(keyframes, server: server)
    for (time, (x, y)) in zip(Self.pathTimes, row.expected) {
      let position = try evaluation.shown(at: time).position
      #expect(isClose(position.x, x, 0.3) && isClose(position.y, y, 0.3), "at \(time)")
    }
  }

  // From OpenCoreAnimation's tests: the keys 0, 1, 4, 9 halfway, and keys whose curve bends at an
  // end.
  @Test("Cubic keyframes bend by tension, continuity and bias")
  func bends() throws {
    func value(
      _ values: [Double], at time: Double, _ change: (CAKeyframeAnimation) -> Void = { _ in }
    )
      throws -> Double
    {
      let keyframes = CAKeyframeAnimation("zPosition", values)
      keyframes.calculationMode = .cubic
      change(keyframes)
      return try evaluation(keyframes).number("zPosition", at: time)
    }
    let squares = [0.0, 1, 4, 9]
    #expect(isClose(try value(squares, at: 0.5), 2.25))
    #expect(isClose(try value(squares, at: 0.5) { $0.tensionValues = [0, 1, 1, 0] }, 2.5))
    #expect(isClose(try value(squares, at: 0.5) { $0.continuityValues = [0, 1] }, 2.125))
    #expect(isClose(try value(squares, at: 0.5) { $0.biasValues = [0, 0, 1] }, 2.375))
    #expect(isClose(try value([0, 10, 10], at: 0.75), 10.625))
    #expect(isClose(try value([0, 0, 30], at: 0.75), 13.125))
  }

  @Test("A layer turns with the path that it follows", arguments: [true, false])
  func rotation(isReversed: Bool) throws {
    let path = CGMutablePath()
    path.move(to: .zero)
    path.addLine(to: CGPoint(x: 0, y: 10))
    let keyframes = CAKeyframeAnimation(keyPath: "position")
    keyframes.path = path
    keyframes.duration = 1
    keyframes.rotationMode = isReversed ? .rotateAutoReverse : .rotateAuto
    let layer = CALayer(animating: keyframes)
    layer.transform = CATransform3DMakeScale(2, 1, 1)
    let transform = try Evaluation(layer).shown(at: 0.5).transform
    #expect(isClose(transform.m12, isReversed ? -2 : 2) && isClose(transform.m11, 0))
    #expect(isClose(transform.m21, isReversed ? 1 : -1))
  }
}
