import Lamina

/// What a state sets on one layer.
struct StateValue {
  var layer: CALayer
  var keyPath: String
  var value: CAMLValue

  /// The property that `keyPath` leads into.
  var key: String { String(keyPath.prefix { $0 != "." }) }
}

/// A document's state: values that some properties have in it.
struct DocumentState {
  var name: String
  /// The state whose values come first.
  var basedOn: String?
  var values: [StateValue]
}

extension DocumentReader {
  /// Reads every state below `root`, in the file's order; to be called once all layers are made.
  func states(in root: CAMLElement) -> [DocumentState] {
    var states: [DocumentState] = []
    for list in root.subtree where list.name == "states" {
      for element in list.children where element.name == "LKState" {
        guard let name = element["name"] else {
          warn(element, "a state without a name")
          continue
        }
        let values = element.children.filter { $0.name == "elements" }
          .flatMap(\.children).compactMap { stateValue($0) }
        states.append(DocumentState(name: name, basedOn: element["basedOn"], values: values))
      }
    }
    return states
  }

  private func stateValue(_ element: CAMLElement) -> StateValue? {
    guard element.name == "LKStateSetValue" else {
      warn(element, "<\(element.name)> in a state is left out")
      return nil
    }
    guard let id = element["targetId"], let keyPath = element["keyPath"] else {
      warn(element, "a state's value without targetId or keyPath")
      return nil
    }
    guard let target = elementsByID[id], let layer = layers[ObjectIdentifier(target)] else {
      warn(element, "no layer has the id \"\(id)\"")
      return nil
    }
    // No filter is read, so there is none that this could change.
    if keyPath.hasPrefix("filters.") { return nil }
    let className = Self.className(of: target)
    guard let kind = LayerProperties.kind(ofKeyPath: keyPath, className: className) else {
      warn(element, "a state cannot set \(keyPath) of \(className)")
      return nil
    }
    guard Self.hasProperty(keyPath, className: className) else { return nil }
    guard let holder = element.firstChild(named: "value"), let value = value(holder, as: kind)
    else { return nil }
    guard let accepted = kind.accepting(value) else {
      warn(element, "\(keyPath) takes \(kind.name)")
      return nil
    }
    return StateValue(layer: layer, keyPath: keyPath, value: accepted)
  }
}
