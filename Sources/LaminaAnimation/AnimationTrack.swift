import Foundation
import LaminaValues

/// What animations act on: something with properties that have values.
package protocol AnimationTarget {
  associatedtype Property: Hashable & Sendable

  mutating func animationValue(of property: Property) -> AnimationValue

  /// Sets the property where the value is one that it can have.
  mutating func setAnimationValue(_ value: AnimationValue, of property: Property)
}

/// Two values and how far it is from one to the other, 0…1.
package struct ValueMix: Hashable, Sendable {
  package var from: AnimationValue
  package var to: AnimationValue
  package var fraction: Double
}

/// An animation made ready for evaluation at any time: its keys looked up, its values checked and
/// taken apart. A pure function of the time and the target.
package struct AnimationTrack<Property: Hashable & Sendable>: Sendable {
  /// Additive animations add to what all others have left, whatever their order.
  package enum Pass: Sendable {
    case replacing, additive
  }

  /// The properties that the animation may change, each once, in the order of their first mention.
  package let properties: [Property]
  package let leaves: [AnimationLeaf]
  /// nil where the animation has no effect at any time.
  private let schedule: AnimationSchedule?
  /// Whether the additive pass has anything to do.
  package let isAdditive: Bool
  /// What a transition does; nil for all other animations.
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

  /// Changes the target's properties as they are at the time of the layer that has the animation.
  package func apply<Target: AnimationTarget>(at layerTime: Double, to target: inout Target)
  where Target.Property == Property {
    apply(.replacing, at: layerTime, to: &target)
    if isAdditive { apply(.additive, at: layerTime, to: &target) }
  }

  /// Applies several animations: the later wins, and additive ones come last.
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

  /// Applies one pass, for whoever keeps animations in another form than a sequence of tracks.
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

  /// What a property is on its way between, for values that cannot be interpolated and may be shown
  /// mixed, such as images; nil where the track does not change it now, or in steps.
  package func ends(
    of property: Property, at layerTime: Double, over underlying: AnimationValue
  ) -> ValueMix? {
    for leaf in leaves.reversed() where properties[leaf.slot] == property && leaf.part == nil {
      guard !leaf.isAdditive, let sample = leaf.sample(at: layerTime) else { continue }
      return leaf.ends(at: sample, over: underlying)
    }
    return nil
  }

  /// How far a transition is, 0…1 from the old picture to the new one; nil while it has no effect,
  /// and for all other animations.
  package func transitionProgress(at layerTime: Double) -> Double? {
    guard let transition, let fraction = schedule?.fraction(at: layerTime.numberOrZero) else {
      return nil
    }
    let progress =
      transition.startProgress + (transition.endProgress - transition.startProgress) * fraction
    return min(max(progress.numberOrZero, 0), 1)
  }

  /// The layer's time, at or after `layerTime`, from which on the target may look different from
  /// now: `layerTime` while something runs, the next begin or end before or between that, infinite
  /// when nothing will change any more.
  ///
  /// For a layer whose own time runs backwards, the time at or before `layerTime`, and −infinity.
  package func nextChange(after layerTime: Double, runningBackwards: Bool = false) -> Double {
    let direction: TimeDirection = runningBackwards ? .backwards : .forwards
    return schedule?.nextChange(after: layerTime.numberOrZero, direction: direction)
      ?? direction.never
  }
}

/// Flattens an animation into one leaf for each property it animates.
private struct TrackBuilder<Property: Hashable & Sendable> {
  var properties: [Property] = []
  var leaves: [AnimationLeaf] = []

  /// Returns when the animation acts; nil where it never has an effect.
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
    // A value function makes whole transforms.
    guard target.valueFunction == nil || part == nil else { return nil }
    // What moves along a path in its superlayer is the layer, which its transform turns.
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

  /// nil for an undefined key. A key with a dot in it comes before a part of a value.
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
