import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaValues

extension CALayer {
  /// Actions by key, before those of the style and the class. `NSNull()` stands for none.
  /// Default: nil.
  public var actions: [String: any CAAction]? {
    get { attachments?.actions }
    set { if newValue != nil || attachments != nil { ownAttachments.actions = newValue } }
  }

  /// Whether a change can start something at all. Layers of our own classes that are in no tree and
  /// have nothing attached have no actions, and they are many.
  @inline(__always)
  final var mayAct: Bool { rendered != nil || attachments != nil || isOfProgramClass }

  /// The action for a change that is about to be made; nil where transactions disable actions.
  @inline(never)
  final func action(for property: StoredProperty) -> (any CAAction)? {
    guard actsNow else { return nil }
    // Nobody has anything to say, and the search would only cost time.
    if attachments == nil, !isOfProgramClass { return implicitAction(for: property) }
    return action(forKey: property.key)
  }

  /// The same for a key that is no stored property.
  final func action(on key: String) -> (any CAAction)? {
    mayAct && actsNow ? action(forKey: key) : nil
  }

  private var actsNow: Bool {
    modelLayer == nil && !TransactionStack.current.settings.disablesActions
  }

  final func run(_ action: any CAAction, forKey key: String) {
    // What a layer of ours starts by itself is nobody else's.
    if attachments == nil, !isOfProgramClass, let animation = action as? CAAnimation {
      return addAnimation(animation, key: key, isOwn: true)
    }
    action.run(forKey: key, object: self, arguments: nil)
  }

  /// Runs the action of an event.
  final func act(on event: String) {
    if let action = action(on: event) { run(action, forKey: event) }
  }

  /// What `action(forKey:)` does: the first answer counts, and NSNull is one.
  final func searchAction(forKey key: String) -> (any CAAction)? {
    let found =
      attachments?.delegate?.action(for: self, forKey: key) ?? attachments?.actions?[key]
      ?? styleAction(forKey: key) ?? type(of: self).defaultAction(forKey: key)
    if let found { return found is NSNull ? nil : found }
    return implicitAction(forKey: key)
  }

  private func styleAction(forKey key: String) -> (any CAAction)? {
    var style = attachments?.style
    while let current = style {
      let actions = current["actions"] as? [String: Any]
      if let action = actions?[key] as? any CAAction { return action }
      style = current["style"] as? [AnyHashable: Any]
    }
    return nil
  }

  // MARK: What happens where nothing says otherwise

  private func implicitAction(forKey key: String) -> (any CAAction)? {
    guard rendered?.tree != nil else { return nil }
    if let property = storedProperty(key) { return implicitAction(for: property) }
    switch key {
    case "mask", "sublayers": return implicitTransition()
    case _ where key.hasPrefix("transform."):
      guard let member = PropertyPath(key)?.member,
        let value = presentationValue(of: .transform).value(of: member)
      else { return nil }
      return implicitAnimation(key, from: value)
    default: return nil
    }
  }

  private func implicitAction(for property: StoredProperty) -> (any CAAction)? {
    guard rendered?.tree != nil else { return nil }
    switch property.declaration.action {
    case .none: return nil
    case .transition: return implicitTransition()
    case .animate:
      // There is nothing that a background could come from.
      if property == .backgroundColor, modelValues.backgroundColor == nil { return nil }
      return implicitAnimation(property.key, from: presentationValue(of: property))
    }
  }

  private func implicitAnimation(_ key: String, from value: AnimationValue) -> CABasicAnimation? {
    let settings = TransactionStack.current.settings
    guard settings.duration > 0 else { return nil }
    let animation = CABasicAnimation(keyPath: key, from: value, image: image)
    animation.duration = settings.duration
    animation.timingFunction = settings.timingFunction ?? .usual
    animation.fillMode = .backwards
    return animation
  }

  private func implicitTransition() -> CATransition? {
    let settings = TransactionStack.current.settings
    guard settings.duration > 0 else { return nil }
    let transition = CATransition()
    transition.duration = settings.duration
    transition.timingFunction = settings.timingFunction ?? .usual
    return transition
  }

  /// What of the layer is on screen now.
  private func presentationValue(of property: StoredProperty) -> AnimationValue {
    guard let clock = rendered?.tree?.clock, keyedAnimations.contains(where: { $0.track != nil })
    else { return (committed ?? modelValues).value(of: property) }
    return presentationValues(at: clock.time).value(of: property)
  }
}

extension CAMediaTimingFunction {
  /// The curve of changes that say nothing of one.
  static let usual = CAMediaTimingFunction(name: .default)
}
