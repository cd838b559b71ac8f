import Foundation
import Lamina

/// Makes the elements of a tree of layers, from which a document's text is written. What documents
/// cannot contain is left out and reported.
final class DocumentElements {
  /// How images are named in the document.
  let source: (CGImage) -> String
  /// How fonts of files are named in the document.
  let fontSource: (CGFont, Data) -> String
  /// The videos that layers show, and how they are named in the document; nil if it cannot have
  /// them.
  let videos: [ObjectIdentifier: CAMLVideo]
  let videoSource: (CAMLVideo) -> String?
  private let report: (String, WarningLog.Kind) -> Void
  /// The IDs of the layers that states and transitions refer to.
  private(set) var ids: [ObjectIdentifier: String] = [:]

  /// The largest number of layers in one another. A sublayer takes two levels of elements, and a
  /// state's animations take up to thirty.
  static let maximumDepth = CAMLXMLReader.maximumDepth / 2 - 24

  struct TooDeep: Error { var layer: String }

  init(
    source: @escaping (CGImage) -> String, fontSource: @escaping (CGFont, Data) -> String,
    videos: [ObjectIdentifier: CAMLVideo], videoSource: @escaping (CAMLVideo) -> String?,
    report: @escaping (String, WarningLog.Kind) -> Void
  ) {
    self.source = source
    self.fontSource = fontSource
    (self.videos, self.videoSource) = (videos, videoSource)
    self.report = report
  }

  func warn(_ message: String, source: String = #fileID, line: UInt = #line) {
    report(message, WarningLog.Kind(file: source, line: line))
  }

  /// The document's root element, around the element of `root`.
  func document(_ root: CALayer) throws(TooDeep) -> CAMLElement {
    let layers = try Self.tree(of: root)
    let targets = layers.flatMap(\.stateTargets)
    let targeted = Set(targets.map { ObjectIdentifier($0) })
    for layer in layers where targeted.contains(ObjectIdentifier(layer)) {
      ids[ObjectIdentifier(layer)] = "#\(ids.count + 1)"
    }
    let document = CAMLElement(
      name: "caml", attributes: ["xmlns": "http://www.apple.com/CoreAnimation/1.0"],
      children: [layer(root)])
    for name in document.unwritableAttributes {
      warn("\(name) has characters that documents cannot contain: they become U+FFFD")
    }
    return document
  }

  /// The layer and all below it, masks included, in the document's order.
  private static func tree(of root: CALayer) throws(TooDeep) -> [CALayer] {
    var layers: [CALayer] = []
    var rest = [(layer: root, depth: 1)]
    while let (layer, depth) = rest.popLast() {
      guard depth <= maximumDepth else { throw TooDeep(layer: layer.documentDebugName) }
      layers.append(layer)
      rest += (layer.sublayers ?? []).reversed().map { ($0, depth + 1) }
      if let mask = layer.mask { rest.append((mask, depth + 1)) }
    }
    return layers
  }

  // MARK: Layers

  /// The children of a layer's element, besides its properties.
  private static let parts: [@Sendable (DocumentElements, CALayer) -> CAMLElement?] = [
    { $0.animations(of: $1) },
    { elements, layer in
      layer.mask.map { CAMLElement(name: "mask", children: [elements.layer($0)]) }
    },
    { elements, layer in
      guard let sublayers = layer.sublayers, !sublayers.isEmpty else { return nil }
      return CAMLElement(name: "sublayers", children: sublayers.map(elements.layer))
    },
    { $0.states(of: $1) },
    { $0.stateTransitions(of: $1) },
  ]

  private func layer(_ layer: CALayer) -> CAMLElement {
    let className = type(of: layer).documentClassName
    let video = videos[ObjectIdentifier(layer)]
    let element = CAMLElement(name: video == nil ? className : CAMLVideo.className)
    element["id"] = ids[ObjectIdentifier(layer)]
    if let video { add(video, to: element) }
    for (key, kind, value) in layer.changedProperties where video == nil || key != "contents" {
      if let child = object(key, of: layer) {
        element.append(child)
      } else if case .filter = kind {
        add(compositingFilter: value, key, to: element)
      } else if case .list(.filter) = kind {
        element.append(filters(value as? [Any] ?? [], named: key))
      } else {
        add(
          fontName(value) ?? value, key, of: layer.documentDebugName,
          as: DocumentedProperties.kind(of: key, className: className), to: element)
      }
    }
    for key in layer.undocumentedKeys {
      warn("\(key) of \(layer.documentDebugName) is left out: documents cannot contain it")
    }
    for part in Self.parts {
      if let child = part(self, layer) { element.append(child) }
    }
    return element
  }

  /// Adds the value of a property of `kind`. `owner` is for messages.
  func add(
    _ object: Any?, _ key: String, of owner: String, as kind: CAMLKind?, to element: CAMLElement
  ) {
    guard let kind, let value = CAMLValue(object) else {
      return warn("\(key) of \(owner) is left out: documents cannot contain it")
    }
    if let text = value.attribute {
      guard kind.value(from: text) != nil else {
        return warn("\(key) of \(owner) is left out: \(text.prefix(60))")
      }
      element[key] = text
    } else if let child = self.element(of: value, named: key) {
      element.append(child)
    } else {
      warn("\(key) of \(owner) is left out: it has no finite value")
    }
  }

  /// The value's element; nil if a reader would refuse one of its numbers.
  func element(of value: CAMLValue, named name: String?) -> CAMLElement? {
    value.isReadable ? value.element(named: name, source: source) : nil
  }

  // MARK: Filters

  private func add(compositingFilter object: Any?, _ key: String, to element: CAMLElement) {
    switch object {
    case let type as String: element[key] = type
    case let filter as CAFilter:
      element.append(CAMLElement(name: key, children: [self.filter(filter)]))
    default: break
    }
  }

  private func filters(_ filters: [Any], named name: String) -> CAMLElement {
    CAMLElement(
      name: name,
      children: filters.compactMap { object in
        if let type = object as? String { return .value(type, type: "string", named: nil) }
        return (object as? CAFilter).map(filter)
      })
  }

  private func filter(_ filter: CAFilter) -> CAMLElement {
    let element = CAMLElement(name: "CAFilter", attributes: ["filter": filter.type])
    element["name"] = filter.name
    if !filter.isEnabled { element["enabled"] = "0" }
    for (key, object) in filter.changedInputs {
      let value = CAMLValue(object)
      let kind = DocumentedProperties.filterInput(key)
      if let text = value?.attribute, kind?.value(from: text) != nil {
        element[key] = text
      } else if let child = value.flatMap({ self.element(of: $0, named: key) }) {
        element.append(child)
      } else {
        warn("\(key) of the filter \(filter.type) is left out: documents cannot contain it")
      }
    }
    return element
  }
}

extension CALayer {
  /// The layers that the layer's states and transitions change.
  fileprivate var stateTargets: [CALayer] {
    (states ?? []).flatMap { $0.elements.compactMap(\.target) }
      + (stateTransitions ?? []).flatMap { $0.elements.compactMap(\.target) }
  }
}

extension CAMLValue {
  /// Whether a reader accepts all its numbers and text.
  var isReadable: Bool {
    func isFinite(_ numbers: CGFloat...) -> Bool {
      numbers.allSatisfy { abs($0) <= CAMLText.largestMagnitude }
    }
    switch self {
    case .null, .bool, .image, .string: return true
    case .number(let number): return !number.isNaN
    case .point(let point): return isFinite(point.x, point.y)
    case .size(let size): return isFinite(size.width, size.height)
    case .rect(let rect):
      return isFinite(rect.origin.x, rect.origin.y, rect.size.width, rect.size.height)
    case .color(let color):
      return (color.components ?? []).allSatisfy { isFinite($0) }
    case .transform(let transform): return transform.rowElements.allSatisfy { isFinite($0) }
    case .path(let path): return path.storage.isWithinPathData
    case .array(let values): return values.allSatisfy(\.isReadable)
    }
  }
}
