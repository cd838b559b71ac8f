import LaminaAnimation

extension EvaluatedTree {
  /// The first row that stands for a layer of the tree: for one in a transition, the transition's.
  /// −1 for none. `nextOfSlot` of a row is the next one.
  func row(ofSlot slot: Int) -> Int {
    slot < rowsOfSlots.count ? Int(rowsOfSlots[slot]) : -1
  }

  /// The row that the mask and the sublayers, or a replicator's copies, of a row's layer hang on;
  /// −1 for none.
  package func body(of row: Int) -> Int {
    var row = row
    if rows[row].transition >= 0 { row = transitions[rows[row].transition].new }
    return row >= 0 && rows[row].inside >= 0 ? rows[row].inside : row
  }

  /// Adds a row that is linked to nothing yet.
  mutating func add(_ row: Row) -> Int {
    guard let index = freeRows.popLast() else {
      rows.append(row)
      links.append(Links())
      toPixels.append(.identity)
      return rows.count - 1
    }
    rows[index] = row
    (links[index], toPixels[index]) = (Links(), .identity)
    return index
  }

  /// Has a row stand for a layer of the tree.
  mutating func show(slot: Int, by row: Int) {
    while rowsOfSlots.count <= slot { rowsOfSlots.append(-1) }
    let other = rowsOfSlots[slot]
    rows[row].nextOfSlot = other
    if other >= 0 { rows[Int(other)].previousOfSlot = Int32(row) }
    rowsOfSlots[slot] = Int32(row)
    if !sleepers.isEmpty { sleepers[Sleeper(slot: slot, parent: rows[row].parent)] = nil }
  }

  /// Has a row no longer stand for its layer, if it did.
  private mutating func conceal(_ row: Int) {
    let (slot, previous, next) = (
      rows[row].slot, rows[row].previousOfSlot, rows[row].nextOfSlot
    )
    guard slot >= 0, previous >= 0 || self.row(ofSlot: slot) == row else { return }
    if previous >= 0 {
      rows[Int(previous)].nextOfSlot = next
    } else {
      rowsOfSlots[slot] = next
    }
    if next >= 0 { rows[Int(next)].previousOfSlot = previous }
  }

  /// Takes back the row that was added last, before it was linked.
  mutating func takeBack(_ row: Int) {
    release(row)
    if row == rows.count - 1 {
      rows.removeLast()
      links.removeLast()
      toPixels.removeLast()
    } else {
      rows[row].isLive = false
      freeRows.append(row)
    }
  }

  /// Frees what a row has to itself.
  private mutating func release(_ row: Int) {
    let place = rows[row]
    if place.sublayerSpace == .other { otherSublayerSpaces[row] = nil }
    if place.transition >= 0 {
      let frozen = transitions[place.transition].frozen
      if frozen >= 0 { frozenSubtrees.remove(frozen) }
      transitions.remove(place.transition)
    }
    // The new side of a transition shares these with the transition's row, and a copy with the
    // replicator's.
    let isShared =
      place.parent >= 0 && rows[place.parent].transition >= 0
      && rows[place.parent].frozen == place.frozen
    if place.path != 0 { copiedRowCount -= 1 }
    if place.inside >= 0 { spaceCount -= 1 }
    if place.copy >= 0 {
      copies.remove(place.copy)
    } else if !isShared {
      if place.contentsMix >= 0 { contentsMixes.remove(place.contentsMix) }
      if place.animated >= 0 { animatedValues.remove(place.animated) }
    }
    let above = place.parent >= 0 ? rows[place.parent].clock : clockOrder[0]
    if place.clock != above { clocks.remove(place.clock) }
  }

  /// Forgets the order of clocks that have been removed.
  mutating func forgetClocks() {
    if clocks.count < clockOrder.count { clockOrder.removeAll { !clocks.holds($0) } }
  }

  /// Removes a row and all below it.
  mutating func remove(_ top: Int) {
    let parent = rows[top].parent
    unlink(top)
    changes.removed.append(top)
    if parent >= 0 { changes.relinked.append(parent) }
    var below = [top]
    // Parents are freed after what shares with them.
    var place = 0
    while place < below.count {
      forEachBelow(below[place]) { below.append($0) }
      place += 1
    }
    for row in below.reversed() {
      release(row)
      conceal(row)
      rows[row].isLive = false
    }
    changes.allRemoved += below
  }

  /// Whether a row has sublayers or a mask. A call of it would copy the tree.
  @inline(__always)
  func hasRowsBelow(_ row: Int) -> Bool { links[row].first >= 0 || rows[row].mask >= 0 }

  /// Calls `body` with each sublayer's row, and with the mask's. A call of it would copy the tree.
  @inline(__always)
  func forEachBelow(_ row: Int, _ body: (Int) -> Void) {
    var child = links[row].first
    while child >= 0 {
      body(Int(child))
      child = links[Int(child)].next
    }
    if rows[row].mask >= 0 { body(rows[row].mask) }
  }

  // MARK: Links

  /// Links a row as its parent's sublayer, in front of `previous`, or behind all if that is −1.
  mutating func link(_ row: Int, after previous: Int) {
    let parent = rows[row].parent
    let next = previous < 0 ? links[parent].first : links[previous].next
    links[row].previous = Int32(previous)
    links[row].next = next
    if previous < 0 { links[parent].first = Int32(row) } else { links[previous].next = Int32(row) }
    if next < 0 {
      links[parent].last = Int32(row)
    } else {
      links[Int(next)].previous = Int32(row)
    }
    countDepth(of: row, 1)
  }

  /// Links a row in front of its siblings, or as its parent's mask.
  mutating func linkInFront(_ row: Int) {
    if rows[row].isMask {
      rows[rows[row].parent].mask = row
    } else {
      link(row, after: Int(links[rows[row].parent].last))
    }
  }

  mutating func unlink(_ row: Int) {
    let parent = rows[row].parent
    guard parent >= 0 else { return }
    if rows[row].isMask {
      rows[parent].mask = -1
      return
    }
    let (next, previous) = (links[row].next, links[row].previous)
    if previous < 0 { links[parent].first = next } else { links[Int(previous)].next = next }
    if next < 0 { links[parent].last = previous } else { links[Int(next)].previous = previous }
    (links[row].next, links[row].previous) = (-1, -1)
    countDepth(of: row, -1)
  }

  /// Notes whether a row's depth matters, and whether it may intersect others.
  mutating func setDepth(of row: Int, leavesPlane: Bool, isTilted: Bool) {
    guard leavesPlane != rows[row].leavesPlane || isTilted != rows[row].isTilted else { return }
    let parent = rows[row].parent
    let isLinked = parent >= 0 && (links[row].previous >= 0 || links[parent].first == Int32(row))
    if isLinked { countDepth(of: row, -1) }
    (rows[row].leavesPlane, rows[row].isTilted) = (leavesPlane, isTilted)
    if isLinked { countDepth(of: row, 1) }
  }

  /// Adds a sublayer to its parent's counts, `count` times.
  private mutating func countDepth(of row: Int, _ count: Int) {
    let parent = rows[row].parent
    if rows[row].leavesPlane { rows[parent].spatialSublayers += count }
    if rows[row].isTilted { rows[parent].tiltedSublayers += count }
    if rows[parent].copy >= 0 { passDepthOn(parent) }
  }

  /// Has a copy leave the plane of its replicator if one of its sublayers does.
  mutating func passDepthOn(_ copy: Int) {
    setDepth(
      of: copy,
      leavesPlane: rows[copy].leavesPlaneItself || rows[copy].spatialSublayers > 0,
      isTilted: rows[copy].isTiltedItself || rows[copy].tiltedSublayers > 0)
  }

  // MARK: Updates

  /// Starts an update to a time. The indices of rows that the last one removed are free from now.
  mutating func startUpdate(to time: Double) {
    update += 1
    freeRows += changes.allRemoved.reversed()
    changes = Changes()
    changes.isAll = false
    forgetClocks()
    guard time != self.time else { return }
    self.time = time
    clocks[clockOrder[0]].time = time
    for clock in clockOrder.dropFirst() {
      guard let timing = clocks[clock].timing else { continue }
      clocks[clock].time = timing.localTime(at: clocks[clocks[clock].parent].time)
    }
  }

  func isQueued(_ row: Int) -> Bool { rows[row].queued == update }

  /// Whether a row is met for the first time in this update.
  mutating func queue(_ row: Int) -> Bool {
    guard rows[row].queued != update else { return false }
    rows[row].queued = update
    return true
  }
}
