import Foundation
import Lamina

extension DocumentElements {
  func states(of layer: CALayer) -> CAMLElement? {
    guard let states = layer.states, !states.isEmpty else { return nil }
    return CAMLElement(
      name: "states",
      children: states.map { state in
        let element = CAMLElement(name: "LKState", attributes: ["name": state.name])
        element["basedOn"] = state.basedOn
        return list(state.elements.compactMap { setValue($0, in: state) }, in: element)
      })
  }

  func stateTransitions(of layer: CALayer) -> CAMLElement? {
    guard let transitions = layer.stateTransitions, !transitions.isEmpty else { return nil }
    return CAMLElement(
      name: "stateTransitions",
      children: transitions.map { transition in
        let element = CAMLElement(
          name: "LKStateTransition",
          attributes: ["fromState": transition.fromState, "toState": transition.toState])
        return list(transition.elements.compactMap(transitionElement), in: element)
      })
  }

  private func list(_ children: [CAMLElement], in element: CAMLElement) -> CAMLElement {
    if !children.isEmpty { element.append(CAMLElement(name: "elements", children: children)) }
    return element
  }

  private func setValue(_ element: CAStateSetValue, in state: CAState) -> CAMLElement? {
    guard let id = id(of: element.target, "a value of the state \"\(state.name)\"") else {
      return nil
    }
    guard let value = CAMLValue(element.value),
      let child = self.element(of: value, named: "value")
    else {
      warn("the state \"\(state.name)\" is written without \(element.keyPath)")
      return nil
    }
    return CAMLElement(
      name: "LKStateSetValue", attributes: ["targetId": id, "keyPath": element.keyPath],
      children: [child])
  }

  private func transitionElement(_ element: CAStateTransitionElement) -> CAMLElement? {
    guard let id = id(of: element.target, "an animation of a state transition") else { return nil }
    return CAMLElement(
      name: "LKStateTransitionElement", attributes: ["targetId": id, "key": element.key],
      children: [animation(element.animation)])
  }

  private func id(of target: CALayer?, _ user: String) -> String? {
    if let id = target.flatMap({ ids[ObjectIdentifier($0)] }) { return id }
    warn("\(user) is left out: its layer is not in the document")
    return nil
  }
}
