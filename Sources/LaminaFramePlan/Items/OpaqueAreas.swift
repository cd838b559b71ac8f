import Foundation
import LaminaValues

extension ItemList {
  /// The whole pixels that an item certainly covers, whatever was there before; nil if it is not
  /// known to cover any. Of a rounded rectangle, those between all of its corners.
  package func opaqueArea(of index: Int) -> PixelRect? {
    opaqueRect(of: index)?.area(betweenCorners: (across: true, down: true))
  }

  /// Two such areas, which may overlap. Those of a rounded rectangle are as wide as it is, and as
  /// high. Empty ones if it is not known to cover any.
  package func opaqueAreas(of index: Int) -> (PixelRect, PixelRect) {
    guard let rect = opaqueRect(of: index) else { return (.empty, .empty) }
    guard rect.outline != nil else {
      return (rect.area(betweenCorners: (across: true, down: true)), .empty)
    }
    return (
      rect.area(betweenCorners: (across: false, down: true)),
      rect.area(betweenCorners: (across: true, down: false))
    )
  }

  /// The colour of an item's opaque areas, as in `ItemColor.bytes`; nil if they may have several.
  package func opaqueColor(of index: Int) -> UInt32? {
    guard case .bytes(let color) = items[index].color else { return nil }
    switch items[index].program {
    case .solid, .rounded, .continuous: return color
    default: return nil
    }
  }

  /// An item that covers what it lies over, but for its round corners.
  private struct OpaqueRect {
    var first: ItemCorner
    var third: ItemCorner
    var box: PixelRect
    var outline: CornerOutline?

    /// The pixels that it covers, without those beside its corners across or down.
    @inline(__always)
    func area(betweenCorners: (across: Bool, down: Bool)) -> PixelRect {
      var (minX, maxX) = (min(first.x, third.x), max(first.x, third.x))
      var (minY, maxY) = (min(first.y, third.y), max(first.y, third.y))
      if let outline {
        let (width, height) = (third.localX - first.localX, third.localY - first.localY)
        guard width != 0, height != 0 else { return .empty }
        // What lies between the round corners of an outline, a pixel away from all sides. Two
        // corners of an upright item that are opposite each other tell where that is.
        let corner = CGFloat(outline.radii.max()) * outline.curve.expansion
        let inside = outline.rect.insetBy(
          dx: betweenCorners.across ? corner : 0, dy: betweenCorners.down ? corner : 0)
        if inside.isNull { return .empty }
        let (across, down) = ((third.x - first.x) / width, (third.y - first.y) / height)
        let left = first.x + (inside.minX - first.localX) * across
        let right = first.x + (inside.maxX - first.localX) * across
        let top = first.y + (inside.minY - first.localY) * down
        let bottom = first.y + (inside.maxY - first.localY) * down
        (minX, maxX) = (max(minX, min(left, right) + 1), min(maxX, max(left, right) - 1))
        (minY, maxY) = (max(minY, min(top, bottom) + 1), min(maxY, max(top, bottom) - 1))
      }
      // Rounded inwards. The box is rounded outwards, so that these are small enough for Int.
      guard minX < maxX, minY < maxY else { return .empty }
      return PixelRect(
        minX: Int(max(minX.rounded(.up), Double(box.minX))),
        minY: Int(max(minY.rounded(.up), Double(box.minY))),
        maxX: Int(min(maxX.rounded(.down), Double(box.maxX))),
        maxY: Int(min(maxY.rounded(.down), Double(box.maxY))))
    }
  }

  private func opaqueRect(of index: Int) -> OpaqueRect? {
    let item = items[index]
    switch item.program {
    case .solid, .plainImage, .group:
      guard item.blend == .copy else { return nil }
    case .rounded, .continuous:
      guard item.blend == .sourceOver, case .bytes(let color) = item.color, color >> 24 == 255
      else { return nil }
    default: return nil
    }
    guard isUpright(item) else { return nil }
    let place = Int(item.firstCorner)
    return OpaqueRect(
      first: corners[place], third: corners[place + 2], box: item.box,
      outline: item.program.hasOutline ? outlines[Int(item.outline)] : nil)
  }

  /// Whether an item is a rectangle along the pixels whose first side is level.
  package func isUpright(_ item: Item) -> Bool {
    guard item.shape == .fan, item.cornerCount == 4 else { return false }
    let place = Int(item.firstCorner)
    let (first, second) = (corners[place], corners[place + 1])
    let (third, last) = (corners[place + 2], corners[place + 3])
    return first.y == second.y && second.x == third.x && third.y == last.y && last.x == first.x
      && first.w == 1 && second.w == 1 && third.w == 1 && last.w == 1
  }
}
