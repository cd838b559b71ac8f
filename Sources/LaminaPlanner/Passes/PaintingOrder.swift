import LaminaFramePlan
import LaminaValues

/// An order in which groups are painted a few at a time: first all that lie over none of the others,
/// then those that lie only over these, and so on. Those of a level lie apart, so that one target
/// holds them, and are drawn together. No pixel depends on the order, since an item stays behind
/// those that meet it and came after it.
struct PaintingOrder {
  /// Number of units that are put into an order at a time: each is compared with all before it.
  private static let most = 256

  /// The steps of the groups whose order is another one.
  private(set) var steps: [Int: [CompositingGraph.Step]] = [:]
  /// For each item the one in whose place it is painted.
  private var places: [Int]

  /// An item of a step, which is painted within a scissor.
  private struct Entry {
    var item: Int
    var scissor: PixelRect
    /// The group that it samples, if that shares a target.
    var group: Int?
    var level = 0
  }

  /// Items one after another that sample the same group.
  private struct Unit {
    var entries: Range<Int>
    var box: PixelRect
    /// More than those of all units before it that meet it.
    var level = 0
  }

  /// nil if the graph's own order is as good: if no group paints several groups that share targets.
  init?(_ graph: CompositingGraph, _ list: ItemList) {
    guard graph.groups.contains(where: \.sharesTarget) else { return nil }
    places = Array(list.items.indices)
    for (number, group) in graph.groups.enumerated() {
      var entries: [Entry] = []
      var samples = 0
      for case .items(let items, let scissor) in group.steps {
        for item in items {
          let group = graph.sharedGroup(sampledBy: list.items[item])
          if group != nil { samples += 1 }
          entries.append(Entry(item: item, scissor: scissor, group: group))
        }
      }
      let isRead = group.steps.contains { if case .isRead = $0 { true } else { false } }
      if samples > 1, !isRead { steps[number] = order(&entries, of: list) }
    }
    if steps.isEmpty { return nil }
  }

  /// The item in whose place one is painted: itself if it is none of the graph's.
  func place(of item: Int) -> Int { item < places.count ? places[item] : item }

  private mutating func order(
    _ entries: inout [Entry], of list: ItemList
  ) -> [CompositingGraph.Step] {
    let items = entries.map(\.item)
    var rest = entries.indices
    while !rest.isEmpty {
      let units = Self.units(of: entries[rest], list)
      let range = rest.lowerBound..<(units.last?.entries.upperBound ?? rest.upperBound)
      for unit in units { for entry in unit.entries { entries[entry].level = unit.level } }
      entries[range].sort { one, other in
        let (a, b) = (list.items[one.item].program, list.items[other.item].program)
        return (one.level, a.rawValue, one.item) < (other.level, b.rawValue, other.item)
      }
      rest = range.upperBound..<rest.upperBound
    }
    for (entry, place) in zip(entries, items) { places[entry.item] = place }
    return entries.reduce(into: []) { steps, entry in
      if case .items(let items, entry.scissor) = steps.last, items.upperBound == entry.item {
        steps[steps.count - 1] = .items(
          items.lowerBound..<entry.item + 1, scissor: entry.scissor)
      } else {
        steps.append(.items(entry.item..<entry.item + 1, scissor: entry.scissor))
      }
    }
  }

  /// The first units of some entries, with their levels.
  private static func units(of entries: ArraySlice<Entry>, _ list: ItemList) -> [Unit] {
    var units: [Unit] = []
    for (place, entry) in zip(entries.indices, entries) {
      let box = list.items[entry.item].box
      if let last = units.last, let group = entry.group,
        group == entries[last.entries.lowerBound].group
      {
        units[units.count - 1].entries = last.entries.lowerBound..<place + 1
        units[units.count - 1].box = last.box.union(box)
      } else {
        if units.count == most { break }
        units.append(Unit(entries: place..<place + 1, box: box))
      }
    }
    for place in units.indices {
      for before in units[..<place]
      where before.level >= units[place].level && before.box.meets(units[place].box) {
        units[place].level = before.level + 1
      }
    }
    return units
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
