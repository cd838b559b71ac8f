import Foundation
import LaminaAnimation
import LaminaValues

/// How values between keyframes are found: of numbers, structures of them, colours, and arrays of
/// these. Paths go straight in the cubic modes, and transforms as well; transforms have no distance
/// to pace by, and an animation that would pace them does nothing.
public struct CAAnimationCalculationMode: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let linear = Self(rawValue: "linear")
  /// Each value holds until the next.
  public static let discrete = Self(rawValue: "discrete")
  /// Linear, at a constant speed over the whole.
  public static let paced = Self(rawValue: "paced")
  /// A smooth curve through the values.
  public static let cubic = Self(rawValue: "cubic")
  /// A smooth curve, at a constant speed over the whole.
  public static let cubicPaced = Self(rawValue: "cubicPaced")

  /// A name that is none of the above counts as `linear`.
  var name: AnimationDescription.CalculationMode {
    AnimationDescription.CalculationMode(rawValue: rawValue) ?? .linear
  }
}

/// How an animation along a path turns the layer.
public struct CAAnimationRotationMode: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The layer's x axis follows the path.
  public static let rotateAuto = Self(rawValue: "auto")
  /// The layer's x axis points back along the path.
  public static let rotateAutoReverse = Self(rawValue: "autoReverse")

  /// A name that is none of the above counts as no rotation.
  var name: AnimationDescription.RotationMode {
    AnimationDescription.RotationMode(rawValue: rawValue) ?? .none
  }
}

/// An animation through a list of values, or along a path.
open class CAKeyframeAnimation: CAPropertyAnimation {
  /// The values in order. Default: nil.
  open var values: [Any]?
  /// Points, in place of `values`: the end of each segment is a keyframe. Default: nil.
  open var path: CGPath? {
    didSet { path = path?.copy() }
  }
  /// When each value is reached, as fractions of the duration: taken as they are, also outside 0…1
  /// and out of order, as on macOS. Times and values are paired as far as both go, and what is left
  /// over does nothing; along a path the ends of segments are reached then. Paced modes do without.
  /// Default: nil, evenly spaced.
  open var keyTimes: [NSNumber]?
  /// The timing of each segment. Discrete and paced modes do without. Default: nil, linear.
  open var timingFunctions: [CAMediaTimingFunction]?
  /// Default: `linear`.
  open var calculationMode = CAAnimationCalculationMode.linear
  /// For cubic modes, -1 to 1 for each value: how tight the curve is. Default: nil, all 0.
  open var tensionValues: [NSNumber]?
  /// For cubic modes, -1 to 1 for each value: how sharp the corner is. Default: nil, all 0.
  open var continuityValues: [NSNumber]?
  /// For cubic modes, -1 to 1 for each value: where along the curve it bends. Default: nil, all 0.
  open var biasValues: [NSNumber]?
  /// Default: nil, no rotation.
  open var rotationMode: CAAnimationRotationMode?

  override class var usual: CAAnimation { CAKeyframeAnimation() }

  override func copyValues(to copy: CAAnimation) {
    super.copyValues(to: copy)
    guard let copy = copy as? CAKeyframeAnimation else { return }
    copy.values = values
    copy.path = path
    copy.keyTimes = keyTimes
    copy.timingFunctions = timingFunctions
    copy.calculationMode = calculationMode
    copy.tensionValues = tensionValues
    copy.continuityValues = continuityValues
    copy.biasValues = biasValues
    copy.rotationMode = rotationMode
  }

  override var attributes: [String: AnimationAttribute] {
    super.attributes.merging([
      "values": .object(self, \.values), "path": .object(self, \.path),
      "keyTimes": .object(self, \.keyTimes),
      "timingFunctions": .object(self, \.timingFunctions),
      "calculationMode": .name(self, \.calculationMode),
      "tensionValues": .object(self, \.tensionValues),
      "continuityValues": .object(self, \.continuityValues),
      "biasValues": .object(self, \.biasValues),
      "rotationMode": .optionalName(self, \.rotationMode),
    ]) { $1 }
  }

  override func content(duration: Double) -> AnimationDescription.Content? {
    guard let target, path != nil || values?.isEmpty == false else { return nil }
    func numbers(_ list: [NSNumber]?) -> [Double] { (list ?? []).map(\.doubleValue) }
    let keyframes = AnimationDescription.KeyframeValues(
      values: (values ?? []).map { animationValue($0) }, path: path?.storage,
      keyTimes: keyTimes.map(numbers), timingCurves: (timingFunctions ?? []).map(\.curve),
      calculationMode: calculationMode.name, tensionValues: numbers(tensionValues),
      continuityValues: numbers(continuityValues), biasValues: numbers(biasValues),
      rotationMode: rotationMode?.name ?? .none)
    return .keyframe(target, keyframes)
  }

  override var images: [CGImage] { CGImage.images(in: values) }
}
