import LaminaAnimation
import TestSupport
import Testing

// The numbers are from QuartzCore, read by bitemyapp/sidestep's conformance tests (MIT).
@Suite("Media timing")
struct MediaTimingTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var timing: MediaTiming
    var times: [Double]
    var opacities: [Double]
  }

  private static let fillTimes = [0, 0.5, 1, 1.5, 2.5]
  private static let times = [0, 0.2, 0.5, 0.9, 1.2, 1.5, 1.9, 2.1, 3, 4.5]

  static let rows = [
    Row(
      testDescription: "fill removed", timing: MediaTiming(beginTime: 1, duration: 1),
      times: fillTimes, opacities: [0.5, 0.5, 0, 0.5, 0.5]),
    Row(
      testDescription: "fill forwards",
      timing: MediaTiming(beginTime: 1, duration: 1, fillMode: .forwards),
      times: fillTimes, opacities: [0.5, 0.5, 0, 0.5, 1]),
    Row(
      testDescription: "fill backwards",
      timing: MediaTiming(beginTime: 1, duration: 1, fillMode: .backwards),
      times: fillTimes, opacities: [0, 0, 0, 0.5, 0.5]),
    Row(
      testDescription: "fill both",
      timing: MediaTiming(beginTime: 1, duration: 1, fillMode: .both),
      times: fillTimes, opacities: [0, 0, 0, 0.5, 1]),
    Row(
      testDescription: "autoreverses", timing: MediaTiming(duration: 1, autoreverses: true),
      times: times, opacities: [0, 0.2, 0.5, 0.9, 0.8, 0.5, 0.1, 0.5, 0.5, 0.5]),
    Row(
      testDescription: "repeatCount 2.5", timing: MediaTiming(duration: 1, repeatCount: 2.5),
      times: times, opacities: [0, 0.2, 0.5, 0.9, 0.2, 0.5, 0.9, 0.1, 0.5, 0.5]),
    Row(
      testDescription: "repeatDuration 1.7",
      timing: MediaTiming(duration: 1, repeatDuration: 1.7),
      times: times, opacities: [0, 0.2, 0.5, 0.9, 0.2, 0.5, 0.5, 0.5, 0.5, 0.5]),
    Row(
      testDescription: "speed 2", timing: MediaTiming(duration: 1, speed: 2),
      times: times, opacities: [0, 0.4, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]),
    Row(
      testDescription: "timeOffset 0.3", timing: MediaTiming(duration: 1, timeOffset: 0.3),
      times: times, opacities: [0.3, 0.5, 0.8, 0.2, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]),
    Row(
      testDescription: "speed −1", timing: MediaTiming(duration: 1, speed: -1),
      times: times, opacities: [0, 0.8, 0.5, 0.1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]),
    Row(
      testDescription: "duration 0.25", timing: MediaTiming(duration: 0.25),
      times: times, opacities: [0, 0.8, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]),
  ]

  @Test("A 0 → 1 animation over a model of 0.5 follows its timing", arguments: rows)
  func follows(row: Row) {
    let animation = AnimationDescription.basic(
      "opacity", from: .number(0), to: .number(1), timing: row.timing)
    for (time, expected) in zip(row.times, row.opacities) {
      let value = Stage.value(of: "opacity", model: .number(0.5), at: time, animation).number
      #expect(isClose(value, expected), "at \(time): \(String(describing: value))")
    }
  }

  @Test("A layer's time is an affine function of its parent's, and back")
  func localTime() {
    let timing = MediaTiming(beginTime: 3, speed: 2, timeOffset: 1)
    #expect(timing.localTime(at: 10) == 15)
    #expect(timing.parentTime(at: 15) == 10)
    // Measured on Apple's system, with `middle` in the root and `leaf` in `middle`.
    let middle = MediaTiming(beginTime: 2, speed: 3, timeOffset: 0.25)
    let leaf = MediaTiming(beginTime: 1, speed: 2, timeOffset: 0.5)
    #expect(leaf.localTime(at: middle.localTime(at: 10)) == 47)
    #expect(isClose(middle.parentTime(at: leaf.parentTime(at: 10)), 23.0 / 6, 1e-12))
  }

  @Test("A layer of speed 0 stands at its timeOffset, and no change reaches its parent")
  func paused() {
    let timing = MediaTiming(beginTime: 5, speed: 0, timeOffset: 0.7)
    #expect(timing.localTime(at: 100) == 0.7)
    #expect(timing.parentTime(at: 0.7) == 5)
    #expect(timing.parentTime(ofChangeAt: 0.7, now: 100) == .infinity)
  }

  @Test("The next change is the begin, then now, then never")
  func nextChange() {
    let timing = MediaTiming(beginTime: 2, duration: 1, speed: 2, repeatCount: 3)
    #expect(timing.activeDuration == 3)
    #expect(timing.endTime == 3.5)
    #expect(timing.nextChange(after: 0) == 2)
    #expect(timing.nextChange(after: 2) == 2)
    #expect(timing.nextChange(after: 3.25) == 3.25)
    // Shown at its end and removed right after it.
    #expect(timing.nextChange(after: 3.5) == 3.5)
    #expect(timing.nextChange(after: 3.5001) == .infinity)
    var filling = timing
    filling.fillMode = .forwards
    #expect(filling.nextChange(after: 3.5) == .infinity)
    #expect(MediaTiming(duration: 0).nextChange(after: 0) == .infinity)
    #expect(MediaTiming(duration: 1, speed: 0).nextChange(after: 0) == .infinity)
    #expect(MediaTiming(duration: 1, repeatCount: .infinity).nextChange(after: 1e9) == 1e9)
  }

  @Test("A duration that is not positive has no effect", arguments: [0, -1, Double.nan])
  func noDuration(duration: Double) {
    let timing = MediaTiming(duration: duration, fillMode: .both)
    #expect(timing.progress(at: 0) == nil)
    #expect(timing.activeDuration == 0)
  }

  @Test("No timing at any time traps or gives a fraction outside 0…1", arguments: 0..<16)
  func anyTiming(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let extremes = [
      0, -0.0, 1, -1, 1e-300, 1e308, -1e308, .infinity, -.infinity, .nan, 0.1, 3.7,
    ]
    func number() -> Double {
      Bool.random(using: &random)
        ? extremes.randomElement(using: &random)! : .random(in: -10...10, using: &random)
    }
    for _ in 0..<4000 {
      let timing = MediaTiming(
        beginTime: number(), duration: number(), speed: number(), timeOffset: number(),
        repeatCount: number(), repeatDuration: number(),
        autoreverses: Bool.random(using: &random),
        fillMode: FillMode.allCases.randomElement(using: &random)!)
      let time = number()
      #expect(!timing.localTime(at: time).isNaN)
      #expect(!timing.parentTime(at: time).isNaN)
      #expect(!timing.parentTime(ofChangeAt: time, now: 0).isNaN)
      #expect(!timing.nextChange(after: time).isNaN)
      #expect(!timing.endTime.isNaN && !timing.activeDuration.isNaN)
      if let progress = timing.progress(at: time) {
        #expect((0...1).contains(progress.fraction), "\(timing) at \(time)")
        #expect(progress.cycle.isFinite && progress.basicTime >= 0, "\(timing) at \(time)")
      }
    }
  }
}
