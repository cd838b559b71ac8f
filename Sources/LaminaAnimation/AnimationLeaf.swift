import Foundation
import LaminaValues

/// The time of an animation or group: when it is active, and how its curve bends its time.
final class AnimationSchedule: Sendable {
  let interval: ActiveInterval
  let curve: TimingCurve?
  /// Empty for what is no group.
  let children: [AnimationSchedule]

  init(_ interval: ActiveInterval, curve: TimingCurve?, children: [AnimationSchedule] = []) {
    self.interval = interval
    self.curve = curve == .linear ? nil : curve
    self.children = children
  }

  /// The time that a group's children run in while its parent's time is `parentTime`; nil while the
  /// group has no effect.
  func childrenTime(at parentTime: Double) -> Double? {
    guard let progress = interval.progress(at: parentTime) else { return nil }
    return bent(progress)
  }

  /// How much of a run is over, through the curve; nil while there is no effect.
  func fraction(at parentTime: Double) -> Double? {
    guard let progress = interval.progress(at: parentTime) else { return nil }
    return curve?.value(at: progress.fraction) ?? progress.fraction
  }

  /// Seconds into the basic duration, through the curve, never out of the duration.
  private func bent(_ progress: Progress) -> Double {
    guard let curve else { return progress.basicTime }
    let time = curve.value(at: progress.fraction) * interval.duration
    return min(max(time.numberOrZero, 0), interval.duration)
  }

  /// As `MediaTiming.nextChange(after:)`: a group changes when one of its children does.
  func nextChange(after parentTime: Double, direction: TimeDirection) -> Double {
    let own = interval.nextChange(after: parentTime, direction: direction)
    // A group that fills at its end shows its children where they stopped, as before its begin.
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

/// How an animation's own time passes: when it is active, and how far it is then.
struct Pace: Sendable {
  /// A moment in the animation.
  struct Sample {
    /// How far it is, through all curves, 0 at its start and 1 at its end.
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
      // A spring's own time is in seconds, whatever the duration.
      let seconds = curve == nil ? progress.basicTime : fraction * interval.duration
      fraction = spring.value(at: seconds)
    }
    return Sample(fraction: fraction, cycle: progress.cycle)
  }
}

/// One property's part in an animation: all that does not depend on the time, computed once.
package final class AnimationLeaf: Sendable {
  enum Content: Sendable {
    case vectors(AnimationVector.Kind, from: SIMD4<Double>, to: SIMD4<Double>)
    case transforms(from: TransformDecomposition, to: TransformDecomposition)
    case values(from: AnimationValue, to: AnimationValue)
    /// As `relative`, for the usual types.
    case relativeVector(AnimationVector.Kind, End, SIMD4<Double>)
    /// What is given goes from or to whatever is there at the time.
    case relative(AnimationDescription.BasicValues)
    case keyframes(Keyframes)
  }

  /// Which of the three values is given alone.
  enum End: Sendable {
    case from, to, by
  }

  /// The place of the property in the track's list.
  let slot: Int
  /// What of the property is animated; nil for all of it.
  let part: ValuePart?
  let isAdditive: Bool
  /// Whether a value depends on what is there.
  let needsUnderlying: Bool
  /// The place of the transform that turns with the travel along a path; nil where none does.
  let turningSlot: Int?
  let ancestors: [AnimationSchedule]
  let pace: Pace
  private let content: Content
  let isCumulative: Bool
  /// What makes the property's value of the one that the content gives.
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

  /// Sets what the animation changes at a time in one of the passes: `get` gives the value of the
  /// property in that slot, and `set` changes it.
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

  /// The value of the whole property, where it does not depend on what is there.
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

  /// The value of the whole property, given the one that is there; nil where the animation cannot
  /// apply to it.
  func value(at sample: Pace.Sample, over underlying: AnimationValue) -> AnimationValue? {
    guard let part else { return partValue(at: sample, over: underlying) }
    if !isRelative, !isAdditive {
      return underlying.setting(part, to: value(at: sample))
    }
    guard let old = underlying.value(of: part), let value = partValue(at: sample, over: old)
    else { return nil }
    return underlying.setting(part, to: value)
  }

  /// The values that the sample lies between; nil where it steps from one to the next.
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
    // What most animations of layers are, without a detour.
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

  /// The content with both its ends, given the value that is there.
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

  /// The value with those of the ends of all cycles before it added.
  private func accumulated(_ content: Content, at sample: Pace.Sample) -> AnimationValue {
    let end = Self.value(of: content, at: cycleEndFraction)
    return end.scaled(by: sample.cycle)
      .adding(orBecoming: Self.value(of: content, at: sample.fraction))
  }

  /// How far the animation is at the end of a cycle: back at its start where it autoreverses.
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

  /// The angle by which the layer turns at a moment, for an animation along a path that asks for it.
  func turningAngle(at sample: Pace.Sample) -> Double? {
    guard case .keyframes(let keyframes) = content,
      let angle = keyframes.travelAngle(at: sample.fraction)
    else { return nil }
    return turnsAround ? angle + .pi : angle
  }
}

extension AnimationLeaf.Content {
  /// nil where nothing is animated.
  init?(
    _ values: AnimationDescription.BasicValues, _ target: AnimationDescription.PropertyTarget
  ) {
    guard let values = values.inputs(of: target.valueFunction),
      let example = [values.from, values.to, values.by].first(where: { !$0.isNone })
    else { return nil }
    // An additive animation starts from, or goes to, nothing being added.
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
  /// The values as a value function takes them; nil where it cannot take one of them.
  fileprivate func inputs(of function: ValueFunction?) -> Self? {
    guard let function else { return self }
    var inputs = Self()
    for end in [\Self.from, \.to, \.by] where !self[keyPath: end].isNone {
      guard let input = function.input(from: self[keyPath: end]) else { return nil }
      inputs[keyPath: end] = input
    }
    return inputs
  }

  /// Whether both ends are known without the value that is there.
  fileprivate var isSelfContained: Bool {
    [from, to, by].filter { !$0.isNone }.count > 1
  }

  /// Both ends, given the value that is there; nil where there is none of the three.
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
