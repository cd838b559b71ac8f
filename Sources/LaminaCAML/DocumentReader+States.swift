import Lamina

extension DocumentReader {
  /// Reads all states and state transitions below `root` into their layers, and returns these
  /// layers in the file's order. Call it once all layers are made.
  func readStates(in root: CAMLElement) -> [CALayer] {
    root.subtree.compactMap { element in
      guard let layer = layers[ObjectIdentifier(element)] else { return nil }
      let states = children(of: element, in: "states")
      let transitions = children(of: element, in: "stateTransitions")
      guard !states.isEmpty || !transitions.isEmpty else { return nil }
      layer.states = states.compactMap(state)
      layer.stateTransitions = transitions.compactMap(transition)
      return layer
    }
  }

  /// The elements in the children of that name.
  private func children(of element: CAMLElement, in name: String) -> [CAMLElement] {
    element.children.filter { $0.name == name }.flatMap { list in
      list.isRead = true
      return list.children
    }
  }

  private func state(_ element: CAMLElement) -> CAState? {
    guard element.name == "LKState" else { return nil }
    element.isRead = true
    guard let name = element["name"] else {
      warn(element, "a state without a name")
      return nil
    }
    let state = CAState(name: name)
    state.basedOn = element["basedOn"]
    state.elements = children(of: element, in: "elements").compactMap(setValue)
    return state
  }

  private func setValue(_ element: CAMLElement) -> CAStateSetValue? {
    if IgnoredNames.contains(element.name) { return nil }
    element.isRead = true
    guard element.name == "LKStateSetValue" else {
      warn(element, "<\(element.name)> in a state is left out")
      return nil
    }
    guard let id = element["targetId"], let keyPath = element["keyPath"] else {
      warn(element, "a state's value without targetId or keyPath")
      return nil
    }
    guard let (layer, className) = target(id, of: element) else { return nil }
    // States in existing files also set inputs of filters that their layers do not have.
    if Self.leadsToNoFilter(keyPath, of: layer) {
      element.isLeftOut = true
      return nil
    }
    guard let kind = DocumentedProperties.kind(ofKeyPath: keyPath, className: className) else {
      warn(element, "a state cannot set \(keyPath) of \(className)")
      return nil
    }
    guard Self.hasProperty(keyPath, className: className) else {
      element.isLeftOut = true
      return nil
    }
    guard let holder = element.firstChild(named: "value") else {
      warn(element, "a state's \(keyPath) without a value")
      return nil
    }
    guard let value = value(holder, as: kind) else { return nil }
    guard let accepted = kind.accepting(value) else {
      warn(element, "\(keyPath) takes \(kind.name)")
      return nil
    }
    return CAStateSetValue(target: layer, keyPath: keyPath, value: accepted.object)
  }

  private func target(_ id: String, of element: CAMLElement) -> (CALayer, className: String)? {
    guard let target = elementsByID[id], let layer = layers[ObjectIdentifier(target)] else {
      warn(element, "no layer has the id \"\(id)\"")
      return nil
    }
    return (layer, Self.className(of: target))
  }
}

// MARK: - Transitions

extension DocumentReader {
  private func transition(_ element: CAMLElement) -> CAStateTransition? {
    guard element.name == "LKStateTransition" else { return nil }
    element.isRead = true
    guard let from = element["fromState"], let to = element["toState"] else {
      warn(element, "a state transition without fromState or toState")
      return nil
    }
    let transition = CAStateTransition(fromState: from, toState: to)
    transition.elements = children(of: element, in: "elements").compactMap(transitionElement)
    return transition
  }

  private func transitionElement(_ reference: CAMLElement) -> CAStateTransitionElement? {
    guard let element = resolve(reference) else { return nil }
    guard element.name == "LKStateTransitionElement" else {
      warn(element, "<\(element.name)> in a state transition is left out")
      return nil
    }
    // Files use either name.
    guard let id = element["targetId"], let key = element["key"] ?? element["keyPath"] else {
      warn(element, "an element of a state transition without targetId or key")
      return nil
    }
    guard let (layer, className) = target(id, of: element) else { return nil }
    if Self.leadsToNoFilter(key, of: layer) {
      element.isLeftOut = true
      return nil
    }
    guard let child = element.children.first(where: { !IgnoredNames.contains($0.name) }) else {
      warn(element, "an element of a state transition without an animation")
      return nil
    }
    return animation(child, layerClass: className, key: key).map {
      CAStateTransitionElement(target: layer, key: key, animation: $0)
    }
  }
}
