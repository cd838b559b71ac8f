import Foundation

extension MediaTiming {
  /// Converts `parentTime` to the own time of a layer or cell with this timing. Not limited to the
  /// active duration: layers have a time before they begin. Never NaN.
  package func localTime(at parentTime: Double) -> Double {
    let elapsed = (parentTime.numberOrZero - beginTime.numberOrZero) * speed.numberOrZero
    return (elapsed.numberOrZero + timeOffset.numberOrZero).numberOrZero
  }

  /// Converts `localTime` to the parent's time. Returns `beginTime` if the speed is 0, since then
  /// all of the parent's times, or none, have that own time. Never NaN.
  package func parentTime(at localTime: Double) -> Double {
    let speed = speed.numberOrZero
    guard speed != 0 else { return beginTime.numberOrZero }
    let elapsed = (localTime.numberOrZero - timeOffset.numberOrZero) / speed
    return (elapsed.numberOrZero + beginTime.numberOrZero).numberOrZero
  }

  /// Converts the time of a change to the parent's time. Returns `now`, the parent's current time,
  /// if the change is due already, or infinity if it never comes (at speed 0, for example).
  ///
  /// With a negative speed, `localTime` must be the time of the next change while time runs
  /// backwards.
  package func parentTime(ofChangeAt localTime: Double, now: Double) -> Double {
    guard speed.numberOrZero != 0, localTime.isFinite else { return .infinity }
    return max(now, parentTime(at: localTime))
  }

  /// The progress of an animation with this timing; nil while it has no effect, because its
  /// duration is not positive, or it is not active and does not fill.
  package func progress(at parentTime: Double) -> Progress? {
    ActiveInterval(self)?.progress(at: parentTime)
  }

  /// Seconds of own time for which an animation is active, including repetitions. 0 if the duration
  /// is not positive.
  package var activeDuration: Double { ActiveInterval(self)?.length ?? 0 }

  /// The parent's time at which an animation stops being active: infinity if it never does,
  /// `beginTime` if its duration is not positive.
  package var endTime: Double {
    guard let interval = ActiveInterval(self) else { return beginTime.numberOrZero }
    return interval.end
  }

  /// The first time at or after `parentTime`, in the parent's time, at which an animation with this
  /// timing may look different from now: `parentTime` while it runs, its begin before that,
  /// infinity if it will not change any more.
  package func nextChange(after parentTime: Double) -> Double {
    ActiveInterval(self)?.nextChange(after: parentTime.numberOrZero, direction: .forwards)
      ?? .infinity
  }
}

/// An animation's progress at one moment.
package struct Progress: Hashable, Sendable {
  package enum Phase: Hashable, Sendable {
    case before, active, after
  }

  package var phase: Phase
  /// Seconds into the basic duration, 0…duration. Runs backwards in the second half of an
  /// autoreversing cycle.
  package var basicTime: Double
  /// `basicTime` as a fraction of the duration, 0…1, before any timing function.
  package var fraction: Double
  /// Number of cycles before this moment, a whole number. Negative if time runs backwards.
  package var cycle: Double
  /// Whether this is the second half of an autoreversing cycle.
  package var isReversing: Bool
}

/// The direction in which a parent's time runs.
enum TimeDirection {
  case forwards, backwards

  var opposite: TimeDirection { self == .forwards ? .backwards : .forwards }
  /// The time that stands for "never".
  var never: Double { self == .forwards ? .infinity : -.infinity }
  /// The one of two times that is reached first.
  func earlier(_ a: Double, _ b: Double) -> Double { self == .forwards ? min(a, b) : max(a, b) }
}

/// An animation's timing, checked. Values needed in every evaluation are computed once.
package struct ActiveInterval: Hashable, Sendable {
  let begin: Double
  let speed: Double
  let timeOffset: Double
  let duration: Double
  /// One repetition: the duration, or twice that if it autoreverses.
  let cycle: Double
  /// All repetitions together, in seconds of own time.
  let length: Double
  let autoreverses: Bool
  let fillsBackwards: Bool
  let fillsForwards: Bool

  /// nil if the duration is not positive: such an animation has no effect. In a group, a duration
  /// of 0 means `inheritedDuration`.
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

  /// The end of the interval in the parent's time.
  var end: Double {
    speed == 0 ? .infinity : (begin + length / abs(speed)).numberOrZero
  }

  /// Seconds since the begin, at the pace of the speed, regardless of its sign.
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
      // Huge, infinite or NaN times, and infinite durations before their begin, have no meaningful
      // fraction.
      count = count.isNaN ? 0 : min(max(count, -Self.largestCount), Self.largestCount)
      within = 0
    }
    if !within.isFinite { within = max(time.numberOrZero, 0) }
    within = min(max(within, 0), cycle)
    // The last cycle ends at its own end, not at the start of another cycle.
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

  /// Largest begin time that counts as zero. A begin at zero is written as such a small number,
  /// since 0 itself stands for the time of the commit.
  private static let zeroBegin = 1e-100

  /// Below this count, every whole number can be represented as a Double.
  private static let largestCount = 0x1p53

  /// Like `MediaTiming.nextChange(after:)`, but also for a parent whose time runs backwards;
  /// "never" is −infinity then.
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

  /// The parent's time of the earliest of these: the basic time reaches `basicTime`, the current
  /// pass over the basic time ends, or the interval ends. `progress` is the progress at
  /// `parentTime`.
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

  /// The direction in which the basic time runs at a moment.
  func basicTimeDirection(at progress: Progress, direction: TimeDirection) -> TimeDirection {
    (speed < 0) != progress.isReversing ? direction.opposite : direction
  }
}

extension Double {
  /// This number, or 0 if it is NaN.
  @inline(__always)
  var numberOrZero: Double { isNaN ? 0 : self }
}
