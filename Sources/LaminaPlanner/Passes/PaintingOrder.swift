import LaminaFramePlan
import LaminaValues

/// An order in which groups are painted many at a time: first all that lie over none of the others,
/// then those that lie only over these, and so on. Those of a level lie apart, so that one target
/// holds them, and are drawn together.
///
/// No pixel depends on the order: of items that meet, those behind are painted first, as before.
struct PaintingOrder {
  /// Number of units beyond which a group keeps its order: each is compared with all before it.
  private static let mostUnits = 512

  /// The steps of the groups whose order is another one.
  private(set) var steps: [Int: [CompositingGraph.Step]] = [:]
  /// For each item the one in whose place it is painted.
  private var places: [Int]

  /// An item of a group, which is painted within a scissor.
  private struct Entry {
    var item: Int
    var scissor: PixelRect
    var unit: Int
  }

  /// Items one after another that draw the same group, or one that draws none.
  private struct Unit {
    var group: Int?
    var box: PixelRect
    /// More than those of all units before it that meet it.
    var level = 0
  }

  /// nil if the graph's own order is as good: if no group paints several groups that share targets.
  init?(_ graph: CompositingGraph, _ list: ItemList) {
    guard graph.groups.contains(where: \.sharesTarget) else { return nil }
    places = Array(list.items.indices)
    var owners = [Int32](repeating: -1, count: list.items.count)
    for (number, group) in graph.groups.enumerated() {
      for index in group.drawnBeside.joined() { owners[index] = Int32(number) }
    }
    for (number, group) in graph.groups.enumerated() where Self.canOrder(group, in: graph, list) {
      guard let (entries, units) = Self.units(of: group, in: graph, list, owners) else { continue }
      // By level, then by program; the last bits are the place before.
      let keys = entries.enumerated().map { place, entry in
        UInt64(units[entry.unit].level) << 48
          | UInt64(list.items[entry.item].program.rawValue) << 40 | UInt64(place)
      }
      let sorted = keys.sorted().map { entries[Int($0 & (1 << 40 - 1))] }
      for (entry, other) in zip(sorted, entries) { places[entry.item] = other.item }
      steps[number] = Self.steps(of: sorted)
    }
    if steps.isEmpty { return nil }
  }

  /// The item in whose place one is painted: itself if it is none of the graph's.
  func place(of item: Int) -> Int { item < places.count ? places[item] : item }

  private static func canOrder(
    _ group: CompositingGraph.Group, in graph: CompositingGraph, _ list: ItemList
  ) -> Bool {
    var samples = 0
    for step in group.steps {
      guard case .items(let range, _) = step else { return false }
      for item in range where graph.sharedGroup(sampledBy: list.items[item]) != nil {
        samples += 1
      }
    }
    return samples > 1
  }

  /// nil if there are too many.
  private static func units(
    of group: CompositingGraph.Group, in graph: CompositingGraph, _ list: ItemList,
    _ owners: [Int32]
  ) -> (entries: [Entry], units: [Unit])? {
    var entries: [Entry] = []
    entries.reserveCapacity(group.steps.reduce(0) { $0 + $1.itemCount })
    var units: [Unit] = []
    for case .items(let items, let scissor) in group.steps {
      for item in items {
        let box = list.items[item].box
        let owner = owners[item] >= 0 ? Int(owners[item]) : nil
        let drawn = owner ?? graph.sharedGroup(sampledBy: list.items[item])
        if let last = units.last, drawn != nil, last.group == drawn {
          units[units.count - 1].box = last.box.union(box)
        } else {
          if units.count == mostUnits { return nil }
          units.append(Unit(group: drawn, box: box))
        }
        entries.append(Entry(item: item, scissor: scissor, unit: units.count - 1))
      }
    }
    for place in units.indices {
      for before in units[..<place]
      where before.level >= units[place].level && before.box.meets(units[place].box) {
        units[place].level = before.level + 1
      }
    }
    return (entries, units)
  }

  private static func steps(of entries: [Entry]) -> [CompositingGraph.Step] {
    entries.reduce(into: []) { steps, entry in
      if case .items(let items, entry.scissor) = steps.last, items.upperBound == entry.item {
        steps[steps.count - 1] = .items(
          items.lowerBound..<entry.item + 1, scissor: entry.scissor)
      } else {
        steps.append(.items(entry.item..<entry.item + 1, scissor: entry.scissor))
      }
    }
  }
}

extension CompositingGraph {
  /// The first group that an item samples, if it may be painted beside others.
  fileprivate func sharedGroup(sampledBy item: Item) -> Int? {
    for place in 0..<item.program.sourceCount {
      let source = drawn.sources[Int(item.sources[place])]
      if let group = group(painting: source.content), groups[group].sharesTarget { return group }
    }
    return nil
  }
}
