import LaminaCommit
import LaminaValues

extension RenderTree {
  /// Brings rows up to date with the commits since, and to another time. What shows equals what a
  /// new evaluation shows, to the bit; `changes` tells what is different.
  ///
  /// Takes about as long as what changed is large. With `sharing`, many leaves that moved are
  /// placed on several threads.
  package func update(
    _ tree: inout EvaluatedTree, to time: Double, sharing: LoopSharing? = nil
  ) throws(CommitError) {
    guard let session = sessions[tree.session] else { throw .unknownSession(tree.session) }
    guard tree.root >= 0, tree.size == session.options.size, tree.scale == session.options.scale,
      let root = session.root.flatMap({ slot(of: $0) }), isSame(tree.rows[tree.root], as: root)
    else {
      tree = try evaluate(session: tree.session, at: time)
      return
    }
    let isEarlier = time < tree.time
    let isStill = time == tree.time || (!isEarlier && time < tree.nextChange)
    let entries = changes(since: tree.journalPlace)
    // What changed may let a bitmap fit.
    guard tree.refusals.isEmpty || (entries.isEmpty && isStill) else {
      tree = try evaluate(session: tree.session, at: time)
      return
    }
    tree.startUpdate(to: time)
    (tree.journalPlace, tree.copiedRowLimit) = (journal.end, copiedLayerLimit)
    var queue = Queue()
    queue.dirty.reserveCapacity(entries.count)
    for place in entries.indices {
      if let next = entries.soon(after: place) { prefetch(slot: Int(next.slot)) }
      enqueue(entries[place], &queue, &tree)
    }
    if !isStill { enqueueAnimated(isEarlier: isEarlier, &queue, &tree) }
    // The root has no place in which it could be exchanged.
    guard !queue.remade.contains(tree.root), !isHidden(tree.root, in: tree) else {
      tree = try evaluate(session: tree.session, at: time)
      return
    }
    removeMisplaced(queue.moved, in: &tree)
    for row in queue.remade where tree.rows[row].isLive { remake(row, in: &tree) }
    relink(around: queue.moved, in: &tree)
    replace(queue, sharing, in: &tree)
    try refuseExcess(in: tree)
    noteNextChange(in: &tree)
  }

  /// What an update has to do.
  private struct Queue {
    /// Rows whose values changed.
    var dirty: [Int] = []
    /// Rows that are made again with all below them.
    var remade: [Int] = []
    /// Slots of layers that have another place among others, or may appear or disappear.
    var moved: [Int] = []
    /// Rows whose bitmaps may show something else, even if all values are the same: an image may
    /// have other pixels.
    var repainted: Set<Int> = []

    mutating func append(_ row: Int, isRemade: Bool) {
      if isRemade { remade.append(row) } else { dirty.append(row) }
    }
  }

  private func isSame(_ row: EvaluatedTree.Row, as slot: Int) -> Bool {
    row.slot == slot && nodes[slot].isAlive && row.generation == nodes[slot].generation
  }

  // MARK: What changed

  private func enqueue(
    _ entry: ChangeJournal.Entry, _ queue: inout Queue, _ tree: inout EvaluatedTree
  ) {
    let slot = Int(entry.slot)
    let row = tree.row(ofSlot: slot)
    // In another time of its own, a hidden layer may be in a transition, which shows it.
    if entry.invalidates.contains(.structure) || entry.invalidates.contains(.order)
      || (row < 0 && isTimed(entry))
    {
      queue.moved.append(slot)
    }
    guard row >= 0, isSame(tree.rows[row], as: slot) else { return }
    var next = row
    while next >= 0 {
      enqueue(next, entry, &queue, &tree)
      next = Int(tree.rows[next].nextOfSlot)
    }
  }

  private func enqueue(
    _ row: Int, _ entry: ChangeJournal.Entry, _ queue: inout Queue, _ tree: inout EvaluatedTree
  ) {
    if entry.invalidates.contains(.appearance), tree.rows[row].inside >= 0 {
      queue.repainted.insert(row)
    }
    guard tree.queue(row) || isTimed(entry) else { return }
    withNode(Int(entry.slot), in: nil) { node in
      if isTimed(entry) || tree.rows[row].isBetweenPictures || node.pointee.isMadeAnew {
        queue.remade.append(row)
      } else {
        animate(row, node, in: nil, &tree)
        queue.append(row, isRemade: changesSpace(row, node, &tree))
      }
    }
  }

  /// Whether new values have a layer drawn as a bitmap that was not, or the other way round.
  private func changesSpace(
    _ row: Int, _ node: UnsafePointer<Node>, _ tree: inout EvaluatedTree
  ) -> Bool {
    let animated = tree.rows[row].animated
    let asks =
      animated < 0
      ? LayerValues.asksForBitmap(at: Node.values(at: node))
      : tree.animatedValues.read(animated) { LayerValues.asksForBitmap(at: $0) }
    let isRasterized = tree.rows[row].inside >= 0
    // Most layers do not ask and have none. Others may be refused.
    return (asks || isRasterized) && self.isRasterized(row, in: tree) != isRasterized
  }

  private func isTimed(_ entry: ChangeJournal.Entry) -> Bool {
    entry.invalidates.contains(.timing)
  }

  private func enqueueAnimated(
    isEarlier: Bool, _ queue: inout Queue, _ tree: inout EvaluatedTree
  ) {
    for row in tree.animatedValues.rowsDue(at: tree.time, isEarlier: isEarlier)
    where tree.queue(row) {
      let slot = tree.rows[row].slot
      withNode(slot, in: nil) { node in
        if node.pointee.movesAmongOthers { queue.moved.append(slot) }
        if tree.rows[row].isBetweenPictures || node.pointee.isMadeAnew {
          queue.remade.append(row)
        } else {
          animate(row, node, in: nil, &tree)
          queue.append(row, isRemade: changesSpace(row, node, &tree))
        }
      }
    }
    for sleeper in tree.sleepers.keys.sorted()
    where isEarlier || tree.sleepers[sleeper]! <= tree.time {
      queue.moved.append(sleeper.slot)
    }
  }

  // MARK: Values and transforms

  /// Places the rows whose values changed.
  private func replace(_ queue: Queue, _ sharing: LoopSharing?, in tree: inout EvaluatedTree) {
    // Each row was queued once.
    tree.changes.touchesOnce = tree.changes.touched.isEmpty
    var dirty = queue.dirty.filter { tree.rows[$0].isLive }
    tree.changes.changed += dirty
    tree.changes.touched += dirty
    if let sharing, sharing.isWorth(dirty.count) {
      dirty = placeLeaves(among: dirty, sharing, in: &tree)
    }
    for place in dirty.indices {
      let row = dirty[place]
      if let next = dirty.soon(after: place) { prefetch(row: next, in: tree) }
      if tree.rows[row].isLive {
        replace(row, isRepainted: queue.repainted.contains(row), in: &tree)
      }
    }
  }

  /// Places a row whose values changed and, if that moves it, everything below it. `isRepainted`
  /// tells whether its bitmap, if it has one, may show something else by the same values.
  func replace(_ row: Int, isRepainted: Bool, in tree: inout EvaluatedTree) {
    if tree.rows[row].inside >= 0 {
      renewInside(of: row, isRepainted: isRepainted, in: &tree)
    }
    let isReplicator = tree.replicates(row)
    guard place(row, in: &tree) || isReplicator else { return }
    if isReplicator { renewCopies(below: row, in: &tree) }
    guard tree.hasRowsBelow(row) else { return }
    var below: [Int] = []
    tree.forEachBelow(row) { below.append($0) }
    while let next = below.popLast() {
      guard place(next, in: &tree) else { continue }
      tree.changes.moved.append(next)
      tree.forEachBelow(next) { below.append($0) }
    }
  }

  // MARK: Structure

  /// Makes a row and all below it anew, in the same place.
  private func remake(_ row: Int, in tree: inout EvaluatedTree) {
    let (old, previous) = (tree.rows[row], Int(tree.links[row].previous))
    tree.remove(row)
    let new = makeRows(
      from: PendingRow(
        slot: old.slot, frozen: -1, parent: old.parent, level: old.level,
        role: old.isMask ? .mask : .sublayer),
      in: &tree)
    guard new >= 0 else { return }
    if old.isMask { tree.linkInFront(new) } else { tree.link(new, after: previous) }
    tree.changes.changed.append(new)
  }

  /// Removes the rows of layers that are gone from where these rows lie.
  private func removeMisplaced(_ moved: [Int], in tree: inout EvaluatedTree) {
    for slot in moved {
      var next = tree.row(ofSlot: slot)
      while next >= 0 {
        let row = next
        next = Int(tree.rows[row].nextOfSlot)
        if row != tree.root, !isPlacedAsBefore(tree.rows[row], slot, in: tree) { tree.remove(row) }
      }
    }
  }

  /// Gives layers that may have moved, and their siblings, their rows in order.
  private func relink(around moved: [Int], in tree: inout EvaluatedTree) {
    var done: Set<Int> = []
    for slot in moved where nodes[slot].isAlive && nodes[slot].parent >= 0 {
      let parent = Int(nodes[slot].parent)
      if done.insert(parent).inserted { relink(below: parent, in: &tree) }
    }
  }

  /// Whether a row's layer is still the sublayer or the mask of the same layer.
  private func isPlacedAsBefore(
    _ row: EvaluatedTree.Row, _ slot: Int, in tree: EvaluatedTree
  ) -> Bool {
    isSame(row, as: slot) && row.isMask == nodes[slot].isMask && row.parent >= 0
      && tree.rows[row.parent].slot == Int(nodes[slot].parent)
  }

  /// Gives a layer's sublayers and its mask their rows, in order, wherever the layer is shown.
  private func relink(below slot: Int, in tree: inout EvaluatedTree) {
    var next = tree.row(ofSlot: slot)
    while next >= 0 {
      let row = tree.body(of: next)
      next = Int(tree.rows[next].nextOfSlot)
      guard row >= 0, tree.rows[row].isLive, isSame(tree.rows[row], as: slot) else { continue }
      if let mask = nodes[slot].mask {
        let known = tree.path(of: row) == 0 ? tree.row(ofSlot: Int(mask)) : tree.rows[row].mask
        let mask = shownRow(of: Int(mask), known, .mask, below: row, in: &tree)
        if mask.isNew {
          tree.linkInFront(mask.index)
          // The sublayers of a replicator are its copies', which alone are linked anew below.
          tree.changes.relinked.append(row)
        }
      }
      if tree.replicates(row) {
        for copy in tree.sublayers(of: row) { relinkSublayers(of: slot, below: copy, in: &tree) }
      } else {
        relinkSublayers(of: slot, below: row, in: &tree)
      }
    }
  }

  private func relinkSublayers(of slot: Int, below parent: Int, in tree: inout EvaluatedTree) {
    tree.changes.relinked.append(parent)
    // How the sublayers lay before. Those that stay in that order have not moved.
    let before = tree.sublayers(of: parent)
    for (order, row) in before.enumerated() { tree.rows[row].order = order }
    // The rows below this parent of layers that have several.
    var known: [Int: Int] = [:]
    let isCopied = tree.path(of: parent) != 0
    if isCopied { for row in before { known[tree.rows[row].slot] = row } }
    var (previous, furthest) = (-1, -1)
    let sublayers = sublayersBackToFront(of: slot, in: nil, time: tree.time(ofRow: parent))
    for sublayer in sublayers {
      let row = shownRow(
        of: sublayer, isCopied ? known[sublayer] ?? -1 : tree.row(ofSlot: sublayer), .sublayer,
        below: parent, in: &tree)
      guard row.index >= 0 else { continue }
      if !row.isNew {
        // A layer that changed itself is damaged anyway.
        if !tree.isQueued(row.index) {
          if tree.rows[row.index].order < furthest { tree.changes.changed.append(row.index) }
          furthest = max(furthest, tree.rows[row.index].order)
        }
        tree.unlink(row.index)
      }
      tree.link(row.index, after: previous)
      previous = row.index
    }
  }

  /// The row of a layer below another one's, made if `known` is none; −1 if the layer is hidden.
  private func shownRow(
    of slot: Int, _ known: Int, _ role: Role, below parent: Int, in tree: inout EvaluatedTree
  ) -> (index: Int, isNew: Bool) {
    var row = known
    if row >= 0, tree.rows[row].transition < 0, isHidden(row, in: tree) {
      tree.remove(row)
      row = -1
    }
    guard row < 0 else { return (row, false) }
    let new = makeRows(
      from: PendingRow(
        slot: slot, frozen: -1, parent: parent, level: tree.rows[parent].level + 1, role: role),
      in: &tree)
    if new >= 0 { tree.changes.changed.append(new) }
    return (new, new >= 0)
  }

  private func isHidden(_ row: Int, in tree: EvaluatedTree) -> Bool {
    withValues(of: tree.rows[row], in: tree) { $0.pointee.isHidden }
  }
}
