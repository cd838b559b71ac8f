import Foundation
import LaminaAnimation

/// The name of a value function.
public struct CAValueFunctionName: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A rotation about the x axis by a number of radians.
  public static let rotateX = Self(rawValue: "rotateX")
  /// A rotation about the y axis by a number of radians.
  public static let rotateY = Self(rawValue: "rotateY")
  /// A rotation about the z axis by a number of radians.
  public static let rotateZ = Self(rawValue: "rotateZ")
  /// A scale by an array of three factors, along x, y and z.
  public static let scale = Self(rawValue: "scale")
  /// A number is the scale along x.
  public static let scaleX = Self(rawValue: "scaleX")
  /// A number is the scale along y.
  public static let scaleY = Self(rawValue: "scaleY")
  /// A number is the scale along z.
  public static let scaleZ = Self(rawValue: "scaleZ")
  /// A translation by an array of three distances, along x, y and z.
  public static let translate = Self(rawValue: "translate")
  /// A number is the distance along x, in points.
  public static let translateX = Self(rawValue: "translateX")
  /// A number is the distance along y, in points.
  public static let translateY = Self(rawValue: "translateY")
  /// A number is the distance along z, in points.
  public static let translateZ = Self(rawValue: "translateZ")
}

/// A function that turns an animation's interpolated number, or array of three, into a transform.
/// There is one object per name.
open class CAValueFunction: NSObject, NSSecureCoding, SharedByName, @unchecked Sendable {
  /// nil if the function has no name. Set only by initializers.
  private(set) final var function: ValueFunction?

  /// A function without a name. An animation with it is like one without a value function.
  public override init() { super.init() }

  private static let all: [ValueFunction: CAValueFunction] = Dictionary(
    uniqueKeysWithValues: ValueFunction.allCases.map { function in
      let made = CAValueFunction()
      made.function = function
      return (function, made)
    })

  /// The function named `name`; nil unless that is one of the constants. On a subclass this makes a
  /// new object.
  public convenience init?(name: CAValueFunctionName) {
    guard let function = ValueFunction(rawValue: name.rawValue), let shared = Self.all[function]
    else { return nil }
    guard let same = shared as? Self else {
      self.init()
      self.function = function
      return
    }
    self.init(shared: same)
  }

  open class var supportsSecureCoding: Bool { true }

  /// Archives the name.
  open func encode(with coder: NSCoder) {
    coder.encode(NSString(string: name.rawValue), forKey: "name")
  }

  /// Decodes a function by its archived name; nil unless that is one of the constants.
  public required init?(coder: NSCoder) {
    let name = coder.archivedValue(forKey: "name") as? String
    guard let function = name.flatMap({ ValueFunction(rawValue: $0) }) else { return nil }
    self.function = function
    super.init()
  }

  /// The name; empty for a function without one.
  open var name: CAValueFunctionName { CAValueFunctionName(rawValue: function?.rawValue ?? "") }

  open override var description: String { "CAValueFunction \(name.rawValue)" }
}
