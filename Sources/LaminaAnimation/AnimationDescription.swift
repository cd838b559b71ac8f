import Foundation
import LaminaValues

/// What a timed object shows before and after its active duration.
package enum FillMode: String, Sendable, CaseIterable {
  case removed, forwards, backwards, both
}

/// CAMediaTiming's members as plain data. Seconds throughout, in the parent's time for
/// `beginTime` and in the object's own for the rest.
package struct MediaTiming: Hashable, Sendable {
  package var beginTime: Double
  /// Infinite for layers and emitter cells.
  package var duration: Double
  package var speed: Double
  package var timeOffset: Double
  package var repeatCount: Double
  package var repeatDuration: Double
  package var autoreverses: Bool
  package var fillMode: FillMode

  package init(
    beginTime: Double = 0, duration: Double = 0, speed: Double = 1, timeOffset: Double = 0,
    repeatCount: Double = 0, repeatDuration: Double = 0, autoreverses: Bool = false,
    fillMode: FillMode = .removed
  ) {
    self.beginTime = beginTime
    self.duration = duration
    self.speed = speed
    self.timeOffset = timeOffset
    self.repeatCount = repeatCount
    self.repeatDuration = repeatDuration
    self.autoreverses = autoreverses
    self.fillMode = fillMode
  }
}

/// A cubic Bézier curve from (0, 0) to (1, 1) that maps a fraction of time to one of progress.
package struct TimingCurve: Hashable, Sendable {
  package var c1x: Double
  package var c1y: Double
  package var c2x: Double
  package var c2y: Double

  package init(_ c1x: Double, _ c1y: Double, _ c2x: Double, _ c2y: Double) {
    (self.c1x, self.c1y, self.c2x, self.c2y) = (c1x, c1y, c2x, c2y)
  }

  package static let linear = TimingCurve(0, 0, 1, 1)
  package static let easeIn = TimingCurve(0.42, 0, 1, 1)
  package static let easeOut = TimingCurve(0, 0, 0.58, 1)
  package static let easeInEaseOut = TimingCurve(0.42, 0, 0.58, 1)
  package static let `default` = TimingCurve(0.25, 0.1, 0.25, 1)
}

/// An animation as the render process evaluates it: a copy of what was added to a layer, with
/// nothing of the client's objects in it.
package struct AnimationDescription: Hashable, Sendable {
  package var timing: MediaTiming
  /// nil is linear.
  package var timingCurve: TimingCurve?
  /// The client alone acts on this; it crosses so that a dump can show it.
  package var isRemovedOnCompletion: Bool
  package var content: Content

  package init(
    timing: MediaTiming, timingCurve: TimingCurve? = nil, isRemovedOnCompletion: Bool = true,
    content: Content
  ) {
    self.timing = timing
    self.timingCurve = timingCurve
    self.isRemovedOnCompletion = isRemovedOnCompletion
    self.content = content
  }

  /// From an old value to whatever the property has got: what implicit animations are.
  package init(
    changing keyPath: String, from old: AnimationValue, duration: Double, timingCurve: TimingCurve
  ) {
    self.init(
      timing: MediaTiming(duration: duration, fillMode: .backwards), timingCurve: timingCurve,
      content: .basic(PropertyTarget(keyPath: keyPath), BasicValues(from: old)))
  }

  /// Indirect, for descriptions are copied more often than read.
  package indirect enum Content: Hashable, Sendable {
    case basic(PropertyTarget, BasicValues)
    case keyframe(PropertyTarget, KeyframeValues)
    case spring(PropertyTarget, BasicValues, SpringParameters)
    case group([AnimationDescription])
    /// Of a layer as a whole; in a group it has no effect.
    case transition(TransitionValues)
  }

  /// What an animation changes, and how its values combine with what was there.
  package struct PropertyTarget: Hashable, Sendable {
    /// The whole path, structure members included, such as "transform.rotation.z".
    package var keyPath: String
    package var isAdditive: Bool
    package var isCumulative: Bool
    /// Makes the property's value, a transform, of the numbers that are animated; nil where the
    /// values are the property's own.
    package var valueFunction: ValueFunction?

    package init(
      keyPath: String, isAdditive: Bool = false, isCumulative: Bool = false,
      valueFunction: ValueFunction? = nil
    ) {
      self.keyPath = keyPath
      self.isAdditive = isAdditive
      self.isCumulative = isCumulative
      self.valueFunction = valueFunction
    }
  }

  /// from, to and by: at most two matter; `.none` is an absent one.
  package struct BasicValues: Hashable, Sendable {
    package var from: AnimationValue
    package var to: AnimationValue
    package var by: AnimationValue

    package init(
      from: AnimationValue = .none, to: AnimationValue = .none, by: AnimationValue = .none
    ) {
      (self.from, self.to, self.by) = (from, to, by)
    }
  }

  package enum CalculationMode: String, Sendable, CaseIterable {
    case linear, discrete, paced, cubic, cubicPaced
  }

  package enum RotationMode: String, Sendable, CaseIterable {
    case none, auto, autoReverse
  }

  package struct KeyframeValues: Hashable, Sendable {
    package var values: [AnimationValue]
    /// Takes the place of `values` where it is set: each end of a segment is a keyframe.
    package var path: Path?
    /// nil spaces the keyframes evenly.
    package var keyTimes: [Double]?
    package var timingCurves: [TimingCurve]
    package var calculationMode: CalculationMode
    package var tensionValues: [Double]
    package var continuityValues: [Double]
    package var biasValues: [Double]
    package var rotationMode: RotationMode

    package init(
      values: [AnimationValue] = [], path: Path? = nil, keyTimes: [Double]? = nil,
      timingCurves: [TimingCurve] = [], calculationMode: CalculationMode = .linear,
      tensionValues: [Double] = [], continuityValues: [Double] = [], biasValues: [Double] = [],
      rotationMode: RotationMode = .none
    ) {
      self.values = values
      self.path = path
      self.keyTimes = keyTimes
      self.timingCurves = timingCurves
      self.calculationMode = calculationMode
      self.tensionValues = tensionValues
      self.continuityValues = continuityValues
      self.biasValues = biasValues
      self.rotationMode = rotationMode
    }
  }

  /// How the new picture takes the place of the old one.
  package enum TransitionStyle: String, Sendable, CaseIterable {
    case fade, moveIn, push, reveal
  }

  /// Where the motion starts; top is the greatest y.
  package enum TransitionSide: String, Sendable, CaseIterable {
    case fromLeft, fromRight, fromTop, fromBottom
  }

  package struct TransitionValues: Hashable, Sendable {
    package var style: TransitionStyle
    package var side: TransitionSide
    /// How far the transition is when it begins and when it ends: 0 shows the old picture, 1 the
    /// new one. Finite; what lies outside 0…1 counts as the nearer of them.
    package var startProgress: Double
    package var endProgress: Double

    package init(
      style: TransitionStyle = .fade, side: TransitionSide = .fromLeft, startProgress: Double = 0,
      endProgress: Double = 1
    ) {
      self.style = style
      self.side = side
      self.startProgress = startProgress
      self.endProgress = endProgress
    }
  }

  package struct SpringParameters: Hashable, Sendable {
    package var mass: Double
    package var stiffness: Double
    package var damping: Double
    package var initialVelocity: Double
    package var allowsOverdamping: Bool

    package init(
      mass: Double = 1, stiffness: Double = 100, damping: Double = 10, initialVelocity: Double = 0,
      allowsOverdamping: Bool = false
    ) {
      self.mass = mass
      self.stiffness = stiffness
      self.damping = damping
      self.initialVelocity = initialVelocity
      self.allowsOverdamping = allowsOverdamping
    }
  }
}
