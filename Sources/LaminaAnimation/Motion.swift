/// A stretch of time in which something moves: an animation, or the particles of an emitter's cell.
package struct Motion: Hashable, Sendable {
  package var begin: Double
  /// Infinite if it never ends.
  package var end: Double
  /// How long it takes until it repeats itself, or as long as it lasts.
  package var cycle: Double

  package init(begin: Double, end: Double, cycle: Double) {
    (self.begin, self.end, self.cycle) = (begin, end, cycle)
  }

  /// Seconds beyond which what repeats counts as repeating forever, as one with a large
  /// `repeatCount` is meant to.
  package static let longestRepetition = 3600.0

  /// Whether it repeats, and does so without end or for too long to be watched.
  package var isEndless: Bool { end - begin > max(Self.longestRepetition, cycle) }

  /// When all of it has been seen by those who watch from time 0 on: its end, or the end of one
  /// cycle if it is endless.
  package var seenEnd: Double { isEndless ? min(end, max(begin, 0) + cycle) : end }
}

/// The time of a layer as a function of a clock's: `rate` × time + `offset`.
package struct LayerTime: Hashable, Sendable {
  package var rate = 1.0
  package var offset = 0.0
  /// How much later than the layer itself its last copy in replicators is, in the clock's seconds.
  package var delay = 0.0

  package init() {}

  /// The time of a layer in this one, nil if it stands still.
  package func inside(_ timing: MediaTiming) -> LayerTime? {
    var inner = self
    inner.rate = rate * timing.speed.numberOrZero
    inner.offset = timing.localTime(at: offset)
    return inner.rate != 0 && inner.rate.isFinite && inner.offset.isFinite ? inner : nil
  }

  /// The same time, with copies that are later by as many of the layer's own seconds.
  package func delayed(by seconds: Double) -> LayerTime {
    let late = delay + max(0, seconds / rate)
    guard late.isFinite else { return self }
    var copy = self
    copy.delay = late
    return copy
  }

  /// A motion in the layer's own time, as the clock sees it in the last copy; nil if that is over
  /// before time 0 or has no end that can be waited for.
  package func seen(_ motion: Motion) -> Motion? {
    let ends = ((motion.begin - offset) / rate, (motion.end - offset) / rate)
    let seen = Motion(
      begin: min(ends.0, ends.1) + delay, end: max(ends.0, ends.1) + delay,
      cycle: motion.cycle / abs(rate))
    return seen.seenEnd > 0 && seen.seenEnd.isFinite ? seen : nil
  }
}

extension AnimationDescription {
  /// When the animation moves, in its parent's time; nil if it never does. A group moves as long as
  /// it lasts, or as its members do if it lasts forever.
  package var motion: Motion? { motion(inheritedDuration: nil) }

  private func motion(inheritedDuration: Double?) -> Motion? {
    guard let interval = ActiveInterval(timing, inheritedDuration: inheritedDuration),
      interval.speed != 0
    else { return nil }
    let pace = abs(interval.speed)
    var (length, cycle) = (interval.length, interval.cycle)
    if !cycle.isFinite {
      guard case .group(let members) = content else { return nil }
      let ends = members.compactMap { $0.motion(inheritedDuration: interval.duration)?.seenEnd }
      guard let last = ends.max(), last > 0 else { return nil }
      cycle = last
      length = min(length, last)
    }
    return Motion(begin: interval.begin, end: interval.begin + length / pace, cycle: cycle / pace)
  }
}

extension EmitterValues {
  /// When each of the cells emits, and its last particles live, in the emitter's time. The cycle is
  /// the longest life of a particle and of those that it emits.
  package var motions: [Motion] {
    var looks: [ParticleCloud.Look] = []
    let cells = CellPlans(self, looks: &looks, from: 0)
    return cells.plans[cells.roots].compactMap { plan in
      let isSeen = plan.look >= 0 || !plan.children.isEmpty
      guard isSeen, plan.rate > 0, plan.speed != 0, plan.window > 0 else { return nil }
      let life = plan.window / abs(plan.speed)
      let emission = (plan.end - plan.offset) / abs(plan.speed)
      return Motion(begin: plan.begin, end: plan.begin + emission + life, cycle: life)
    }
  }
}
