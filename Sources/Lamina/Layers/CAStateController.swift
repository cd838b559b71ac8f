import Foundation

/// Sets the states of a tree's layers, and animates from one to the next.
///
/// A layer without a state is as it was before the controller first set one. Only properties for
/// which a transition has an animation move; everything else changes at once.
///
///     let controller = CAStateController(layer: layer)
///     controller.setState(layer.state(withName: "Locked"), ofLayer: layer)
public final class CAStateController {
  /// The root of the tree.
  public let layer: CALayer

  private var current: [(layer: CALayer, states: [CAState])] = []
  /// The values that properties had before a state set them.
  private var originals: [(layer: CALayer, key: String, value: Any?)] = []
  /// The animations that may still be running.
  private var added: [(layer: Weak, key: String, animation: Weak)] = []

  private struct Weak { weak var object: AnyObject? }

  /// A property of a layer.
  private struct Property: Hashable {
    let layer: ObjectIdentifier
    let key: String

    init(_ layer: CALayer, _ key: String) {
      self.layer = ObjectIdentifier(layer)
      self.key = key
    }
  }

  /// A controller of the states of `layer`.
  public init(layer: CALayer) { self.layer = layer }

  /// The state that is set for a layer, the last one if there are several; nil if there is none.
  public func state(ofLayer layer: CALayer) -> CAState? { states(ofLayer: layer).last }

  /// Sets a state for a layer, in place of its current one; nil sets none.
  ///
  /// The animations of the layer's `stateTransitions(from:to:)` run at `transitionSpeed` times
  /// their own speed. At a speed of 0 they do not run, and those that are running end.
  public func setState(
    _ state: CAState?, ofLayer layer: CALayer, transitionSpeed: Float = 1
  ) {
    setStates([(layer, state.map { [$0] } ?? [])], transitionSpeed: transitionSpeed)
  }

  /// The states that are set for a layer, in their order.
  package func states(ofLayer layer: CALayer) -> [CAState] {
    current.first { $0.layer === layer }?.states ?? []
  }

  /// Sets the states of some layers. The values of a layer's states are set in the order of the
  /// states.
  package func setStates(
    _ changes: [(layer: CALayer, states: [CAState])], transitionSpeed: Float
  ) {
    CATransaction.begin()
    CATransaction.setDisableActions(true)
    defer { CATransaction.commit() }
    let isAnimated = transitionSpeed > 0 && transitionSpeed.isFinite
    let animations = isAnimated ? animations(for: changes) : []
    let changed = Set(changes.map { ObjectIdentifier($0.layer) })
    current.removeAll { changed.contains(ObjectIdentifier($0.layer)) }
    current += changes.filter { !$0.states.isEmpty }
    setValues()
    if !isAnimated { removeAnimations() }
    forgetAnimations(replacedBy: Set(animations.map { Property($0.target, $0.key) }))
    for (target, key, animation) in animations {
      animation.speed *= transitionSpeed
      add(animation, key, to: target)
    }
  }

  private func setValues() {
    for original in originals { original.layer.setValue(original.value, forKey: original.key) }
    originals = []
    let states = current.flatMap { layer, states in states.flatMap { layer.chain(of: $0) } }
    var kept: Set<Property> = []
    for element in states.flatMap(\.elements) {
      guard let target = element.target else { continue }
      let key = String(element.keyPath.prefix { $0 != "." })
      if kept.insert(Property(target, key)).inserted {
        originals.append((target, key, target.value(forKey: key)))
      }
      target.setValue(element.value, forKeyPath: element.keyPath)
    }
  }
}

// MARK: - Animations

extension CAStateController {
  private typealias Change = (target: CALayer, key: String, animation: CAAnimation)

  private func animations(for changes: [(layer: CALayer, states: [CAState])]) -> [Change] {
    let old = Dictionary(current.map { (ObjectIdentifier($0.layer), $0.states) }) { $1 }
    return changes.flatMap { animations(for: $0, from: old[ObjectIdentifier($0.layer)] ?? []) }
  }

  /// The animations of a change that is about to be made, at most one for each property.
  private func animations(
    for change: (layer: CALayer, states: [CAState]), from old: [CAState]
  ) -> [Change] {
    var changes: [Change] = []
    var animated: Set<Property> = []
    for element in change.layer.transitionElements(from: old, to: change.states) {
      guard let target = element.target,
        !animated.contains(Property(target, element.key)),
        let animation = element.animation.copy() as? CAAnimation
      else { continue }
      let shown = target.presentation() ?? target
      if animation.begin(at: { shown.value(forKeyPath: $0) }, key: element.key) {
        animated.insert(Property(target, element.key))
        changes.append((target, element.key, animation))
      }
    }
    return changes
  }

  private func add(_ animation: CAAnimation, _ key: String, to target: CALayer) {
    target.add(animation, forKey: key)
    if let copy = target.animation(forKey: key) {
      added.append((Weak(object: target), key, Weak(object: copy)))
    }
  }

  private func forgetAnimations(replacedBy properties: Set<Property>) {
    added.removeAll { layer, key, animation in
      guard animation.object != nil, let layer = layer.object as? CALayer else { return true }
      return properties.contains(Property(layer, key))
    }
  }

  private func removeAnimations() {
    for (layer, key, animation) in added {
      guard let layer = layer.object as? CALayer, let animation = animation.object,
        layer.animation(forKey: key) === animation
      else { continue }
      layer.removeAnimation(forKey: key)
    }
    added = []
  }
}

extension CAAnimation {
  /// Prepares an animation of a transition: property animations without a key path animate `key`,
  /// and basic animations without values start from the value on screen. Returns false if there is
  /// no such value.
  fileprivate func begin(at shown: (String) -> Any?, key: String) -> Bool {
    if let group = self as? CAAnimationGroup {
      // A copy of a group shares its animations with the original.
      group.animations = group.animations?.compactMap { $0.copy() as? CAAnimation }
        .filter { $0.begin(at: shown, key: key) }
    }
    guard let property = self as? CAPropertyAnimation else { return true }
    let keyPath = property.keyPath ?? key
    property.keyPath = keyPath
    guard let basic = property as? CABasicAnimation, basic.fromValue == nil, basic.toValue == nil,
      basic.byValue == nil
    else { return true }
    basic.fromValue = shown(keyPath)
    return basic.fromValue != nil
  }
}
