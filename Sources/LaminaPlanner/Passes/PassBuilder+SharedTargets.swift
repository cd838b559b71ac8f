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
    /// A target that the group does not sample, and that is not its reader's.
    func take() -> Int? {
      let reader = current.canvas == nil && below > 0 ? open[below - 1] : nil
      return shared.take(group.region, for: current.group, readBy: reader?.group) {
        !sampled.contains($0) && reader?.target != .offscreen($0)
      }
    }
    if let target = take() { return .offscreen(target) }
    if shared.isFull, place == nil {
      paintOpenGroups()
      freeShared(for: current)
      if let target = take() { return .offscreen(target) }
    }
    plan.offscreens.append(plan.size)
    plan.sharedOffscreens.insert(plan.offscreens.count - 1)
    shared.add(plan.offscreens.count - 1)
    _ = take()
    return .offscreen(plan.offscreens.count - 1)
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
    let lastUses = lastUses ?? graph.lastUses(in: plan.items)
    self.lastUses = lastUses
    var progress = Dictionary(uniqueKeysWithValues: open.map { ($0.group, $0.item) })
    progress[current.group] = 0
    shared.free { group, reader in
      guard progress[group] == nil else { return false }
      return reader.flatMap { progress[$0] }.map { lastUses[group] < $0 } ?? true
    }
  }

  /// Puts the passes into the order in which they are executed.
  mutating func sortPasses() {
    guard !shared.isEmpty else { return }
    let order = orders.indices.sorted { (orders[$0], $0) < (orders[$1], $1) }
    plan.passes = order.map { plan.passes[$0] }
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

  /// The last item that samples each group, or −1.
  fileprivate func lastUses(in list: ItemList) -> [Int] {
    var uses = [Int](repeating: -1, count: groups.count)
    for (index, item) in list.items.enumerated() {
      for place in 0..<item.program.sourceCount {
        let content = drawn.sources[Int(item.sources[place])].content
        if let group = group(painting: content) { uses[group] = index }
      }
    }
    return uses
  }
}
