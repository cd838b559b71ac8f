import LaminaFramePlan
import LaminaValues

/// Where a pass stands in the order in which passes are executed. Those of one level need none of
/// each other and are put together by their targets.
struct PassOrder: Comparable {
  /// The groups that have passes in a section are complete in it.
  var section: Int
  /// More than those of the groups in the section that the pass samples.
  var level: Int
  var target: Int

  static func < (a: PassOrder, b: PassOrder) -> Bool {
    (a.section, a.level, a.target) < (b.section, b.level, b.target)
  }
}

extension PassBuilder {
  /// The target of a group that has none. `place` is its place among the open groups; nil if it has
  /// been taken from their end. Then they may be painted up to here, to free a target for it.
  mutating func findTarget(for current: OpenGroup, at place: Int?) -> FramePlan.Target {
    let group = graph.groups[current.group]
    guard group.sharesTarget else {
      plan.offscreens.append(group.region.size)
      return .offscreen(plan.offscreens.count - 1)
    }
    let below = place ?? open.count
    let sampled = Set(current.batches.flatMap { $0.sources.compactMap(\.texture.offscreen) })
    let reader = current.canvas == nil && below > 0 ? open[below - 1] : nil
    /// A target that the group does not sample, and that is not its reader's.
    func take(sparingly: Bool) -> Int? {
      shared.take(
        group.region, for: current.group, readBy: reader?.group, sparingly: sparingly
      ) {
        !sampled.contains($0) && reader?.target != .offscreen($0)
      }
    }
    if shared.movesGroups, canMove(current) {
      return findRoom(for: current, readBy: reader?.group)
    }
    if let target = take(sparingly: place == nil) { return .offscreen(target) }
    if shared.isFull, place == nil {
      paintOpenGroups()
      freeShared(for: current)
    }
    if let target = take(sparingly: false) { return .offscreen(target) }
    let target = addOffscreen(plan.size)
    shared.add(target)
    _ = take(sparingly: false)
    return .offscreen(target)
  }

  private mutating func addOffscreen(_ size: PixelSize) -> Int {
    plan.offscreens.append(size)
    plan.sharedOffscreens.insert(plan.offscreens.count - 1)
    return plan.offscreens.count - 1
  }

  /// Whether a group is small, is painted at once, and has the same pixels wherever that is.
  private func canMove(_ group: OpenGroup) -> Bool {
    let (region, steps) = (graph.groups[group.group].region, graph.groups[group.group].steps)
    return region.area <= plan.size.width * plan.size.height / 8
      && steps.allSatisfy { if case .items = $0 { true } else { false } }
      && group.batches.allSatisfy { batch in
        batch.items.allSatisfy { plan.items.canMove($0, of: batch) }
      }
  }

  /// A narrow target, to which a group is moved.
  private mutating func findRoom(for current: OpenGroup, readBy reader: Int?) -> FramePlan.Target {
    let region = graph.groups[current.group].region
    func take() -> FramePlan.Target? {
      shared.takeRoom(for: region, of: current.group, readBy: reader).map { offscreen, x, y in
        moves[current.group] = (x - region.minX, y - region.minY)
        return .offscreen(offscreen)
      }
    }
    if let target = take() { return target }
    if shared.isNarrowFull(for: region) {
      paintOpenGroups()
      freeShared(for: current)
      if let target = take() { return target }
    }
    let longestSide = min(ledger.profile.maxTextureSize, ItemList.longestSideOfMoves)
    let size = shared.addNarrow(plan.offscreens.count, for: region, longestSide: longestSide)
    _ = addOffscreen(size)
    return take()!
  }

  /// Moves what a pass paints of a group, if the group is moved. What can be moved is put where it
  /// would be then in any case, since which groups are moved depends on what is painted again.
  mutating func put(_ pass: inout FramePlan.Pass, of group: Int) {
    let (x, y) = moves[group] ?? (0, 0)
    pass.parts = pass.parts.map { $0.offset(x: x, y: y) }
    pass.unsampled = pass.unsampled.map { $0.offset(x: x, y: y) }
    for place in pass.batches.indices {
      let batch = pass.batches[place]
      pass.batches[place].scissor = batch.scissor.offset(x: x, y: y)
      for item in batch.items where plan.items.canMove(item, of: batch) {
        plan.items.move(item, x: x, y: y)
      }
    }
  }

  /// Puts what has been drawn of groups in shared targets into the groups that sample them.
  private mutating func paintOpenGroups() {
    for place in open.indices {
      let samplesShared = open[place].batches.contains { batch in
        batch.sources.contains { $0.texture.offscreen.map(shared.contains) ?? false }
      }
      guard samplesShared else { continue }
      var group = open[place]
      open[place].batches = []
      end(&group, at: place)
      open[place] = group
    }
    section += 1
  }

  /// Frees what will not be sampled again. What `current` samples is in no pass yet.
  private mutating func freeShared(for current: OpenGroup) {
    let lastUses = lastUses ?? graph.lastUses(in: plan.items, order)
    self.lastUses = lastUses
    var progress = Dictionary(
      uniqueKeysWithValues: open.map { open in
        (open.group, order?.place(of: open.item) ?? open.item)
      })
    progress[current.group] = 0
    shared.free { group, reader in
      guard progress[group] == nil else { return false }
      return reader.flatMap { progress[$0] }.map { lastUses[group] < $0 } ?? true
    }
  }

  /// Puts the passes into the order in which they are executed, and makes one of those that paint
  /// different parts of a shared target one after another.
  mutating func sortPasses() {
    guard !shared.isEmpty else { return }
    let order = orders.indices.sorted { (orders[$0], $0) < (orders[$1], $1) }
    var joined: [FramePlan.Pass] = []
    let passes = plan.passes
    plan.passes = []
    for pass in order.map({ passes[$0] }) {
      if let first = joined.first, !canJoin(pass, joined, first) {
        plan.passes.append(FramePlan.Pass(joining: joined))
        joined = []
      }
      joined.append(pass)
    }
    if !joined.isEmpty { plan.passes.append(FramePlan.Pass(joining: joined)) }
  }

  private func canJoin(
    _ pass: FramePlan.Pass, _ joined: [FramePlan.Pass], _ first: FramePlan.Pass
  ) -> Bool {
    guard joined.count < Self.mostJoined, pass.target == first.target,
      pass.isCleared == first.isCleared,
      case .offscreen(let index) = pass.target, shared.contains(index)
    else { return false }
    return !joined.contains { other in
      other.parts.contains { part in pass.parts.contains(where: part.meets) }
    }
  }

  /// Number of passes that are made one, at most: each batch is compared with each of the parts.
  private static var mostJoined: Int { 64 }
}

extension FramePlan.Pass {
  /// Paints what some passes paint in parts of one target that lie apart. Batches of the same state
  /// come one after another, so that they can be drawn together.
  fileprivate init(joining passes: [FramePlan.Pass]) {
    self = passes[0]
    guard passes.count > 1 else { return }
    parts = passes.flatMap(\.parts)
    unsampled = passes.flatMap(\.unsampled)
    // Each pass' batches stay in their order: each goes to a later list than the one before it, or
    // to the same.
    var states: [BatchState] = []
    var lists: [[FramePlan.Batch]] = []
    for pass in passes {
      var last = 0
      for batch in pass.batches {
        let state = BatchState(batch)
        if let place = states[last...].firstIndex(of: state) {
          lists[place].append(batch)
          last = place
        } else {
          last = lists.count
          states.append(state)
          lists.append([batch])
        }
      }
    }
    batches = lists.flatMap { $0 }
  }
}

/// What batches have in common that can be drawn together.
private struct BatchState: Equatable {
  let program: FramePlan.Program
  let blend: FramePlan.Blend
  let sources: FramePlan.Sources
  let outlines: OutlineForm
  let isAffine: Bool

  init(_ batch: FramePlan.Batch) {
    (program, blend, sources) = (batch.program, batch.blend, batch.sources)
    (outlines, isAffine) = (batch.outlines, batch.isAffine)
  }
}

extension CompositingGraph {
  /// The group that paints what an item samples, if one does.
  func group(painting content: ItemSource.Content) -> Int? {
    switch content {
    case .group(let group): group
    case .canvas(let number): canvases[number].group
    case .image, .mask, .ramp, .backdrop: nil
    }
  }

  /// The place in the order of painting of the last item that samples each group, or −1.
  fileprivate func lastUses(in list: ItemList, _ order: PaintingOrder?) -> [Int] {
    var uses = [Int](repeating: -1, count: groups.count)
    for (index, item) in list.items.enumerated() {
      for place in 0..<item.program.sourceCount {
        let content = drawn.sources[Int(item.sources[place])].content
        if let group = group(painting: content) {
          uses[group] = max(uses[group], order?.place(of: index) ?? index)
        }
      }
    }
    return uses
  }
}
