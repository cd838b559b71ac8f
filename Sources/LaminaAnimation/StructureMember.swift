import Foundation
import LaminaValues

/// A part of a value that a key path names after the property, such as "rotation.z" of a transform.
package enum StructureMember: String, Sendable, CaseIterable {
  case x, y
  case width, height
  case origin, size
  case originX = "origin.x"
  case originY = "origin.y"
  case sizeWidth = "size.width"
  case sizeHeight = "size.height"
  /// Angles in radians about the axes, about x first, then y, then z.
  case rotationX = "rotation.x"
  case rotationY = "rotation.y"
  case rotationZ = "rotation.z"
  /// The mean of the three scales. Setting it sets all three.
  case scale
  /// The mean of the x and y scales. Setting it sets both.
  case scaleXY = "scale.xy"
  case scaleX = "scale.x"
  case scaleY = "scale.y"
  case scaleZ = "scale.z"
  case shearX = "shear.x"
  case shearY = "shear.y"
  case shearZ = "shear.z"
  /// The translations along x and y, as a size.
  case translation
  case translationX = "translation.x"
  case translationY = "translation.y"
  case translationZ = "translation.z"

  /// The member with this key path after the first dot; nil if unknown.
  package init?(path: some StringProtocol) {
    if path == "rotation" {
      self = .rotationZ
    } else {
      self.init(rawValue: String(path))
    }
  }
}

/// An animation's key path, split into its parts.
package struct PropertyPath: Hashable, Sendable {
  /// The property's own key.
  package var key: String
  /// nil for the whole value.
  package var part: ValuePart?

  /// The part, if it is a structure member.
  package var member: StructureMember? {
    if case .member(let member)? = part { member } else { nil }
  }

  package init(key: String, member: StructureMember? = nil) {
    self.key = key
    part = member.map { .member($0) }
  }

  /// nil if the text after the first dot names no part of any value.
  package init?(_ keyPath: String) {
    guard let dot = keyPath.firstIndex(of: ".") else {
      self.init(key: keyPath)
      return
    }
    let key = keyPath[..<dot]
    guard let part = ValuePart(path: keyPath[keyPath.index(after: dot)...], of: key) else {
      return nil
    }
    self.init(key: String(key))
    self.part = part
  }
}

extension AnimationValue {
  /// A part of this value; nil if values of this type have no such part.
  package func value(of member: StructureMember) -> AnimationValue? {
    switch self {
    case .point(let point):
      switch member {
      case .x: .number(point.x)
      case .y: .number(point.y)
      default: nil
      }
    case .size(let size):
      switch member {
      case .width: .number(size.width)
      case .height: .number(size.height)
      default: nil
      }
    case .rect(let rect):
      switch member {
      case .origin: .point(rect.origin)
      case .size: .size(rect.size)
      case .originX: .number(rect.origin.x)
      case .originY: .number(rect.origin.y)
      case .sizeWidth: .number(rect.size.width)
      case .sizeHeight: .number(rect.size.height)
      default: nil
      }
    case .transform(let transform): transform.value(of: member)
    default: nil
    }
  }

  /// This value with one part replaced; nil if values of this type have no such part, or the part
  /// is of another type.
  package func settingMember(
    _ member: StructureMember, to part: AnimationValue
  ) -> AnimationValue? {
    switch (self, member, part) {
    case (.point(let point), .x, .number(let x)): return .point(CGPoint(x: x, y: point.y))
    case (.point(let point), .y, .number(let y)): return .point(CGPoint(x: point.x, y: y))
    case (.size(let size), .width, .number(let width)):
      return .size(CGSize(width: width, height: size.height))
    case (.size(let size), .height, .number(let height)):
      return .size(CGSize(width: size.width, height: height))
    case (.rect(let rect), _, _):
      return rect.setting(member, to: part).map { .rect($0) }
    case (.transform(let transform), _, _):
      return transform.setting(member, to: part).map { .transform($0) }
    default: return nil
    }
  }
}

extension CGRect {
  fileprivate func setting(_ member: StructureMember, to part: AnimationValue) -> CGRect? {
    var rect = self
    switch (member, part) {
    case (.origin, .point(let origin)): rect.origin = origin
    case (.size, .size(let size)): rect.size = size
    case (.originX, .number(let x)): rect.origin.x = x
    case (.originY, .number(let y)): rect.origin.y = y
    case (.sizeWidth, .number(let width)): rect.size.width = width
    case (.sizeHeight, .number(let height)): rect.size.height = height
    default: return nil
    }
    return rect
  }
}

extension CATransform3D {
  /// The unit of a translation: 1 unless the transform is scaled as a whole.
  private var unit: Double { m44 != 0 && m44.isFinite ? m44 : 1 }

  fileprivate func value(of member: StructureMember) -> AnimationValue? {
    switch member {
    case .translation: return .size(CGSize(width: m41 / unit, height: m42 / unit))
    case .translationX: return .number(m41 / unit)
    case .translationY: return .number(m42 / unit)
    case .translationZ: return .number(m43 / unit)
    default: break
    }
    let parts = TransformDecomposition(self)
    switch member {
    case .rotationX: return .number(parts.eulerAngles.x)
    case .rotationY: return .number(parts.eulerAngles.y)
    case .rotationZ: return .number(parts.eulerAngles.z)
    case .scale: return .number(parts.scale.sum() / 3)
    case .scaleXY: return .number((parts.scale.x + parts.scale.y) / 2)
    case .scaleX: return .number(parts.scale.x)
    case .scaleY: return .number(parts.scale.y)
    case .scaleZ: return .number(parts.scale.z)
    case .shearX: return .number(parts.shear.x)
    case .shearY: return .number(parts.shear.y)
    case .shearZ: return .number(parts.shear.z)
    default: return nil
    }
  }

  fileprivate func setting(_ member: StructureMember, to part: AnimationValue) -> CATransform3D? {
    var result = self
    switch (member, part) {
    case (.translation, .size(let size)):
      (result.m41, result.m42) = (size.width * unit, size.height * unit)
    case (.translation, .point(let point)):
      (result.m41, result.m42) = (point.x * unit, point.y * unit)
    case (.translationX, .number(let x)): result.m41 = x * unit
    case (.translationY, .number(let y)): result.m42 = y * unit
    case (.translationZ, .number(let z)): result.m43 = z * unit
    case (_, .number(let number)):
      return TransformDecomposition(self).transform(setting: member, to: number)
    default: return nil
    }
    return result
  }
}

extension TransformDecomposition {
  /// The transform with one part replaced; nil unless the member is a scale, shear or rotation.
  func transform(setting member: StructureMember, to number: Double) -> CATransform3D? {
    var parts = self
    return parts.set(member, to: number) ? parts.transform : nil
  }

  /// Returns false unless the member is a scale, shear or rotation.
  private mutating func set(_ member: StructureMember, to number: Double) -> Bool {
    switch member {
    case .rotationX: setEulerAngle(0, to: number)
    case .rotationY: setEulerAngle(1, to: number)
    case .rotationZ: setEulerAngle(2, to: number)
    case .scale: scale = SIMD3(repeating: number)
    case .scaleXY: (scale.x, scale.y) = (number, number)
    case .scaleX: scale.x = number
    case .scaleY: scale.y = number
    case .scaleZ: scale.z = number
    case .shearX: shear.x = number
    case .shearY: shear.y = number
    case .shearZ: shear.z = number
    default: return false
    }
    return true
  }
}
