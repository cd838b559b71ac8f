import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaValues

extension CALayer {
  /// Whether a change can start an action at all. False for instances of Lamina's own classes that
  /// are in no tree and have no delegate, actions or style; these are common, so the search is
  /// skipped.
  @inline(__always)
  final var mayAct: Bool { rendered != nil || attachments != nil || isOfProgramClass }

  /// The effect that a change starts.
  enum ImplicitEffect {
    /// The implicit animation of a layer without actions of its own: no app code sees it, so it
    /// needs no CAAnimation.
    case animation(AttachedAnimation)
    case action(any CAAction)
  }

  /// The effect of a change that is about to be made; nil if there is none or the transaction
  /// disables actions, in which case none is looked for.
  @inline(__always)
  final func reaction(to property: StoredProperty) -> ImplicitEffect? {
    mayAct && !TransactionStack.disablesActions ? search(reactionTo: property) : nil
  }

  @inline(never)
  private func search(reactionTo property: StoredProperty) -> ImplicitEffect? {
    guard modelLayer == nil else { return nil }
    let stack = TransactionStack.current
    guard attachments == nil, !isOfProgramClass else {
      return action(forKey: property.key).map { .action($0) }
    }
    // Without a delegate, actions, style or subclass, a search could find nothing.
    return switch implicitReaction(to: property, stack.settings) {
    case .animation(let description, let images)?:
      .animation(
        AttachedAnimation(
          description, of: nil, images: images, key: property.key, hasKey: true,
          isDisplayed: property.declaration.invalidates.contains(.display), layer: self, in: stack))
    case .transition(let transition)?: .action(transition)
    case nil: nil
    }
  }

  /// The action for a key that is no stored property.
  final func action(on key: String) -> (any CAAction)? {
    mayAct && actsNow ? action(forKey: key) : nil
  }

  private var actsNow: Bool {
    modelLayer == nil && !TransactionStack.disablesActions
  }

  final func run(_ action: any CAAction, forKey key: String) {
    action.run(forKey: key, object: self, arguments: nil)
  }

  final func run(_ reaction: ImplicitEffect, to property: StoredProperty) {
    switch reaction {
    case .animation(let animation): append(animation)
    case .action(let action): run(action, forKey: property.key)
    }
  }

  /// Runs the action of an event.
  final func act(on event: String) {
    if let action = action(on: event) { run(action, forKey: event) }
  }

  /// Implements `action(forKey:)`: the first action found counts, and NSNull counts as found.
  final func searchAction(forKey key: String) -> (any CAAction)? {
    let found =
      delegate?.action(for: self, forKey: key) ?? actions?[key] ?? styleAction(forKey: key)
      ?? type(of: self).defaultAction(forKey: key)
    if let found { return found is NSNull ? nil : found }
    return implicitAction(forKey: key)
  }

  private func styleAction(forKey key: String) -> (any CAAction)? {
    var style = self.style
    while let current = style {
      let actions = current["actions"] as? [String: Any]
      if let action = actions?[key] as? any CAAction { return action }
      style = current["style"] as? [AnyHashable: Any]
    }
    return nil
  }

  // MARK: Implicit actions

  private func implicitAction(forKey key: String) -> (any CAAction)? {
    guard isCommitted else { return nil }
    let settings = TransactionStack.current.settings
    if let property = storedProperty(key) {
      return switch implicitReaction(to: property, settings) {
      case .animation(let description, _)?: CABasicAnimation(description, image: image)
      case .transition(let transition)?: transition
      case nil: nil
      }
    }
    guard settings.duration > 0 else { return nil }
    switch key {
    case "mask", "sublayers": return implicitTransition(settings)
    case _ where key.hasPrefix("transform."):
      guard let member = PropertyPath(key)?.member,
        let value = presentationValue(of: .transform).value(of: member)
      else { return nil }
      return CABasicAnimation(implicitAnimation(key, from: value, settings), image: image)
    default: return nil
    }
  }

  private enum ImplicitReaction {
    case animation(AnimationDescription, images: [CGImage])
    case transition(CATransition)
  }

  private func implicitReaction(
    to property: StoredProperty, _ settings: TransactionStack.Settings
  ) -> ImplicitReaction? {
    guard isCommitted, settings.duration > 0 else { return nil }
    let declaration = property.declaration
    switch declaration.action {
    case .none: return nil
    case .transition: return .transition(implicitTransition(settings))
    case .animate:
      // Without a background colour there is no value to animate from.
      if property == .backgroundColor, modelValues.backgroundColor == nil { return nil }
      let value = presentationValue(of: property)
      var images: [CGImage] = []
      if case .image(let id) = value, let image = image(id) { images = [image] }
      let animation = implicitAnimation(declaration.key, from: value, settings)
      return .animation(animation, images: images)
    }
  }

  private func implicitAnimation(
    _ key: String, from value: AnimationValue, _ settings: TransactionStack.Settings
  ) -> AnimationDescription {
    AnimationDescription(
      changing: key, from: value, duration: settings.duration,
      timingCurve: settings.timingFunction?.curve ?? .default)
  }

  private func implicitTransition(_ settings: TransactionStack.Settings) -> CATransition {
    let transition = CATransition()
    transition.duration = settings.duration
    transition.timingFunction = settings.timingFunction ?? CAMediaTimingFunction(name: .default)
    return transition
  }

  /// The property's value on screen now.
  private func presentationValue(of property: StoredProperty) -> AnimationValue {
    guard let rendered, attachedAnimations.contains(where: \.isSent) else {
      return committedValue(of: property)
    }
    return presentationValues(at: rendered.tree.clock.time).value(of: property)
  }
}
