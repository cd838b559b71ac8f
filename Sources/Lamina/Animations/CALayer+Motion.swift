import LaminaAnimation
import LaminaCommit

/// The motion in a tree of layers that is seen last.
package struct LastMotion: Hashable, Sendable {
  /// When all of it has been seen, in seconds of the tree's clock.
  package var end: Double
  /// What moves, in words, such as `animation "spin" of CALayer "wheel"`.
  package var cause: String

  package init(end: Double, cause: String) { (self.end, self.cause) = (end, cause) }

  /// The one of the two that ends later.
  package static func later(_ a: LastMotion?, _ b: LastMotion?) -> LastMotion? {
    guard let a, let b else { return a ?? b }
    return a.end < b.end ? b : a
  }
}

extension CALayer {
  /// What moves last in the tree that begins at time 0 with this layer as its root: the animation
  /// or particles whose end is the last, where one cycle stands for what repeats forever, and one
  /// life of a particle for an emitter without end. nil if nothing moves.
  ///
  /// The layer is in no tree on screen yet, so that all its animations are still to begin.
  package final var lastMotion: LastMotion? {
    var last: LastMotion?
    var rest = [(layer: self, outer: LayerTime())]
    while let (layer, outer) = rest.popLast() {
      // What is in a layer that stands still stands still too.
      guard let time = outer.inside(layer.modelValues.timing.mediaTiming) else { continue }
      last = .later(last, layer.lastOwnMotion(time))
      if let mask = layer.mask { rest.append((mask, time)) }
      guard let inner = layer.timeOfSublayers(time) else { continue }
      rest += (layer.sublayers ?? []).map { ($0, inner) }
    }
    return last
  }

  /// The motion of an animation that this layer gets at a time of the tree's clock.
  package final func motion(of animation: CAAnimation, addedAt now: Double) -> LastMotion? {
    guard animation.nestingRefusal == nil,
      let description = animation.description(duration: Self.usualDuration)
    else { return nil }
    return timeInTree?.lastMotion(description, addedAt: now, "an animation of \(debugName)")
  }

  /// The duration, in seconds, of animations that have none.
  private static let usualDuration = 0.25

  private final func lastOwnMotion(_ time: LayerTime) -> LastMotion? {
    var last: LastMotion?
    for attached in attachedAnimations {
      let name = attached.hasKey ? "animation \"\(attached.key)\"" : attached.description.motionName
      last = .later(
        last, time.lastMotion(attached.description, addedAt: 0, "\(name) of \(debugName)"))
    }
    if let motion = (self as? CAExternalLayer)?.imageMotion.flatMap(time.seen) {
      let cause = motion.isEndless ? "one round of" : "the pictures of"
      last = .later(last, LastMotion(end: motion.seenEnd, cause: "\(cause) \(debugName)"))
    }
    guard self is CAEmitterLayer else { return last }
    for motion in modelValues.emitter.motions.compactMap(time.seen) {
      let cause = motion.isEndless ? "a particle's life in" : "the particles of"
      last = .later(last, LastMotion(end: motion.seenEnd, cause: "\(cause) \(debugName)"))
    }
    return last
  }

  /// The time of the layer's sublayers, whose superlayer has the time `time`; nil if the layer does
  /// not show them.
  private final func timeOfSublayers(_ time: LayerTime) -> LayerTime? {
    guard let replicator = self as? CAReplicatorLayer else { return time }
    let count = replicator.instanceCount
    guard count > 0 else { return nil }
    return time.delayed(by: replicator.instanceDelay * Double(count - 1))
  }

  /// The layer's time in the tree that it is in; nil if it stands still or is not shown.
  private final var timeInTree: LayerTime? {
    var path = [self]
    while let superlayer = path[path.count - 1].superlayerStorage { path.append(superlayer) }
    var time: LayerTime? = LayerTime()
    for (place, layer) in path.enumerated().reversed() {
      time = time?.inside(layer.modelValues.timing.mediaTiming)
      if place > 0, layer.mask !== path[place - 1] { time = time.flatMap(layer.timeOfSublayers) }
    }
    return time
  }
}

extension AnimationDescription {
  /// What the animation moves, in words.
  fileprivate var motionName: String {
    switch content {
    case .basic(let target, _), .keyframe(let target, _), .spring(let target, _, _): target.keyPath
    case .group: "an animation group"
    case .transition: "a transition"
    }
  }
}

extension LayerTime {
  /// The motion of an animation of the layer. `now` is when it is added, in the clock's seconds,
  /// for which a begin time of 0 stands.
  fileprivate func lastMotion(
    _ description: AnimationDescription, addedAt now: Double, _ name: String
  ) -> LastMotion? {
    var description = description
    if description.timing.beginTime == 0 { description.timing.beginTime = rate * now + offset }
    guard let motion = description.motion.flatMap(seen) else { return nil }
    return LastMotion(
      end: motion.seenEnd, cause: motion.isEndless ? "one cycle of \(name)" : name)
  }
}
