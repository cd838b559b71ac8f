import Foundation
import Lamina

extension DocumentElements {
  func animations(of layer: CALayer) -> CAMLElement? {
    let animations = layer.keyedAnimations
    guard !animations.isEmpty else { return nil }
    return CAMLElement(
      name: "animations",
      children: animations.map { key, animation in
        let element = self.animation(animation)
        element["key"] = key
        return element
      })
  }

  /// The animation's element. A transition's is named after its class, since its type is an
  /// attribute of that name.
  func animation(_ animation: CAAnimation) -> CAMLElement {
    let className = animation.documentClassName
    let element =
      animation is CATransition
      ? CAMLElement(name: className)
      : CAMLElement(name: "animation", attributes: ["type": className])
    if let refusal = animation.documentRefusal {
      warn("a \(className) is written without its properties: \(refusal)")
      return element
    }
    for (key, value) in animation.changedProperties {
      if let text = attribute(value, key) {
        element[key] = text
      } else if let child = child(value, key) {
        element.append(child)
      } else {
        warn("\(key) of a \(className) is left out: documents cannot contain it")
      }
    }
    for key in animation.undocumentedKeys {
      warn("\(key) of a \(className) is left out: documents cannot contain it")
    }
    return element
  }

  /// The values that can be of any type, which only an element can say.
  static let endValues: Set<String> = ["fromValue", "toValue", "byValue"]

  private func attribute(_ value: Any, _ key: String) -> String? {
    guard !Self.endValues.contains(key) else { return nil }
    switch value {
    case let function as CAMediaTimingFunction: return Self.text(function)
    case let function as CAValueFunction: return function.name.rawValue
    case let range as CAFrameRateRange:
      let numbers = [range.minimum, range.maximum] + (range.preferred.map { [$0] } ?? [])
      return CAMLText.text(numbers.map(Double.init))
    case let number as NSNumber:
      return number.doubleValue.isNaN ? nil : CAMLText.text(number.doubleValue)
    case let name as String: return name
    default: return nil
    }
  }

  private func child(_ value: Any, _ key: String) -> CAMLElement? {
    switch value {
    case let functions as [CAMediaTimingFunction]:
      return CAMLElement(
        name: key,
        children: functions.map {
          CAMLElement(name: "CAMediaTimingFunction", attributes: ["value": Self.text($0)])
        })
    case let animations as [CAAnimation]:
      return CAMLElement(name: key, children: animations.map(animation))
    default:
      guard let value = CAMLValue(value), let element = element(of: value, named: key) else {
        return nil
      }
      // A list's type is known from its name.
      if case .array = value, !Self.endValues.contains(key) { element["type"] = nil }
      return element
    }
  }

  private static func text(_ function: CAMediaTimingFunction) -> String {
    CAMLText.timingFunction(function.controlNumbers)
  }
}
