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
    // What is removed at its end shows nothing after it, however late the removal comes.
    if copy.isRemovedOnCompletion { description.timing.fillMode.dropForwards() }
    let keyed = KeyedAnimation(
      description, of: copy, images: copy.images, key: key ?? unusedAnimationKey,
      hasKey: key != nil, isDisplayed: isDisplayed(description), layer: self, in: stack)
    append(keyed)
    if rendered == nil { stack.noteUnplaced(keyed) }
  }

  /// Adds an animation, in place of one of the same key.
  final func append(_ animation: KeyedAnimation) {
    if usedAnimationKeys.contains(animation.key, among: keyedAnimations),
      let old = keyedAnimations.firstIndex(where: { $0.key == animation.key })
    {
      end(dropAnimation(at: old))
    }
    keyedAnimations.append(animation)
    usedAnimationKeys.insert(animation.key)
    guard let rendered else { return }
    rendered.animationsChanged = true
    rendered.noteChange(of: self)
  }

  /// Takes an animation away, for whatever reason.
  private func dropAnimation(at place: Int) -> KeyedAnimation {
    let animation = keyedAnimations.remove(at: place)
    usedAnimationKeys.remove(animation.key)
    animation.layer = nil
    return animation
  }

  private func isDisplayed(_ description: AnimationDescription) -> Bool {
    let type = Swift.type(of: self)
    // Ours draw nothing of their own.
    guard isOfProgramClass else { return false }
    let track = AnimationTrack(description) { KeyedAnimation.isPlainKey($0) ? $0 : nil }
    return track.properties.contains { type.needsDisplay(forKey: $0) }
  }

  private var unusedAnimationKey: String {
    var number = keyedAnimations.count
    while usedAnimationKeys.contains("unnamed \(number)", among: keyedAnimations) { number += 1 }
    return "unnamed \(number)"
  }

  final func removeKeyedAnimation(_ key: String) {
    guard let place = keyedAnimations.firstIndex(where: { $0.hasKey && $0.key == key }) else {
      return
    }
    let removed = dropAnimation(at: place)
    end(removed)
    noteRemoval(of: removed)
  }

  final func removeEveryAnimation() {
    let all = keyedAnimations
    keyedAnimations = []
    usedAnimationKeys.removeAll()
    for animation in all {
      animation.layer = nil
      end(animation)
      noteRemoval(of: animation)
    }
  }

  /// Takes away an animation whose time is over, if it is to go then.
  final func removeFinished(_ animation: KeyedAnimation) {
    guard animation.description.isRemovedOnCompletion,
      let place = keyedAnimations.firstIndex(where: { $0 === animation })
    else { return }
    _ = dropAnimation(at: place)
    guard animation.isSent, let rendered else { return }
    rendered.removedAnimations.append(animation.key)
    rendered.animationsChanged = true
    rendered.noteQuietChange(of: self)
  }

  /// Lets go of an animation that ended because the layer is in no tree, or has it wait for one if it
  /// is not removed on completion.
  final func dropUnplaced(_ animation: KeyedAnimation) {
    guard let place = keyedAnimations.firstIndex(where: { $0 === animation }) else { return }
    guard !animation.description.isRemovedOnCompletion else {
      _ = dropAnimation(at: place)
      return
    }
    animation.layer = nil
    keyedAnimations[place] = KeyedAnimation(again: animation, of: self)
  }

  /// The layer left its tree: its animations end, and those that are not removed on completion
  /// begin again when it comes into another.
  final func endAnimationsOutsideTree() -> [() -> Void] {
    var callbacks: [() -> Void] = []
    usedAnimationKeys.removeAll()
    for place in keyedAnimations.indices.reversed() where keyedAnimations[place].isSent {
      let animation = keyedAnimations[place]
      let end = animation.end(finished: false)
      callbacks += end.blocks + end.delegate
      animation.layer = nil
      if animation.description.isRemovedOnCompletion {
        keyedAnimations.remove(at: place)
      } else {
        keyedAnimations[place] = KeyedAnimation(again: animation, of: self)
      }
    }
    return callbacks
  }

  private func end(_ animation: KeyedAnimation) {
    let end = animation.end(finished: false)
    let callbacks = end.blocks + end.delegate
    guard !callbacks.isEmpty else { return }
    if let rendered {
      rendered.tree.callLater(callbacks)
    } else {
      TransactionStack.current.context.call(callbacks)
    }
  }

  private func noteRemoval(of animation: KeyedAnimation) {
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
