import Foundation
import Lamina

/// Writes values as documents' text. Reading the text gives the same values, to the bit.
extension CAMLText {
  /// The fewest digits that read back as the number.
  static func text(_ number: Double) -> String {
    let text = number.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  static func text(_ numbers: [Double]) -> String {
    numbers.map { text($0) }.joined(separator: " ")
  }

  static func text(_ rect: CGRect) -> String {
    text([rect.origin.x, rect.origin.y, rect.size.width, rect.size.height].map(Double.init))
  }

  /// The shortest form that is exact: nothing for the identity, one function, or a matrix.
  static func text(_ transform: CATransform3D) -> String {
    // Reading multiplies by the identity, which turns -0 into 0.
    let m = transform.rowElements.map { Double($0) + 0 }
    func call(_ name: String, _ numbers: Double...) -> String {
      "\(name)(\(numbers.map { text($0) }.joined(separator: ", ")))"
    }
    let candidates = [
      "", call("translate", m[12], m[13], m[14]), call("scale", m[0], m[5], m[10]),
      "rotate(\(text(atan2(m[1], m[0]) * 180 / .pi))deg)",
    ]
    return candidates.first { Self.transform($0).map { $0 == transform } ?? false }
      ?? "matrix(\(m.map { text($0) }.joined(separator: ", ")))"
  }
}

extension CAMLText {
  /// A timing function with these control points: the name of the preset that has them, or numbers.
  static func timingFunction(_ points: [Double]) -> String {
    timingFunctions.first { CAMediaTimingFunction(name: $0.preset).controlNumbers == points }?.name
      ?? text(points)
  }
}

extension CAMLValue {
  /// The value of an animation or a state; nil for an object that documents cannot contain.
  init?(_ object: Any?) {
    switch object {
    case nil, is NSNull: self = .null
    case let image as CGImage: self = .image(image)
    case let matrix as CAColorMatrix:
      guard let numbers = CALayer.plainValue(of: matrix) as? [Any] else { return nil }
      self.init(array: numbers)
    case let array as [Any]: self.init(array: array)
    default: self.init(plain: CALayer.plainValue(of: object))
    }
  }

  private init?(array: [Any]) {
    let values = array.map { CAMLValue($0) }
    guard values.allSatisfy({ $0 != nil }) else { return nil }
    self = .array(values.compactMap { $0 })
  }

  private init?(plain object: Any?) {
    switch object {
    case let number as NSNumber: self = .number(number.doubleValue)
    case let string as String: self = .string(string)
    case let point as CGPoint: self = .point(point)
    case let size as CGSize: self = .size(size)
    case let rect as CGRect: self = .rect(rect)
    case let transform as CATransform3D: self = .transform(transform)
    case let color as CGColor: self = .color(color)
    case let path as CGPath: self = .path(path)
    case is NSNull: self = .null
    default: return nil
    }
  }

  /// The value as an attribute; nil for a value that needs an element.
  var attribute: String? {
    switch self {
    case .number(let number): CAMLText.text(number)
    case .bool(let flag): flag ? "1" : "0"
    case .string(let text): text
    case .point(let point): CAMLText.text([Double(point.x), Double(point.y)])
    case .size(let size): CAMLText.text([Double(size.width), Double(size.height)])
    case .rect(let rect): CAMLText.text(rect)
    case .color(let color):
      color.alpha == 1 && color.documentSpace == nil ? color.componentText : nil
    case .transform(let transform): CAMLText.text(transform)
    case .null, .path, .image, .array: nil
    }
  }

  /// The value's element, named after a property, or in a list after the value's type. `source`
  /// gives the `src` of an image.
  func element(named name: String?, source: (CGImage) -> String) -> CAMLElement {
    switch self {
    case .null:
      let element = CAMLElement.value("", type: type, named: name)
      element["value"] = nil
      return element
    case .color(let color):
      let element = CAMLElement.value(color.componentText, type: type, named: name)
      if color.alpha != 1 { element["opacity"] = CAMLText.text(Double(color.alpha)) }
      element["colorSpace"] = color.documentSpace
      return element
    case .path(let path):
      let element = CAMLElement.value("", type: type, named: name)
      element["value"] = nil
      element["d"] = path.storage.svgPathData
      return element
    case .image(let image):
      let element = CAMLElement.value("", type: type, named: name)
      element["value"] = nil
      element["src"] = source(image)
      return element
    case .array(let values):
      return CAMLElement(
        name: name ?? "NSArray", attributes: name == nil ? [:] : ["type": "NSArray"],
        children: values.map { $0.element(named: nil, source: source) })
    default: return .value(attribute ?? "", type: type, named: name)
    }
  }

  private var type: String {
    switch self {
    case .null: "null"
    case .number: "real"
    case .bool: "boolean"
    case .string: "string"
    case .point: "CGPoint"
    case .size: "CGSize"
    case .rect: "CGRect"
    case .color: "CGColor"
    case .transform: "CATransform3D"
    case .path: "CGPath"
    case .image: "CGImage"
    case .array: "NSArray"
    }
  }
}

extension CGColor {
  /// Red, green and blue.
  fileprivate var componentText: String {
    let c = (components ?? []).dropLast().map(Double.init)
    return CAMLText.text(c.count == 1 ? [c[0], c[0], c[0]] : c)
  }

  /// The colour space's name in documents; nil for sRGB.
  fileprivate var documentSpace: String? {
    CAMLText.colorSpaces.first { $0.value == colorSpace?.name }?.key
  }
}
