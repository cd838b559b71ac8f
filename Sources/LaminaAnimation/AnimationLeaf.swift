import Foundation
import LaminaValues

/// The timing of an animation or group: its active interval, and the curve that bends its time.
final class AnimationSchedule: Sendable {
  let interval: ActiveInterval
  let curve: TimingCurve?
  /// Empty unless it is a group.
  let children: [AnimationSchedule]

  init(_ interval: ActiveInterval, curve: TimingCurve?, children: [AnimationSchedule] = []) {
    self.interval = interval
    self.curve = curve == .linear ? nil : curve
    self.children = children
  }

  /// The time of a group's children when its parent's time is `parentTime`; nil while the group has
  /// no effect.
  func childrenTime(at parentTime: Double) -> Double? {
    guard let progress = interval.progress(at: parentTime) else { return nil }
    return bent(progress)
  }

  /// The completed fraction of a run, through the curve; nil while there is no effect.
  func fraction(at parentTime: Double) -> Double? {
    guard let progress = interval.progress(at: parentTime) else { return nil }
    return curve?.value(at: progress.fraction) ?? progress.fraction
  }

  /// Seconds into the basic duration, through the curve, clamped to the duration.
  private func bent(_ progress: Progress) -> Double {
    guard let curve else { return progress.basicTime }
    let time = curve.value(at: progress.fraction) * interval.duration
    return min(max(time.numberOrZero, 0), interval.duration)
  }

  /// Like `MediaTiming.nextChange(after:)`, but a group changes only when one of its children does.
  func nextChange(after parentTime: Double, direction: TimeDirection) -> Double {
    let own = interval.nextChange(after: parentTime, direction: direction)
    // A group that fills shows its children as at its end or begin, without changes.
    guard own == parentTime, !children.isEmpty,
      let progress = interval.progress(at: parentTime)
    else { return own }
    let inner = interval.basicTimeDirection(at: progress, direction: direction)
    let now = bent(progress)
    var change = inner.never
    for child in children {
      change = inner.earlier(change, child.nextChange(after: now, direction: inner))
    }
    if change == now || (curve != nil && change != inner.never) { return parentTime }
    return interval.parentTime(
      ofBasicTime: change, from: parentTime, progress: progress, direction: direction)
  }
}

/// The passage of an animation's own time: its active interval and its progress.
struct Pace: Sendable {
  /// A moment in the animation.
  struct Sample {
    /// Progress through all curves: 0 at the start, 1 at the end.
    var fraction: Double
    var cycle: Double
  }

  let interval: ActiveInterval
  let curve: TimingCurve?
  let spring: Spring?

  /// nil while there is no effect.
  @inline(__always)
  func sample(at parentTime: Double) -> Sample? {
    guard let progress = interval.progress(at: parentTime) else { return nil }
    var fraction = progress.fraction
    if let curve { fraction = curve.value(at: fraction) }
    if let spring {
      // A spring's own time is in seconds, regardless of the duration.
      let seconds = curve == nil ? progress.basicTime : fraction * interval.duration
      fraction = spring.value(at: seconds)
    }
    return Sample(fraction: fraction, cycle: progress.cycle)
  }
}

/// An animation's effect on one property. Everything that does not depend on the time is computed
/// once.
package final class AnimationLeaf: Sendable {
  enum Content: Sendable {
    case vectors(AnimationVector.Kind, from: SIMD4<Double>, to: SIMD4<Double>)
    case transforms(from: TransformDecomposition, to: TransformDecomposition)
    case values(from: AnimationValue, to: AnimationValue)
    /// Like `relative`, for the usual types.
    case relativeVector(AnimationVector.Kind, End, SIMD4<Double>)
    /// The given value is combined with the underlying one at the time.
    case relative(AnimationDescription.BasicValues)
    case keyframes(Keyframes)
  }

  /// The only one of the three values that is given.
  enum End: Sendable {
    case from, to, by
  }

  /// Index of the property in the track's list.
  let slot: Int
  /// The animated part of the property; nil for the whole value.
  let part: ValuePart?
  let isAdditive: Bool
  /// Whether the result depends on the underlying value.
  let needsUnderlying: Bool
  /// Index of the transform that turns with the travel along a path; nil if none does.
  let turningSlot: Int?
  let ancestors: [AnimationSchedule]
  let pace: Pace
  private let content: Content
  let isCumulative: Bool
  /// Converts the value of `content` into the property's value.
  let valueFunction: ValueFunction?
  private let turnsAround: Bool
  private let isRelative: Bool

  init(
    _ content: Content, slot: Int, part: ValuePart?,
    target: AnimationDescription.PropertyTarget, schedule: AnimationSchedule,
    ancestors: [AnimationSchedule], spring: Spring? = nil, turningSlot: Int? = nil,
    turnsAround: Bool = false
  ) {
    self.content = content
    self.slot = slot
    self.part = part
    self.isAdditive = target.isAdditive
    self.isCumulative = target.isCumulative
    self.valueFunction = target.valueFunction
    pace = Pace(interval: schedule.interval, curve: schedule.curve, spring: spring)
    self.ancestors = ancestors
    self.turningSlot = turningSlot
    self.turnsAround = turnsAround
    isRelative =
      switch content {
      case .relative, .relativeVector: true
      default: false
      }
    needsUnderlying = isRelative || target.isAdditive || part != nil
  }

  /// Applies the animation's effect at a time, in one of the passes. `get` returns the value of the
  /// property in a slot, and `set` changes it.
  package func apply(
    isAdditive: Bool, at layerTime: Double, get: (_ slot: Int) -> AnimationValue,
    set: (AnimationValue, _ slot: Int) -> Void
  ) {
    let isDue = self.isAdditive == isAdditive
    let turningSlot = isAdditive ? self.turningSlot : nil
    guard isDue || turningSlot != nil, let sample = sample(at: layerTime) else { return }
    if isDue {
      if !needsUnderlying {
        set(value(at: sample), slot)
      } else if let value = value(at: sample, over: get(slot)) {
        set(value, slot)
      }
    }
    guard let turningSlot, let angle = turningAngle(at: sample),
      case .transform(let transform) = get(turningSlot)
    else { return }
    let turn = CATransform3D(rotationAngle: angle, x: 0, y: 0, z: 1)
    set(.transform(transform.concatenating(turn)), turningSlot)
  }

  /// nil while there is no effect.
  func sample(at layerTime: Double) -> Pace.Sample? {
    var time = layerTime
    for ancestor in ancestors {
      guard let inner = ancestor.childrenTime(at: time) else { return nil }
      time = inner
    }
    return pace.sample(at: time)
  }

  /// The value of the whole property, if it does not depend on the underlying value.
  func value(at sample: Pace.Sample) -> AnimationValue {
    value(of: content, at: sample)
  }

  @inline(__always)
  private func value(of content: Content, at sample: Pace.Sample) -> AnimationValue {
    let value =
      isCumulative && sample.cycle != 0
      ? accumulated(content, at: sample) : Self.value(of: content, at: sample.fraction)
    guard let valueFunction else { return value }
    return valueFunction.transform(value)
  }

  /// The value of the whole property, given the underlying one; nil if the animation cannot apply
  /// to that.
  func value(at sample: Pace.Sample, over underlying: AnimationValue) -> AnimationValue? {
    guard let part else { return partValue(at: sample, over: underlying) }
    if !isRelative, !isAdditive {
      return underlying.setting(part, to: value(at: sample))
    }
    guard let old = underlying.value(of: part), let value = partValue(at: sample, over: old)
    else { return nil }
    return underlying.setting(part, to: value)
  }

  /// The two values between which the sample lies; nil if the values step or are interpolated.
  func ends(at sample: Pace.Sample, over underlying: AnimationValue) -> ValueMix? {
    let fraction = min(max(sample.fraction.numberOrZero, 0), 1)
    switch isRelative ? resolved(over: underlying) : content {
    case .values(let from, let to): return ValueMix(from: from, to: to, fraction: fraction)
    case .keyframes(let keyframes): return keyframes.ends(at: fraction)
    default: return nil
    }
  }

  private func partValue(at sample: Pace.Sample, over underlying: AnimationValue) -> AnimationValue?
  {
    // The most common kind of layer animation, without a detour.
    if case .relativeVector(let kind, let end, let lanes) = content, !isCumulative,
      valueFunction == nil, let current = AnimationVector(underlying), current.kind == kind
    {
      let mixed =
        switch end {
        case .from: mix(lanes, current.lanes, sample.fraction)
        case .to: mix(current.lanes, lanes, sample.fraction)
        case .by: mix(current.lanes, current.lanes + lanes, sample.fraction)
        }
      return AnimationVector(kind, mixed).value
    }
    guard !isRelative else {
      guard let start = valueFunction.map({ $0.input(of: underlying) }) ?? underlying,
        let content = resolved(over: start)
      else { return nil }
      return value(of: content, at: sample)
    }
    let value = value(at: sample)
    return isAdditive ? underlying.adding(orBecoming: value) : value
  }

  /// The content with both ends, given the underlying value.
  func resolved(over underlying: AnimationValue) -> Content? {
    switch content {
    case .relativeVector(let kind, let end, let lanes):
      guard let current = AnimationVector(underlying), current.kind == kind else {
        let value = AnimationVector(kind, lanes).value
        let values = AnimationDescription.BasicValues(
          from: end == .from ? value : .none, to: end == .to ? value : .none,
          by: end == .by ? value : .none)
        return values.resolved(over: underlying).map { .values(from: $0.from, to: $0.to) }
      }
      return switch end {
      case .from: .vectors(kind, from: lanes, to: current.lanes)
      case .to: .vectors(kind, from: current.lanes, to: lanes)
      case .by: .vectors(kind, from: current.lanes, to: current.lanes + lanes)
      }
    case .relative(let values):
      return values.resolved(over: underlying).map { .values(from: $0.from, to: $0.to) }
    default: return content
    }
  }

  /// The value, plus the end value of each completed cycle.
  private func accumulated(_ content: Content, at sample: Pace.Sample) -> AnimationValue {
    let end = Self.value(of: content, at: cycleEndFraction)
    return end.scaled(by: sample.cycle)
      .adding(orBecoming: Self.value(of: content, at: sample.fraction))
  }

  /// The animation's progress at the end of a cycle: 0 if it autoreverses, since it is back at its
  /// start.
  private var cycleEndFraction: Double {
    if pace.interval.autoreverses { return 0 }
    return pace.spring?.value(at: pace.interval.duration) ?? 1
  }

  @inline(__always)
  private static func value(of content: Content, at fraction: Double) -> AnimationValue {
    switch content {
    case .vectors(let kind, let from, let to):
      AnimationVector(kind, mix(from, to, fraction)).value
    case .transforms(let from, let to):
      .transform(from.transform(at: fraction, to: to))
    case .values(let from, let to): from.interpolated(to: to, fraction: fraction)
    case .keyframes(let keyframes): keyframes.value(at: fraction)
    case .relative, .relativeVector: .none
    }
  }

  /// The angle in radians by which the layer turns, for an animation along a path that rotates it.
  func turningAngle(at sample: Pace.Sample) -> Double? {
    guard case .keyframes(let keyframes) = content,
      let angle = keyframes.travelAngle(at: sample.fraction)
    else { return nil }
    return turnsAround ? angle + .pi : angle
  }
}

extension AnimationLeaf.Content {
  /// nil if nothing is animated.
  init?(
    _ values: AnimationDescription.BasicValues, _ target: AnimationDescription.PropertyTarget
  ) {
    guard let values = values.inputs(of: target.valueFunction),
      let example = [values.from, values.to, values.by].first(where: { !$0.isNone })
    else { return nil }
    // An additive animation with one value starts from, or goes to, a zero addition.
    let isFixed = target.isAdditive || values.isSelfContained
    let nothing = target.valueFunction?.neutralInput ?? example.zero
    guard isFixed, let (from, to) = values.resolved(over: nothing) else {
      let end: AnimationLeaf.End = !values.from.isNone ? .from : !values.to.isNone ? .to : .by
      self =
        AnimationVector(example).map { .relativeVector($0.kind, end, $0.lanes) }
        ?? .relative(values)
      return
    }
    if let pair = AnimationVector.aligned([from, to]) {
      self = .vectors(pair[0].kind, from: pair[0].lanes, to: pair[1].lanes)
    } else if case .transform(let from) = from, case .transform(let to) = to {
      self = .transforms(from: TransformDecomposition(from), to: TransformDecomposition(to))
    } else {
      self = .values(from: from, to: to)
    }
  }
}

extension AnimationDescription.BasicValues {
  /// The values as inputs of a value function; nil if it cannot accept one of them.
  fileprivate func inputs(of function: ValueFunction?) -> Self? {
    guard let function else { return self }
    var inputs = Self()
    for end in [\Self.from, \.to, \.by] where !self[keyPath: end].isNone {
      guard let input = function.input(from: self[keyPath: end]) else { return nil }
      inputs[keyPath: end] = input
    }
    return inputs
  }

  /// Whether both ends are known without the underlying value.
  fileprivate var isSelfContained: Bool {
    [from, to, by].filter { !$0.isNone }.count > 1
  }

  /// Both ends, given the underlying value; nil if none of the three is given.
  func resolved(over underlying: AnimationValue) -> (from: AnimationValue, to: AnimationValue)? {
    switch (!from.isNone, !to.isNone, !by.isNone) {
    case (true, true, _): (from, to)
    case (true, false, true): (from, from.adding(by))
    case (false, true, true): (to.subtracting(by), to)
    case (true, false, false): (from, underlying)
    case (false, true, false): (underlying, to)
    case (false, false, true): (underlying, underlying.adding(by))
    case (false, false, false): nil
    }
  }
}
