import Foundation
import LaminaAnimation
import LaminaValues

/// A target whose properties are named by their keys. Keys that begin with "undefined" are
/// undefined.
struct Stage: AnimationTarget {
  var values: [String: AnimationValue]

  init(_ values: [String: AnimationValue] = [:]) { self.values = values }

  func animationValue(of property: String) -> AnimationValue { values[property] ?? .none }

  mutating func setAnimationValue(_ value: AnimationValue, of property: String) {
    values[property] = value
  }

  static func track(_ description: AnimationDescription) -> AnimationTrack<String> {
    AnimationTrack(description) { key in
      key.hasPrefix("undefined") || key.contains(".") ? nil : key
    }
  }

  /// The value of a property at a time, with animations applied together.
  static func value(
    of key: String, model: AnimationValue, at time: Double, _ animations: AnimationDescription...
  ) -> AnimationValue {
    var stage = Stage([key: model])
    AnimationTrack.apply(animations.map(track), at: time, to: &stage)
    return stage.animationValue(of: key)
  }
}

extension AnimationDescription {
  static func basic(
    _ keyPath: String, from: AnimationValue = .none, to: AnimationValue = .none,
    by: AnimationValue = .none, timing: MediaTiming = MediaTiming(duration: 1),
    curve: TimingCurve? = nil, isAdditive: Bool = false, isCumulative: Bool = false
  ) -> AnimationDescription {
    AnimationDescription(
      timing: timing, timingCurve: curve,
      content: .basic(
        PropertyTarget(keyPath: keyPath, isAdditive: isAdditive, isCumulative: isCumulative),
        BasicValues(from: from, to: to, by: by)))
  }

  static func keyframe(
    _ keyPath: String, _ values: KeyframeValues, timing: MediaTiming = MediaTiming(duration: 1),
    isAdditive: Bool = false
  ) -> AnimationDescription {
    AnimationDescription(
      timing: timing,
      content: .keyframe(PropertyTarget(keyPath: keyPath, isAdditive: isAdditive), values))
  }

  static func group(
    _ children: [AnimationDescription], timing: MediaTiming
  ) -> AnimationDescription {
    AnimationDescription(timing: timing, content: .group(children))
  }
}

extension AnimationValue {
  var number: Double? { if case .number(let number) = self { number } else { nil } }
  var point: CGPoint? { if case .point(let point) = self { point } else { nil } }
  var color: CGColor? { if case .color(let color) = self { color } else { nil } }
  var transform: CATransform3D? {
    if case .transform(let transform) = self { transform } else { nil }
  }
}
