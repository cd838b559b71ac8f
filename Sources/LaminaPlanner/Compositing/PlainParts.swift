import LaminaFramePlan
import LaminaValues

/// Parts of groups in which all pixels have one opaque colour, such as the middle of a card. They
/// are drawn in that colour: it takes less time than painting them in the group's target and
/// reading them from there, pixel by pixel.
///
/// No byte depends on it: the colour is what the target would hold, times the item's, as the device
/// rounds that.
struct PlainParts {
  /// Number of a group's last items that are looked at.
  private static let mostItems = 32
  private static let mostParts = 4
  /// Smallest part that is worth its own draw, and those around it, in pixels.
  private static let leastArea = 4096

  private struct Part {
    var rect: PixelRect
    /// As in `ItemColor.bytes`.
    var color: UInt32
  }

  /// Those of all groups that are as large as is worth it. Those of a group are disjoint.
  private var parts: [Part] = []
  /// For each group its range of the parts.
  private var ranges: [Range<Int>] = []
  /// The items that sample each group that several sample.
  private var samplers: [Int: [Int]] = [:]

  /// Finds the parts of all groups whose pixels are sampled in their own places.
  init(of graph: CompositingGraph) {
    guard graph.groups.count > 1 else { return }
    var firstSamplers = [Int?](repeating: nil, count: graph.groups.count)
    var isElsewhere = [Bool](repeating: false, count: graph.groups.count)
    for index in graph.drawn.list.items.indices {
      let program = graph.drawn.list.items[index].program
      for place in 0..<program.sourceCount {
        let source = graph.drawn.sources[Int(graph.drawn.list.items[index].sources[place])]
        guard let group = graph.group(painting: source.content) else { continue }
        let region = graph.groups[group].region
        if program.hasKernel || (source.originX, source.originY) != (region.minX, region.minY) {
          isElsewhere[group] = true
        }
        if let first = firstSamplers[group] {
          samplers[group, default: [first]].append(index)
        } else {
          firstSamplers[group] = index
        }
      }
    }
    var covers: [PixelRect] = []
    covers.reserveCapacity(Self.mostItems)
    for group in graph.groups.indices {
      let first = parts.count
      if firstSamplers[group] != nil, !isElsewhere[group] {
        addParts(of: graph.groups[group], graph.drawn.list, &covers)
      }
      ranges.append(first..<parts.count)
    }
  }

  /// `covers` is memory for where later items paint.
  private mutating func addParts(
    of group: CompositingGraph.Group, _ list: ItemList, _ covers: inout [PixelRect]
  ) {
    // A canvas is drawn by later frames too.
    guard case .offscreen = group.target, group.region.area >= Self.leastArea else { return }
    let first = parts.count
    covers.removeAll(keepingCapacity: true)
    for step in group.steps.reversed() {
      guard case .items(let items, let scissor) = step else {
        parts.removeSubrange(first...)
        return
      }
      let painted = scissor.intersection(group.region)
      for index in items.reversed() {
        if covers.count == Self.mostItems || parts.count - first == Self.mostParts { return }
        let box = list.items[index].box.intersection(painted)
        if box.area >= Self.leastArea, let color = list.opaqueColor(of: index),
          Self.part(of: box, outside: covers).area >= Self.leastArea
        {
          let areas = list.opaqueAreas(of: index)
          let rect = Self.largestPart(
            of: areas.0.intersection(painted), areas.1.intersection(painted), outside: covers)
          if rect.area >= Self.leastArea { parts.append(Part(rect: rect, color: color)) }
        }
        if !box.isEmpty { covers.append(box) }
      }
    }
  }

  /// The larger of the parts of two rectangles that none of the covers meets.
  private static func largestPart(
    of first: PixelRect, _ second: PixelRect, outside covers: [PixelRect]
  ) -> PixelRect {
    let (larger, smaller) = first.area >= second.area ? (first, second) : (second, first)
    let part = part(of: larger, outside: covers)
    // Most often nothing hides it.
    if part.area >= smaller.area { return part }
    let other = self.part(of: smaller, outside: covers)
    return part.area >= other.area ? part : other
  }

  /// A rectangle in another one that none of the covers meets: of what lies beside each of them in
  /// turn, what is largest. Once it is too small, nothing more is taken from it.
  private static func part(of rect: PixelRect, outside covers: [PixelRect]) -> PixelRect {
    var part = rect
    for cover in covers where cover.meets(part) {
      part = part.largestPart(beside: cover)
      if part.area < leastArea { break }
    }
    return part
  }

  /// Draws them by items of their own in the place of those that sample them.
  func replaceItems(of graph: inout CompositingGraph) {
    if parts.isEmpty { return }
    var list = ItemList()
    swap(&list, &graph.drawn.list)
    let items = list.items
    list.items = []
    list.items.reserveCapacity(items.count + 4 * parts.count)
    var rest = PixelRegion()
    var fills: [(rect: PixelRect, color: UInt32)] = []
    var beside: [(group: Int, items: Range<Int>)] = []
    // The place of each of the old items in the new list.
    var places: [Int] = []
    places.reserveCapacity(items.count + 1)
    for index in items.indices {
      places.append(list.items.count)
      guard items[index].program == .group,
        let group = graph.group(painting: graph.drawn.sources[Int(items[index].sources.x)].content),
        !ranges[group].isEmpty, let rect = list.wholePixels(of: items[index])
      else {
        list.items.append(items[index])
        continue
      }
      let item = items[index]
      rest.set(rect)
      fills.removeAll(keepingCapacity: true)
      for part in parts[ranges[group]] {
        let inside = part.rect.intersection(rect)
        guard inside.area >= Self.leastArea, let color = item.color.times(part.color) else {
          continue
        }
        fills.append((inside, color))
        rest.subtract(inside)
      }
      if fills.isEmpty {
        list.items.append(item)
        continue
      }
      for piece in rest.rects { list.add(item, piece, within: piece) }
      let first = list.items.count
      for (rect, color) in fills {
        let covers = color >> 24 == 255 && item.blend == .sourceOver
        list.add(
          Item(.solid, blend: covers ? .copy : item.blend, color: .bytes(color)), rect, within: rect
        )
        let isSampled = samplers[group]?.contains { $0 != index && items[$0].box.meets(rect) }
        if isSampled != true {
          graph.groups[group].unsampled.append(rect)
        }
      }
      beside.append((group, first..<list.items.count))
    }
    places.append(list.items.count)
    swap(&list, &graph.drawn.list)
    for group in graph.groups.indices {
      graph.groups[group].drawnBeside = graph.groups[group].drawnBeside.map {
        places[$0.lowerBound]..<places[$0.upperBound]
      }
      for step in graph.groups[group].steps.indices {
        if case .items(let range, let scissor) = graph.groups[group].steps[step] {
          graph.groups[group].steps[step] = .items(
            places[range.lowerBound]..<places[range.upperBound], scissor: scissor)
        }
      }
    }
    for (group, items) in beside { graph.groups[group].drawnBeside.append(items) }
  }
}

extension PixelRect {
  /// The largest rectangle in this one that another, which meets it, does not meet.
  fileprivate func largestPart(beside other: PixelRect) -> PixelRect {
    var largest = PixelRect.empty
    func consider(_ part: PixelRect) {
      if part.area > largest.area { largest = part }
    }
    consider(PixelRect(minX: minX, minY: minY, maxX: other.minX, maxY: maxY))
    consider(PixelRect(minX: other.maxX, minY: minY, maxX: maxX, maxY: maxY))
    consider(PixelRect(minX: minX, minY: minY, maxX: maxX, maxY: other.minY))
    consider(PixelRect(minX: minX, minY: other.maxY, maxX: maxX, maxY: maxY))
    return largest
  }
}

extension ItemColor {
  /// The product with another colour as a target of 8 bits stores it; nil if that is not certain:
  /// for some 24 bytes, llvmpipe rounds one product down that is just above the middle.
  fileprivate func times(_ color: UInt32) -> UInt32? {
    guard case .bytes(let own) = self else { return nil }
    var bytes: UInt32 = 0
    for shift: UInt32 in [0, 8, 16, 24] {
      let product = (own >> shift & 255) * (color >> shift & 255)
      let nearest = (product + 127) / 255
      guard (product + product >> 8 + 128) >> 8 == nearest else { return nil }
      bytes |= nearest << shift
    }
    return bytes
  }
}
