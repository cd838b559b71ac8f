import Foundation
import LaminaAnimation
import LaminaValues

/// How values between keyframes are computed, for numbers, structures of numbers, colours, and
/// arrays of these. In the cubic modes, paths and transforms are interpolated linearly. Paced modes
/// do not work for transforms, between which no distance is defined: such an animation does
/// nothing.
public struct CAAnimationCalculationMode: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Straight from one value to the next, each pair in its own share of the duration.
  public static let linear = Self(rawValue: "linear")
  /// Each value holds until the next.
  public static let discrete = Self(rawValue: "discrete")
  /// Linear, at a constant speed over the whole animation.
  public static let paced = Self(rawValue: "paced")
  /// A smooth curve through the values.
  public static let cubic = Self(rawValue: "cubic")
  /// A smooth curve, at a constant speed over the whole animation.
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
  /// A path whose points are the values, used in place of `values`: the end of each segment is a
  /// keyframe. Default: nil.
  open var path: CGPath? {
    didSet { path = path?.copy() }
  }
  /// When each value is reached, as fractions of the duration. Along a path, when the end of each
  /// segment is reached. Times outside 0…1 or out of order are used as they are, as on macOS.
  /// Surplus times or values are ignored, and so are all times in the paced modes. Default: nil,
  /// evenly spaced.
  open var keyTimes: [NSNumber]?
  /// The timing function of each segment. Ignored in the discrete and paced modes. Default: nil,
  /// linear.
  open var timingFunctions: [CAMediaTimingFunction]?
  /// How values between keyframes are computed. Default: `linear`.
  open var calculationMode = CAAnimationCalculationMode.linear
  /// How tight the curve is at each value, -1 to 1, for the cubic modes. Default: nil, all 0.
  open var tensionValues: [NSNumber]?
  /// How sharp the corner is at each value, -1 to 1, for the cubic modes. Default: nil, all 0.
  open var continuityValues: [NSNumber]?
  /// Where the curve bends around each value, -1 to 1, for the cubic modes. Default: nil, all 0.
  open var biasValues: [NSNumber]?
  /// How the layer turns along a path. Default: nil, no rotation.
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
