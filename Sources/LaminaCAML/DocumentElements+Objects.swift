import Foundation
import Lamina

// Properties whose values are objects with properties of their own.
extension DocumentElements {
  /// The elements of a property that has objects as its value; nil for a property with a plain
  /// value, and for an object that is left out.
  func object(_ key: String, of layer: CALayer) -> CAMLElement? {
    switch (key, layer) {
    case ("emitterCells", let emitter as CAEmitterLayer):
      emitter.emitterCells.map { cells($0) }
    case ("emitterBehaviors", let emitter as CAEmitterLayer):
      emitter.emitterBehaviors.map { behaviors in
        CAMLElement(name: key, children: behaviors.map(behavior))
      }
    case ("string", let text as CATextLayer):
      (text.string as? NSAttributedString).map { attributedString($0, named: key) }
    case ("font", let text as CATextLayer): font(text.font)
    default: nil
    }
  }

  // MARK: Emitters

  private func cells(_ cells: [CAEmitterCell]) -> CAMLElement {
    CAMLElement(name: "emitterCells", children: cells.map(cell))
  }

  private func cell(_ cell: CAEmitterCell) -> CAMLElement {
    let element = CAMLElement(name: "CAEmitterCell")
    for key in cell.changedKeys {
      if key == "emitterCells" {
        element.append(cells(cell.emitterCells ?? []))
      } else {
        add(
          cell.value(forKey: key), key, of: "an emitter cell",
          as: DocumentedProperties.cellKind(of: key), to: element)
      }
    }
    return element
  }

  private func behavior(_ behavior: CAEmitterBehavior) -> CAMLElement {
    let element = CAMLElement(name: "CAEmitterBehavior", attributes: ["type": behavior.type])
    element["name"] = behavior.name
    if !behavior.isEnabled { element["enabled"] = "0" }
    for key in behavior.inputKeys {
      let value = CAMLValue(behavior.value(forKey: key))
      if case .number(let number) = value, number.isFinite {
        element[key] = CAMLText.text(number)
      } else if let child = value.flatMap({ self.element(of: $0, named: key) }) {
        element.append(child)
      } else {
        warn("\(key) of the emitter behavior \(behavior.type) is left out: it has no finite value")
      }
    }
    return element
  }

  // MARK: Text

  /// The element of a file's font; nil for an installed one.
  private func font(_ object: CFTypeRef?) -> CAMLElement? {
    guard let font = (object as? CTFont)?.graphicsFont ?? object as? CGFont, let data = font.data
    else { return nil }
    return CAMLElement(name: "font", attributes: ["src": fontSource(font, data)])
  }

  /// The name of an installed font that is an object; nil for other values.
  func fontName(_ object: Any?) -> String? {
    (object as? CTFont)?.name ?? (object as? CGFont)?.name
  }

  private func attributedString(_ string: NSAttributedString, named name: String) -> CAMLElement {
    let element = CAMLElement(name: name, attributes: ["type": "NSAttributedString"])
    let all = NSRange(location: 0, length: string.length)
    string.enumerateAttributes(in: all, options: []) { attributes, range, _ in
      let text = string.attributedSubstring(from: range).string
      element.append(run(text, attributes))
    }
    return element
  }

  private func run(
    _ text: String, _ attributes: [NSAttributedString.Key: Any]
  ) -> CAMLElement {
    let element = CAMLElement(name: "run", attributes: ["value": text])
    for (key, value) in attributes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      switch (key, value) {
      case (.font, let font as CTFont):
        if let file = self.font(font) {
          element.append(file)
        } else {
          element["font"] = font.name
        }
        element["fontSize"] = CAMLText.text(Double(CTFontGetSize(font)))
      case (.foregroundColor, let color):
        if case .color(let color) = CAMLValue(color),
          let plain = color.converted(
            to: CGColorSpaceCreateDeviceRGB(), intent: .defaultIntent, options: nil)
        {
          element["foregroundColor"] = CAMLText.text((plain.components ?? []).map { Double($0) })
        }
      case (.kern, let number as NSNumber):
        element["kern"] = CAMLText.text(number.doubleValue)
      case (.underlineStyle, let number as NSNumber):
        element["underlineStyle"] = CAMLText.text(number.doubleValue)
      case (.paragraphStyle, let style as CTParagraphStyle):
        element["alignmentMode"] =
          DocumentReader.alignments.first { $0.value == style.alignment }?.key
        element["lineSpacing"] = CAMLText.text(Double(style.lineSpacing))
      default:
        warn("\(key.rawValue.prefix(60)) of an attributed string is left out")
      }
    }
    return element
  }
}
