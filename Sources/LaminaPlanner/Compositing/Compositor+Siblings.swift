import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

extension Compositor {
  /// Composes a row and the siblings in front of it. Most have nothing below them, and the next one
  /// can follow at once; otherwise it waits for what waits already. Of `isRest`, a part of the
  /// siblings is composed already.
  mutating func compose(rowsFrom first: Int32, isRest: Bool = false, in context: inout Context) {
    let first = painted(from: first, isWhole: context.isWhole)
    let place = waiting.count
    let leaves = leaves(in: context)
    let next: Int32
    // Looking for what is painted takes as long as most parts of a frame do to be composed.
    if !isRest, paintsAll || context.isWhole, let leaves, let sharing,
      let siblings = manyRows(from: first, sharing)
    {
      next = composeTogether(siblings, leaves, sharing, in: &context)
    } else {
      next = compose(from: first, to: -1, leaves, in: &context)
    }
    if next >= 0 { waiting.insert(.rows(next: next, isRest: true, context), at: place) }
  }

  /// Composes a row and the siblings in front of it, up to one, unless a row has others wait.
  /// Returns the next one to compose; −1 for none.
  private mutating func compose(
    from first: Int32, to end: Int32, _ leaves: LeafDrawing?, in context: inout Context
  ) -> Int32 {
    let place = waiting.count
    var next = first
    // Where the items of layers start that are not in the group yet.
    var start = graph.drawn.count
    while next != end, waiting.count == place {
      let row = Int(next)
      next = painted(from: tables!.rows.links[row].next, isWhole: context.isWhole)
      if next >= 0 { tables!.rows.prefetch(Int(next)) }
      let count = graph.drawn.count
      if let leaves, leaves.draw(row, into: &graph.drawn) {
        if graph.drawn.count > count { drawnCount += 1 }
      } else {
        graph.addItems(from: start, to: context.group, scissor: context.visible)
        compose(row: row, in: &context)
        start = graph.drawn.count
      }
    }
    graph.addItems(from: start, to: context.group, scissor: context.visible)
    return next
  }

  /// What draws most of a context's layers; nil if something has to be known of each.
  private func leaves(in context: Context) -> LeafDrawing? {
    guard overlay == nil, record == nil, context.piece == nil else { return nil }
    return LeafDrawing(
      rows: tables!.rows, edges: tables!.edges, format: format, scissor: context.scissor,
      visible: context.visible, opacity: context.opacity, tint: context.tint,
      blend: context.blend, damage: context.isWhole ? nil : tables!.damage)
  }

  // MARK: What is painted

  /// The first row, of a row and the siblings in front of it, that may show in what is painted
  /// again, or is in a group that is painted whole; −1 for none.
  @inline(__always)
  func painted(from first: Int32, isWhole: Bool) -> Int32 {
    paintsAll || isWhole ? first : painted(from: first)
  }

  private func painted(from first: Int32) -> Int32 {
    let (links, painted) = (tables!.rows.links, tables!.painted!)
    var next = first
    while next >= 0, !painted[Int(next)] { next = links[Int(next)].next }
    return next
  }

  // MARK: Together

  /// A row and the siblings in front of it; nil if they are too few to be shared.
  private mutating func manyRows(from first: Int32, _ sharing: LoopSharing) -> [Int32]? {
    guard sharing.threads.count > 1 else { return nil }
    let links = tables!.rows.links
    siblings.removeAll(keepingCapacity: true)
    var next = first
    while next >= 0 {
      siblings.append(next)
      next = links[Int(next)].next
    }
    guard sharing.isWorth(siblings.count) else { return nil }
    var rows: [Int32] = []
    swap(&rows, &siblings)
    return rows
  }

  /// What a thread drew of a part of the siblings.
  private struct DrawnPart {
    /// The thread whose list has the items; −1 for the frame's own.
    var list = -1
    var items = 0..<0
    /// Number of the rows of which something was drawn.
    var drawnCount = 0
    /// The place of the first sibling that was not drawn, since it is more than a leaf.
    var end = 0
  }

  /// Composes siblings, the leaves among them on several threads. Returns the row from which on
  /// they have to wait; −1 for none.
  private mutating func composeTogether(
    _ siblings: [Int32], _ leaves: LeafDrawing, _ sharing: LoopSharing,
    in context: inout Context
  ) -> Int32 {
    var parts = [DrawnPart](
      repeating: DrawnPart(), count: sharing.partCount(of: siblings.count))
    let first = graph.drawn.count
    // Taken out, so that the threads can have them; and some siblings may have others of their own
    // that are composed in this way.
    var (drawn, lists) = (DrawnItems(), [DrawnItems]())
    swap(&drawn, &graph.drawn)
    swap(&lists, &threadItems)
    while lists.count < sharing.threads.count { lists.append(DrawnItems()) }
    for thread in lists.indices { lists[thread].startAgain() }
    siblings.withUnsafeBufferPointer { siblings in
      withUnsafeMutablePointer(to: &drawn) { drawn in
        lists.withUnsafeMutableBufferPointer { lists in
          parts.withUnsafeMutableBufferPointer { parts in
            // Only this thread uses it.
            var isInOrder = true
            sharing.share(siblings.count) { places, part, thread in
              let isOwn = thread == 0 && isInOrder
              let list = isOwn ? drawn : lists.baseAddress! + thread
              let drawn = leaves.draw(siblings, places, into: list)
              parts[part] = DrawnPart(
                list: isOwn ? -1 : thread, items: drawn.items, drawnCount: drawn.drawnCount,
                end: drawn.end)
              if isOwn { isInOrder = drawn.end == places.upperBound }
            }
          }
        }
      }
    }
    swap(&drawn, &graph.drawn)
    graph.addItems(from: first, to: context.group, scissor: context.visible)
    let next = join(parts, of: siblings, sharing.part, lists, leaves, in: &context)
    threadItems = lists
    return next
  }

  /// Adds what threads drew of siblings, and composes the others in their places. Returns as above.
  private mutating func join(
    _ parts: [DrawnPart], of siblings: [Int32], _ size: Int, _ lists: [DrawnItems],
    _ leaves: LeafDrawing, in context: inout Context
  ) -> Int32 {
    var offsets = [ItemOffsets?](repeating: nil, count: lists.count)
    let place = waiting.count
    for (index, part) in parts.enumerated() {
      drawnCount += part.drawnCount
      if part.list >= 0, !part.items.isEmpty {
        let start = graph.drawn.count
        if offsets[part.list] == nil {
          offsets[part.list] = graph.drawn.list.append(tablesOf: lists[part.list].list)
        }
        graph.drawn.list.append(part.items, of: lists[part.list].list, by: offsets[part.list]!)
        graph.addItems(from: start, to: context.group, scissor: context.visible)
      }
      let end = min((index + 1) * size, siblings.count)
      guard part.end < end else { continue }
      let next = compose(
        from: siblings[part.end], to: end < siblings.count ? siblings[end] : -1, leaves,
        in: &context)
      if waiting.count > place { return next }
    }
    return -1
  }
}

extension LeafDrawing {
  /// Draws siblings up to the first one that is more than a leaf, or all. Returns the items, the
  /// number of rows that have any, and the place where it stopped.
  fileprivate func draw(
    _ siblings: UnsafeBufferPointer<Int32>, _ places: Range<Int>,
    into drawn: UnsafeMutablePointer<DrawnItems>
  ) -> (items: Range<Int>, drawnCount: Int, end: Int) {
    let first = drawn.pointee.count
    var drawnCount = 0
    for place in places {
      if place + 4 < siblings.count { rows.prefetch(Int(siblings[place + 4])) }
      let count = drawn.pointee.count
      guard draw(Int(siblings[place]), into: &drawn.pointee) else {
        return (first..<count, drawnCount, place)
      }
      if drawn.pointee.count > count { drawnCount += 1 }
    }
    return (first..<drawn.pointee.count, drawnCount, places.upperBound)
  }
}
