import LaminaAnimation
import TestSupport
import Testing

@Suite("Timing curves")
struct TimingCurveTests {
  // From QuartzCore, read by bitemyapp/sidestep's conformance tests (MIT).
  static let namedRows: [(TimingCurve, [Double])] = [
    (TimingCurve.linear, [0.1, 0.25, 0.5, 0.75, 0.9]),
    (.easeIn, [0.017026613, 0.09346466, 0.31535682, 0.6218605, 0.83942777]),
    (.easeOut, [0.16057223, 0.37813953, 0.6846432, 0.9065353, 0.9829734]),
    (.easeInEaseOut, [0.019722449, 0.12916191, 0.5, 0.8708381, 0.98027754]),
    (.default, [0.094795, 0.4085106, 0.8024034, 0.96045905, 0.99431646]),
  ]

  @Test(
    "The named curves are Apple's",
    arguments: namedRows)
  func named(curve: TimingCurve, expected: [Double]) {
    for (x, y) in zip([0.1, 0.25, 0.5, 0.75, 0.9], expected) {
      #expect(isClose(curve.value(at: x), y, 2e-6))
    }
  }

  // From Chromium, ui/gfx/geometry/cubic_bezier_unittest.cc (BSD-3).
  static let solvedRows: [(TimingCurve, [(Double, Double)])] = [
    (
      TimingCurve(0.25, 0, 0.75, 1),
      [
        (0.05, 0.01136), (0.1, 0.03978), (0.15, 0.07978), (0.2, 0.12803), (0.25, 0.18235),
        (0.3, 0.24115), (0.35, 0.30323), (0.4, 0.36761), (0.45, 0.43345), (0.5, 0.5),
        (0.6, 0.63238), (0.65, 0.69676), (0.7, 0.75884), (0.75, 0.81764), (0.8, 0.87196),
        (0.85, 0.92021), (0.9, 0.96021), (0.95, 0.98863),
      ]
    ),
    (
      TimingCurve(0.5, -1, 0.5, 2),
      [
        (0.05, -0.08954), (0.1, -0.15613), (0.15, -0.19641), (0.2, -0.20651),
        (0.25, -0.18232), (0.3, -0.11992), (0.35, -0.01672), (0.4, 0.1266), (0.45, 0.30349),
        (0.5, 0.5), (0.75, 1.18232), (0.8, 1.20651), (0.95, 1.08954),
      ]
    ),
    (TimingCurve(0.5, 1, 0.5, 1), [(0.5, 0.875)]),
    (TimingCurve(0.5, 2, 0.5, 2), [(0.5, 1.625)]),
    (TimingCurve(0.5, -1, 0.5, -1), [(0.5, -0.625)]),
  ]

  @Test(
    "Curves are solved exactly, also where they leave 0…1",
    arguments: solvedRows)
  func solved(curve: TimingCurve, points: [(Double, Double)]) {
    for (x, y) in points {
      #expect(isClose(curve.value(at: x), y, 1.5e-4), "at \(x)")
    }
  }

  @Test("A curve whose x stands still halfway is solved too")
  func flat() {
    let curve = TimingCurve(1, 0, 0, 1)
    #expect(isClose(curve.value(at: 0.5), 0.5, 1e-3))
    #expect(curve.value(at: 0) == 0)
    #expect(curve.value(at: 1) == 1)
  }

  @Test("No control points and no fraction give NaN")
  func any() {
    var random = SeededGenerator(seed: 7)
    let extremes = [0, 1, .infinity, -.infinity, Double.nan, 1e308, -3]
    func number() -> Double {
      Bool.random(using: &random)
        ? extremes.randomElement(using: &random)! : .random(in: -2...2, using: &random)
    }
    for _ in 0..<5000 {
      let curve = TimingCurve(number(), number(), number(), number())
      #expect(!curve.value(at: number()).isNaN)
    }
  }
}
