import Foundation
import Lamina

extension DocumentReader {
  /// Makes the layer of `element` with all its sublayers; nil, with a warning, if that is not
  /// possible.
  func layer(_ element: CAMLElement) -> CALayer? {
    guard let target = resolve(element) else { return nil }
    if let layer = layers[ObjectIdentifier(target)] {
      guard layer.superlayer == nil else {
        warn(element, "the layer has a place already: only its first one counts")
        return nil
      }
      return layer
    }
    return making(target) {
      let className = Self.className(of: target)
      let layer = makeLayer(className, at: target)
      setAttributes(of: target, on: layer, className: className)
      for child in target.children {
        read(child, of: layer, className: className)
      }
      limitCopies(of: layer, at: target)
      layers[ObjectIdentifier(target)] = layer
      return layer
    }
  }

  /// Has a replicator make no copies, with a warning, if these would be more than a renderer shows.
  private func limitCopies(of layer: CALayer, at element: CAMLElement) {
    var count = 1.0
    for sublayer in layer.sublayers ?? [] { count += shownLayers[ObjectIdentifier(sublayer)] ?? 1 }
    if let mask = layer.mask { count += shownLayers[ObjectIdentifier(mask)] ?? 1 }
    if let replicator = layer as? CAReplicatorLayer {
      let copies = Double(replicator.instanceCount) * count
      let limit = CAReplicatorLayer.copiedLayerLimit
      if copies > Double(limit) {
        warn(
          element,
          "instanceCount=\"\(replicator.instanceCount)\" makes too many copies, at most "
            + "\(limit) layers in copies are shown: read as 1")
        replicator.instanceCount = 1
      }
      count += Double(replicator.instanceCount) * count
    }
    if count > 1 { shownLayers[ObjectIdentifier(layer)] = count }
  }

  /// The class of an element's layer: the element's name or, if it is named after a property, its
  /// `type`.
  static func className(of element: CAMLElement) -> String {
    isLayerClass(element.name) ? element.name : element["type"] ?? "CALayer"
  }

  private static func isLayerClass(_ name: String) -> Bool {
    name.hasSuffix("Layer") && name.first?.isUppercase == true
  }

  private func makeLayer(_ className: String, at element: CAMLElement) -> CALayer {
    if className == CAMLVideo.className { return videoLayer(at: element) ?? CALayer() }
    if let make = Self.layerClasses[className] {
      if className == "CATiledLayer" {
        warn(element, "CATiledLayer has no tiles until a program draws them: documents cannot")
      }
      return make()
    }
    if let loss = Self.losses[className] {
      warn(element, "\(className) is drawn as a plain layer, without \(loss)")
    } else {
      warn(element, "unknown class \(className), drawn as a plain layer")
    }
    return CALayer()
  }

  /// The classes of layers that documents name.
  static let layerClasses: [String: @Sendable () -> CALayer] = [
    "CALayer": { CALayer() }, "CAShapeLayer": { CAShapeLayer() },
    "CAGradientLayer": { CAGradientLayer() }, "CAScrollLayer": { CAScrollLayer() },
    "CATransformLayer": { CATransformLayer() }, "CABackdropLayer": { CABackdropLayer() },
    "CATextLayer": { CATextLayer() }, "CAEmitterLayer": { CAEmitterLayer() },
    "CAReplicatorLayer": { CAReplicatorLayer() }, "CATiledLayer": { CATiledLayer() },
  ]

  /// The features that are lost by classes that are read as plain layers.
  private static let losses = ["CAMetalLayer": "its drawables"]

  private func setAttributes(of element: CAMLElement, on layer: CALayer, className: String) {
    let attributes = element.sortedAttributes.filter {
      !Self.structuralAttributes.contains($0.name) && !IgnoredNames.contains($0.name)
        && !($0.name == "type" && !Self.isLayerClass(element.name))
        && !(className == CAMLVideo.className && CAMLVideo.attributes.contains($0.name))
    }
    // Key paths come last, since they change members of values that plain attributes set.
    let ordered =
      attributes.filter { !$0.name.contains(".") } + attributes.filter { $0.name.contains(".") }
    for (name, text) in ordered {
      guard let kind = DocumentedProperties.kind(ofKeyPath: name, className: className) else {
        warn(element, "unknown attribute \(name) of \(className)")
        continue
      }
      guard let value = kind.value(from: text) else {
        warn(element, "\(name)=\"\(text.prefix(60))\" is not \(kind.name)")
        continue
      }
      set(value, forKeyPath: name, on: layer, className: className)
    }
  }

  private static let structuralAttributes: Set<String> = ["id", "object", "key"]

  /// Whether the object made for `className` has the property. A class that is read as a plain
  /// layer lacks its own properties, and a warning has said so already.
  static func hasProperty(_ keyPath: String, className: String) -> Bool {
    losses[className] == nil
      || DocumentedProperties.kind(
        of: String(keyPath.prefix { $0 != "." }), className: "CALayer") != nil
  }

  private func set(
    _ value: CAMLValue, forKeyPath keyPath: String, on layer: CALayer, className: String
  ) {
    guard Self.hasProperty(keyPath, className: className) else { return }
    layer.setValue(value.object, forKeyPath: keyPath)
  }

  private func read(_ child: CAMLElement, of layer: CALayer, className: String) {
    switch child.name {
    case "sublayers": readSublayers(child, of: layer)
    case "animations": readAnimations(child, of: layer, className: className)
    case "mask": readMask(child, of: layer)
    case "filters", "backgroundFilters", "compositingFilter": readFilters(child, of: layer)
    // `readStates(in:)` reads these once all layers exist.
    case "states", "stateTransitions": break
    case "emitterCells" where layer is CAEmitterLayer: readCells(child, of: layer)
    case "emitterBehaviors" where layer is CAEmitterLayer: readBehaviors(child, of: layer)
    default: readProperty(child, of: layer, className: className)
    }
  }

  private func readProperty(_ child: CAMLElement, of layer: CALayer, className: String) {
    if IgnoredNames.contains(child.name) { return }
    if let text = layer as? CATextLayer, readText(child, of: text) { return }
    guard let kind = DocumentedProperties.kind(ofKeyPath: child.name, className: className) else {
      warn(child, "unknown element <\(child.name)> in \(className)")
      return
    }
    guard let value = value(child, as: kind) else { return }
    guard let accepted = kind.accepting(value) else {
      warn(child, "\(child.name) takes \(kind.name)")
      return
    }
    set(accepted, forKeyPath: child.name, on: layer, className: className)
  }

  private func readSublayers(_ list: CAMLElement, of layer: CALayer) {
    guard let list = resolve(list) else { return }
    for child in list.children {
      guard Self.isLayerClass(child.name) || child.reference != nil else {
        if !IgnoredNames.contains(child.name) {
          warn(child, "<\(child.name)> is no layer")
        }
        continue
      }
      if let sublayer = self.layer(child) { layer.addSublayer(sublayer) }
    }
  }

  private func readMask(_ child: CAMLElement, of layer: CALayer) {
    child.isRead = true
    let isLayer = child["type"] != nil || child.reference != nil
    guard let element = isLayer ? child : child.children.first else {
      warn(child, "a mask without a layer")
      return
    }
    layer.mask = self.layer(element)
  }
}
