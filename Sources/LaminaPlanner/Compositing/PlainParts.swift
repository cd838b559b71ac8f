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

  /// For each group, those of its parts that are as large as is worth it, disjoint.
  private var parts: [Int: [Part]] = [:]
  /// The items that sample each group that has parts.
  private var samplers: [Int: [Int]] = [:]

  /// Finds the parts of all groups whose pixels are sampled in their own places.
  init(of graph: CompositingGraph) {
    guard graph.groups.count > 1 else { return }
    var samplers = [[Int]](repeating: [], count: graph.groups.count)
    var isElsewhere = [Bool](repeating: false, count: graph.groups.count)
    for (index, item) in graph.drawn.list.items.enumerated() {
      for place in 0..<item.program.sourceCount {
        let source = graph.drawn.sources[Int(item.sources[place])]
        guard let group = graph.group(painting: source.content) else { continue }
        let region = graph.groups[group].region
        if item.program.hasKernel || (source.originX, source.originY) != (region.minX, region.minY)
        {
          isElsewhere[group] = true
        }
        samplers[group].append(index)
      }
    }
    var covers: [PixelRect] = []
    covers.reserveCapacity(Self.mostItems)
    for group in graph.groups.indices where !samplers[group].isEmpty && !isElsewhere[group] {
      let found = Self.parts(of: group, in: graph, &covers)
      if found.isEmpty { continue }
      parts[group] = found
      self.samplers[group] = samplers[group]
    }
  }

  /// `covers` is memory for where later items paint.
  private static func parts(
    of number: Int, in graph: CompositingGraph, _ covers: inout [PixelRect]
  ) -> [Part] {
    let region = graph.groups[number].region
    // A canvas is drawn by later frames too.
    guard case .offscreen = graph.groups[number].target, region.area >= leastArea else {
      return []
    }
    var parts: [Part] = []
    covers.removeAll(keepingCapacity: true)
    for step in graph.groups[number].steps.reversed() {
      guard case .items(let items, let scissor) = step else { return [] }
      let painted = scissor.intersection(region)
      for index in items.reversed() {
        if covers.count == mostItems || parts.count == mostParts { return parts }
        let box = graph.drawn.list.items[index].box.intersection(painted)
        if box.area >= leastArea, let color = graph.drawn.list.opaqueColor(of: index) {
          let areas = graph.drawn.list.opaqueAreas(of: index)
          let rect = largestPart(
            of: areas.0.intersection(painted), areas.1.intersection(painted), outside: covers)
          if rect.area >= leastArea { parts.append(Part(rect: rect, color: color)) }
        }
        if !box.isEmpty { covers.append(box) }
      }
    }
    return parts
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
    list.items.reserveCapacity(items.count + 8 * parts.count)
    var beside: [(group: Int, items: Range<Int>)] = []
    // The place of each of the old items in the new list.
    var places: [Int] = []
    places.reserveCapacity(items.count + 1)
    for (index, item) in items.enumerated() {
      places.append(list.items.count)
      guard item.program == .group, let rect = list.wholePixels(of: item),
        let group = graph.group(painting: graph.drawn.sources[Int(item.sources.x)].content),
        let parts = parts[group]
      else {
        list.items.append(item)
        continue
      }
      var rest = [rect]
      var fills: [(rect: PixelRect, color: UInt32)] = []
      for part in parts {
        let inside = part.rect.intersection(rect)
        guard inside.area >= Self.leastArea, let color = item.color.times(part.color) else {
          continue
        }
        fills.append((inside, color))
        rest = rest.outside(inside)
      }
      if fills.isEmpty {
        list.items.append(item)
        continue
      }
      for piece in rest { list.add(item, piece, within: piece) }
      let first = list.items.count
      for (rect, color) in fills {
        let covers = color >> 24 == 255 && item.blend == .sourceOver
        list.add(
          Item(.solid, blend: covers ? .copy : item.blend, color: .bytes(color)), rect, within: rect
        )
        let others = samplers[group]?.lazy.filter { $0 != index } ?? []
        if !others.contains(where: { items[$0].box.meets(rect) }) {
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
