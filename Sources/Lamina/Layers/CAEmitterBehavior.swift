import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaGraphics
import LaminaValues

/// Something that changes all particles of a `CAEmitterLayer`. The class is private on Apple's
/// systems; little is known of it.
///
/// These types have an effect, with these inputs:
/// - `drag`: `drag`, the share of its speed that a particle loses in a second (0)
/// - `wave`: `force`, an acceleration along x, y and z, which swings `frequency` times a second
/// - `colorOverLife`: `colors`, which multiply a particle's colour at the `locations` of its life
/// - `valueOverLife`: `values`, which multiply the property under `keyPath` at the `locations`:
///   `scale`, `color.red`, `color.green`, `color.blue` or `color.alpha`
/// - `alignToMotion`: images point where their particles move, turned by `rotation` (0)
///
/// - `attractor`: an acceleration of `stiffness` times the way to `position` and `zPosition` in the
///   layer (0)
///
/// Locations are from 0 at birth to 1; without them, the values are spread evenly. An `attractor`
/// with a finite `radius`, a `falloff` or an `attractorType` other than "radial" is kept without an
/// effect, since what these do is not known; so are other types, such as `simpleAttractor` or
/// `light`.
public final class CAEmitterBehavior: NSObject, NSSecureCoding {
  var values: FilterValues

  init(_ values: FilterValues) { self.values = values }

  /// Makes a behaviour of a type.
  public convenience init(type: String) { self.init(FilterValues(type: type)) }

  /// Makes a behaviour of a type.
  public class func behavior(withType type: String) -> CAEmitterBehavior {
    CAEmitterBehavior(type: type)
  }

  /// The types that have an effect.
  public class func behaviorTypes() -> [String] { ParticleBehaviors.types.sorted() }

  /// Whether the behaviour would have an effect if it were enabled.
  package var hasEffect: Bool { ParticleBehaviors.hasEffect(values) }

  /// The type, one of `behaviorTypes()` if the behaviour has an effect.
  public var type: String { values.type }

  /// The behaviour's name in key paths; nil stands for its type. Default: nil.
  public var name: String? {
    get { values.name }
    set { values.name = newValue }
  }

  /// Whether the behaviour has an effect. Default: true.
  public var isEnabled: Bool {
    get { values.isEnabled }
    set { values.isEnabled = newValue }
  }

  /// The value of an input, `name`, `type` or `enabled`; nil for other keys. Colours are numbers,
  /// four each.
  public func value(forKey key: String) -> Any? {
    switch key {
    case "name": name
    case "type": type
    case "enabled", "isEnabled": NSNumber(value: isEnabled)
    default: values[key]?.animationValue.publicValue { _ in nil }
    }
  }

  /// Sets an input, `name` or `enabled`. Inputs are numbers, lists of numbers, names, points,
  /// colours and lists of colours; nil removes an input. Any other value is refused with a warning.
  public func setValue(_ value: Any?, forKey key: String) {
    let new = AnimationValue(value)
    switch (key, new) {
    case ("name", .none?): name = nil
    case ("name", .string(let text)?): name = text
    case ("enabled", .number(let number)?), ("isEnabled", .number(let number)?):
      isEnabled = number != 0
    case (_, .none?): values[key] = nil
    case (_, .array(let elements)?) where elements.allSatisfy(\.isColor):
      values[key] = .numbers(elements.flatMap(\.components))
    default:
      guard let new, let input = FilterInput(new), values.accepts(input, for: key) else {
        let shown = value.map { "\($0), a \(Swift.type(of: $0))" } ?? "nil"
        return warn("\(key) of the emitter behaviour \(type) cannot be \(shown)")
      }
      values[key] = input
    }
  }

  /// Behaviours are equal if type, name, inputs and `isEnabled` are.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CAEmitterBehavior)?.values == values
  }

  public override var hash: Int { values.hashValue }

  public static var supportsSecureCoding: Bool { true }

  /// Archives the type, name, inputs and `isEnabled`.
  public func encode(with coder: NSCoder) {
    coder.archive(values, of: "a behaviour") { value(forKey: $0) }
  }

  /// Reads a behaviour from an archive; nil if the archive has no type.
  public init?(coder: NSCoder) {
    guard let archived = coder.archivedFilter else { return nil }
    values = archived.values
    super.init()
    for (key, value) in archived.inputs { setValue(value, forKey: key) }
  }
}

extension AnimationValue {
  fileprivate var isColor: Bool { if case .color = self { true } else { false } }

  /// A colour's straight components.
  fileprivate var components: [Double] {
    guard case .color(let color) = self else { return [] }
    let (red, green, blue, alpha) = color.extendedSRGB
    return [red, green, blue, alpha]
  }
}
