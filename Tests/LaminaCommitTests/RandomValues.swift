import Foundation
import LaminaAnimation
import LaminaValues
import TestSupport

@testable import LaminaCommit

extension SeededGenerator {
  mutating func finite() -> Double {
    [0, -0.0, 1, 0.5, .greatestFiniteMagnitude, .leastNonzeroMagnitude].randomElement(using: &self)!
      * (chance(0.5) ? 1 : Double.random(in: -1...1, using: &self))
  }
  mutating func many<Value>(upTo limit: Int = 3, _ make: (inout Self) -> Value) -> [Value] {
    (0..<below(limit + 1)).map { _ in make(&self) }
  }
}

protocol Arbitrary {
  static func arbitrary(_ random: inout SeededGenerator) -> Self
}

extension Double: Arbitrary {
  static func arbitrary(_ random: inout SeededGenerator) -> Double { random.finite() }
}
extension Bool: Arbitrary {
  static func arbitrary(_ random: inout SeededGenerator) -> Bool { random.chance(0.5) }
}
extension UInt32: Arbitrary {
  static func arbitrary(_ random: inout SeededGenerator) -> UInt32 {
    UInt32(truncatingIfNeeded: random.next())
  }
}
extension String: Arbitrary {
  static func arbitrary(_ random: inout SeededGenerator) -> String {
    ["", "opacity", "transform.rotation.z", "Größe", "日本\n\"語\"", "🧊"].randomElement(
      using: &random)!
  }
}
extension CGPoint: Arbitrary {
  static func arbitrary(_ random: inout SeededGenerator) -> CGPoint {
    CGPoint(x: random.finite(), y: random.finite())
  }
}
extension CGSize: Arbitrary {
  static func arbitrary(_ random: inout SeededGenerator) -> CGSize {
    CGSize(width: random.finite(), height: random.finite())
  }
}
extension CGRect: Arbitrary {
  static func arbitrary(_ random: inout SeededGenerator) -> CGRect {
    CGRect(origin: .arbitrary(&random), size: .arbitrary(&random))
  }
}
extension CATransform3D: Arbitrary {
  static func arbitrary(_ random: inout SeededGenerator) -> CATransform3D {
    var transform = CATransform3D.identity
    guard random.chance(0.7) else { return transform }
    transform.m11 = random.finite()
    transform.m34 = random.finite()
    transform.m41 = random.finite()
    return transform
  }
}
extension CGColor: Arbitrary {
  static func arbitrary(_ random: inout SeededGenerator) -> CGColor {
    CGColor(
      kind: CGColorSpace.Kind.allCases.randomElement(using: &random)!, random.finite(),
      random.finite(), random.finite(), alpha: random.finite())
  }
}
extension Path: Arbitrary {
  static func arbitrary(_ random: inout SeededGenerator) -> Path {
    Path(
      random.many(upTo: 5) { random in
        switch random.below(5) {
        case 0: .move(.arbitrary(&random))
        case 1: .line(.arbitrary(&random))
        case 2: .quad(control: .arbitrary(&random), end: .arbitrary(&random))
        case 3:
          .cubic(
            control1: .arbitrary(&random), control2: .arbitrary(&random), end: .arbitrary(&random))
        default: .close
        }
      })
  }
}
extension TextString: Arbitrary {
  static func arbitrary(_ random: inout SeededGenerator) -> TextString {
    TextString(String.arbitrary(&random))
  }
}
extension TextFont: Arbitrary {
  static func arbitrary(_ random: inout SeededGenerator) -> TextFont {
    TextFont(name: .arbitrary(&random))
  }
}
extension ImageID: Arbitrary {
  static func arbitrary(_ random: inout SeededGenerator) -> ImageID {
    ImageID(rawValue: random.next())
  }
}
extension LayerID: Arbitrary {
  static func arbitrary(_ random: inout SeededGenerator) -> LayerID {
    LayerID(index: .arbitrary(&random), generation: .arbitrary(&random))
  }
}
extension FilterValues: Arbitrary {
  static func arbitrary(_ random: inout SeededGenerator) -> FilterValues {
    var filter = FilterValues(type: .arbitrary(&random), name: .arbitrary(&random))
    filter.isEnabled = .arbitrary(&random)
    filter.inputs = random.many { random in
      let value: FilterInput =
        switch random.below(5) {
        case 0: .number(.arbitrary(&random))
        case 4: .image(.arbitrary(&random))
        case 1: .numbers(.arbitrary(&random))
        case 2: .color(.arbitrary(&random))
        default: .string(.arbitrary(&random))
        }
      return FilterValues.Input(key: .arbitrary(&random), value: value)
    }
    return filter
  }
}
extension Optional: Arbitrary where Wrapped: Arbitrary {
  static func arbitrary(_ random: inout SeededGenerator) -> Wrapped? {
    random.chance(0.7) ? .some(.arbitrary(&random)) : .none
  }
}
extension Array: Arbitrary where Element: Arbitrary {
  static func arbitrary(_ random: inout SeededGenerator) -> [Element] {
    random.many { .arbitrary(&$0) }
  }
}

extension EmitterCellValues: Arbitrary {
  static func arbitrary(_ random: inout SeededGenerator) -> EmitterCellValues {
    arbitrary(&random, depth: 1)
  }

  private static func arbitrary(
    _ random: inout SeededGenerator, depth: Int
  ) -> EmitterCellValues {
    var cell = EmitterCellValues()
    cell.name = .arbitrary(&random)
    cell.isEnabled = .arbitrary(&random)
    cell.timing.autoreverses = .arbitrary(&random)
    cell.timing.fillMode = FillMode.allCases.randomElement(using: &random)!
    for number in EmitterCellProperty.numbers where random.chance(0.3) {
      cell[keyPath: number] = random.chance(0.1) ? .infinity : random.finite()
    }
    cell.color = .arbitrary(&random)
    cell.contents = .arbitrary(&random)
    cell.contentsRect = .arbitrary(&random)
    cell.minificationFilter = ContentsFilter.allCases.randomElement(using: &random)!
    cell.magnificationFilter = ContentsFilter.allCases.randomElement(using: &random)!
    cell.particleType = ParticleType.allCases.randomElement(using: &random)!
    if depth < TreeLimit.emitterCellDepth, random.chance(0.4) {
      cell.cells = random.many(upTo: 2) { arbitrary(&$0, depth: depth + 1) }
    }
    return cell
  }
}

extension EmissionHistory: Arbitrary {
  static func arbitrary(_ random: inout SeededGenerator) -> EmissionHistory {
    var history = EmissionHistory()
    history.spans = random.many { random in
      var values = EmitterValues()
      values.birthRate = random.finite()
      values.position = .arbitrary(&random)
      values.shape = EmitterShape.allCases.randomElement(using: &random)!
      values.seed = .arbitrary(&random)
      values.cells = .arbitrary(&random)
      return Span(
        end: random.finite(), values: values,
        animations: random.many(upTo: 2) { AnimationDescription.arbitrary(&$0) })
    }
    return history
  }
}

/// Gives a field of any type a random value.
struct FieldRandomizer: LayerFieldVisitor {
  var random: SeededGenerator

  mutating func visit<Field: LayerField>(_ field: inout Field) {
    if let type = Field.self as? any Arbitrary.Type {
      field = type.arbitrary(&random) as! Field
    } else if let type = Field.self as? any LayerName.Type {
      field = name(of: type) as! Field
    } else {
      preconditionFailure("no random \(Field.self)")
    }
  }

  private mutating func name<Name: LayerName>(of type: Name.Type) -> Any {
    Name.allCases.randomElement(using: &random)!
  }
}

extension LayerValues {
  mutating func randomize(_ property: StoredProperty, _ random: inout SeededGenerator) {
    var randomizer = FieldRandomizer(random: random)
    try! visit(property, with: &randomizer)
    random = randomizer.random
  }
}

extension Commit.LayerChange {
  /// Random values of some properties that cross the process boundary; the rest have their
  /// defaults.
  static func arbitrary(of layer: LayerID, _ random: inout SeededGenerator) -> Self {
    var change = Self(layer: layer, properties: StoredPropertySet(), values: LayerValues())
    let crossing = Array(StoredPropertySet.crossing)
    for _ in 0...random.below(6) {
      let property = crossing.randomElement(using: &random)!
      change.properties.insert(property)
      change.values.randomize(property, &random)
    }
    return change
  }
}

extension AnimationValue {
  static func arbitrary(_ random: inout SeededGenerator, depth: Int = 0) -> AnimationValue {
    switch random.below(depth < TreeLimit.animationDepth ? 13 : 12) {
    case 0: .none
    case 1: .number(random.chance(0.1) ? .infinity : .arbitrary(&random))
    case 2: .point(.arbitrary(&random))
    case 3: .size(.arbitrary(&random))
    case 4: .rect(.arbitrary(&random))
    case 5: .transform(.arbitrary(&random))
    case 6: .color(.arbitrary(&random))
    case 7: .path(.arbitrary(&random))
    case 8: .image(.arbitrary(&random))
    case 9: .string(.arbitrary(&random))
    case 10: .filter(.arbitrary(&random))
    case 11: .cell(.arbitrary(&random))
    default: .array(random.many { arbitrary(&$0, depth: depth + 1) })
    }
  }
}

extension TimingCurve: Arbitrary {
  static func arbitrary(_ random: inout SeededGenerator) -> TimingCurve {
    TimingCurve(random.finite(), random.finite(), random.finite(), random.finite())
  }
}

extension AnimationDescription {
  static func arbitrary(_ random: inout SeededGenerator, depth: Int = 0) -> AnimationDescription {
    let timing = MediaTiming(
      beginTime: random.finite(), duration: random.chance(0.2) ? .infinity : random.finite(),
      speed: random.finite(), timeOffset: random.finite(),
      repeatCount: random.chance(0.2) ? .infinity : random.finite(),
      repeatDuration: random.finite(), autoreverses: .arbitrary(&random),
      fillMode: FillMode.allCases.randomElement(using: &random)!)
    return AnimationDescription(
      timing: timing, timingCurve: .arbitrary(&random), isRemovedOnCompletion: .arbitrary(&random),
      content: .arbitrary(&random, depth: depth))
  }
}

extension AnimationDescription.Content {
  fileprivate static func arbitrary(_ random: inout SeededGenerator, depth: Int) -> Self {
    let target = AnimationDescription.PropertyTarget(
      keyPath: .arbitrary(&random), isAdditive: .arbitrary(&random),
      isCumulative: .arbitrary(&random),
      valueFunction: random.chance(0.3) ? ValueFunction.allCases.randomElement(using: &random) : nil
    )
    let values = AnimationDescription.BasicValues(
      from: .arbitrary(&random), to: .arbitrary(&random), by: .arbitrary(&random))
    switch random.below(depth < TreeLimit.animationDepth ? 5 : 4) {
    case 0: return .basic(target, values)
    case 1:
      return .spring(
        target, values,
        AnimationDescription.SpringParameters(
          mass: random.finite(), stiffness: random.finite(), damping: random.finite(),
          initialVelocity: random.finite(), allowsOverdamping: .arbitrary(&random)))
    case 2:
      return .keyframe(
        target,
        AnimationDescription.KeyframeValues(
          values: random.many { AnimationValue.arbitrary(&$0) }, path: .arbitrary(&random),
          keyTimes: .arbitrary(&random), timingCurves: .arbitrary(&random),
          calculationMode: AnimationDescription.CalculationMode.allCases
            .randomElement(using: &random)!,
          tensionValues: .arbitrary(&random), continuityValues: .arbitrary(&random),
          biasValues: .arbitrary(&random),
          rotationMode: AnimationDescription.RotationMode.allCases.randomElement(using: &random)!))
    case 3:
      return .transition(
        AnimationDescription.TransitionValues(
          style: AnimationDescription.TransitionStyle.allCases.randomElement(using: &random)!,
          side: AnimationDescription.TransitionSide.allCases.randomElement(using: &random)!,
          startProgress: random.finite(), endProgress: random.finite()))
    default:
      return .group(random.many(upTo: 2) { AnimationDescription.arbitrary(&$0, depth: depth + 1) })
    }
  }
}
