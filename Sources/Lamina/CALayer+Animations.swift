import LaminaAnimation
import LaminaCommit
import LaminaGraphics

/// An animation of a layer: what was added, and what the render process evaluates.
struct KeyedAnimation {
  let key: String
  /// False where it was added without one; `key` is then one of ours.
  let hasKey: Bool
  let animation: CAAnimation
  var description: AnimationDescription
  /// Held while the animation lasts.
  let images: [CGImage]
  /// Whether it changes something that the layer draws, which the program then draws at each frame.
  let isDisplayed: Bool
  /// What becomes of it.
  var run: AnimationRun
  /// Whether the render process has it, with its begin.
  var isSent = false
  /// The same for the client's own evaluation; nil until it is sent.
  var track: AnimationTrack<StoredProperty>? { isSent ? run.track : nil }
  /// The same for keys that no class of ours declares; nil where there are none.
  var undefinedTrack: AnimationTrack<String>? { isSent ? run.undefinedTrack : nil }

  /// Fixes the begin: `layerTime` for an animation that says 0. `kind` is the layer's.
  mutating func stamp(at layerTime: Double, kind: LayerKind) {
    if description.timing.beginTime == 0 {
      // A layer's time may be infinite, a begin is a number.
      let most = Double.greatestFiniteMagnitude
      description.timing.beginTime = min(max(layerTime, -most), most)
    }
    run.follow(description, kind)
    isSent = true
  }

  /// Whether a key path names no member of what is under a key.
  static func isPlainKey(_ keyPath: String) -> Bool { PropertyPath(keyPath)?.member == nil }
}

extension CALayer {
  /// Adds a copy of the animation, or itself where nobody else has it.
  final func addAnimation(_ animation: CAAnimation, key: String?, isOwn: Bool = false) {
    guard modelLayer == nil,
      let copy = isOwn ? animation : animation.copy() as? CAAnimation
    else { return }
    let stack = TransactionStack.current
    let standard = stack.settings.duration
    guard var description = copy.description(duration: standard > 0 ? standard : 0.25) else {
      return
    }
    if !isOwn, let refusal = description.refusal {
      return warn("an animation of \(debugName) is left out: \(refusal)")
    }
    if copy.duration <= 0 { copy.duration = description.timing.duration }
    let key = copy is CATransition ? kCATransition : key
    // What is removed at its end shows nothing after it, however late the removal comes.
    if copy.isRemovedOnCompletion { description.timing.fillMode.dropForwards() }
    let name = key ?? unusedAnimationKey
    if let old = keyedAnimations.firstIndex(where: { $0.key == name }) {
      end(keyedAnimations.remove(at: old))
    }
    let run = AnimationRun(copy, of: self, in: stack)
    if rendered == nil { stack.noteUnplaced(run) }
    keyedAnimations.append(
      KeyedAnimation(
        key: name, hasKey: key != nil, animation: copy, description: description,
        images: copy.images, isDisplayed: isDisplayed(description), run: run))
    rendered?.animationsChanged = true
    rendered?.noteChange(of: self)
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
    while keyedAnimations.contains(where: { $0.key == "unnamed \(number)" }) { number += 1 }
    return "unnamed \(number)"
  }

  final func removeKeyedAnimation(_ key: String) {
    guard let place = keyedAnimations.firstIndex(where: { $0.hasKey && $0.key == key }) else {
      return
    }
    let removed = keyedAnimations.remove(at: place)
    end(removed)
    noteRemoval(of: removed)
  }

  final func removeEveryAnimation() {
    let all = keyedAnimations
    keyedAnimations = []
    for animation in all {
      end(animation)
      noteRemoval(of: animation)
    }
  }

  /// Takes away an animation whose time is over, if it is to go then.
  final func removeFinished(_ run: AnimationRun) {
    guard run.animation.isRemovedOnCompletion,
      let place = keyedAnimations.firstIndex(where: { $0.run === run })
    else { return }
    let animation = keyedAnimations.remove(at: place)
    guard animation.isSent, let rendered else { return }
    rendered.removedAnimations.append(animation.key)
    rendered.animationsChanged = true
    rendered.noteQuietChange(of: self)
  }

  /// The layer left its tree: its animations end, and those that are not removed on completion
  /// begin again when it comes into another.
  final func endAnimationsOutsideTree() -> [() -> Void] {
    var callbacks: [() -> Void] = []
    for place in keyedAnimations.indices.reversed() where keyedAnimations[place].isSent {
      let end = keyedAnimations[place].run.end(finished: false)
      callbacks += end.blocks + end.delegate
      let animation = keyedAnimations[place].animation
      if animation.isRemovedOnCompletion {
        keyedAnimations.remove(at: place)
      } else {
        keyedAnimations[place].isSent = false
        keyedAnimations[place].run = AnimationRun(animation, of: self, in: .current)
      }
    }
    return callbacks
  }

  private func end(_ animation: KeyedAnimation) {
    let end = animation.run.end(finished: false)
    let callbacks = end.blocks + end.delegate
    if let tree = rendered?.tree {
      tree.callLater(callbacks)
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
