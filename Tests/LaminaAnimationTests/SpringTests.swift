import Foundation
import LaminaAnimation
import TestSupport
import Testing

private typealias Parameters = AnimationDescription.SpringParameters

@Suite("Springs")
struct SpringTests {
  // From QuartzCore, read by bitemyapp/sidestep's conformance tests (MIT): position.x 0 → 100.
  static let positionRows: [(Double, [Double])] = [
    (10.0, [10.44054701924324, 61.04925274848938, 102.33595371246338, 111.84459924697876]),
    (20, [9.020400792360306, 44.217461347579956, 71.27025127410889, 93.89005303382874]),
    (30, [9.020400792360306, 44.217461347579956, 71.27025127410889, 93.89005303382874]),
  ]

  @Test(
    "A spring is where Apple's is, whatever its duration",
    arguments: positionRows)
  func positions(damping: Double, expected: [Double]) {
    let spring = Spring(Parameters(damping: damping))
    for (time, x) in zip([0.05, 0.15, 0.25, 0.45], expected) {
      #expect(isClose(spring.value(at: time) * 100, x))
    }
  }

  @Test("A spring animation runs in seconds and ends with its duration")
  func animation() {
    let animation = AnimationDescription(
      timing: MediaTiming(duration: 0.5),
      content: .spring(
        .init(keyPath: "position.x"), .init(from: .number(0), to: .number(100)), .init()))
    for (time, x) in [(0.10, 34.02998447418213), (0.49, 108.34387540817261), (0.6, 7)] {
      let value = Stage.value(
        of: "position", model: .point(CGPoint(x: 7, y: 3)), at: time, animation)
      #expect(isClose(value.point?.x, x))
      #expect(value.point?.y == 3)
    }
  }

  // From bitemyapp/sidestep (MIT), OpenCoreAnimation and honghaoz/ComposeUI (MIT), which read
  // CASpringAnimation on Apple's systems: mass, stiffness, damping, initial velocity, duration.
  static let settlingRows: [[Double]] = [
    [1, 100, 10, 0, 1.4727003346780927], [1, 300, 20, 0, 0.7442555275721707],
    [2, 100, 5, 0, 5.658348137358159], [1, 100, 20, 0, 0.9999999999999999],
    [1, 100, 30, 0, 0.9999999999999999], [1, 400, 40, 0, 0.5], [1, 25, 10, 0, 1.9000000000000006],
    [1, 1, 2, 0, 9.299999999999983], [1, 100, 1, 0, 13.91321015404625],
    [1, 100, 0, 0, 3.4028234663852886e+38], [1, 100, 100, 0, 0.9999999999999999],
    [1, 157.91367041742973, 20.106192982974676, 0, 0.7714094006693448],
    [1, 986.9604401089358, 62.83185307179586, 0, 0.3],
    [1, 17.545963379714415, 2.5132741228718345, 0, 5.71461784505134],
    [1, 39.47841760435743, 6.283185307179586, 0, 2.3438753795710707],
  ]

  @Test(
    "The settling duration is Apple's",
    arguments: settlingRows)
  func settling(row: [Double]) {
    let parameters = Parameters(
      mass: row[0], stiffness: row[1], damping: row[2], initialVelocity: row[3])
    #expect(isClose(parameters.settlingDuration, row[4], 1e-12 * max(row[4], 1)))
  }

  // From the tests of 1amageek/OpenCoreAnimation and Vercantez/openuikit.
  @Test("A perceptual duration and bounce give stiffness and damping, and back")
  func perceptual() {
    let bouncy = Parameters(perceptualDuration: 1, bounce: 0.5)
    #expect(isClose(bouncy.stiffness, 4 * .pi * .pi, 1e-12))
    #expect(isClose(bouncy.damping, 2 * .pi, 1e-12))
    #expect(bouncy.allowsOverdamping)
    let sluggish = Parameters(perceptualDuration: 1, bounce: -0.5)
    #expect(isClose(sluggish.damping, 8 * .pi, 1e-12))
    #expect(isClose(sluggish.bounce, -0.5, 1e-12))
    #expect(isClose(Parameters().perceptualDuration, 2 * .pi / 10, 1e-12))
    #expect(isClose(Parameters().bounce, 0.5, 1e-12))
  }

  @Test("An overdamped spring is slower than a critical one only where it is allowed to be")
  func overdamped() {
    let free = Parameters(damping: 100, allowsOverdamping: true)
    #expect(Spring(free).value(at: 0.2) < Spring(Parameters(damping: 20)).value(at: 0.2))
    #expect(free.settlingDuration > 5)
    // Just above critical, both formulas agree.
    let barely = Spring(Parameters(damping: 20.0002, allowsOverdamping: true))
    #expect(isClose(barely.value(at: 0.3), Spring(Parameters(damping: 20)).value(at: 0.3), 1e-5))
  }

  @Test("No parameters give NaN or hang")
  func any() {
    var random = SeededGenerator(seed: 3)
    let extremes = [0, 1, -1, .infinity, Double.nan, 1e308, 1e-308]
    func number() -> Double {
      Bool.random(using: &random)
        ? extremes.randomElement(using: &random)! : .random(in: 0...100, using: &random)
    }
    for _ in 0..<2000 {
      let parameters = Parameters(
        mass: number(), stiffness: number(), damping: number(), initialVelocity: number(),
        allowsOverdamping: Bool.random(using: &random))
      #expect(!Spring(parameters).value(at: number()).isNaN)
      #expect(!parameters.settlingDuration.isNaN)
      #expect(!parameters.bounce.isNaN && !parameters.perceptualDuration.isNaN)
      #expect(!Parameters(perceptualDuration: number(), bounce: number()).damping.isNaN)
    }
  }
}
