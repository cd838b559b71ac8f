import Foundation
import LaminaAnimation
import LaminaValues
import TestSupport
import Testing

private typealias KeyframeValues = AnimationDescription.KeyframeValues
private typealias Mode = AnimationDescription.CalculationMode

private func numbers(_ values: [Double]) -> [AnimationValue] { values.map { .number($0) } }

// Numbers without another source are from QuartzCore, read by bitemyapp/sidestep's conformance
// tests (MIT).
@Suite("Keyframes")
struct KeyframeTests {
  private func opacity(_ keyframes: KeyframeValues, at time: Double) -> Double? {
    Stage.value(of: "opacity", model: .number(0.5), at: time, .keyframe("opacity", keyframes))
      .number
  }

  static let modeRows: [(String, [Double], [Double])] = [
    ("linear", [], [0.15, 0.6, 0.9, 0.9, 0.75, 0.52, 0.58, 0.64]),
    ("linear", [0, 0.1, 0.6, 1], [0.5, 0.9, 0.8, 0.7, 0.6, 0.55, 0.6, 0.65]),
    ("discrete", [], [0, 0, 1, 1, 0.5, 0.5, 0.7, 0.7]),
    ("discrete", [0, 0.1, 0.6, 1], [0, 1, 1, 1, 1, 0.5, 0.5, 0.5]),
    ("paced", [], [0.085, 0.34, 0.51, 0.68, 0.85, 0.81, 0.64, 0.53]),
    ("cubic", [], [0.16434374, 0.708, 0.96075, 0.9848, 0.8, 0.49165, 0.5296, 0.61795]),
    // By the rule checked on macOS, computed apart from this code.
    (
      "cubic", [0, 0.1, 0.6, 1],
      [0.61458333, 1.00666667, 0.9, 0.74, 0.58666667, 0.503125, 0.55833333, 0.634375]
    ),
  ]

  @Test(
    "Four values are shown as the mode says",
    arguments: modeRows)
  func modes(mode: String, keyTimes: [Double], expected: [Double]) throws {
    let keyframes = KeyframeValues(
      values: numbers([0, 1, 0.5, 0.7]), keyTimes: keyTimes.isEmpty ? nil : keyTimes,
      calculationMode: try #require(Mode(rawValue: mode)))
    for (time, value) in zip([0.05, 0.2, 0.3, 0.4, 0.5, 0.7, 0.8, 0.9], expected) {
      #expect(isClose(opacity(keyframes, at: time), value), "at \(time)")
    }
  }

  @Test("Values and times are paired as far as both go")
  func unpaired() {
    let short = KeyframeValues(values: numbers([0, 1, 0.5, 0.7]), keyTimes: [0, 0.5, 1])
    for (time, value) in zip([0.1, 0.25, 0.4, 0.6, 0.75, 0.9], [0.2, 0.5, 0.8, 0.9, 0.75, 0.6]) {
      #expect(isClose(opacity(short, at: time), value))
    }
    let long = KeyframeValues(
      values: numbers([0, 1, 0.3]), keyTimes: [0, 0.3, 0.6, 1], calculationMode: .discrete)
    for (time, value) in zip([0.1, 0.35, 0.65, 0.95], [0, 1, 0.3, 0.3]) {
      #expect(isClose(opacity(long, at: time), value))
    }
  }

  @Test("Key times are taken as they are, outside 0…1 and out of order")
  func rawTimes() {
    // As apps pass them if the first and the last key lie outside the animation.
    let raw = KeyframeValues(
      values: numbers([0, 0, 10, 20, 30, 30]), keyTimes: [0, -0.04, 0.06, 0.9, 1.2, 1])
    for (time, value) in zip(
      [0, 0.01, 0.06, 0.48, 0.9, 0.96, 1], [4, 5, 10, 15, 20, 22, 70.0 / 3])
    {
      #expect(isClose(opacity(raw, at: time), value, 1e-9), "at \(time)")
    }
    let early = KeyframeValues(values: numbers([0, 10]), keyTimes: [-1, 1])
    #expect(isClose(opacity(early, at: 0), 5, 1e-12))
    let late = KeyframeValues(values: numbers([0, 10]), keyTimes: [0.5, 2])
    #expect(opacity(late, at: 0.25) == 0)
    #expect(isClose(opacity(late, at: 1), 10.0 / 3, 1e-12))
    let discrete = KeyframeValues(
      values: numbers([1, 2, 3]), keyTimes: [0, -0.5, 0.5], calculationMode: .discrete)
    #expect(opacity(discrete, at: 0) == 2 && opacity(discrete, at: 0.5) == 3)
    let path = KeyframeValues(
      path: Path([.move(.zero), .line(CGPoint(x: 10, y: 0)), .line(CGPoint(x: 30, y: 0))]),
      keyTimes: [-1, 0.5, 1.5])
    for (time, x) in [(0.0, 20.0 / 3), (0.5, 10), (1, 20)] {
      let point = Stage.value(
        of: "position", model: .point(.zero), at: time, .keyframe("position", path)
      ).point
      #expect(isClose(point?.x, x, 1e-9), "at \(time)")
    }
  }

  @Test("Where keys lie unevenly, a cubic passes them without a jump in speed")
  func unevenCubic() throws {
    let times = [0, 0.1, 0.6, 1]
    let keyframes = KeyframeValues(
      values: numbers([0, 1, 0.5, 0.7]), keyTimes: times, calculationMode: .cubic)
    for time in times[1...2] {
      let value = try #require(opacity(keyframes, at: time))
      let arriving = try value - #require(opacity(keyframes, at: time - 1e-6))
      let leaving = try #require(opacity(keyframes, at: time + 1e-6)) - value
      #expect(isClose(arriving / leaving, 1, 1e-3), "at \(time)")
    }
  }

  @Test("Additive paths are added where they are of one structure, and replace others")
  func additivePaths() throws {
    func animated(_ paths: [Path], over model: Path, at time: Double) -> AnimationValue {
      let keyframes = KeyframeValues(values: paths.map { .path($0) })
      return Stage.value(
        of: "path", model: .path(model), at: time,
        .keyframe("path", keyframes, isAdditive: true))
    }
    func line(_ x: Double) -> Path { Path([.move(.zero), .line(CGPoint(x: x, y: 1))]) }
    let corner = Path([.move(.zero), .line(CGPoint(x: 1, y: 1)), .line(CGPoint(x: 2, y: 0))])
    #expect(
      animated([line(0), line(10)], over: line(5), at: 0.5)
        == .path(Path([.move(.zero), .line(CGPoint(x: 10, y: 2))])))
    #expect(animated([line(0), line(10)], over: corner, at: 0.5) == .path(line(5)))
    #expect(animated([line(0), corner], over: line(1), at: 1) == .path(corner))
  }

  @Test("One value alone does nothing")
  func alone() {
    #expect(opacity(KeyframeValues(values: numbers([0.3])), at: 0.1) == 0.5)
    #expect(opacity(KeyframeValues(), at: 0.1) == 0.5)
  }

  // From OpenCoreAnimation's tests: four keys 0, 1, 4, 9 halfway.
  static let bendRows: [([Double], [Double], [Double], Double)] = [
    ([], [], [], 2.25), ([0, 1, 1], [], [], 2.5), ([], [0, 1], [], 2.125),
    ([], [], [0, 0, 1], 2.375),
  ]

  @Test(
    "Tension, continuity and bias bend cubic keyframes",
    arguments: bendRows)
  func cubic(tension: [Double], continuity: [Double], bias: [Double], expected: Double) {
    let keyframes = KeyframeValues(
      values: numbers([0, 1, 4, 9]), calculationMode: .cubic, tensionValues: tension,
      continuityValues: continuity, biasValues: bias)
    #expect(isClose(opacity(keyframes, at: 0.5), expected, 1e-12))
  }

  // From OpenCoreAnimation's tests.
  @Test("The end tangents are full differences")
  func ends() {
    let keyframes = KeyframeValues(values: numbers([0, 10, 10]), calculationMode: .cubic)
    #expect(isClose(opacity(keyframes, at: 0.75), 10.625, 1e-12))
    let rising = KeyframeValues(values: numbers([0, 0, 30]), calculationMode: .cubic)
    #expect(isClose(opacity(rising, at: 0.75), 13.125, 1e-12))
  }

  @Test("Paced cubic keyframes are reached by distance, and passed without a jump in speed")
  func cubicPaced() throws {
    let keyframes = KeyframeValues(
      values: numbers([0, 10, 40]), keyTimes: [0, 0.9, 1], calculationMode: .cubicPaced)
    let (before, at, after) = (0.25 - 1e-5, 0.25, 0.25 + 1e-5)
    let value = try #require(opacity(keyframes, at: at))
    #expect(isClose(value, 10, 1e-9))
    let arriving = try value - #require(opacity(keyframes, at: before))
    let leaving = try #require(opacity(keyframes, at: after)) - value
    #expect(isClose(arriving / leaving, 1, 1e-3))
  }

  @Test("Each segment has its own curve")
  func curves() {
    let keyframes = KeyframeValues(
      values: numbers([0, 1, 2]), timingCurves: [.easeIn, .linear])
    #expect(isClose(opacity(keyframes, at: 0.25), 0.31535682))
    #expect(isClose(opacity(keyframes, at: 0.75), 1.5))
  }

  static let path = Path([
    .move(.zero), .line(CGPoint(x: 100, y: 0)),
    .cubic(
      control1: CGPoint(x: 150, y: 0), control2: CGPoint(x: 200, y: 50),
      end: CGPoint(x: 200, y: 100)),
  ])

  static let pathRows: [(String, [(Double, Double)])] = [
    (
      "linear",
      [
        (0, 0), (20, 0), (50, 0), (100, 0), (129.6, 5.6), (168.75, 31.25), (194.4, 70.4),
        (199.94, 97),
      ]
    ),
    (
      "paced",
      [
        (0, 0), (25.49, 0), (63.72, 0), (126.87, 4.62), (149.72, 15.82), (177.88, 41.5),
        (195.99, 74.98), (199.96, 97.46),
      ]
    ),
    (
      "discrete",
      [(0, 0), (0, 0), (0, 0), (100, 0), (100, 0), (100, 0), (100, 0), (100, 0)]
    ),
  ]

  @Test(
    "A path's segments are the keyframes",
    arguments: pathRows)
  func path(mode: String, expected: [(Double, Double)]) throws {
    let keyframes = KeyframeValues(
      path: Self.path, calculationMode: try #require(Mode(rawValue: mode)))
    for (time, p) in zip([0, 0.1, 0.25, 0.5, 0.6, 0.75, 0.9, 0.99], expected) {
      let value = Stage.value(
        of: "position", model: .point(.zero), at: time, .keyframe("position", keyframes)
      ).point
      #expect(isClose(value?.x, p.0, 0.3) && isClose(value?.y, p.1, 0.3), "at \(time): \(value!)")
    }
  }

  @Test("A gap in a path is jumped, and a closing line travelled")
  func gaps() {
    let path = Path([
      .move(.zero), .line(CGPoint(x: 10, y: 0)), .move(CGPoint(x: 100, y: 0)),
      .line(CGPoint(x: 100, y: 30)), .close,
    ])
    func x(_ time: Double) -> CGPoint? {
      Stage.value(
        of: "position", model: .point(.zero), at: time,
        .keyframe("position", KeyframeValues(path: path, calculationMode: .paced))
      ).point
    }
    #expect(isClose(x(0.5 / 7)?.x, 5))
    #expect(x(1.5 / 7)?.x == 100)
    #expect(isClose(x(5.5 / 7)?.y, 15))
  }

  @Test("A layer that moves along a path turns with it, on top of its own transform")
  func turning() {
    let keyframes = KeyframeValues(
      path: Path([.move(.zero), .line(CGPoint(x: 0, y: 10))]), rotationMode: .auto)
    var stage = Stage([
      "position": .point(.zero), "transform": .transform(CATransform3D(scaleX: 2, y: 1)),
    ])
    Stage.track(.keyframe("position", keyframes)).apply(at: 0.5, to: &stage)
    let transform = stage.values["transform"]?.transform
    #expect(isClose(transform?.m11, 0) && isClose(transform?.m12, 2))
    #expect(isClose(transform?.m21, -1) && isClose(transform?.m22, 0))
    var reversed = keyframes
    reversed.rotationMode = .autoReverse
    stage.values["transform"] = .transform(.identity)
    Stage.track(.keyframe("position", reversed)).apply(at: 0.5, to: &stage)
    #expect(isClose(stage.values["transform"]?.transform?.m12, -1))
  }

  @Test("Transforms cannot be paced: there is no distance between them")
  func pacedTransforms() {
    let keyframes = KeyframeValues(
      values: [.transform(.identity), .transform(CATransform3D(scaleX: 2, y: 2))],
      calculationMode: .paced)
    #expect(Stage.track(.keyframe("transform", keyframes)).isEmpty)
  }

  @Test("Contents switch at their keys where the mode is discrete")
  func images() {
    let keyframes = KeyframeValues(
      values: (1...4).map { .image(ImageID(rawValue: $0)) }, calculationMode: .discrete)
    let value = Stage.value(
      of: "contents", model: .none, at: 0.6, .keyframe("contents", keyframes))
    #expect(value == .image(ImageID(rawValue: 3)))
  }

  @Test("No keyframes trap or give NaN", arguments: 0..<8)
  func any(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let extremes = [0, 1, -1, .infinity, Double.nan, 1e308, 0.5]
    func list() -> [Double] {
      (0..<Int.random(in: 0...5, using: &random)).map { _ in
        Bool.random(using: &random)
          ? extremes.randomElement(using: &random)! : .random(in: -2...2, using: &random)
      }
    }
    for _ in 0..<2000 {
      let values = list().filter { !$0.isNaN }
      let points = list().map { CGPoint(x: $0, y: $0 * 2) }
      let path = Path(
        points.enumerated().map { i, p in
          [.move(p), .line(p), .quad(control: p, end: .zero), .close][(i &* 7 + Int(seed)) % 4]
        })
      let keyframes = KeyframeValues(
        values: numbers(values), path: Bool.random(using: &random) ? path : nil,
        keyTimes: Bool.random(using: &random) ? list() : nil,
        timingCurves: [TimingCurve(0.2, -3, 0.1, 5)],
        calculationMode: Mode.allCases.randomElement(using: &random)!,
        tensionValues: list(), continuityValues: list(), biasValues: list(), rotationMode: .auto)
      var stage = Stage(["p": .number(0), "transform": .transform(.identity)])
      let track = Stage.track(.keyframe("p", keyframes))
      for time in [0, 0.3, 0.5, 1] { track.apply(at: time, to: &stage) }
      if let number = stage.values["p"]?.number { #expect(!number.isNaN) }
      if let point = stage.values["p"]?.point { #expect(!point.x.isNaN && !point.y.isNaN) }
    }
  }
}
