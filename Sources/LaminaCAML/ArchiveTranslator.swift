import Foundation
import Lamina

/// Translates a keyed archive of layers, a `.caar` file, into the elements that a document of the
/// same layers has, so that both are then read the same way.
final class ArchiveTranslator {
  typealias Damage = BinaryPropertyList.Damage
  typealias Value = KeyedArchive.Value

  let archive: KeyedArchive
  typealias Warn = (String, WarningLog.Kind) -> Void

  private let report: Warn
  /// The objects that are being translated, to detect one that contains itself.
  private var open: Set<Int> = []

  private init(_ archive: KeyedArchive, warn: @escaping Warn) {
    self.archive = archive
    report = warn
  }

  func warn(_ message: String, source: String = #fileID, line: UInt = #line) {
    report(message, WarningLog.Kind(file: source, line: line))
  }

  /// The document that the file's dictionary describes: its root element, and the settings that a
  /// bundle has in its index. Without a layer the element is empty.
  static func translate(
    _ data: Data, warn: @escaping Warn
  ) throws(Damage) -> (element: CAMLElement, index: BundleIndex) {
    let archive = try KeyedArchive(data)
    let translator = ArchiveTranslator(archive, warn: warn)
    let element = CAMLElement(name: "caml")
    var index = BundleIndex()
    guard case .object(let root) = archive.root, let record = try archive.record(root) else {
      return (element, index)
    }
    let entries = try translator.entries(record)
    func number(_ key: String) -> Double? {
      if case .number(let number) = entries[key] { number } else { nil }
    }
    if case .bool(true) = entries["geometryFlipped"] { index.isGeometryFlipped = true }
    if let width = number("documentWidth"), let height = number("documentHeight"), width > 0,
      height > 0, max(width, height) <= CAMLText.largestMagnitude
    {
      index.documentSize = CGSize(width: width, height: height)
    }
    if let layer = entries["rootLayer"], let layer = try translator.element(layer, named: nil) {
      element.append(layer)
    }
    return (element, index)
  }

  /// The values of an archived dictionary, by key.
  func entries(_ record: KeyedArchive.Record) throws(Damage) -> [String: Value] {
    guard case .array(let keys) = record.values["NS.keys"],
      case .array(let values) = record.values["NS.objects"]
    else { return [:] }
    var entries: [String: Value] = [:]
    for (key, value) in zip(keys, values) {
      if case .string(let key) = try archive.resolve(key) {
        entries[key] = try archive.resolve(value)
      }
    }
    return entries
  }

  /// The element of a value, named after the property, or in a list after the value's class; nil if
  /// the value has no element.
  private func element(_ value: Value, named name: String?) throws(Damage) -> CAMLElement? {
    switch value {
    case .null, .data: return nil
    case .bool(let flag): return .value(flag ? "1" : "0", type: "boolean", named: name)
    case .number(let number): return .value("\(number)", type: "real", named: name)
    case .string(let text): return .value(text, type: "string", named: name)
    case .array(let values): return try list(values, named: name)
    case .object(let uid):
      guard open.count < CAMLXMLReader.maximumDepth else {
        throw Damage("its objects nest too deeply")
      }
      guard open.insert(uid).inserted else {
        warn("an object of the archive lies in itself")
        return nil
      }
      defer { open.remove(uid) }
      let object = try archive.resolve(value)
      // A list is an object too, and may lie in itself.
      guard case .object(uid) = object else { return try element(object, named: name) }
      guard let record = try archive.record(uid) else {
        throw Damage("object \(uid) has no class")
      }
      return try element(record, named: name)
    }
  }

  private func element(
    _ record: KeyedArchive.Record, named name: String?
  ) throws(Damage) -> CAMLElement? {
    let values = record.values
    switch record.className {
    case "NSArray", "NSMutableArray":
      guard case .array(let values) = values["NS.objects"] else { return nil }
      return try list(values, named: name)
    case "NSNull": return nil
    case "NSString", "NSMutableString":
      guard case .string(let text) = values["NS.string"] else { return nil }
      return .value(text, type: "string", named: name)
    case "LKNSArrayCodingProxy":
      return try values["array"].map { value throws(Damage) in
        try element(value, named: name)
      } ?? nil
    case "LKNSValueCodingProxy": return structure(values, named: name)
    case "LKCGColorCodingProxy": return try color(values, named: name)
    case "CACGPathCodingProxy":
      let path = try path(values["LKCGPathSegments"] ?? .null)
      return .value(path.svgPathData, type: "CGPath", named: name)
    case "CAMediaTimingFunction":
      return numbers(["c1x", "c1y", "c2x", "c2y"], of: values).map { points in
        let text = CAMLText.timingFunction(points)
        return CAMLElement(name: name ?? "timingFunction", attributes: ["value": text])
      }
    case "CAValueFunction":
      return try values["name"].map { value throws(Damage) in
        try element(value, named: name)
      } ?? nil
    case "LKCGImageCodingProxy", "ArchivedImage": return try image(record, named: name)
    case "CAFilter":
      guard let filter = try filter(record) else { return nil }
      return try wrapped(filter, named: name)
    case "CAEmitterBehavior":
      guard let behavior = try behavior(record) else { return nil }
      return try wrapped(behavior, named: name)
    case "ArchivedText", "NSAttributedString", "NSMutableAttributedString",
      "NSConcreteAttributedString", "NSConcreteMutableAttributedString":
      return try text(record, named: name)
    case "ArchivedFont", "NSFont", "UIFont", "UICTFont", "CTFont":
      return try font(values).map { fontElement($0, named: name ?? "font") }
    case let className where className.hasSuffix("Layer"):
      return try wrapped(try layer(className, values), named: name)
    case "CAEmitterCell": return try wrapped(try layer(record.className, values), named: name)
    case "CAAnimationGroup", "CATransition": return try animation(record.className, values)
    case let className where className.hasSuffix("Animation"):
      return try animation(className, values)
    default:
      warn("\(name ?? "an object") of the class \(record.className.prefix(60)) is left out")
      return nil
    }
  }

  private func list(_ values: [Value], named name: String?) throws(Damage) -> CAMLElement {
    let element = CAMLElement(name: name ?? "NSArray")
    for value in values {
      if let child = try self.element(value, named: nil) { element.append(child) }
    }
    return element
  }

  private func wrapped(_ object: CAMLElement, named name: String?) throws(Damage) -> CAMLElement {
    guard let name else { return object }
    let element = CAMLElement(name: name)
    element.append(object)
    return element
  }
}

// MARK: - Values

extension ArchiveTranslator {
  /// The numbers under some keys; nil if one is missing.
  func numbers(_ keys: [String], of values: [String: Value]) -> [Double]? {
    let numbers = keys.compactMap { key in
      if case .number(let number) = values[key] { number } else { nil }
    }
    return numbers.count == keys.count ? numbers : nil
  }

  /// The numbers under some keys, separated by spaces; nil if one is missing.
  func numberText(_ keys: [String], of values: [String: Value]) -> String? {
    numbers(keys, of: values).map { CAMLText.text($0) }
  }

  /// A colour. Lamina's archives name its space.
  private func color(
    _ values: [String: Value], named name: String?
  ) throws(Damage) -> CAMLElement? {
    guard let text = numberText(["r", "g", "b", "a"], of: values) else { return nil }
    let element = CAMLElement.value(text, type: "CGColor", named: name)
    if case .string(let space) = try archive.resolve(values["colorSpace"] ?? .null) {
      element["colorSpace"] = CAMLText.colorSpaces.first { $0.value == space }?.key
    }
    return element
  }

  private func structure(_ values: [String: Value], named name: String?) -> CAMLElement? {
    guard case .number(let kind) = values["kind"] else { return nil }
    let text: String?
    let type: String
    switch kind {
    case 0: (type, text) = ("CGPoint", numberText(["x", "y"], of: values))
    case 1: (type, text) = ("CGSize", numberText(["width", "height"], of: values))
    case 2: (type, text) = ("CGRect", numberText(["x", "y", "width", "height"], of: values))
    case 3:
      let keys = (1...4).flatMap { row in (1...4).map { "m\(row)\($0)" } }
      // A transform without members is the identity.
      let isIdentity = keys.allSatisfy { values[$0] == nil }
      (type, text) = (
        "CATransform3D", isIdentity ? "" : numberText(keys, of: values).map { "matrix(\($0))" }
      )
    default: return nil
    }
    return text.map { .value($0, type: type, named: name) }
  }

  private func path(_ value: Value) throws(Damage) -> Path {
    var segments = try archive.resolve(value)
    if case .object(let uid) = segments {
      segments = try archive.record(uid)?.values["NS.objects"] ?? .null
    }
    guard case .array(let segments) = segments else { return Path() }
    var elements: [Path.Element] = []
    for segment in segments {
      guard case .object(let uid) = segment, let values = try archive.record(uid)?.values,
        case .number(let type) = values["LKCGPathType"]
      else { throw Damage("a segment of a path is damaged") }
      let points = (0..<3).compactMap { index -> CGPoint? in
        guard case .number(let x) = values["LKCGPathPoint\(index)_x"],
          case .number(let y) = values["LKCGPathPoint\(index)_y"]
        else { return nil }
        return CGPoint(x: x, y: y)
      }
      switch type {
      case 0 where points.count > 0: elements.append(.move(points[0]))
      case 1 where points.count > 0: elements.append(.line(points[0]))
      case 2 where points.count > 1: elements.append(.quad(control: points[0], end: points[1]))
      case 3 where points.count > 2:
        elements.append(.cubic(control1: points[0], control2: points[1], end: points[2]))
      case 4: elements.append(.close)
      default: throw Damage("a segment of a path is damaged")
      }
    }
    return Path(elements)
  }

  /// An image: the bytes of its file lie in the archive. Only one of the record's members is data.
  private func image(
    _ record: KeyedArchive.Record, named name: String?
  ) throws(Damage) -> CAMLElement? {
    for (_, value) in record.values.sorted(by: { $0.key < $1.key }) {
      guard let data = try data(value) else { continue }
      let source = "data:image/png;base64," + data.base64EncodedString()
      return CAMLElement(
        name: name ?? "CGImage",
        attributes: name == nil ? ["src": source] : ["type": "CGImage", "src": source])
    }
    warn("\(name ?? "an image") has no bytes of an image file")
    return nil
  }

  private func data(_ value: Value) throws(Damage) -> Data? {
    var value = try archive.resolve(value)
    if case .object(let uid) = value { value = try archive.record(uid)?.values["NS.data"] ?? .null }
    if case .data(let data) = value { return data }
    return nil
  }

  /// A filter. Its inputs are members of its record, or in a dictionary of inputs.
  private func filter(_ record: KeyedArchive.Record) throws(Damage) -> CAMLElement? {
    let values = try membersAndInputs(record)
    var type = try text("type", of: values)
    if type == nil { type = try text("filter", of: values) }
    if type == nil { type = try text("name", of: values) }
    guard let type else {
      warn("a filter without a type is left out")
      return nil
    }
    let element = CAMLElement(name: "CAFilter", attributes: ["filter": type])
    try add(values.filter { $0.key.hasPrefix("input") }, and: values, to: element)
    return element
  }

  /// An emitter behaviour, whose inputs lie as a filter's do and have any names.
  private func behavior(_ record: KeyedArchive.Record) throws(Damage) -> CAMLElement? {
    let values = try membersAndInputs(record)
    guard let type = try text("type", of: values) else {
      warn("an emitter behavior without a type is left out")
      return nil
    }
    let element = CAMLElement(name: "CAEmitterBehavior", attributes: ["type": type])
    let others: Set = ["type", "name", "enabled"]
    try add(
      values.filter { !others.contains($0.key) && !$0.key.hasPrefix("$") }, and: values,
      to: element)
    return element
  }

  private func membersAndInputs(
    _ record: KeyedArchive.Record
  ) throws(Damage) -> [String: Value] {
    var values = record.values
    guard let inputs = values.removeValue(forKey: "inputs") else { return values }
    if let inputs = try dictionary(inputs) { values.merge(inputs) { own, _ in own } }
    return values
  }

  private func text(_ key: String, of values: [String: Value]) throws(Damage) -> String? {
    if case .string(let text) = try archive.resolve(values[key] ?? .null) { text } else { nil }
  }

  /// Adds the name, the flag and the inputs of a filter or a behaviour.
  private func add(
    _ inputs: [String: Value], and values: [String: Value], to element: CAMLElement
  ) throws(Damage) {
    element["name"] = try text("name", of: values)
    switch try archive.resolve(values["enabled"] ?? .null) {
    case .bool(false), .number(0): element["enabled"] = "0"
    default: break
    }
    for (key, value) in inputs.sorted(by: { $0.key < $1.key }) {
      guard let input = try self.element(value, named: key) else { continue }
      // Which inputs are lists, only the value says.
      if input.attributes.isEmpty { input["type"] = "NSArray" }
      element.append(input)
    }
  }

  /// The entries of a dictionary; nil for another object.
  private func dictionary(_ value: Value) throws(Damage) -> [String: Value]? {
    guard case .object(let uid) = try archive.resolve(value), let record = try archive.record(uid)
    else { return nil }
    // An ArchivedDictionary has its own keys, for arrays that are objects.
    guard let keys = record.values["keys"], let values = record.values["values"] else {
      return try entries(record)
    }
    var members: [String: Value] = [:]
    members["NS.keys"] = .array(try array(keys))
    members["NS.objects"] = .array(try array(values))
    return try entries(KeyedArchive.Record(className: "NSDictionary", values: members))
  }

  private func array(_ value: Value) throws(Damage) -> [Value] {
    guard case .object(let uid) = try archive.resolve(value),
      case .array(let values) = try archive.record(uid)?.values["NS.objects"]
    else { return [] }
    return values
  }
}

// MARK: - Layers and animations

extension ArchiveTranslator {
  private static let listOfKeys = "__CACodingContents"
  private static let animations = "CALayerAnimations"
  private static let animationKeys = "CALayerAnimationKeys"

  private func layer(
    _ className: String, _ values: [String: Value]
  ) throws(Damage) -> CAMLElement {
    let layer = CAMLElement(name: className)
    let special = [Self.listOfKeys, Self.animations, Self.animationKeys]
    for (key, value) in values.sorted(by: { $0.key < $1.key })
    where !special.contains(key) && !IgnoredNames.contains(key) {
      if key == "continuousCorners" {
        if values["cornerCurve"] == nil { layer["cornerCurve"] = try cornerCurve(value) }
      } else if try isNull(value) {
        if Self.isNullable(key, className) { layer.append(.value("", type: "null", named: key)) }
      } else if let child = try element(value, named: key) {
        layer.append(child)
      }
    }
    if let list = values[Self.animations],
      let animations = try element(list, named: "animations")
    {
      var keys: [String?] = []
      for key in try array(values[Self.animationKeys] ?? .null) {
        if case .string(let key) = try archive.resolve(key) {
          keys.append(key)
        } else {
          keys.append(nil)
        }
      }
      layer.append(animations.keyed(by: keys))
    }
    return layer
  }

  /// The curve of the corners, which older archives have as a flag.
  private func cornerCurve(_ value: Value) throws(Damage) -> String {
    switch try archive.resolve(value) {
    case .bool(true), .number(1): CALayerCornerCurve.continuous.rawValue
    default: CALayerCornerCurve.circular.rawValue
    }
  }

  private func isNull(_ value: Value) throws(Damage) -> Bool {
    switch try archive.resolve(value) {
    case .null: true
    case .object(let uid): try archive.record(uid)?.className == "NSNull"
    default: false
    }
  }

  /// Whether it makes a difference that a property is nil.
  private static func isNullable(_ key: String, _ className: String) -> Bool {
    switch DocumentedProperties.kind(of: key, className: className) {
    case .color, .path, .image: true
    default: false
    }
  }

  private func animation(
    _ className: String, _ values: [String: Value]
  ) throws(Damage) -> CAMLElement {
    var attributes: [String: String] = [:]
    var children: [CAMLElement] = []
    for (key, value) in values.sorted(by: { $0.key < $1.key })
    where key != Self.listOfKeys && !IgnoredNames.contains(key) {
      guard let child = try element(value, named: key) else { continue }
      // An animation's end values may have any type, so they need elements; all other plain values
      // become attributes.
      let isPlain = child.children.isEmpty && child["value"] != nil
      if isPlain, !["fromValue", "toValue", "byValue", "path"].contains(key) {
        attributes[key] = child["value"]
      } else {
        children.append(child)
      }
    }
    let animation = CAMLElement(name: className, attributes: attributes)
    for child in children { animation.append(child) }
    return animation
  }
}

extension CAMLElement {
  /// A copy of the list with keys for its elements, in order. Surplus elements get no key.
  fileprivate func keyed(by keys: [String?]) -> CAMLElement {
    let list = CAMLElement(name: name)
    for (place, child) in children.enumerated() {
      var attributes = child.attributes
      if place < keys.count { attributes["key"] = keys[place] }
      let copy = CAMLElement(name: child.name, attributes: attributes)
      for grandchild in child.children { copy.append(grandchild) }
      list.append(copy)
    }
    return list
  }
}
