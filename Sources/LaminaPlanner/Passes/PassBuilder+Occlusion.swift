import Foundation
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

extension ItemList {
  /// The whole pixels that an item certainly covers, whatever was there before; nil if it is not
  /// known to cover any.
  func opaqueArea(of index: Int) -> PixelRect? {
    let item = items[index]
    guard item.shape == .fan, item.cornerCount == 4 else { return nil }
    switch item.program {
    case .solid, .plainImage, .group:
      guard item.blend == .copy else { return nil }
    case .rounded, .continuous:
      guard item.blend == .sourceOver, case .bytes(let color) = item.color, color >> 24 == 255
      else { return nil }
    default: return nil
    }
    let corners = corners[Int(item.firstCorner)..<Int(item.firstCorner) + 4]
    let (first, second, third, last) = (
      corners[corners.startIndex], corners[corners.startIndex + 1],
      corners[corners.startIndex + 2], corners[corners.startIndex + 3]
    )
    let isUpright =
      first.y == second.y && second.x == third.x && third.y == last.y && last.x == first.x
    guard isUpright, corners.allSatisfy({ $0.w == 1 }) else { return nil }
    var area = CGRect(
      x: min(first.x, third.x), y: min(first.y, third.y), width: abs(third.x - first.x),
      height: abs(third.y - first.y))
    if item.program.hasOutline {
      area = area.overlap(with: opaquePart(of: outlines[Int(item.outline)], first, third))
    }
    // Rounded inwards. The box is rounded outwards, so that these are small enough for Int.
    let box = item.box
    guard !area.isNull else { return nil }
    return PixelRect(
      minX: Int(max(area.minX.rounded(.up), CGFloat(box.minX))),
      minY: Int(max(area.minY.rounded(.up), CGFloat(box.minY))),
      maxX: Int(min(area.maxX.rounded(.down), CGFloat(box.maxX))),
      maxY: Int(min(area.maxY.rounded(.down), CGFloat(box.maxY))))
  }

  /// What lies between the round corners of an outline, a pixel away from all sides. Two corners of
  /// an upright item that are opposite each other tell where that is in the target.
  private func opaquePart(
    of outline: CornerOutline, _ first: ItemCorner, _ third: ItemCorner
  ) -> CGRect {
    let corner = CGFloat(outline.radii.max()) * outline.curve.expansion
    let inside = outline.rect.insetBy(dx: corner, dy: corner)
    let (width, height) = (third.localX - first.localX, third.localY - first.localY)
    guard !inside.isNull, width != 0, height != 0 else { return .null }
    let (across, down) = ((third.x - first.x) / width, (third.y - first.y) / height)
    let toTarget = CGAffineTransform(
      a: across, b: 0, c: 0, d: down, tx: first.x - first.localX * across,
      ty: first.y - first.localY * down)
    return inside.applying(toTarget).insetBy(dx: 1, dy: 1)
  }
}
