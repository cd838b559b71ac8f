import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaValues

// A replicator's row draws what is the replicator's own, once. Below it is a row for each copy,
// which has the copy's place, time and tint. The sublayers hang on each of these rows, so layers
// below a replicator have several rows, which are chained: what changes such a layer goes through
// them all.
extension EvaluatedTree {
  /// Whether the copies of a replicator hang on a row. A call would copy the tree.
  @inline(__always)
  func replicates(_ row: Int) -> Bool {
    rows[row].kind == .replicator && rows[row].copy < 0 && rows[row].transition < 0
      && rows[row].inside < 0
  }

  /// The number that tells the rows of a layer in copies apart; 0 outside all copies.
  func path(of row: Int) -> UInt64 { rows[row].path }

  /// That of a new row. Two rows of a layer would only share what is cached for them if the numbers
  /// of deeply nested copies were mixed to the same one.
  func path(below parent: Int, _ role: RenderTree.Role) -> UInt64 {
    let outer = parent < 0 ? 0 : rows[parent].path
    guard case .copy(let number) = role else { return outer }
    return (outer &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(number)) | 1 << 63
  }

  /// Counts a new row of a layer if that is in a copy. The rows of copies have been counted.
  mutating func countCopied(_ row: Int, _ role: RenderTree.Role) {
    if case .copy = role { return }
    guard rows[row].path != 0 else { return }
    _ = reserveCopies(1)
  }

  /// Counts rows before they are made, so that what waits for its row has a limit too. Returns
  /// whether there may be as many.
  mutating func reserveCopies(_ count: Int) -> Bool {
    guard count <= copiedRowLimit - copiedRowCount else {
      excess = copiedRowCount + count
      return false
    }
    copiedRowCount += count
    return true
  }

  /// What copies of layers and particles count of the budget of memory, in bytes.
  package var copiesByteCount: Int {
    copiedRowCount * TreeLimit.bytesOfCopiedLayer
      + animatedValues.birthCount * TreeLimit.bytesOfParticle
  }
}

extension RenderTree {
  /// Throws if rows or particles are missing since there would be too many.
  func refuseExcess(in tree: EvaluatedTree) throws(CommitError) {
    if let excess = tree.excess {
      throw .tooMany(
        "layers in copies of replicators", count: excess, limit: tree.copiedRowLimit)
    }
    let particles = tree.particleExcess ?? tree.animatedValues.birthCount
    if particles > particleLimit {
      throw .tooMany("particles of all emitters", count: particles, limit: particleLimit)
    }
  }

  /// Whether the sublayers of a row's layer lie in the space of the layer's own siblings.
  func isSpace(_ row: EvaluatedTree.Row, in tree: EvaluatedTree) -> Bool {
    switch row.kind {
    case .transform: true
    case .replicator:
      row.copy < 0 && withValues(of: row, in: tree) { $0.pointee.replicator.preservesDepth }
    default: false
    }
  }

  /// Number of copies that a replicator's row asks for.
  func copyCount(of row: Int, in tree: EvaluatedTree) -> Int {
    withValues(of: tree.rows[row], in: tree) { Int($0.pointee.replicator.instanceCount) }
  }

  /// Fills in a new row of a copy. The copy before it is its parent's last.
  func add(copy number: Int, as row: Int, to tree: inout EvaluatedTree) {
    let parent = tree.rows[row].parent
    tree.rows[row].animated = tree.rows[parent].animated
    let place = tree.rows[parent]
    let (copy, delay) = withValues(of: place, in: tree) { values in
      let replicator = values.pointee.replicator
      var copy = EvaluatedTree.Copy(
        number: number, toReplicator: .identity, tint: replicator.tints[number])
      let last = tree.links[parent].last
      if last >= 0 {
        copy.toReplicator = tree.copies[tree.rows[Int(last)].copy].toReplicator
          .concatenating(replicator.step(in: values.pointee.bounds))
      }
      return (copy, replicator.delay(of: number))
    }
    tree.rows[row].copy = tree.copies.add(copy)
    tree.rows[row].clock = place.clock
    if delay != 0 {
      let timing = MediaTiming(beginTime: delay)
      tree.rows[row].clock = tree.addClock(
        timing, below: place.clock, at: timing.localTime(at: tree.time(of: place)))
    }
  }

  /// Brings a replicator's copies to its new values, and places them. Those that remain keep their
  /// rows.
  func renewCopies(below row: Int, in tree: inout EvaluatedTree) {
    let count = copyCount(of: row, in: tree)
    let (tints, step) = withValues(of: tree.rows[row], in: tree) {
      ($0.pointee.replicator.tints, $0.pointee.replicator.step(in: $0.pointee.bounds))
    }
    var (number, next) = (0, Int(tree.links[row].first))
    var toReplicator = CATransform3D.identity
    while next >= 0 {
      let copy = next
      next = Int(tree.links[copy].next)
      if number < count {
        if number > 0 { toReplicator = toReplicator.concatenating(step) }
        tree.rows[copy].animated = tree.rows[row].animated
        let index = tree.rows[copy].copy
        tree.copies[index].toReplicator = toReplicator
        tree.copies[index].tint = tints[number]
      } else {
        tree.remove(copy)
      }
      number += 1
    }
    guard number < count, tree.reserveCopies(count - number) else { return }
    tree.changes.relinked.append(row)
    for number in number..<count where tree.excess == nil {
      let new = makeRows(
        from: PendingRow(
          slot: tree.rows[row].slot, frozen: -1, parent: row, level: tree.rows[row].level + 1,
          role: .copy(number)),
        in: &tree)
      if new >= 0 { tree.linkInFront(new) }
    }
  }

  /// Sets the transforms of a copy's row. Returns whether any of them changed.
  func placeCopy(_ row: Int, in tree: inout EvaluatedTree) -> Bool {
    // Rows are large: only these fields of them are read.
    let parent = tree.rows[row].parent
    let toReplicator = tree.copies[tree.rows[row].copy].toReplicator
    let isIdentity = toReplicator.isIdentity
    let outer = tree.sublayersToPixels(of: parent)
    let toPixels = isIdentity ? outer : toReplicator.concatenating(outer)
    let isFlipped = tree.rows[parent].isFlipped
    let isMirrored =
      tree.rows[parent].isMirrored != (!isIdentity && LayerGeometry.mirrors(toReplicator))
    tree.rows[row].sublayerSpace = .own
    tree.rows[row].leavesPlaneItself = !toReplicator.keepsPlane
    tree.rows[row].isTiltedItself = !toReplicator.isLevel
    tree.passDepthOn(row)
    guard
      toPixels != tree.toPixels[row] || isMirrored != tree.rows[row].isMirrored
        || isFlipped != tree.rows[row].isFlipped
    else { return false }
    tree.toPixels[row] = toPixels
    (tree.rows[row].isFlipped, tree.rows[row].isMirrored) = (isFlipped, isMirrored)
    return true
  }
}

extension ReplicatorValues {
  /// The transform from each copy to the next, about the centre of the replicator's bounds.
  fileprivate func step(in bounds: CGRect) -> CATransform3D {
    guard !instanceTransform.isIdentity else { return .identity }
    let center = bounds.center
    return CATransform3D(translationX: -center.x, y: -center.y)
      .concatenating(instanceTransform)
      .concatenating(CATransform3D(translationX: center.x, y: center.y))
  }

  /// The time by which a copy is late; 0 if it is not finite.
  fileprivate func delay(of number: Int) -> Double {
    let delay = instanceDelay * Double(number)
    return delay.isFinite ? delay : 0
  }

  /// The colours of the copies.
  fileprivate var tints: CopyTints {
    let (red, green, blue, alpha) = (instanceColor ?? .white).extendedSRGB
    return CopyTints(
      first: SIMD4(red, green, blue, alpha),
      step: SIMD4(redOffset, greenOffset, blueOffset, alphaOffset))
  }
}

/// The colours of a replicator's copies.
private struct CopyTints {
  var first: SIMD4<Double>
  var step: SIMD4<Double>

  /// The colour of a copy, which is premultiplied. Its components stay between 0 and 1.
  subscript(number: Int) -> SIMD4<Double> {
    var color = first
    if number > 0 { color += Double(number) * step }
    for place in color.indices { color[place] = color[place] > 0 ? min(color[place], 1) : 0 }
    return color * SIMD4(color.w, color.w, color.w, 1)
  }
}
