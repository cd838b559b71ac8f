import Foundation
import Lamina

extension DocumentReader {
  /// Adds the animations in `list` to `layer`. The key is the element's `key`, or else its name,
  /// unless that is `animation` or a class name.
  func readAnimations(_ list: CAMLElement, of layer: CALayer, className: String) {
    guard let list = resolve(list) else { return }
    for child in list.children {
      guard let animation = animation(child, layerClass: className) else { continue }
      let isNamed = child.name != "animation" && !child.name.hasPrefix("CA")
      layer.add(animation, forKey: child["key"] ?? (isNamed ? child.name : nil))
    }
  }

  /// Makes the animation of `element` for a layer of a class. `key` is the key path if the element
  /// names none. nil, with a warning, if it is not an animation.
  func animation(
    _ element: CAMLElement, layerClass: String, key: String? = nil
  ) -> CAAnimation? {
    guard let target = resolve(element) else { return nil }
    return making(target) {
      // In an element of that name, `type` is the type of the transition, not the class.
      let type = target.name == "CATransition" ? target.name : target["type"] ?? target.name
      guard let animation = makeAnimation(type, at: target) else { return nil }
      readTiming(of: target, into: animation)
      let keyPath = target["keyPath"] ?? key
      var kind = keyPath.flatMap { DocumentedProperties.kind(ofKeyPath: $0, className: layerClass) }
      if let animation = animation as? CAPropertyAnimation {
        guard let keyPath, kind != nil else {
          warn(target, "an animation of \(keyPath ?? "nothing") is left out")
          return nil
        }
        guard Self.hasProperty(keyPath, className: layerClass) else {
          target.isLeftOut = true
          return nil
        }
        animation.keyPath = keyPath
        if kind == .transform, let function = Self.valueFunction(target["valueFunction"]) {
          animation.valueFunction = function
          kind = [.scale, .translate].contains(function.name) ? .numbers : .number
        }
      }
      if let transition = animation as? CATransition, target.name == "CATransition",
        let type = target["type"]
      {
        if Self.transitionTypes.contains(type) {
          transition.type = CATransitionType(rawValue: type)
        } else {
          warn(target, "type=\"\(type.prefix(60))\" is no type of transition")
        }
      }
      for (name, text) in target.sortedAttributes {
        readAttribute(name, text, at: target, of: animation, kind: kind)
      }
      for child in target.children {
        read(child, of: animation, kind: kind, layerClass: layerClass)
      }
      return animation
    }
  }

  private func makeAnimation(_ type: String, at element: CAMLElement) -> CAAnimation? {
    switch type {
    case "CABasicAnimation": return CABasicAnimation()
    case "CAKeyframeAnimation": return CAKeyframeAnimation()
    case "CASpringAnimation": return CASpringAnimation()
    case "CAAnimationGroup": return CAAnimationGroup()
    case "CATransition": return CATransition()
    default:
      warn(element, "an animation of the class \(type) is left out")
      return nil
    }
  }

  private static func valueFunction(_ name: String?) -> CAValueFunction? {
    name.flatMap { CAValueFunction(name: CAValueFunctionName(rawValue: $0)) }
  }

  private static let timing: [String: CAMLKind] = [
    "beginTime": .timing, "duration": .timing, "speed": .number, "timeOffset": .number,
    "repeatCount": .timing, "repeatDuration": .timing, "autoreverses": .bool,
    "fillMode": .name(DocumentedProperties.fillModes), "removedOnCompletion": .bool,
  ]

  private func readTiming(of element: CAMLElement, into animation: CAAnimation) {
    func number(_ name: String) -> Double? {
      guard let text = element[name], let kind = Self.timing[name] else { return nil }
      if let value = kind.value(from: text)?.number { return value }
      warn(element, "\(name)=\"\(text.prefix(60))\" is not \(kind.name)")
      return nil
    }
    if let value = number("beginTime"), value.isFinite { animation.beginTime = value }
    if let value = number("duration") { animation.duration = value }
    if let value = number("speed") { animation.speed = Float(value) }
    if let value = number("timeOffset") { animation.timeOffset = value }
    if let value = number("repeatCount") { animation.repeatCount = Float(value) }
    if let value = number("repeatDuration") { animation.repeatDuration = value }
    if let value = number("autoreverses") { animation.autoreverses = value != 0 }
    if let value = number("removedOnCompletion") { animation.isRemovedOnCompletion = value != 0 }
    if let mode = element["fillMode"] {
      if DocumentedProperties.fillModes.contains(mode) {
        animation.fillMode = CAMediaTimingFillMode(rawValue: mode)
      } else {
        warn(element, "fillMode=\"\(mode.prefix(60))\" is no fill mode")
      }
    }
  }

  private static let structural: Set<String> = ["id", "object", "key", "type", "keyPath"]
  private static let calculationModes = ["linear", "discrete", "paced", "cubic", "cubicPaced"]

  private static let transitionTypes = ["fade", "moveIn", "push", "reveal"]
  private static let transitionSubtypes = ["fromLeft", "fromRight", "fromTop", "fromBottom"]

  private func readAttribute(
    _ name: String, _ text: String, at element: CAMLElement, of animation: CAAnimation,
    kind: CAMLKind?
  ) {
    if Self.timing[name] != nil || Self.structural.contains(name) || IgnoredNames.contains(name) {
      return
    }
    let number = CAMLText.number(text)
    switch (name, animation) {
    case ("subtype", let animation as CATransition) where Self.transitionSubtypes.contains(text):
      animation.subtype = CATransitionSubtype(rawValue: text)
    case ("startProgress", let animation as CATransition) where number != nil:
      animation.startProgress = Float(number ?? 0)
    case ("endProgress", let animation as CATransition) where number != nil:
      animation.endProgress = Float(number ?? 1)
    case ("timingFunction", _): animation.timingFunction = timingFunction(text, at: element)
    case ("additive", let animation as CAPropertyAnimation):
      animation.isAdditive = CAMLText.bool(text) ?? false
    case ("cumulative", let animation as CAPropertyAnimation):
      animation.isCumulative = CAMLText.bool(text) ?? false
    case ("valueFunction", let animation as CAPropertyAnimation)
    where animation.valueFunction?.name.rawValue == text:
      break
    case ("calculationMode", let animation as CAKeyframeAnimation)
    where Self.calculationModes.contains(text):
      animation.calculationMode = CAAnimationCalculationMode(rawValue: text)
    case ("rotationMode", let animation as CAKeyframeAnimation)
    where ["auto", "autoReverse", "auto-reverse"].contains(text):
      animation.rotationMode = text == "auto" ? .rotateAuto : .rotateAutoReverse
    case ("mass", let animation as CASpringAnimation) where number ?? 0 > 0:
      animation.mass = number ?? 1
    case ("stiffness", let animation as CASpringAnimation) where number ?? 0 > 0:
      animation.stiffness = number ?? 100
    case ("damping", let animation as CASpringAnimation) where number ?? -1 >= 0:
      animation.damping = number ?? 10
    case ("velocity", let animation as CASpringAnimation) where number != nil,
      ("initialVelocity", let animation as CASpringAnimation) where number != nil:
      animation.initialVelocity = number ?? 0
    case ("allowsOverdamping", let animation as CASpringAnimation):
      animation.allowsOverdamping = CAMLText.bool(text) ?? false
    case ("preferredFrameRateRange", _) where frameRates(text) != nil:
      animation.preferredFrameRateRange = frameRates(text) ?? .default
    case ("fromValue", let animation as CABasicAnimation):
      animation.fromValue = endValue(text, at: element, kind: kind)
    case ("toValue", let animation as CABasicAnimation):
      animation.toValue = endValue(text, at: element, kind: kind)
    case ("byValue", let animation as CABasicAnimation):
      animation.byValue = endValue(text, at: element, kind: kind)
    default:
      warn(element, "\(name)=\"\(text.prefix(60))\" is left out")
    }
  }

  /// `minimum maximum` or `minimum maximum preferred`.
  private func frameRates(_ text: String) -> CAFrameRateRange? {
    guard let rates = CAMLText.numbers(text)?.map(Float.init), (2...3).contains(rates.count) else {
      return nil
    }
    return CAFrameRateRange(
      minimum: rates[0], maximum: rates[1], preferred: rates.count == 3 ? rates[2] : nil)
  }

  private func endValue(_ text: String, at element: CAMLElement, kind: CAMLKind?) -> Any? {
    if let value = kind?.value(from: text) { return value.object }
    warn(element, "\"\(text.prefix(60))\" is not \(kind?.name ?? "a value")")
    return nil
  }

  private func read(
    _ child: CAMLElement, of animation: CAAnimation, kind: CAMLKind?, layerClass: String
  ) {
    switch (child.name, animation) {
    case ("timingFunction", _): animation.timingFunction = timingFunction(child)
    case ("fromValue", let animation as CABasicAnimation):
      animation.fromValue = accepted(child, kind: kind)
    case ("toValue", let animation as CABasicAnimation):
      animation.toValue = accepted(child, kind: kind)
    case ("byValue", let animation as CABasicAnimation):
      animation.byValue = accepted(child, kind: kind)
    case ("values", let animation as CAKeyframeAnimation):
      animation.values = resolve(child)?.children.compactMap { accepted($0, kind: kind) }
    case ("keyTimes", let animation as CAKeyframeAnimation):
      animation.keyTimes = numbers(child).map { NSNumber(value: $0) }
    case ("tensionValues", let animation as CAKeyframeAnimation):
      animation.tensionValues = numbers(child).map { NSNumber(value: $0) }
    case ("continuityValues", let animation as CAKeyframeAnimation):
      animation.continuityValues = numbers(child).map { NSNumber(value: $0) }
    case ("biasValues", let animation as CAKeyframeAnimation):
      animation.biasValues = numbers(child).map { NSNumber(value: $0) }
    case ("timingFunctions", let animation as CAKeyframeAnimation):
      animation.timingFunctions = resolve(child)?.children.compactMap { timingFunction($0) }
    case ("path", let animation as CAKeyframeAnimation):
      if case .path(let path)? = value(child, as: .path) { animation.path = path }
    case ("animations", let animation as CAAnimationGroup):
      animation.animations = resolve(child)?.children.compactMap {
        self.animation($0, layerClass: layerClass)
      }
    default:
      if !IgnoredNames.contains(child.name) {
        warn(child, "<\(child.name)> in an animation is left out")
      }
    }
  }

  private func accepted(_ element: CAMLElement, kind: CAMLKind?) -> Any? {
    guard let value = value(element, as: kind) else { return nil }
    guard let kind else { return value.object }
    if let accepted = kind.accepting(value) { return accepted.object }
    warn(element, "the animated property takes \(kind.name)")
    return nil
  }

  private func numbers(_ element: CAMLElement) -> [Double] {
    guard case .array(let values)? = value(element, as: .numbers) else { return [] }
    return values.compactMap(\.number).filter(\.isFinite)
  }

  private func timingFunction(_ element: CAMLElement) -> CAMediaTimingFunction? {
    guard let element = resolve(element) else { return nil }
    if let child = element.children.first, element["value"] == nil { return timingFunction(child) }
    return timingFunction(element["name"] ?? element["value"] ?? element.text, at: element)
  }

  /// A timing function: a preset's name, or the two control points of the curve.
  private func timingFunction(_ text: String, at element: CAMLElement) -> CAMediaTimingFunction? {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if let preset = CAMLText.timingFunctions.first(where: { $0.name == text })?.preset {
      return CAMediaTimingFunction(name: preset)
    }
    guard let c = CAMLText.numbers(text), c.count == 4, (0...1).contains(c[0]),
      (0...1).contains(c[2])
    else {
      warn(element, "\"\(text.prefix(60))\" is no timing function")
      return nil
    }
    return CAMediaTimingFunction(
      controlPoints: Float(c[0]), Float(c[1]), Float(c[2]), Float(c[3]))
  }
}
