import LaminaAnimation
import LaminaCommit
import LaminaValues

extension RenderTree {
  /// The earliest time of the session, not before the tree's, at which a layer's animations change
  /// it; infinite if they do not.
  func nextChange(
    of node: UnsafePointer<Node>, on clock: Int, in tree: EvaluatedTree
  ) -> Double {
    let time = tree.clocks[clock].time
    // The timings from the layer's up to the session's, innermost first.
    var clocks: [MediaTiming] = []
    var next = clock
    while next >= 0 {
      if let timing = tree.clocks[next].timing { clocks.append(timing) }
      next = tree.clocks[next].parent
    }
    // Under a stopped clock nothing changes by itself.
    guard clocks.allSatisfy({ $0.speed != 0 }) else { return .infinity }
    let isBackwards = clocks.count { $0.speed < 0 } % 2 == 1
    var nextChange = Double.infinity
    // By pointer, since copying an animation costs more than asking it.
    node.pointee.animations.withUnsafeBufferPointer { animations in
      for place in animations.indices {
        let change = AnimationTrack.nextChange(
          of: KeyedAnimation.track(at: animations.baseAddress! + place), after: time,
          runningBackwards: isBackwards)
        guard change.isFinite else { continue }
        if change == time {
          nextChange = tree.time
          return
        }
        let atRoot = clocks.reduce(change) { $1.parentTime(at: $0) }
        if atRoot.isFinite { nextChange = min(nextChange, max(atRoot, tree.time)) }
      }
    }
    return nextChange
  }

  /// A time of a layer until which some of its animations run, since `time`.
  func runningEnd(of node: UnsafePointer<Node>, at time: Double) -> Double {
    node.pointee.animations.withUnsafeBufferPointer { animations in
      animations.indices.reduce(time) { end, place in
        let track = KeyedAnimation.track(at: animations.baseAddress! + place)
        return max(end, AnimationTrack.runningEnd(of: track, at: time))
      }
    }
  }

  /// Sets `nextChange` by what the layers' animations do.
  func noteNextChange(in tree: inout EvaluatedTree) {
    var next = tree.animatedValues.nextChange
    for (sleeper, time) in tree.sleepers {
      if isAsleep(sleeper, in: tree) {
        next = min(next, time)
      } else {
        tree.sleepers[sleeper] = nil
      }
    }
    tree.nextChange = max(next, tree.time)
  }

  /// Whether a layer is still hidden in a layer that is shown.
  private func isAsleep(_ sleeper: EvaluatedTree.Sleeper, in tree: EvaluatedTree) -> Bool {
    guard nodes[sleeper.slot].isAlive else { return false }
    guard sleeper.parent >= 0 else { return tree.root < 0 }
    let (row, parent) = (tree.rows[sleeper.parent], Int(nodes[sleeper.slot].parent))
    return row.isLive && row.slot == parent && row.generation == nodes[parent].generation
      && (row.kind != .replicator || (row.copy >= 0) != nodes[sleeper.slot].isMask)
  }
}

extension EvaluatedTree {
  /// A hidden layer, and the row that it would hang on.
  struct Sleeper: Hashable, Comparable {
    var slot: Int
    var parent: Int

    static func < (a: Self, b: Self) -> Bool { (a.slot, a.parent) < (b.slot, b.parent) }
  }

  /// The clock of a layer: a new one if the layer has its own timing, otherwise `parent`, which is
  /// its superlayer's.
  mutating func clock(of node: UnsafePointer<RenderTree.Node>, below parent: Int) -> Int {
    guard LayerValues.hasOwnTiming(at: RenderTree.Node.values(at: node)) else { return parent }
    let timing = node.pointee.values.timing.mediaTiming
    return addClock(timing, below: parent, at: timing.localTime(at: clocks[parent].time))
  }

  mutating func addClock(
    _ timing: MediaTiming?, below parent: Int, at time: Double
  ) -> Int {
    forgetClocks()
    let clock = clocks.add(Clock(timing: timing, parent: parent, time: time))
    clockOrder.append(clock)
    return clock
  }
}
