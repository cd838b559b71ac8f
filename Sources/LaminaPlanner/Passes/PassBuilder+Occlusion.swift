import LaminaFramePlan
import LaminaValues

extension PassBuilder {
  /// The items of a group that need not be painted: those since the group began, or was last read,
  /// over which one item is painted that is opaque and covers all that is painted again.
  ///
  /// Items are left out as they are, and never cut: the pixels of those that stay must not depend
  /// on what is painted again.
  func hiddenItems(of group: Int) -> Range<Int> {
    let region = graph.groups[group].region
    let painted = parts(of: group).map { $0.offset(x: region.minX, y: region.minY) }
    var (first, hidden) = (nil as Int?, 0..<0)
    for step in graph.groups[group].steps {
      guard case .items(let items, let scissor) = step else {
        // What has been read must be there.
        first = nil
        continue
      }
      if first == nil { first = items.lowerBound }
      guard let start = first, painted.allSatisfy(scissor.contains) else { continue }
      let cover = items.last { index in
        guard let area = graph.drawn.list.opaqueArea(of: index) else { return false }
        return painted.allSatisfy(area.contains)
      }
      if let cover { hidden = start..<cover }
    }
    return hidden
  }
}

extension ItemList {
  /// The whole pixels that an item certainly covers, whatever was there before; nil if it is not
  /// known to cover any.
  func opaqueArea(of index: Int) -> PixelRect? {
    let item = items[index]
    guard item.program == .solid || item.program == .plainImage, item.blend == .copy,
      item.shape == .fan, item.cornerCount == 4
    else { return nil }
    let corners = corners[Int(item.firstCorner)..<Int(item.firstCorner) + 4]
    let (first, second, third, last) = (
      corners[corners.startIndex], corners[corners.startIndex + 1],
      corners[corners.startIndex + 2], corners[corners.startIndex + 3]
    )
    let isUpright =
      first.y == second.y && second.x == third.x && third.y == last.y && last.x == first.x
    guard isUpright, corners.allSatisfy({ $0.w == 1 }) else { return nil }
    // Rounded inwards. The box is rounded outwards, so that these are small enough for Int.
    let box = item.box
    return PixelRect(
      minX: Double(box.minX) < min(first.x, third.x) ? box.minX + 1 : box.minX,
      minY: Double(box.minY) < min(first.y, third.y) ? box.minY + 1 : box.minY,
      maxX: Double(box.maxX) > max(first.x, third.x) ? box.maxX - 1 : box.maxX,
      maxY: Double(box.maxY) > max(first.y, third.y) ? box.maxY - 1 : box.maxY)
  }
}
