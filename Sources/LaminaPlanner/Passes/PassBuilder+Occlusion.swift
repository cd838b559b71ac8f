import LaminaFramePlan
import LaminaValues

extension PassBuilder {
  /// The items of a group that need not be painted: those since the group began, or was last read,
  /// over which one item is painted that is opaque and covers all that is painted again.
  ///
  /// Items are left out as they are, and never cut: the pixels of those that stay must not depend
  /// on what is painted again.
  func hiddenItems(of group: Int) -> Range<Int> {
    let painted = parts(of: group)
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
        guard painted.allSatisfy(plan.items.items[index].box.contains),
          let area = plan.items.opaqueArea(of: index)
        else { return false }
        return painted.allSatisfy(area.contains)
      }
      if let cover { hidden = start..<cover }
    }
    return hidden
  }
}
