import LaminaAnimation
import LaminaCommit
import LaminaRenderTree
import LaminaValues

extension EvaluatedTree {
  /// The rows in painting order, masks last, each with the number of rows around it.
  package var rowsInOrder: [Int] { root < 0 ? [] : subtree(of: root) }

  /// What differs between two evaluations of a tree: nothing if they show the same rows, by
  /// identity, in the same order, equal to the bit. Indices do not count.
  package func difference(from other: EvaluatedTree, of tree: RenderTree) -> String? {
    if time != other.time { return "time: \(time), \(other.time)" }
    if nextChange != other.nextChange { return "next change: \(nextChange), \(other.nextChange)" }
    let (mine, others) = (rowsInOrder, other.rowsInOrder)
    if mine.count != others.count { return "\(mine.count) and \(others.count) rows" }
    var counterparts = [-1: -1]
    for (row, counterpart) in zip(mine, others) {
      counterparts[row] = counterpart
      let (a, b) = (rows[row], other.rows[counterpart])
      let name = "\(a.kind) in slot \(a.slot), place \(a.place)"
      if a.slot != b.slot || a.place != b.place { return "\(name): slot \(b.slot)" }
      if a.path != b.path || (a.copy < 0) != (b.copy < 0) { return "\(name): copies" }
      if a.copy >= 0 {
        let (mine, others) = (copies[a.copy], other.copies[b.copy])
        if mine.number != others.number { return "\(name): copy \(others.number)" }
        if mine.tint != others.tint { return "\(name): tint \(others.tint)" }
        if bits(mine.toReplicator) != bits(others.toReplicator) { return "\(name): copy's place" }
      }
      if a.frozen >= 0 || b.frozen >= 0 {
        guard a.frozen >= 0, b.frozen >= 0,
          frozenSubtrees[a.frozen] === other.frozenSubtrees[b.frozen]
        else { return "\(name): frozen in \(a.frozen) and \(b.frozen)" }
      }
      if counterparts[a.parent] != b.parent { return "\(name): parent" }
      if (a.transition < 0) != (b.transition < 0) { return "\(name): transition" }
      if a.transition >= 0, b.transition >= 0,
        transitions[a.transition].progress != other.transitions[b.transition].progress
      {
        return "\(name): progress"
      }
      let mixes = (
        a.contentsMix < 0 ? nil : contentsMixes[a.contentsMix],
        b.contentsMix < 0 ? nil : other.contentsMixes[b.contentsMix]
      )
      if mixes.0 != mixes.1 { return "\(name): mixed contents" }
      if time(of: a) != other.time(of: b) { return "\(name): time" }
      if bits(toPixels[row]) != bits(other.toPixels[counterpart]) {
        return "\(name): transform"
      }
      if a.isFlipped != b.isFlipped || a.isMirrored != b.isMirrored { return "\(name): flips" }
      if a.level != b.level || a.isMask != b.isMask { return "\(name): level" }
      if a.isSpace != b.isSpace || a.leavesPlane != b.leavesPlane { return "\(name): depth" }
      if isSpace(row) != other.isSpace(counterpart)
        || hasTiltedSublayers(row) != other.hasTiltedSublayers(counterpart)
      {
        return "\(name): space"
      }
      let clouds = (
        a.animated < 0 ? nil : animatedValues.cloud(a.animated),
        b.animated < 0 ? nil : other.animatedValues.cloud(b.animated)
      )
      if clouds.0 != clouds.1 { return "\(name): particles" }
      if tree.values(of: a, in: self) != tree.values(of: b, in: other) { return "\(name): values" }
    }
    for (row, counterpart) in zip(mine, others)
    where counterparts[rows[row].mask] != other.rows[counterpart].mask {
      return "mask of slot \(rows[row].slot)"
    }
    return nil
  }

  /// Numbers too large for any screen may give transforms infinities and NaNs, but the same ones.
  private func bits(_ transform: CATransform3D) -> [UInt64] {
    transform.rows.joined().map { $0.isNaN ? .max : ($0 + 0).bitPattern }
  }
}
