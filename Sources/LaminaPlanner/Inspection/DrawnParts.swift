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
  private var covers: [Cell: [Int]] = [:]

  /// A square of a group's space.
  private struct Cell: Hashable {
    var group: Int32
    var x: Int
    var y: Int
  }

  /// Pixels of a side of a cell.
  private static let cellSide = 64

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
      min(known.items.lowerBound, part.items.lowerBound)...max(
        known.items.upperBound, part.items.upperBound)
  }

  // MARK: Covers

  /// The row of an opaque item that is painted over all of a part; nil if none is known.
  func cover(of part: Part) -> Int? {
    let cell = Cell(
      group: Int32(part.group), x: part.area.minX / Self.cellSide,
      y: part.area.minY / Self.cellSide)
    for cover in covers[cell] ?? []
    where cover > part.items.upperBound && reads[cover] == reads[part.items.lowerBound]
      && rowsOfItems[cover] >= 0
    {
      if let area = opaqueArea(of: cover), area.contains(part.area) {
        return Int(rowsOfItems[cover])
      }
    }
    return nil
  }

  private func opaqueArea(of item: Int) -> PixelRect? {
    guard groups[item] >= 0, let area = graph.drawn.list.opaqueArea(of: item) else { return nil }
    let whole = area.intersection(areas[item])
    return whole.isEmpty ? nil : whole
  }

  /// Sorts the opaque items into cells, but for those that a later one covers itself.
  private mutating func gatherCovers() {
    for item in graph.drawn.list.items.indices.reversed() {
      guard let area = opaqueArea(of: item) else { continue }
      let (side, group) = (Self.cellSide, groups[item])
      let (left, top) = (area.minX / side, area.minY / side)
      let isCovered = (covers[Cell(group: group, x: left, y: top)] ?? []).contains {
        reads[$0] == reads[item] && (opaqueArea(of: $0)?.contains(area) ?? false)
      }
      if isCovered { continue }
      for y in top...(area.maxY - 1) / side {
        for x in left...(area.maxX - 1) / side {
          covers[Cell(group: group, x: x, y: y), default: []].append(item)
        }
      }
    }
  }
}
