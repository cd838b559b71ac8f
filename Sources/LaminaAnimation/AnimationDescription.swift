import Foundation
import LaminaValues

/// Whether a timed object has an effect before and after its active duration.
package enum FillMode: String, Sendable, CaseIterable {
  case removed, forwards, backwards, both
}

/// The members of CAMediaTiming as plain data, in seconds: `beginTime` in the parent's time, the
/// others in the object's own.
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

/// A cubic Bézier curve from (0, 0) to (1, 1) that maps a fraction of time to a fraction of
/// progress.
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

/// An animation as the render process evaluates it: a copy of the one added to a layer, without the
/// client's objects.
package struct AnimationDescription: Hashable, Sendable {
  package var timing: MediaTiming
  /// nil for linear.
  package var timingCurve: TimingCurve?
  /// Used only by the client; it crosses so that a dump can show it.
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

  /// Creates an implicit animation, from the old value to the property's current one.
  package init(
    changing keyPath: String, from old: AnimationValue, duration: Double, timingCurve: TimingCurve
  ) {
    self.init(
      timing: MediaTiming(duration: duration, fillMode: .backwards), timingCurve: timingCurve,
      content: .basic(PropertyTarget(keyPath: keyPath), BasicValues(from: old)))
  }

  /// Indirect, because descriptions are copied more often than read.
  package indirect enum Content: Hashable, Sendable {
    case basic(PropertyTarget, BasicValues)
    case keyframe(PropertyTarget, KeyframeValues)
    case spring(PropertyTarget, BasicValues, SpringParameters)
    case group([AnimationDescription])
    /// Applies to a layer as a whole; has no effect in a group.
    case transition(TransitionValues)
  }

  /// The property that an animation changes, and how the animation's values combine with its value.
  package struct PropertyTarget: Hashable, Sendable {
    /// The whole key path, including structure members, such as "transform.rotation.z".
    package var keyPath: String
    package var isAdditive: Bool
    package var isCumulative: Bool
    /// Makes the property's value, a transform, from the animated numbers; nil if the animated
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

  /// At most two of from, to and by matter; `.none` stands for an absent one.
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
    /// Replaces `values` if set: each end of a segment is a keyframe.
    package var path: Path?
    /// nil for evenly spaced keyframes.
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

  /// The way in which the current subtree replaces the frozen one.
  package enum TransitionStyle: String, Sendable, CaseIterable {
    case fade, moveIn, push, reveal
  }

  /// The side on which the motion starts; top is the greatest y.
  package enum TransitionSide: String, Sendable, CaseIterable {
    case fromLeft, fromRight, fromTop, fromBottom
  }

  package struct TransitionValues: Hashable, Sendable {
    package var style: TransitionStyle
    package var side: TransitionSide
    /// The transition's progress at its begin and end: 0 shows the frozen subtree, 1 the current
    /// one. Both are finite; values outside 0…1 are clamped.
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
