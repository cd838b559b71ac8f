import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

/// What each row of a composed tree paints, where, and what hides it.
struct DrawnParts {
  /// What is painted into one group for a row and all below it.
  struct Part {
    var group: Int
    /// The items from the first to the last, which need not all be of these rows.
    var items: ClosedRange<Int>
    /// The pixels that they touch.
    var area: PixelRect
  }

  /// What a row paints by itself.
  struct Own {
    var items = 0
    var groups = 0
    var pixels = 0
    var blendedPixels = 0
    /// What its items sample.
    var sources: Set<ItemSource.Content> = []
  }

  private let graph: CompositingGraph
  private let rowsOfItems: [Int32]
  private let rowsOfGroups: [Int32]
  /// By item: its group, −1 if nothing of it is painted; how often the group was read before; and
  /// the pixels that it touches.
  private var groups: [Int32]
  private var reads: [Int32]
  private var areas: [PixelRect]
  private(set) var own: [Own]
  /// By row: what it and all below it paint into groups that were not made for them.
  private(set) var parts: [[Part]]
  /// The opaque items, but for those that a later one covers itself, the last one first.
  private var covers: [Cell: [Cover]] = [:]

  private struct Cover {
    var item: Int
    var reads: Int32
    var area: PixelRect
  }

  /// A square of a group's space that opaque items of one size meet, so that few others do.
  private struct Cell: Hashable {
    var group: Int32
    /// The items are up to 2 to the power of this wide or high, and not half as much.
    var level: Int
    var x: Int
    var y: Int

    init(group: Int32, level: Int, x: Int, y: Int) {
      (self.group, self.level, self.x, self.y) = (group, level, x, y)
    }

    /// The cell with a pixel.
    init(group: Int32, level: Int, at x: Int, _ y: Int) {
      let side = Self.side(level)
      self.init(
        group: group, level: level, x: Self.divided(x, by: side), y: Self.divided(y, by: side))
    }

    static func side(_ level: Int) -> Int { max((1 << level) >> 2, 1) }

    /// Rounded down.
    static func divided(_ number: Int, by side: Int) -> Int {
      Int((Double(number) / Double(side)).rounded(.down))
    }

    static func level(of area: PixelRect) -> Int {
      let longest = max(area.width, area.height, 1)
      return Int.bitWidth - (longest - 1).leadingZeroBitCount
    }
  }

  /// The level of the largest opaque item.
  private var highestLevel = 0

  init(_ graph: CompositingGraph, _ record: CompositionRecord, in evaluated: EvaluatedTree) {
    self.graph = graph
    (rowsOfItems, rowsOfGroups) = (record.rowsOfItems, record.rowsOfGroups)
    groups = [Int32](repeating: -1, count: graph.drawn.count)
    reads = [Int32](repeating: 0, count: graph.drawn.count)
    areas = [PixelRect](repeating: .empty, count: graph.drawn.count)
    own = [Own](repeating: Own(), count: evaluated.rows.count)
    parts = [[Part]](repeating: [], count: evaluated.rows.count)
    placeItems()
    measureRows(in: evaluated)
    gatherCovers()
  }

  // MARK: Items

  private mutating func placeItems() {
    var known: [Bool?] = Array(repeating: nil, count: graph.groups.count)
    for (number, group) in graph.groups.enumerated() {
      var readCount: Int32 = 0
      for step in group.steps {
        guard case .items(let items, let scissor) = step else {
          readCount += 1
          continue
        }
        let visible = scissor.intersection(group.region)
        for item in items {
          let area = graph.drawn.list.items[item].box.intersection(visible)
          reads[item] = readCount
          guard !area.isEmpty, !isLeftOut(item, &known) else { continue }
          (groups[item], areas[item]) = (Int32(number), area)
        }
      }
    }
  }

  /// Whether an item samples only groups in which nothing is drawn.
  private func isLeftOut(_ index: Int, _ known: inout [Bool?]) -> Bool {
    let item = graph.drawn.list.items[index]
    let count = item.program.sourceCount
    guard count > 0 else { return false }
    var missing = 0
    for place in 0..<count {
      if case .group(let group) = graph.drawn.sources[Int(item.sources[place])].content,
        isEmpty(group, &known)
      {
        missing += 1
      }
    }
    return item.program == .groupMix ? missing == count : missing > 0
  }

  /// As deep as groups nest, which is bounded.
  private func isEmpty(_ group: Int, _ known: inout [Bool?]) -> Bool {
    if let known = known[group] { return known }
    if graph.groups[group].isKept { return false }
    let isEmpty = graph.groups[group].steps.allSatisfy { step in
      guard case .items(let items, let scissor) = step else { return false }
      let visible = scissor.intersection(graph.groups[group].region)
      return items.allSatisfy {
        !graph.drawn.list.items[$0].box.meets(visible) || isLeftOut($0, &known)
      }
    }
    known[group] = isEmpty
    return isEmpty
  }

  // MARK: Rows

  private mutating func measureRows(in evaluated: EvaluatedTree) {
    for row in rowsOfGroups where row >= 0 { own[Int(row)].groups += 1 }
    for item in graph.drawn.list.items.indices where groups[item] >= 0 {
      let row = Int(rowsOfItems[item])
      guard row >= 0 else { continue }
      let pixels = areas[item].width * areas[item].height
      let drawn = graph.drawn.list.items[item]
      own[row].items += 1
      own[row].pixels += pixels
      if drawn.blend != .copy { own[row].blendedPixels += pixels }
      for place in 0..<drawn.program.sourceCount {
        own[row].sources.insert(graph.drawn.sources[Int(drawn.sources[place])].content)
      }
      let group = Int(groups[item])
      if Int(rowsOfGroups[group]) != row {
        add(Part(group: group, items: item...item, area: areas[item]), to: row)
      }
    }
    guard evaluated.root >= 0 else { return }
    for row in evaluated.subtree(of: evaluated.root).reversed() {
      let parent = evaluated.rows[row].parent
      guard parent >= 0 else { continue }
      for part in parts[row] where Int(rowsOfGroups[part.group]) != parent {
        add(part, to: parent)
      }
    }
  }

  private mutating func add(_ part: Part, to row: Int) {
    guard let place = parts[row].firstIndex(where: { $0.group == part.group }) else {
      parts[row].append(part)
      return
    }
    let known = parts[row][place]
    parts[row][place].area = known.area.union(part.area)
    parts[row][place].items =
      min(
        known.items.lowerBound, part.items.lowerBound)...max(
        known.items.upperBound, part.items.upperBound)
  }

  // MARK: Covers

  /// The row of an opaque item that is painted over all of a part; nil if none is known.
  func cover(of part: Part) -> Int? {
    cover(
      of: part.area, Int32(part.group), reads: reads[part.items.lowerBound],
      after: part.items.upperBound
    ).map { Int(rowsOfItems[$0]) }
  }

  /// An item that covers an area of a group, and is painted after another one but before the group
  /// is read again.
  private func cover(
    of area: PixelRect, _ group: Int32, reads: Int32, after item: Int
  ) -> Int? {
    let lowest = Cell.level(of: area)
    guard lowest <= highestLevel else { return nil }
    for level in lowest...highestLevel {
      let cell = Cell(group: group, level: level, at: area.minX, area.minY)
      for cover in covers[cell] ?? [] {
        if cover.item > item, cover.reads == reads, cover.area.contains(area),
          rowsOfItems[cover.item] >= 0
        {
          return cover.item
        }
      }
    }
    return nil
  }

  private mutating func gatherCovers() {
    for item in graph.drawn.list.items.indices.reversed() where groups[item] >= 0 {
      guard let whole = graph.drawn.list.opaqueArea(of: item) else { continue }
      let area = whole.intersection(areas[item])
      let (group, reads) = (groups[item], reads[item])
      guard !area.isEmpty, cover(of: area, group, reads: reads, after: item) == nil else {
        continue
      }
      let level = Cell.level(of: area)
      highestLevel = max(highestLevel, level)
      let first = Cell(group: group, level: level, at: area.minX, area.minY)
      let last = Cell(group: group, level: level, at: area.maxX - 1, area.maxY - 1)
      for y in first.y...last.y {
        for x in first.x...last.x {
          covers[Cell(group: group, level: level, x: x, y: y), default: []].append(
            Cover(item: item, reads: reads, area: area))
        }
      }
    }
  }
}
