import Foundation
import LaminaValues

/// An object that animations change: it has properties with values.
package protocol AnimationTarget {
  associatedtype Property: Hashable & Sendable

  mutating func animationValue(of property: Property) -> AnimationValue

  /// Sets the property, unless it cannot have this value.
  mutating func setAnimationValue(_ value: AnimationValue, of property: Property)
}

/// Two values, and how far the mix is from one to the other, 0…1.
package struct ValueMix: Hashable, Sendable {
  package var from: AnimationValue
  package var to: AnimationValue
  package var fraction: Double
}

/// An animation prepared for evaluation at any time: its keys are looked up, its values checked and
/// decomposed. Evaluation is a pure function of the time and the target.
package struct AnimationTrack<Property: Hashable & Sendable>: Sendable {
  /// Additive animations add to the result of all others, whatever their order.
  package enum Pass: Sendable {
    case replacing, additive
  }

  /// The properties that the animation may change, each once, in order of first mention.
  package let properties: [Property]
  package let leaves: [AnimationLeaf]
  /// nil if the animation never has an effect.
  private let schedule: AnimationSchedule?
  /// Whether the additive pass has an effect.
  package let isAdditive: Bool
  /// The values of a transition; nil for all other animations.
  package let transition: AnimationDescription.TransitionValues?

  /// `property` maps a property's own key, such as "transform", to the property. Animations of
  /// undefined keys and members have no effect.
  package init(_ description: AnimationDescription, property: (String) -> Property?) {
    var builder = TrackBuilder<Property>()
    schedule = builder.add(description, inheritedDuration: nil, ancestors: [], property: property)
    properties = builder.properties
    leaves = builder.leaves
    isAdditive = leaves.contains { $0.isAdditive || $0.turningSlot != nil }
    if case .transition(let values) = description.content {
      transition = values
    } else {
      transition = nil
    }
  }

  /// Whether the animation changes no property at any time.
  package var isEmpty: Bool { leaves.isEmpty }

  /// Changes the target's properties to their animated values at a time of the layer with the
  /// animation.
  package func apply<Target: AnimationTarget>(at layerTime: Double, to target: inout Target)
  where Target.Property == Property {
    apply(.replacing, at: layerTime, to: &target)
    if isAdditive { apply(.additive, at: layerTime, to: &target) }
  }

  /// Applies several animations: later ones win, and additive ones come last.
  package static func apply<Target: AnimationTarget>(
    _ tracks: some Sequence<AnimationTrack>, at layerTime: Double, to target: inout Target
  ) where Target.Property == Property {
    var hasAdditive = false
    for track in tracks {
      track.apply(.replacing, at: layerTime, to: &target)
      hasAdditive = hasAdditive || track.isAdditive
    }
    guard hasAdditive else { return }
    for track in tracks where track.isAdditive {
      track.apply(.additive, at: layerTime, to: &target)
    }
  }

  /// Applies one pass, for callers whose animations are not a sequence of tracks.
  package func apply<Target: AnimationTarget>(
    _ pass: Pass, at layerTime: Double, to target: inout Target
  ) where Target.Property == Property {
    for leaf in leaves {
      leaf.apply(isAdditive: pass == .additive, at: layerTime) {
        target.animationValue(of: properties[$0])
      } set: {
        target.setAnimationValue($0, of: properties[$1])
      }
    }
  }

  /// The two values that a property is between, for values that cannot be interpolated but may be
  /// shown mixed, such as images; nil if the track does not change the property now, or in steps.
  package func ends(
    of property: Property, at layerTime: Double, over underlying: AnimationValue
  ) -> ValueMix? {
    for leaf in leaves.reversed() where properties[leaf.slot] == property && leaf.part == nil {
      guard !leaf.isAdditive, let sample = leaf.sample(at: layerTime) else { continue }
      return leaf.ends(at: sample, over: underlying)
    }
    return nil
  }

  /// A transition's progress, from 0 for the frozen subtree to 1 for the current one; nil while it
  /// has no effect, and for all other animations.
  package func transitionProgress(at layerTime: Double) -> Double? {
    guard let transition, let fraction = schedule?.fraction(at: layerTime.numberOrZero) else {
      return nil
    }
    let progress =
      transition.startProgress + (transition.endProgress - transition.startProgress) * fraction
    return min(max(progress.numberOrZero, 0), 1)
  }

  /// The first time at or after `layerTime`, in the layer's time, at which the target may look
  /// different from now: `layerTime` while the animation runs, the next begin or end if that is
  /// earlier, infinity if nothing will change any more.
  ///
  /// For a layer whose own time runs backwards, the last such time at or before `layerTime`, or
  /// −infinity.
  package func nextChange(after layerTime: Double, runningBackwards: Bool = false) -> Double {
    withUnsafePointer(to: self) {
      Self.nextChange(of: $0, after: layerTime, runningBackwards: runningBackwards)
    }
  }

  /// Does the same for a track in place, since copying it takes longer.
  package static func nextChange(
    of track: UnsafePointer<Self>, after layerTime: Double, runningBackwards: Bool
  ) -> Double {
    let direction: TimeDirection = runningBackwards ? .backwards : .forwards
    return track.pointee.schedule?.nextChange(
      after: layerTime.numberOrZero, direction: direction) ?? direction.never
  }

  /// The layer's time until which the animation runs, if it runs at `layerTime` and for certain
  /// without a pause; otherwise `layerTime`.
  package static func runningEnd(of track: UnsafePointer<Self>, at layerTime: Double) -> Double {
    guard let schedule = track.pointee.schedule, schedule.children.isEmpty,
      schedule.interval.nextChange(after: layerTime, direction: .forwards) == layerTime
    else { return layerTime }
    return max(schedule.interval.end, layerTime)
  }
}

/// Flattens an animation into one leaf for each property it animates.
private struct TrackBuilder<Property: Hashable & Sendable> {
  var properties: [Property] = []
  var leaves: [AnimationLeaf] = []

  /// Returns the animation's schedule; nil if it never has an effect.
  mutating func add(
    _ description: AnimationDescription, inheritedDuration: Double?,
    ancestors: [AnimationSchedule], property: (String) -> Property?
  ) -> AnimationSchedule? {
    guard
      let interval = ActiveInterval(description.timing, inheritedDuration: inheritedDuration)
    else { return nil }
    let schedule = AnimationSchedule(interval, curve: description.timingCurve)
    switch description.content {
    case .basic(let target, let values):
      guard let content = AnimationLeaf.Content(values, target) else { return nil }
      return add(content, target, schedule, ancestors, property: property)
    case .spring(let target, let values, let parameters):
      guard let content = AnimationLeaf.Content(values, target) else { return nil }
      return add(
        content, target, schedule, ancestors, spring: Spring(parameters), property: property)
    case .keyframe(let target, let values):
      guard let keyframes = Keyframes(values, valueFunction: target.valueFunction) else {
        return nil
      }
      return add(
        .keyframes(keyframes), target, schedule, ancestors,
        turning: values.path == nil ? .none : values.rotationMode, property: property)
    case .group(let children):
      let schedules = children.compactMap { child in
        add(
          child, inheritedDuration: interval.duration, ancestors: ancestors + [schedule],
          property: property)
      }
      guard !schedules.isEmpty else { return nil }
      return AnimationSchedule(interval, curve: description.timingCurve, children: schedules)
    case .transition:
      return ancestors.isEmpty && inheritedDuration == nil ? schedule : nil
    }
  }

  private mutating func add(
    _ content: AnimationLeaf.Content, _ target: AnimationDescription.PropertyTarget,
    _ schedule: AnimationSchedule, _ ancestors: [AnimationSchedule], spring: Spring? = nil,
    turning: AnimationDescription.RotationMode = .none, property: (String) -> Property?
  ) -> AnimationSchedule? {
    guard let (slot, part) = place(of: target.keyPath, property: property) else { return nil }
    // A value function makes whole transforms, not parts.
    guard target.valueFunction == nil || part == nil else { return nil }
    // Along a path, `position` moves the layer in its superlayer, and the layer's transform turns
    // it.
    var turningSlot: Int?
    if turning != .none, target.keyPath == "position", let transform = property("transform") {
      turningSlot = self.slot(of: transform)
    }
    leaves.append(
      AnimationLeaf(
        content, slot: slot, part: part, target: target, schedule: schedule,
        ancestors: ancestors, spring: spring, turningSlot: turningSlot,
        turnsAround: turning == .autoReverse))
    return schedule
  }

  /// nil for an undefined key. A key that contains a dot is preferred to a part of a value.
  private mutating func place(
    of keyPath: String, property: (String) -> Property?
  ) -> (slot: Int, part: ValuePart?)? {
    if let whole = property(keyPath) { return (slot(of: whole), nil) }
    guard let path = PropertyPath(keyPath), path.part != nil, let root = property(path.key)
    else { return nil }
    return (slot(of: root), path.part)
  }

  private mutating func slot(of property: Property) -> Int {
    if let known = properties.firstIndex(of: property) { return known }
    properties.append(property)
    return properties.count - 1
  }
}
