import LaminaAnimation
import LaminaCommit
import LaminaValues

extension RenderTree {
  /// Evaluates the particles of an emitter, whose values are at its row's time. Those of a
  /// rasterized emitter belong to the row of what its bitmap shows.
  func emit(
    _ row: Int, _ node: UnsafePointer<Node>, in frozen: FrozenSubtree?, _ tree: inout EvaluatedTree
  ) {
    let place = tree.rows[row].animated
    guard !isRasterized(row, in: tree), tree.particleExcess == nil else {
      return tree.animatedValues.setCloud(nil, of: place)
    }
    let time = tree.time(ofRow: row)
    let present = tree.animatedValues[place].emitter
    let cloud = ParticleCloud(Self.spans(of: node, at: time), at: time, present: present)
    tree.animatedValues.setCloud(cloud, of: place)
    // Until all emitters are at their new time, particles of the frame before are counted too.
    let count = tree.animatedValues.birthCount
    if count > 2 * particleLimit { tree.particleExcess = count }
    guard frozen == nil else { return }
    let next = present.nextChange(after: time, cloud: cloud)
    // What a bitmap shows is evaluated again together with the row that draws the bitmap.
    let due = tree.isInside(row) ? tree.rows[tree.rows[row].parent].animated : place
    tree.animatedValues.addChange(
      of: due, at: sessionTime(of: next, on: tree.rows[row].clock, in: tree))
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
