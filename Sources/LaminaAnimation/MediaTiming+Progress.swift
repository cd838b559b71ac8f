import Foundation

extension MediaTiming {
  /// The own time of a layer or cell with this timing while its parent's time is `parentTime`.
  /// There is no window: layers have a time before they begin. Never NaN.
  package func localTime(at parentTime: Double) -> Double {
    let elapsed = (parentTime.numberOrZero - beginTime.numberOrZero) * speed.numberOrZero
    return (elapsed.numberOrZero + timeOffset.numberOrZero).numberOrZero
  }

  /// The parent's time at which the own time is `localTime`; `beginTime` where speed is 0, since
  /// then all of the parent's times, or none, have that own time. Never NaN.
  package func parentTime(at localTime: Double) -> Double {
    let speed = speed.numberOrZero
    guard speed != 0 else { return beginTime.numberOrZero }
    let elapsed = (localTime.numberOrZero - timeOffset.numberOrZero) / speed
    return (elapsed.numberOrZero + beginTime.numberOrZero).numberOrZero
  }

  /// Maps a change that is due at `localTime` to the parent's time, for a parent whose time is
  /// `now`: `now` where it is due already, infinite where it never comes (speed 0, say).
  ///
  /// With a negative speed, `localTime` is to be a change that is next while time runs backwards.
  package func parentTime(ofChangeAt localTime: Double, now: Double) -> Double {
    guard speed.numberOrZero != 0, localTime.isFinite else { return .infinity }
    return max(now, parentTime(at: localTime))
  }

  /// Where an animation with this timing is at its parent's time; nil while it has no effect,
  /// because it lasts no time, or is not active and does not fill.
  package func progress(at parentTime: Double) -> Progress? {
    ActiveInterval(self)?.progress(at: parentTime)
  }

  /// The seconds, in the own time, for which an animation is active: all repetitions together.
  /// 0 where the duration is not positive.
  package var activeDuration: Double { ActiveInterval(self)?.length ?? 0 }

  /// The parent's time at which an animation stops being active; infinite where it never does,
  /// and `beginTime` where it lasts no time.
  package var endTime: Double {
    guard let interval = ActiveInterval(self) else { return beginTime.numberOrZero }
    return interval.end
  }

  /// The parent's time, at or after `parentTime`, from which on an animation with this timing may
  /// look different from now: `parentTime` while it runs, its begin before that, infinite when it
  /// will not change any more.
  package func nextChange(after parentTime: Double) -> Double {
    ActiveInterval(self)?.nextChange(after: parentTime.numberOrZero, direction: .forwards)
      ?? .infinity
  }
}

/// Where an animation is at one moment.
package struct Progress: Hashable, Sendable {
  package enum Phase: Hashable, Sendable {
    case before, active, after
  }

  package var phase: Phase
  /// Seconds into the basic duration, 0…duration, mirrored in the second half of an autoreversing
  /// cycle.
  package var basicTime: Double
  /// `basicTime` as a fraction of the duration, 0…1, without any timing function.
  package var fraction: Double
  /// How many cycles lie before this moment, a whole number; negative where time runs backwards.
  package var cycle: Double
  /// Whether this is the second half of an autoreversing cycle.
  package var isReversing: Bool
}

/// Which way a parent's time runs.
enum TimeDirection {
  case forwards, backwards

  var opposite: TimeDirection { self == .forwards ? .backwards : .forwards }
  /// What stands for "never".
  var never: Double { self == .forwards ? .infinity : -.infinity }
  /// Whichever of two times is reached first.
  func earlier(_ a: Double, _ b: Double) -> Double { self == .forwards ? min(a, b) : max(a, b) }
}

/// An animation's timing, checked and with what every evaluation needs computed once.
package struct ActiveInterval: Hashable, Sendable {
  let begin: Double
  let speed: Double
  let timeOffset: Double
  let duration: Double
  /// One repetition: the duration, twice where it autoreverses.
  let cycle: Double
  /// All repetitions together, in the own time.
  let length: Double
  let autoreverses: Bool
  let fillsBackwards: Bool
  let fillsForwards: Bool

  /// nil where the duration is not positive: such an animation has no effect. In a group, 0 means
  /// `inheritedDuration`.
  package init?(_ timing: MediaTiming, inheritedDuration: Double? = nil) {
    var duration = timing.duration
    if let inheritedDuration, !(duration > 0) { duration = inheritedDuration }
    guard duration > 0 else { return nil }
    self.duration = duration
    let begin = timing.beginTime.numberOrZero
    self.begin = abs(begin) <= Self.zeroBegin ? 0 : begin
    speed = timing.speed.numberOrZero
    timeOffset = timing.timeOffset.numberOrZero
    autoreverses = timing.autoreverses
    cycle = duration * (timing.autoreverses ? 2 : 1)
    let count = timing.repeatCount > 0 ? timing.repeatCount : 1
    length = timing.repeatDuration > 0 ? timing.repeatDuration : cycle * count
    fillsBackwards = timing.fillMode == .backwards || timing.fillMode == .both
    fillsForwards = timing.fillMode == .forwards || timing.fillMode == .both
  }

  /// The parent's time of the end.
  var end: Double {
    speed == 0 ? .infinity : (begin + length / abs(speed)).numberOrZero
  }

  /// Seconds since the begin at the speed's pace, whichever way that runs.
  private func elapsed(at parentTime: Double) -> Double {
    ((parentTime - begin) * abs(speed)).numberOrZero
  }

  @inline(__always)
  package func progress(at parentTime: Double) -> Progress? {
    let elapsed = elapsed(at: parentTime)
    if elapsed < 0 { return fillsBackwards ? place(elapsed: 0, phase: .before) : nil }
    if elapsed > length { return fillsForwards ? place(elapsed: length, phase: .after) : nil }
    return place(elapsed: elapsed, phase: .active)
  }

  private func place(elapsed: Double, phase: Progress.Phase) -> Progress {
    let time = (speed < 0 ? -elapsed : elapsed) + timeOffset
    var count = (time / cycle).rounded(.down)
    var within: Double
    if abs(count) <= Self.largestCount {
      within = time - count * cycle
    } else {
      // Huge, infinite or NaN times, and infinite durations before their begin: there is no
      // fraction left to speak of.
      count = count.isNaN ? 0 : min(max(count, -Self.largestCount), Self.largestCount)
      within = 0
    }
    if !within.isFinite { within = max(time.numberOrZero, 0) }
    within = min(max(within, 0), cycle)
    // The end of the last cycle is its own end, not the start of one that never comes.
    if elapsed == length, within == 0, speed >= 0, length > 0, cycle.isFinite {
      within = cycle
      count -= 1
    }
    let isReversing = autoreverses && within > duration
    if isReversing { within = cycle - within }
    return Progress(
      phase: phase, basicTime: within, fraction: fraction(of: within), cycle: count,
      isReversing: isReversing)
  }

  private func fraction(of basicTime: Double) -> Double {
    let fraction = basicTime / duration
    return fraction.isNaN ? 0 : min(max(fraction, 0), 1)
  }

  /// How a begin at zero is written, since 0 stands for the commit: at zero it has come.
  private static let zeroBegin = 1e-100

  /// The largest count below which every whole number is a Double.
  private static let largestCount = 0x1p53

  /// As `MediaTiming.nextChange(after:)`, also for a parent whose time runs backwards, where
  /// "never" is −infinity.
  func nextChange(after parentTime: Double, direction: TimeDirection) -> Double {
    guard speed != 0 else { return direction.never }
    let elapsed = elapsed(at: parentTime)
    switch direction {
    case .forwards:
      if elapsed < 0 { return begin }
      if elapsed > length || (elapsed == length && fillsForwards) { return .infinity }
    case .backwards:
      if elapsed > length { return end }
      if elapsed < 0 || (elapsed == 0 && fillsBackwards) { return -.infinity }
    }
    return parentTime
  }

  /// The parent's time at which what runs in the basic time reaches `basicTime`, or the current
  /// pass over it, or the interval, ends, whichever is first. `progress` is that at `parentTime`.
  func parentTime(
    ofBasicTime basicTime: Double, from parentTime: Double, progress: Progress,
    direction: TimeDirection
  ) -> Double {
    let inner = basicTimeDirection(at: progress, direction: direction)
    let toPassEnd =
      inner == .forwards ? duration - progress.basicTime : progress.basicTime
    let elapsed = elapsed(at: parentTime)
    let toEnd = direction == .forwards ? length - elapsed : elapsed
    let distance = min(abs(basicTime - progress.basicTime), min(toPassEnd, toEnd))
    guard distance.isFinite else { return direction.never }
    let step = max(distance, 0) / abs(speed)
    return direction == .forwards ? parentTime + step : parentTime - step
  }

  /// Which way the basic time runs at a moment.
  func basicTimeDirection(at progress: Progress, direction: TimeDirection) -> TimeDirection {
    (speed < 0) != progress.isReversing ? direction.opposite : direction
  }
}

extension Double {
  /// Itself, or 0 where it is NaN.
  @inline(__always)
  var numberOrZero: Double { isNaN ? 0 : self }
}
