import LaminaAnimation
import LaminaCommit
import LaminaGraphics

extension CALayer {
  /// Adds a copy of the animation.
  final func addAnimation(_ animation: CAAnimation, key: String?) {
    guard modelLayer == nil else { return }
    if let refusal = animation.nestingRefusal {
      return warn("an animation of \(debugName) is left out: \(refusal)")
    }
    guard let copy = animation.copy() as? CAAnimation else { return }
    let stack = TransactionStack.current
    let standard = stack.settings.duration
    guard var description = copy.description(duration: standard > 0 ? standard : 0.25) else {
      return
    }
    if let refusal = description.refusal {
      return warn("an animation of \(debugName) is left out: \(refusal)")
    }
    checkTargets(of: description)
    if copy.duration <= 0 { copy.duration = description.timing.duration }
    let key = copy is CATransition ? kCATransition : key
    // An animation that is removed at its end must show nothing after it, however late the removal
    // comes.
    if copy.isRemovedOnCompletion { description.timing.fillMode.dropForwards() }
    let keyed = AttachedAnimation(
      description, of: copy, images: copy.images, key: key ?? unusedAnimationKey,
      hasKey: key != nil, isDisplayed: isDisplayed(description), layer: self, in: stack)
    append(keyed)
    if rendered == nil { stack.noteUnplaced(keyed) }
  }

  /// Adds an animation, replacing any with the same key.
  final func append(_ animation: AttachedAnimation) {
    if usedAnimationKeys.contains(animation.key, among: attachedAnimations),
      let old = attachedAnimations.firstIndex(where: { $0.key == animation.key })
    {
      let replaced = dropAnimation(at: old)
      end(replaced)
      // The new one may be removed before it is sent.
      noteRemoval(of: replaced)
    }
    attachedAnimations.append(animation)
    usedAnimationKeys.insert(animation.key)
    guard let rendered else { return }
    rendered.animationsChanged = true
    rendered.noteChange(of: self)
  }

  /// Detaches an animation from the layer, without any notification.
  private func dropAnimation(at place: Int) -> AttachedAnimation {
    let animation = attachedAnimations.remove(at: place)
    usedAnimationKeys.remove(animation.key)
    animation.layer = nil
    return animation
  }

  private func isDisplayed(_ description: AnimationDescription) -> Bool {
    let type = Swift.type(of: self)
    // Other layers draw nothing themselves.
    guard isOfProgramClass || defaults != nil else { return false }
    let track = AnimationTrack(description) { AttachedAnimation.isPlainKey($0) ? $0 : nil }
    return track.properties.contains { type.needsDisplay(forKey: $0) }
  }

  private var unusedAnimationKey: String {
    var number = attachedAnimations.count
    while usedAnimationKeys.contains("unnamed \(number)", among: attachedAnimations) { number += 1 }
    return "unnamed \(number)"
  }

  final func removeKeyedAnimation(_ key: String) {
    guard let place = attachedAnimations.firstIndex(where: { $0.hasKey && $0.key == key }) else {
      return
    }
    let removed = dropAnimation(at: place)
    end(removed)
    noteRemoval(of: removed)
  }

  final func removeEveryAnimation() {
    let all = attachedAnimations
    attachedAnimations = []
    usedAnimationKeys.removeAll()
    for animation in all {
      animation.layer = nil
      end(animation)
      noteRemoval(of: animation)
    }
  }

  /// Removes an animation whose time is over, if it is removed on completion.
  final func removeFinished(_ animation: AttachedAnimation) {
    guard animation.description.isRemovedOnCompletion,
      let place = attachedAnimations.firstIndex(where: { $0 === animation })
    else { return }
    _ = dropAnimation(at: place)
    guard animation.isSent, let rendered else { return }
    rendered.removedAnimations.append(animation.key)
    rendered.animationsChanged = true
    rendered.noteQuietChange(of: self)
  }

  /// Removes an animation that ended because the layer is in no tree. One that is not removed on
  /// completion waits until the layer enters a tree.
  final func dropUnplaced(_ animation: AttachedAnimation) {
    guard let place = attachedAnimations.firstIndex(where: { $0 === animation }) else { return }
    guard !animation.description.isRemovedOnCompletion else {
      _ = dropAnimation(at: place)
      return
    }
    animation.layer = nil
    attachedAnimations[place] = AttachedAnimation(again: animation, of: self)
  }

  /// Ends the animations of a layer that left its tree. Those that are not removed on completion
  /// begin again when the layer enters another tree. Returns the calls to make.
  final func endAnimationsOutsideTree() -> [() -> Void] {
    var callbacks: [() -> Void] = []
    usedAnimationKeys.removeAll()
    for place in attachedAnimations.indices.reversed() where attachedAnimations[place].isSent {
      let animation = attachedAnimations[place]
      let end = animation.end(finished: false)
      callbacks += end.blocks + end.delegate
      animation.layer = nil
      if animation.description.isRemovedOnCompletion {
        attachedAnimations.remove(at: place)
      } else {
        attachedAnimations[place] = AttachedAnimation(again: animation, of: self)
      }
    }
    return callbacks
  }

  private func end(_ animation: AttachedAnimation) {
    let end = animation.end(finished: false)
    let callbacks = end.blocks + end.delegate
    guard !callbacks.isEmpty else { return }
    if let rendered {
      rendered.tree.callLater(callbacks)
    } else {
      TransactionStack.current.context.call(callbacks)
    }
  }

  private func noteRemoval(of animation: AttachedAnimation) {
    guard animation.isSent, let rendered else { return }
    rendered.removedAnimations.append(animation.key)
    rendered.animationsChanged = true
    rendered.noteChange(of: self)
  }
}

extension FillMode {
  fileprivate mutating func dropForwards() {
    switch self {
    case .forwards: self = .removed
    case .both: self = .backwards
    case .removed, .backwards: break
    }
  }
}
