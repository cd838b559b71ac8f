import Foundation
import LaminaInProcess
import LaminaValues
import TestSupport
import Testing

@testable import Lamina

@Suite("Timing functions in both processes") struct CurveTableTests {
  // Values of Apple's QuartzCore from sidestep's conformance/tests/quartzcore.rs (MIT): opacity
  // from 0 to 1 in a second, on a layer that is paused at a time.
  static let namedRows: [(CAMediaTimingFunctionName?, [Double])] = [
    (nil, [0.1, 0.25, 0.5, 0.75, 0.9]), (.linear, [0.1, 0.25, 0.5, 0.75, 0.9]),
    (.easeIn, [0.017026613, 0.09346466, 0.31535682, 0.6218605, 0.83942777]),
    (.easeOut, [0.16057223, 0.37813953, 0.6846432, 0.9065353, 0.9829734]),
    (.easeInEaseOut, [0.019722449, 0.12916191, 0.5, 0.8708381, 0.98027754]),
    (.default, [0.094795, 0.4085106, 0.8024034, 0.96045905, 0.99431646]),
  ]

  @Test(
    "A paused layer shows the curve at its timeOffset", arguments: namedRows,
    [RenderServer.inProcess, .process])
  func named(row: (CAMediaTimingFunctionName?, [Double]), server: RenderServer) throws {
    let animation = CABasicAnimation("opacity", from: 0, to: 1)
    animation.beginTime = 1e-100
    animation.timingFunction = row.0.map { CAMediaTimingFunction(name: $0) }
    let layer = CALayer(animating: animation)
    layer.speed = 0
    let evaluation = try Evaluation(layer, server: server)
    for (offset, expected) in zip([0.1, 0.25, 0.5, 0.75, 0.9], row.1) {
      layer.timeOffset = offset
      try evaluation.renderer.commitChanges()
      // The layer is paused, so the time makes no difference.
      for time in [0, 17.5] {
        // The table allows 2e-3; an exact solution comes within 2e-6.
        #expect(isClose(try evaluation.number("opacity", at: time), expected, 2e-6))
      }
    }
  }

  // Chromium's ui/gfx/geometry/cubic_bezier_unittest.cc (BSD-3).
  static let curveRows: [([Float], [(Double, Double)])] = [
    (
      [0.25, 0, 0.75, 1],
      [
        (0.05, 0.01136), (0.1, 0.03978), (0.15, 0.07978), (0.2, 0.12803), (0.25, 0.18235),
        (0.3, 0.24115), (0.35, 0.30323), (0.4, 0.36761), (0.45, 0.43345), (0.5, 0.5),
        (0.6, 0.63238), (0.65, 0.69676), (0.7, 0.75884), (0.75, 0.81764), (0.8, 0.87196),
        (0.85, 0.92021), (0.9, 0.96021), (0.95, 0.98863),
      ]
    ),
    (
      [0.5, -1, 0.5, 2],
      [
        (0.05, -0.08954), (0.1, -0.15613), (0.15, -0.19641), (0.2, -0.20651), (0.25, -0.18232),
        (0.3, -0.11992), (0.35, -0.01672), (0.4, 0.1266), (0.45, 0.30349), (0.5, 0.5),
        (0.75, 1.18232), (0.8, 1.20651), (0.95, 1.08954),
      ]
    ),
    ([0.5, 1, 0.5, 1], [(0.5, 0.875)]), ([0.5, 2, 0.5, 2], [(0.5, 1.625)]),
    ([0.5, -1, 0.5, -1], [(0.5, -0.625)]),
  ]

  @Test("A curve may leave 0…1", arguments: curveRows)
  func curves(row: ([Float], [(Double, Double)])) throws {
    let animation = CABasicAnimation("position.x", from: 0, to: 1)
    let c = row.0
    animation.timingFunction = CAMediaTimingFunction(controlPoints: c[0], c[1], c[2], c[3])
    let evaluation = try Evaluation(CALayer(animating: animation))
    for (x, y) in row.1 {
      #expect(isClose(try evaluation.number("position.x", at: x), y, 1.5e-4), "at \(x)")
    }
  }
}

@Suite("Springs in both processes") struct SpringTableTests {
  private func spring(
    _ mass: Double, _ stiffness: Double, _ damping: Double, velocity: Double = 0
  ) -> CASpringAnimation {
    let spring = CASpringAnimation("position.x", from: 0, to: 100)
    spring.mass = mass
    spring.stiffness = stiffness
    spring.damping = damping
    spring.initialVelocity = velocity
    return spring
  }

  // Values of Apple's QuartzCore from sidestep's conformance/tests/quartzcore.rs (MIT). If no
  // duration is given, it is the settling duration.
  static let positionRows: [(damping: Double, duration: Double?, rows: [(Double, Double)])] = [
    (
      10, nil,
      [
        (0.05, 10.44054701924324), (0.15, 61.04925274848938), (0.25, 102.33595371246338),
        (0.45, 111.84459924697876),
      ]
    ),
    (
      20, nil,
      [
        (0.05, 9.020400792360306), (0.15, 44.217461347579956), (0.25, 71.27025127410889),
        (0.45, 93.89005303382874),
      ]
    ),
    (
      30, nil,
      [
        (0.05, 9.020400792360306), (0.15, 44.217461347579956), (0.25, 71.27025127410889),
        (0.45, 93.89005303382874),
      ]
    ),
    (10, 0.5, [(0.1, 34.02998447418213), (0.49, 108.34387540817261)]),
  ]

  @Test("A position springs", arguments: positionRows, [RenderServer.inProcess, .process])
  func positions(
    row: (damping: Double, duration: Double?, rows: [(Double, Double)]), server: RenderServer
  ) throws {
    let spring = spring(1, 100, row.damping)
    spring.duration = row.duration ?? spring.settlingDuration
    let evaluation = try Evaluation(CALayer(animating: spring), server: server)
    for (time, x) in row.rows {
      #expect(isClose(try evaluation.number("position.x", at: time), x, 1e-4), "at \(time)")
    }
  }

  private typealias Settling = (Double, Double, Double, Double)
  /// Mass, stiffness, damping and the settling duration; from sidestep, except for those with a
  /// source.
  private static let settlingRows: [Settling] = [
    (1, 100, 10, 1.4727003346780927), (1, 300, 20, 0.7442555275721707),
    (2, 100, 5, 5.658348137358159), (1, 100, 20, 0.9999999999999999),
    (1, 100, 30, 0.9999999999999999), (1, 400, 40, 0.5), (1, 25, 10, 1.9000000000000006),
    (1, 1, 2, 9.299999999999983), (1, 100, 1, 13.91321015404625),
    (1, 100, 0, 3.4028234663852886e+38),
    // OpenCoreAnimation.
    (1, 100, 100, 1),
    // honghaoz/ComposeUI (MIT), from CASpringAnimation.
    (1, 157.91367041742973, 20.106192982974676, 0.7714094006693448),
    (1, 986.9604401089358, 62.83185307179586, 0.3),
    (1, 17.545963379714415, 2.5132741228718345, 5.71461784505134),
  ]

  @Test("A spring settles when it is told to have, and both processes show it there")
  func settling() throws {
    for (mass, stiffness, damping, expected) in Self.settlingRows {
      let spring = spring(mass, stiffness, damping)
      #expect(abs(spring.settlingDuration - expected) <= 1e-12 * max(expected, 1))
      guard expected < 1e9 else { continue }
      spring.duration = spring.settlingDuration
      let evaluation = try Evaluation(CALayer(animating: spring))
      let end = try evaluation.number("position.x", at: spring.settlingDuration)
      #expect(isClose(end, 100, 0.1000001))
    }
    // Apple's documentation says about 2.85, and just over 1.
    #expect(isClose(spring(1, 100, 5).settlingDuration, 2.85, 0.01))
    #expect((1...1.1).contains(spring(1, 100, 15).settlingDuration))
  }

  // From the tests of OpenCoreAnimation and Vercantez/openuikit.
  @Test("A spring told by how it looks lasts until it settles")
  func perceptualDuration() {
    for bounce in [-0.5, 0, 0.25, 0.5] {
      let spring = CASpringAnimation(perceptualDuration: 1, bounce: bounce)
      #expect(spring.duration == spring.settlingDuration && spring.duration > 0.5)
    }
    let spring = CASpringAnimation(perceptualDuration: 1, bounce: 0.5)
    #expect(isClose(spring.duration, 2.3438753795710707, 1e-12))
    #expect(CASpringAnimation(keyPath: "opacity").duration == 0)
  }

  @Test("A spring keeps what it had instead of what no spring can have")
  func refusals() {
    let spring = CASpringAnimation(keyPath: "opacity")
    (spring.mass, spring.stiffness, spring.damping) = (2, 50, 0)
    let said = warnings {
      for wrong in [0, -1, CGFloat.nan] {
        spring.mass = wrong
        spring.stiffness = wrong
        spring.damping = wrong == 0 ? -0.5 : wrong
      }
      spring.setValue(-3, forKey: "mass")
    }
    #expect(spring.mass == 2 && spring.stiffness == 50 && spring.damping == 0)
    #expect(said.count == 10)
    #expect(
      said.first == "lamina: warning: mass of a CASpringAnimation cannot be 0.0: it stays 2.0")
    spring.initialVelocity = -4
    #expect(spring.initialVelocity == -4)
  }

  @Test("A spring can be told by how it looks")
  func perceptual() throws {
    for (bounce, damping) in [(0.5, 2 * Double.pi), (-0.5, 8 * Double.pi)] {
      let spring = CASpringAnimation(perceptualDuration: 1, bounce: bounce)
      #expect(isClose(spring.stiffness, 4 * Double.pi * .pi, 1e-9))
      #expect(isClose(spring.damping, damping, 1e-9))
      #expect(spring.allowsOverdamping && spring.mass == 1)
      #expect(isClose(spring.perceptualDuration, 1, 1e-9) && isClose(spring.bounce, bounce, 1e-9))
      spring.keyPath = "position.x"
      spring.toValue = 100
      spring.duration = spring.settlingDuration
      let evaluation = try Evaluation(CALayer(animating: spring))
      #expect(isClose(try evaluation.number("position.x", at: spring.settlingDuration), 100, 0.2))
    }
    let spring = CASpringAnimation(perceptualDuration: 1, bounce: 0.5)
    #expect(isClose(spring.settlingDuration, 2.3438753795710707, 1e-12))
    #expect(isClose(CASpringAnimation().perceptualDuration, 2 * Double.pi / 10, 1e-9))
    #expect(isClose(CASpringAnimation().bounce, 0.5, 1e-9))
  }
}

// Values of Apple's QuartzCore from sidestep's conformance/tests/quartzcore.rs (MIT).
@Suite("Transforms between two in both processes") struct TransformTableTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var from = CATransform3DIdentity
    var to: CATransform3D
    var fraction = 0.25
    /// m11, m12, m21, m22.
    var plane: [Double]
    var others: [(KeyPath<CATransform3D, CGFloat> & Sendable, Double)] = []
    var tolerance = 2e-3
    var testDescription: String { name }
  }

  static let transformRows = [
    Row(
      name: "a turn by 170°", to: CATransform3DMakeRotation(170 * .pi / 180, 0, 0, 1),
      plane: [0.73728, 0.67559, -0.67559, 0.73728], tolerance: 1e-4),
    Row(
      name: "a turn by 270° goes the shorter way",
      to: CATransform3DMakeRotation(270 * .pi / 180, 0, 0, 1),
      plane: [0.92388, -0.38268, 0.38268, 0.92388], tolerance: 1e-4),
    Row(
      name: "a scale that becomes a turn and a move", from: CATransform3DMakeScale(2, 1, 1),
      to: CATransform3DConcat(
        CATransform3DMakeRotation(1, 0, 0, 1), CATransform3DMakeTranslation(40, 0, 0)),
      plane: [1.6956, 0.43296, -0.2474, 0.96891], others: [(\.m41, 10)], tolerance: 1e-4),
    Row(
      name: "a turn about y", to: CATransform3DMakeRotation(1.2, 0, 1, 0),
      plane: [0.95534, 0, 0, 1],
      others: [(\.m13, -0.29552), (\.m31, 0.29552), (\.m33, 0.95534)], tolerance: 1e-4),
    Row(name: "mirrored in x", to: CATransform3DMakeScale(-1, 1, 1), plane: [0.5, 0, 0, 1]),
    Row(
      name: "mirrored in x, half way", to: CATransform3DMakeScale(-1, 1, 1), fraction: 0.5,
      plane: [0, 0, 0, 1]),
    Row(name: "mirrored in y", to: CATransform3DMakeScale(1, -1, 1), plane: [1, 0, 0, 0.5]),
    Row(
      name: "mirrored at both ends", from: CATransform3DMakeScale(-1, 1, 1),
      to: CATransform3DMakeScale(1, -1, 1), plane: [-0.7071, -0.7071, -0.7071, 0.7071],
      tolerance: 1e-4),
    Row(
      name: "half a turn", to: CATransform3DMakeRotation(.pi, 0, 0, 1), fraction: 0.5,
      plane: [0, -1, 1, 0], tolerance: 1e-4),
    Row(
      name: "half a turn as scales", to: CATransform3DMakeScale(-1, -1, 1),
      plane: [0.7071, -0.7071, 0.7071, 0.7071], tolerance: 1e-4),
    Row(
      name: "sheared",
      to: CATransform3DMakeAffineTransform(
        CGAffineTransform(a: 1, b: 0, c: 0.5, d: 1, tx: 0, ty: 0)),
      plane: [1, 0, 0.1151, 1.0023], tolerance: 1e-4),
  ]

  @Test("They go by their parts", arguments: transformRows, [RenderServer.inProcess, .process])
  func rows(row: Row, server: RenderServer) throws {
    let animation = CABasicAnimation("transform", from: row.from, to: row.to)
    let evaluation = try Evaluation(CALayer(animating: animation), server: server)
    let shown = try evaluation.shown(at: row.fraction).transform
    let plane = [shown.m11, shown.m12, shown.m21, shown.m22]
    for (part, expected) in zip(plane, row.plane) {
      #expect(isClose(part, expected, row.tolerance))
    }
    for (path, expected) in row.others {
      #expect(isClose(shown[keyPath: path], expected, row.tolerance))
    }
  }

  @Test("Perspective goes straight, and what vanishes takes its axis from the others")
  func beyondTheTable() throws {
    var deep = CATransform3DIdentity
    deep.m34 = -0.01
    let perspective = CABasicAnimation("sublayerTransform", from: CATransform3DIdentity, to: deep)
    let shown = try Evaluation(CALayer(animating: perspective)).shown(at: 0.25).sublayerTransform
    #expect(isClose(shown.m34, -0.0025, 1e-12))

    let flat = CATransform3DConcat(
      CATransform3DMakeScale(1, 0, 1), CATransform3DMakeRotation(1, 0, 0, 1))
    let rising = CABasicAnimation(
      "transform", from: flat, to: CATransform3DMakeRotation(1, 0, 0, 1))
    let half = try Evaluation(CALayer(animating: rising)).shown(at: 0.5).transform
    #expect(isClose(half.m11, cos(1)) && isClose(half.m12, sin(1)))
    #expect(isClose(half.m21, -sin(1) / 2) && isClose(half.m22, cos(1) / 2))
  }
}
