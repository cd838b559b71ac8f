import LaminaAnimation
import LaminaCommit
import LaminaValues

extension RenderTree {
  /// Evaluates the particles of an emitter, whose values are at its row's time.
  func emit(
    _ row: Int, _ node: UnsafePointer<Node>, in frozen: FrozenSubtree?, _ tree: inout EvaluatedTree
  ) {
    let place = tree.rows[row].animated
    let time = tree.time(ofRow: row)
    let present = tree.animatedValues[place].emitter
    let cloud = ParticleCloud(Self.spans(of: node, at: time), at: time, present: present)
    tree.animatedValues.setCloud(cloud, of: place)
    guard frozen == nil else { return }
    let next = present.nextChange(after: time, cloud: cloud)
    tree.animatedValues.addChange(
      of: place, at: sessionTime(of: next, on: tree.rows[row].clock, in: tree))
  }

  /// What an emitter is set to while the particles that are alive at a time are born.
  private static func spans(of node: UnsafePointer<Node>, at time: Double) -> [EmissionSpan] {
    let isAnimated = !node.pointee.animatedProperties.intersection(.emission).isEmpty
    var copy = node.pointee.values
    return Node.values(at: node).pointee.emitter.spans(
      of: node.pointee.kind, at: time, isAnimated: isAnimated
    ) { time in
      Node.renew(node, &copy)
      Node.animate(node, &copy, at: time)
      return copy.emitter
    }
  }

  /// The session's time, not before the tree's, at which a clock shows a time that is not before
  /// its present one; infinite if it never does.
  private func sessionTime(
    of time: Double, on clock: Int, in tree: EvaluatedTree
  ) -> Double {
    guard time.isFinite else { return .infinity }
    let now = tree.clocks[clock].time
    var result = time
    var next = clock
    while next >= 0 {
      if let timing = tree.clocks[next].timing {
        guard timing.speed != 0 else { return .infinity }
        // Where time runs backwards somewhere, each frame is evaluated.
        guard timing.speed > 0 else { return tree.time }
        result = timing.parentTime(at: result)
      }
      next = tree.clocks[next].parent
    }
    guard time > now else { return tree.time }
    return result.isFinite ? max(result, tree.time) : .infinity
  }
}
