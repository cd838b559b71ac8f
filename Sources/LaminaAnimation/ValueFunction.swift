import Foundation
import LaminaValues

/// Makes a transform from the one or three numbers that an animation interpolates. A turn by 2π
/// then goes all the way round, which interpolation between two equal transforms could not do.
package enum ValueFunction: String, Sendable, CaseIterable {
  /// Takes an angle in radians.
  case rotateX, rotateY, rotateZ
  /// Takes three factors, along x, y and z.
  case scale
  case scaleX, scaleY, scaleZ
  /// Takes three distances, along x, y and z.
  case translate
  case translateX, translateY, translateZ

  /// The number of inputs: 1 or 3.
  package var inputCount: Int { self == .scale || self == .translate ? 3 : 1 }

  /// The parts of a transform that the inputs set.
  private var members: [StructureMember] {
    switch self {
    case .rotateX: [.rotationX]
    case .rotateY: [.rotationY]
    case .rotateZ: [.rotationZ]
    case .scale: [.scaleX, .scaleY, .scaleZ]
    case .scaleX: [.scaleX]
    case .scaleY: [.scaleY]
    case .scaleZ: [.scaleZ]
    case .translate: [.translationX, .translationY, .translationZ]
    case .translateX: [.translationX]
    case .translateY: [.translationY]
    case .translateZ: [.translationZ]
    }
  }

  /// A value as the function's input: a single number, alone or in an array, or an array of three.
  /// nil for any other.
  package func input(from value: AnimationValue) -> AnimationValue? {
    switch value {
    case .number: return inputCount == 1 ? value : nil
    case .array(let values):
      let isNumbers = values.allSatisfy { if case .number = $0 { true } else { false } }
      guard isNumbers, values.count == inputCount else { return nil }
      return inputCount == 1 ? values[0] : value
    default: return nil
    }
  }

  /// The input for which this function gives the transform, as closely as possible; nil if the
  /// value is not a transform.
  func input(of transform: AnimationValue) -> AnimationValue? {
    let parts = members.compactMap { transform.value(of: $0) }
    guard parts.count == members.count else { return nil }
    return parts.count == 1 ? parts[0] : .array(parts)
  }

  /// The input that gives the identity.
  var neutralInput: AnimationValue {
    input(of: .transform(.identity)) ?? .none
  }

  /// The transform for an input; `.none` if the input is invalid.
  func transform(_ input: AnimationValue) -> AnimationValue {
    let numbers: [Double]
    switch input {
    case .number(let number): numbers = [number]
    case .array(let values):
      numbers = values.map { if case .number(let number) = $0 { number } else { .nan } }
    default: return .none
    }
    guard numbers.count == inputCount else { return .none }
    return .transform(transform(numbers))
  }

  private func transform(_ n: [Double]) -> CATransform3D {
    switch self {
    case .rotateX: CATransform3D(rotationAngle: n[0], x: 1, y: 0, z: 0)
    case .rotateY: CATransform3D(rotationAngle: n[0], x: 0, y: 1, z: 0)
    case .rotateZ: CATransform3D(rotationAngle: n[0], x: 0, y: 0, z: 1)
    case .scale: CATransform3DMakeScale(n[0], n[1], n[2])
    case .scaleX: CATransform3DMakeScale(n[0], 1, 1)
    case .scaleY: CATransform3DMakeScale(1, n[0], 1)
    case .scaleZ: CATransform3DMakeScale(1, 1, n[0])
    case .translate: CATransform3DMakeTranslation(n[0], n[1], n[2])
    case .translateX: CATransform3DMakeTranslation(n[0], 0, 0)
    case .translateY: CATransform3DMakeTranslation(0, n[0], 0)
    case .translateZ: CATransform3DMakeTranslation(0, 0, n[0])
    }
  }
}
