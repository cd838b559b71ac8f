import Foundation
import Lamina

extension DocumentReader {
  /// Reads an emitter's `<emitterCells>`.
  func readCells(_ list: CAMLElement, of layer: CALayer) {
    guard let emitter = layer as? CAEmitterLayer else { return }
    emitter.emitterCells = cells(in: list)
  }

  private func cells(in list: CAMLElement) -> [CAEmitterCell] {
    resolve(list)?.children.compactMap(cell) ?? []
  }

  private func cell(_ reference: CAMLElement) -> CAEmitterCell? {
    guard let element = resolve(reference) else { return nil }
    guard element.name == "CAEmitterCell" || element["type"] == "CAEmitterCell" else {
      if !IgnoredNames.contains(element.name) {
        warn(element, "<\(element.name)> is no emitter cell")
      }
      return nil
    }
    return making(element) {
      let cell = CAEmitterCell()
      for (name, text) in element.sortedAttributes {
        readAttribute(name, text, at: element, of: cell)
      }
      for child in element.children { read(child, of: cell) }
      return cell
    }
  }

  private func readAttribute(
    _ name: String, _ text: String, at element: CAMLElement, of cell: CAEmitterCell
  ) {
    if name == "contentsFrameCount", CAMLText.number(text).map({ $0 > 1 }) ?? false {
      warn(
        element, "contentsFrameCount has no effect: particles show the image with all its frames")
    }
    guard !["id", "object", "key", "type"].contains(name), !isUnused(name) else { return }
    guard let kind = DocumentedProperties.cellKind(of: name) else {
      return warn(element, "unknown attribute \(name) of CAEmitterCell")
    }
    guard let value = kind.value(from: text) else {
      return warn(element, "\(name)=\"\(text.prefix(60))\" is not \(kind.name)")
    }
    cell.setValue(value.object, forKey: name)
  }

  private func isUnused(_ name: String) -> Bool {
    IgnoredNames.contains(name) || DocumentedProperties.unusedInCells.contains(name)
  }

  private func read(_ child: CAMLElement, of cell: CAEmitterCell) {
    if child.name == "emitterCells" {
      cell.emitterCells = cells(in: child)
      return
    }
    guard !isUnused(child.name) else {
      (child.isRead, child.isLeftOut) = (true, true)
      return
    }
    guard let kind = DocumentedProperties.cellKind(of: child.name) else {
      return warn(child, "unknown element <\(child.name)> in CAEmitterCell")
    }
    guard let value = value(child, as: kind) else { return }
    guard let accepted = kind.accepting(value) else {
      return warn(child, "\(child.name) takes \(kind.name)")
    }
    cell.setValue(accepted.object, forKey: child.name)
  }

  /// Reads `<emitterBehaviors>`: `<CAEmitterBehavior type="wave" name="sway" frequency="2">`, whose
  /// inputs may also be child elements. The behaviours that have no effect are named once.
  func readBehaviors(_ list: CAMLElement, of layer: CALayer) {
    guard let emitter = layer as? CAEmitterLayer, let list = resolve(list) else { return }
    emitter.emitterBehaviors = list.children.compactMap(behavior)
  }

  private func behavior(_ reference: CAMLElement) -> CAEmitterBehavior? {
    guard let element = resolve(reference) else { return nil }
    guard element.name == "CAEmitterBehavior", let type = element["type"] ?? element["name"] else {
      if !IgnoredNames.contains(element.name) {
        warn(element, "<\(element.name)> is no emitter behavior")
      }
      return nil
    }
    let behavior = CAEmitterBehavior(type: type)
    behavior.name = element["name"]
    for (key, text) in element.sortedAttributes
    where !["type", "name", "id", "key"].contains(key) && !IgnoredNames.contains(key) {
      behavior.setValue(Self.input(text), forKey: key)
    }
    for child in element.children where !IgnoredNames.contains(child.name) {
      if let value = value(child, as: nil) { behavior.setValue(value.object, forKey: child.name) }
    }
    if !behavior.hasEffect { warn(element, "the emitter behavior \(type) has no effect") }
    return behavior
  }

  /// An input as an attribute: numbers, or else a text.
  private static func input(_ text: String) -> Any {
    if let number = CAMLText.number(text) { return number }
    return CAMLText.numbers(text) ?? text
  }
}
