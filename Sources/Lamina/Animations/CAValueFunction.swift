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
  public static let scaleX = Self(rawValue: "scaleX")
  public static let scaleY = Self(rawValue: "scaleY")
  public static let scaleZ = Self(rawValue: "scaleZ")
  /// A translation by an array of three distances, along x, y and z.
  public static let translate = Self(rawValue: "translate")
  public static let translateX = Self(rawValue: "translateX")
  public static let translateY = Self(rawValue: "translateY")
  public static let translateZ = Self(rawValue: "translateZ")
}

/// A function that turns an animation's interpolated number, or array of three, into a transform.
/// There is one object per name.
public final class CAValueFunction: NSObject, NSSecureCoding, SharedByName, Sendable {
  let function: ValueFunction

  private init(_ function: ValueFunction) { self.function = function }

  private static let all = Dictionary(
    uniqueKeysWithValues: ValueFunction.allCases.map { ($0, CAValueFunction($0)) })

  /// The function named `name`; nil unless that is one of the constants.
  public convenience init?(name: CAValueFunctionName) {
    guard let function = ValueFunction(rawValue: name.rawValue), let shared = Self.all[function]
    else { return nil }
    self.init(shared: shared)
  }

  public static var supportsSecureCoding: Bool { true }

  /// Archives the name.
  public func encode(with coder: NSCoder) {
    coder.encode(NSString(string: function.rawValue), forKey: "name")
  }

  /// Decodes a function by its archived name; nil unless that is one of the constants.
  public convenience init?(coder: NSCoder) {
    let name = coder.archivedValue(forKey: "name") as? String
    self.init(name: CAValueFunctionName(rawValue: name ?? ""))
  }

  public var name: CAValueFunctionName { CAValueFunctionName(rawValue: function.rawValue) }

  public override var description: String { "CAValueFunction \(function.rawValue)" }
}

/// Lets a class's initializer return an existing object: only an initializer in a protocol
/// extension may assign `self`.
private protocol SharedByName {}

extension SharedByName {
  fileprivate init(shared: Self) { self = shared }
}
