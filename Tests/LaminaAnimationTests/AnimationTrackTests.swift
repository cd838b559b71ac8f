import Foundation
import LaminaAnimation
import LaminaValues
import TestSupport
import Testing

// The numbers are from QuartzCore, read by bitemyapp/sidestep's conformance tests (MIT).
@Suite("Animation tracks")
struct AnimationTrackTests {
  @Test(
    "From, to and by combine with the value that is there",
    arguments: [
      (0.2, nil, nil, 0.35), (nil, 0.8, nil, 0.65), (nil, nil, 0.3, 0.65), (0.2, nil, 0.3, 0.35),
      (nil, 0.9, 0.3, 0.75), (nil, nil, nil, 0.5),
    ] as [(Double?, Double?, Double?, Double)])
  func combinations(from: Double?, to: Double?, by: Double?, expected: Double) {
    func value(_ number: Double?) -> AnimationValue { number.map { .number($0) } ?? .none }
    let animation = AnimationDescription.basic(
      "opacity", from: value(from), to: value(to), by: value(by))
    let result = Stage.value(of: "opacity", model: .number(0.5), at: 0.5, animation)
    #expect(isClose(result.number, expected))
  }

  @Test("Additive animations add, and do so after all others")
  func additive() {
    let first = AnimationDescription.basic(
      "opacity", from: .number(0), to: .number(0.2), isAdditive: true)
    let second = AnimationDescription.basic(
      "opacity", from: .number(0), to: .number(0.1), isAdditive: true)
    let plain = AnimationDescription.basic("opacity", from: .number(0.2), to: .number(0.4))
    func opacity(_ animations: AnimationDescription...) -> Double? {
      var stage = Stage(["opacity": .number(0.5)])
      AnimationTrack.apply(animations.map(Stage.track), at: 0.5, to: &stage)
      return stage.values["opacity"]?.number
    }
    #expect(isClose(opacity(first), 0.6))
    #expect(isClose(opacity(first, second), 0.65))
    #expect(isClose(opacity(first, plain), 0.4))
    let group = AnimationDescription.group([first], timing: MediaTiming(duration: 1))
    #expect(isClose(opacity(group, plain), 0.4))
  }

  @Test("Cumulative animations go on from where the last cycle ended")
  func cumulative() {
    func x(
      _ model: Double, _ time: Double, from: AnimationValue, to: AnimationValue,
      by: AnimationValue = .none, repeatCount: Double = 3, autoreverses: Bool = false
    ) -> Double? {
      let animation = AnimationDescription.basic(
        "position.x", from: from, to: to, by: by,
        timing: MediaTiming(duration: 1, repeatCount: repeatCount, autoreverses: autoreverses),
        isCumulative: true)
      let start = AnimationValue.point(CGPoint(x: model, y: 0))
      return Stage.value(of: "position", model: start, at: time, animation).point.map {
        Double($0.x)
      }
    }
    for (time, expected) in [(0.5, 5.0), (1.5, 15), (2.5, 25)] {
      #expect(isClose(x(0, time, from: .number(0), to: .number(10)), expected))
      #expect(isClose(x(0, time, from: .number(0), to: .none, by: .number(10)), expected))
    }
    for (time, expected) in [(0.5, 105.0), (1.5, 215), (2.5, 325)] {
      #expect(isClose(x(100, time, from: .none, to: .none, by: .number(10)), expected))
    }
    // From OpenCoreAnimation's tests.
    #expect(isClose(x(0, 1.5, from: .number(10), to: .number(20)), 35))
    #expect(
      isClose(
        x(0, 2.5, from: .number(0), to: .number(10), repeatCount: 2, autoreverses: true), 5))
  }

  @Test("Colours mix by straight components, and no colour does not mix")
  func colors() {
    let red = CGColor(red: 1, green: 0, blue: 0, alpha: 1)
    let blue = CGColor(red: 0, green: 0, blue: 1, alpha: 0.5)
    let mixed = Stage.value(
      of: "backgroundColor", model: .none, at: 0.5,
      .basic("backgroundColor", from: .color(red), to: .color(blue)))
    #expect(mixed == .color(CGColor(red: 0.5, green: 0, blue: 0.5, alpha: 0.75)))
    let fromNil = Stage.value(
      of: "backgroundColor", model: .none, at: 0.5, .basic("backgroundColor", to: .color(red)))
    #expect(fromNil == .none)
  }

  @Test("Colours of different spaces meet in sRGB")
  func colorSpaces() {
    let gray = AnimationValue.color(CGColor(gray: 0, alpha: 1))
    let red = AnimationValue.color(CGColor(red: 1, green: 0, blue: 0, alpha: 1))
    #expect(
      gray.interpolated(to: red, fraction: 0.5)
        == .color(CGColor(red: 0.5, green: 0, blue: 0, alpha: 1)))
    let wide = CGColor(kind: .displayP3, 1, 0, 0, alpha: 1)
    let end = gray.interpolated(to: .color(wide), fraction: 1).color
    #expect(end?.spaceKind == .extendedSRGB && isClose(end?.c0, wide.extendedSRGB.red))
  }

  @Test("Flags are numbers on the way, and so on from the first moment")
  func flags() {
    let value = Stage.value(
      of: "hidden", model: .number(0), at: 0.25,
      .basic("hidden", from: .number(0), to: .number(1)))
    #expect(value == .number(0.25))
  }

  @Test("Paths of one structure mix by their points, others switch halfway")
  func paths() {
    func square(_ side: Double) -> Path {
      Path([.move(.zero), .line(CGPoint(x: side, y: 0)), .line(CGPoint(x: side, y: side)), .close])
    }
    let (small, large) = (AnimationValue.path(square(10)), AnimationValue.path(square(20)))
    #expect(small.interpolated(to: large, fraction: 0.5) == .path(square(15)))
    let other = AnimationValue.path(Path([.move(.zero)]))
    #expect(small.interpolated(to: other, fraction: 0.49) == small)
    #expect(small.interpolated(to: other, fraction: 0.5) == other)
  }

  @Test("Arrays mix by element, images and names switch")
  func arrays() {
    let a = AnimationValue.array([.number(0), .string("a")])
    let b = AnimationValue.array([.number(1), .string("b")])
    #expect(a.interpolated(to: b, fraction: 0.75) == .array([.number(0.75), .string("b")]))
    #expect(a.interpolated(to: .array([]), fraction: 0.25) == a)
  }

  @Test("Values that were added and taken away again are as before")
  func arithmetic() throws {
    let turn = AnimationValue.transform(CATransform3D(rotationAngle: 0.4, x: 0, y: 0, z: 1))
    let move = AnimationValue.transform(CATransform3D(translationX: 10, y: 0))
    let both = turn.adding(move)
    #expect(both.transform?.m41 == 10)
    let back = try #require(both.subtracting(move).transform)
    #expect(isClose(back.m12, sin(0.4), 1e-12) && isClose(back.m41, 0, 1e-12))
    #expect(isClose(turn.scaled(by: 3).transform?.m12, sin(1.2), 1e-12))
    #expect(isClose(turn.scaled(by: -2).transform?.m12, sin(-0.8), 1e-12))
    #expect(turn.zero == .transform(.identity))
    #expect(AnimationValue.number(.infinity).scaled(by: 0) == .number(0))
  }

  @Test("Children run in their group's time, and one of duration 0 takes the group's")
  func groups() {
    let group = AnimationDescription.group(
      [
        .basic(
          "opacity", from: .number(0), to: .number(1),
          timing: MediaTiming(beginTime: 0.5, duration: 1)),
        .basic("position.x", from: .number(0), to: .number(100), timing: MediaTiming()),
      ], timing: MediaTiming(duration: 2))
    // The first time is before the opacity's child begins.
    let rows = [(0.25, 0.5, 12.5), (0.5, 0, 25), (1, 0.5, 50), (1.4, 0.9, 70), (1.6, 0.5, 80)]
    for (time, opacity, x) in rows {
      var stage = Stage(["opacity": .number(0.5), "position": .point(.zero)])
      Stage.track(group).apply(at: time, to: &stage)
      #expect(isClose(stage.values["opacity"]?.number, opacity), "at \(time)")
      #expect(isClose(stage.values["position"]?.point?.x, x), "at \(time)")
    }
  }

  @Test("A group cuts its children off at its end")
  func clipping() {
    let child = AnimationDescription.basic(
      "opacity", from: .number(0), to: .number(1), timing: MediaTiming(duration: 10))
    let group = AnimationDescription.group([child], timing: MediaTiming(duration: 1))
    #expect(isClose(Stage.value(of: "opacity", model: .number(0.5), at: 1, group).number, 0.1))
    #expect(Stage.value(of: "opacity", model: .number(0.5), at: 1.01, group).number == 0.5)
  }

  @Test("Undefined keys and members have no effect and never change")
  func undefined() {
    for keyPath in ["undefinedKey", "position.banana", "undefined.x"] {
      let track = Stage.track(.basic(keyPath, from: .number(0), to: .number(1)))
      #expect(track.isEmpty && track.properties.isEmpty)
      #expect(track.nextChange(after: 0) == .infinity)
    }
  }

  @Test("A group changes when a child does, in any of its cycles")
  func groupChanges() {
    let child = AnimationDescription.basic(
      "opacity", from: .number(0), to: .number(1), timing: MediaTiming(beginTime: 1, duration: 1))
    let timing = MediaTiming(beginTime: 10, duration: 4, speed: 2, repeatCount: 2)
    let track = Stage.track(.group([child], timing: timing))
    #expect(track.nextChange(after: 0) == 10)
    #expect(track.nextChange(after: 10) == 10.5)
    #expect(track.nextChange(after: 10.75) == 10.75)
    // The child has ended: the next cycle comes next, and after it the group's end.
    #expect(track.nextChange(after: 11.5) == 12)
    #expect(track.nextChange(after: 12.25) == 12.5)
    #expect(track.nextChange(after: 13.5) == 14)
    #expect(track.nextChange(after: 14.5) == .infinity)
  }

  @Test("Time that runs backwards meets the same changes from the other side")
  func backwards() {
    let track = Stage.track(
      .basic(
        "opacity", from: .number(0), to: .number(1), timing: MediaTiming(beginTime: 1, duration: 2))
    )
    #expect(track.nextChange(after: 5, runningBackwards: true) == 3)
    #expect(track.nextChange(after: 2, runningBackwards: true) == 2)
    #expect(track.nextChange(after: 0.5, runningBackwards: true) == -.infinity)
    let layer = MediaTiming(speed: -1, timeOffset: 10)
    let next = track.nextChange(after: layer.localTime(at: 2), runningBackwards: true)
    #expect(layer.parentTime(ofChangeAt: next, now: 2) == 7)
    #expect(layer.parentTime(ofChangeAt: -.infinity, now: 20) == .infinity)
  }

  @Test("Nothing but its next change changes a target", arguments: 0..<8)
  func nextChangeIsHonest(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func timing() -> MediaTiming {
      MediaTiming(
        beginTime: Double.random(in: 0...2, using: &random).rounded(),
        duration: .random(in: 0.25...3, using: &random),
        speed: [1, 2, 0.5, -1, 0].randomElement(using: &random)!,
        timeOffset: [0, 0, 0.5].randomElement(using: &random)!,
        repeatCount: [0, 1, 2, 1.5].randomElement(using: &random)!,
        autoreverses: Bool.random(using: &random),
        fillMode: FillMode.allCases.randomElement(using: &random)!)
    }
    for _ in 0..<300 {
      var child = AnimationDescription.basic(
        "opacity", from: .number(0), to: .number(1), timing: timing())
      if Bool.random(using: &random) { child = .group([child], timing: timing()) }
      let track = Stage.track(
        AnimationDescription(
          timing: timing(), timingCurve: Bool.random(using: &random) ? .easeIn : nil,
          content: .group([child])))
      func value(_ time: Double) -> AnimationValue? {
        var stage = Stage(["opacity": .number(7)])
        track.apply(at: time, to: &stage)
        return stage.values["opacity"]
      }
      for _ in 0..<10 {
        let now = Double.random(in: -1...12, using: &random)
        let next = track.nextChange(after: now)
        #expect(next >= now)
        let later = Double.random(in: now...15, using: &random)
        if later < next - 1e-9 {
          #expect(value(later) == value(now), "\(now)…\(later), next change \(next): \(track)")
        }
      }
    }
  }

  @Test("No animation of any values traps or leaves NaN", arguments: 0..<8)
  func any(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let extremes = [0, 1, -1, .infinity, -.infinity, 1e308, 1e-308]
    func number() -> Double {
      Int.random(in: 0..<4, using: &random) == 0
        ? extremes.randomElement(using: &random)! : .random(in: -5...5, using: &random)
    }
    func finite() -> Double { max(min(number(), 1e308), -1e308) }
    func value() -> AnimationValue {
      switch Int.random(in: 0..<6, using: &random) {
      case 0: .none
      case 1: .point(CGPoint(x: finite(), y: finite()))
      case 2: .transform(CATransform3D(scaleX: finite(), y: finite(), z: finite()))
      case 3: .color(CGColor(red: finite(), green: 0, blue: 0, alpha: 1))
      default: .number(finite())
      }
    }
    for _ in 0..<2000 {
      let animation = AnimationDescription(
        timing: MediaTiming(
          beginTime: number(), duration: abs(number()), speed: number(), timeOffset: number(),
          repeatCount: number(), repeatDuration: number(),
          autoreverses: Bool.random(using: &random), fillMode: .both),
        timingCurve: TimingCurve(number(), number(), number(), number()),
        content: .basic(
          .init(
            keyPath: ["p", "p.x", "p.rotation.z"].randomElement(using: &random)!,
            isAdditive: Bool.random(using: &random), isCumulative: false),
          .init(from: value(), to: value(), by: value())))
      var stage = Stage(["p": value()])
      Stage.track(animation).apply(at: number(), to: &stage)
      #expect(!Stage.track(animation).nextChange(after: number()).isNaN)
      if let number = stage.values["p"]?.number { #expect(!number.isNaN) }
      if let point = stage.values["p"]?.point { #expect(!point.x.isNaN && !point.y.isNaN) }
    }
  }
}
