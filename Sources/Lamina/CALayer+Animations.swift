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
  /// Whether the render process has it, with its begin.
  var isSent = false
  /// The same for the client's own evaluation; set when it is sent.
  var track: AnimationTrack<StoredProperty>?
  /// The same for keys that no class of ours declares; nil where there are none.
  var undefinedTrack: AnimationTrack<String>?

  /// Fixes the begin: `layerTime` for an animation that says 0.
  mutating func stamp(at layerTime: Double) {
    if description.timing.beginTime == 0 {
      // A layer's time may be infinite, a begin is a number.
      let most = Double.greatestFiniteMagnitude
      description.timing.beginTime = min(max(layerTime, -most), most)
    }
    track = AnimationTrack(description) { StoredProperty(key: $0) }
    let undefined = AnimationTrack(description) { StoredProperty(key: $0) == nil ? $0 : nil }
    undefinedTrack = undefined.isEmpty ? nil : undefined
    isSent = true
  }
}

extension CALayer {
  final func addAnimation(_ animation: CAAnimation, key: String?) {
    guard let copy = animation.copy() as? CAAnimation else { return }
    let standard = CATransaction.animationDuration()
    guard let description = copy.description(duration: standard > 0 ? standard : 0.25) else {
      return
    }
    if let refusal = description.refusal {
      return warn("an animation of \(debugName) is left out: \(refusal)")
    }
    if copy.duration <= 0 { copy.duration = description.timing.duration }
    let key = copy is CATransition ? CATransition.animationKey : key
    let name = key ?? unusedAnimationKey
    keyedAnimations.removeAll { $0.key == name }
    keyedAnimations.append(
      KeyedAnimation(
        key: name, hasKey: key != nil, animation: copy, description: description,
        images: copy.images, isDisplayed: isDisplayed(description)))
    rendered?.animationsChanged = true
    rendered?.noteChange(of: self)
  }

  private func isDisplayed(_ description: AnimationDescription) -> Bool {
    let type = Swift.type(of: self)
    // Ours draw nothing of their own.
    guard type != CALayer.self, type != CAShapeLayer.self else { return false }
    return AnimationTrack(description) { $0 }.properties.contains { type.needsDisplay(forKey: $0) }
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
    noteRemoval(of: keyedAnimations.remove(at: place))
  }

  final func removeEveryAnimation() {
    let all = keyedAnimations
    keyedAnimations = []
    for animation in all { noteRemoval(of: animation) }
  }

  private func noteRemoval(of animation: KeyedAnimation) {
    guard animation.isSent, let rendered else { return }
    rendered.removedAnimations.append(animation.key)
    rendered.animationsChanged = true
    rendered.noteChange(of: self)
  }
}
