import Foundation
import LaminaAnimation
import Testing

@Suite("How far a transition is")
struct TransitionProgressTests {
  private func track(
    _ values: AnimationDescription.TransitionValues, _ timing: MediaTiming,
    curve: TimingCurve? = nil
  ) -> AnimationTrack<String> {
    AnimationTrack(
      AnimationDescription(timing: timing, timingCurve: curve, content: .transition(values))
    ) { $0 }
  }

  @Test("Progress runs from start to end through the timing function, and only while it is active")
  func progress() {
    let plain = track(.init(), MediaTiming(beginTime: 2, duration: 4))
    #expect(plain.transitionProgress(at: 1.9) == nil)
    #expect(plain.transitionProgress(at: 2) == 0)
    #expect(plain.transitionProgress(at: 3) == 0.25)
    #expect(plain.transitionProgress(at: 6) == 1)
    #expect(plain.transitionProgress(at: 6.1) == nil)
    let part = track(
      .init(startProgress: 0.5, endProgress: 0.75), MediaTiming(duration: 1, fillMode: .both),
      curve: TimingCurve(0.5, 0, 0.5, 0))
    #expect(part.transitionProgress(at: -1) == 0.5)
    #expect(part.transitionProgress(at: 5) == 0.75)
    let middle = part.transitionProgress(at: 0.5) ?? 0
    #expect(middle > 0.5 && middle < 0.6)
  }

  @Test("Progress stays within 0…1, whatever its ends are")
  func range() {
    let wild = track(.init(startProgress: -4, endProgress: 5), MediaTiming(duration: 1))
    #expect(wild.transitionProgress(at: 0.1) == 0)
    #expect(wild.transitionProgress(at: 0.5) == 0.5)
    #expect(wild.transitionProgress(at: 0.9) == 1)
    let huge = track(
      .init(startProgress: -.greatestFiniteMagnitude, endProgress: .greatestFiniteMagnitude),
      MediaTiming(duration: 1))
    for time in [0, 0.25, 0.5, 1, 1e300] {
      if let progress = huge.transitionProgress(at: time) { #expect((0...1).contains(progress)) }
    }
  }

  @Test("It changes no property, changes the frame while it runs, and in a group never")
  func changes() {
    let plain = track(.init(), MediaTiming(beginTime: 2, duration: 4))
    #expect(plain.properties.isEmpty)
    #expect(plain.nextChange(after: 0) == 2)
    #expect(plain.nextChange(after: 3) == 3)
    #expect(plain.nextChange(after: 7) == .infinity)
    let member = AnimationDescription(
      timing: MediaTiming(duration: 1), content: .transition(.init()))
    let group = AnimationTrack<String>(
      AnimationDescription(timing: MediaTiming(duration: 2), content: .group([member]))
    ) { $0 }
    #expect(group.transition == nil)
    #expect(group.transitionProgress(at: 0.5) == nil)
    #expect(group.nextChange(after: 0.5) == .infinity)
  }
}
