import Foundation
import Lamina

extension DocumentReader {
  /// Reads `<filters>` or `<backgroundFilters>`, which are lists of filters, or
  /// `<compositingFilter>`, which contains a filter or names its type.
  func readFilters(_ element: CAMLElement, of layer: CALayer) {
    guard let list = resolve(element) else { return }
    if list.name == "compositingFilter" {
      let text = list["value"] ?? list.text.trimmingCharacters(in: .whitespacesAndNewlines)
      let isText = list.children.isEmpty && (list["value"] != nil || !text.isEmpty)
      let filter: Any? = isText ? text : (list.children.first ?? list.ifFilter).flatMap(filter)
      layer.compositingFilter = filter
      return
    }
    let filters = list.children.compactMap(filter)
    layer.setValue(filters, forKey: list.name)
  }

  /// `<CAFilter filter="gaussianBlur" name="blur" inputRadius="4"/>`; inputs may also be child
  /// elements. `<string value="gaussianBlur"/>` is the type alone.
  private func filter(_ reference: CAMLElement) -> Any? {
    guard let element = resolve(reference) else { return nil }
    if element.name == "string", let type = element["value"] { return type }
    guard element.isFilter, let type = element["filter"] ?? element["name"] else {
      warn(element, "<\(element.name)> is no filter")
      return nil
    }
    let filter = CAFilter(type: type)
    filter.name = element["name"]
    for (key, text) in element.sortedAttributes where !Self.filterAttributes.contains(key) {
      if IgnoredNames.contains(key) { continue }
      let kind = key == "enabled" ? .bool : DocumentedProperties.filterInput(key)
      if let value = kind?.value(from: text) {
        filter.setValue(value.object, forKey: key)
      } else {
        warn(
          element, "\(key)=\"\(text.prefix(60))\" is not \(kind?.name ?? "an input of a filter")")
      }
    }
    for child in element.children where !IgnoredNames.contains(child.name) {
      let kind = DocumentedProperties.filterInput(child.name)
      guard let value = value(child, as: kind) else { continue }
      guard let accepted = kind.map({ $0.accepting(value) }) ?? value else {
        warn(child, "\(child.name) takes \(kind?.name ?? "another value")")
        continue
      }
      filter.setValue(accepted.object, forKey: child.name)
    }
    return filter
  }

  private static let filterAttributes: Set<String> = ["id", "filter", "name", "type", "key"]

  /// Whether a key path refers to a filter, or an input, that the layer does not have.
  static func leadsToNoFilter(_ keyPath: String, of layer: CALayer) -> Bool {
    DocumentedProperties.isInFilter(keyPath) && layer.value(forKeyPath: keyPath) == nil
  }
}

extension CAMLElement {
  fileprivate var isFilter: Bool {
    name == "CAFilter" || name == "CIFilter" || self["type"] == "CAFilter"
  }

  fileprivate var ifFilter: CAMLElement? { isFilter ? self : nil }
}

extension DocumentedProperties {
  /// The kind of a filter's input; nil for inputs that no filter has.
  static func filterInput(_ key: String) -> CAMLKind? {
    switch key {
    case "inputRadius", "inputAmount", "inputAngle": .number
    case "inputColor": .color
    case "inputColorMatrix": .numbers
    case "inputMaskImage": .image
    case "inputNormalizeEdges": .bool
    default: nil
    }
  }

  static func isInFilter(_ keyPath: String) -> Bool {
    keyPath.hasPrefix("filters.") || keyPath.hasPrefix("backgroundFilters.")
  }
}
