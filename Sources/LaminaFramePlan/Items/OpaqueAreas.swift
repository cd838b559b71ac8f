import Foundation
import LaminaValues

extension ItemList {
  /// The whole pixels that an item certainly covers, whatever was there before; nil if it is not
  /// known to cover any. Of a rounded rectangle, those between all of its corners.
  package func opaqueArea(of index: Int) -> PixelRect? {
    opaqueRect(of: index)?.area(betweenCorners: (across: true, down: true))
  }

  /// Two such areas, which may overlap, in a target of 8 bits. Those of a rounded rectangle are as
  /// wide as it is, and as high. Empty ones if it is not known to cover any.
  package func opaqueAreas(of index: Int) -> (PixelRect, PixelRect) {
    opaqueRect(of: index)?.areas ?? (.empty, .empty)
  }

  /// Those areas, and the pixels of the item's box of which it may cover a part.
  package func coverage(of index: Int) -> (whole: (PixelRect, PixelRect), box: PixelRect) {
    guard let rect = opaqueRect(of: index) else { return ((.empty, .empty), items[index].box) }
    return (rect.areas, rect.coveredBox)
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

    /// Pixels to which no place is known more exactly than this. A pixel whose coverage lacks as
    /// much has the same 8 bits.
    private static let tolerance = 1e-4

    /// Pixels by which a side may be off. Those of a continuous curve are never quite straight.
    private var margin: Double { outline?.curve == .continuous ? 1 : -Self.tolerance }

    var areas: (PixelRect, PixelRect) {
      guard outline != nil else {
        return (area(betweenCorners: (across: true, down: true)), .empty)
      }
      return (
        area(betweenCorners: (across: false, down: true)),
        area(betweenCorners: (across: true, down: false))
      )
    }

    /// The pixels that it covers, without those beside its corners across or down.
    @inline(__always)
    func area(betweenCorners: (across: Bool, down: Bool)) -> PixelRect {
      var (minX, maxX) = (min(first.x, third.x), max(first.x, third.x))
      var (minY, maxY) = (min(first.y, third.y), max(first.y, third.y))
      if outline != nil {
        guard let sides = sides(betweenCorners: betweenCorners) else { return .empty }
        (minX, maxX) = (max(minX, sides.minX + margin), min(maxX, sides.maxX - margin))
        (minY, maxY) = (max(minY, sides.minY + margin), min(maxY, sides.maxY - margin))
      }
      // Rounded inwards. The box is rounded outwards, so that these are small enough for Int.
      guard minX < maxX, minY < maxY else { return .empty }
      return PixelRect(
        minX: Int(max(minX.rounded(.up), Double(box.minX))),
        minY: Int(max(minY.rounded(.up), Double(box.minY))),
        maxX: Int(min(maxX.rounded(.down), Double(box.maxX))),
        maxY: Int(min(maxY.rounded(.down), Double(box.maxY))))
    }

    var coveredBox: PixelRect {
      guard outline != nil, let sides = sides(betweenCorners: (false, false)) else { return box }
      let (minX, maxX) = (sides.minX - margin, sides.maxX + margin)
      let (minY, maxY) = (sides.minY - margin, sides.maxY + margin)
      guard minX < maxX, minY < maxY else { return box }
      return PixelRect(
        minX: Int(max(minX.rounded(.down), Double(box.minX))),
        minY: Int(max(minY.rounded(.down), Double(box.minY))),
        maxX: Int(min(maxX.rounded(.up), Double(box.maxX))),
        maxY: Int(min(maxY.rounded(.up), Double(box.maxY))))
    }

    /// The sides of its outline, or of what lies between its corners, in pixels. Two corners of an
    /// upright item that are opposite each other tell where that is.
    @inline(__always)
    private func sides(
      betweenCorners: (across: Bool, down: Bool)
    ) -> (minX: Double, minY: Double, maxX: Double, maxY: Double)? {
      guard let outline else { return nil }
      let (width, height) = (third.localX - first.localX, third.localY - first.localY)
      guard width != 0, height != 0 else { return nil }
      let corner = CGFloat(outline.radii.max()) * outline.curve.expansion
      let inside = outline.rect.insetBy(
        dx: betweenCorners.across ? corner : 0, dy: betweenCorners.down ? corner : 0)
      if inside.isNull { return nil }
      let (across, down) = ((third.x - first.x) / width, (third.y - first.y) / height)
      let left = first.x + (inside.minX - first.localX) * across
      let right = first.x + (inside.maxX - first.localX) * across
      let top = first.y + (inside.minY - first.localY) * down
      let bottom = first.y + (inside.maxY - first.localY) * down
      return (min(left, right), min(top, bottom), max(left, right), max(top, bottom))
    }
  }

  private func opaqueRect(of index: Int) -> OpaqueRect? {
    // Not copied, as it is large.
    let program = items[index].program
    switch program {
    case .solid, .plainImage, .group:
      guard items[index].blend == .copy else { return nil }
    case .rounded, .continuous:
      guard items[index].blend == .sourceOver, case .bytes(let color) = items[index].color,
        color >> 24 == 255
      else { return nil }
    default: return nil
    }
    guard isUpright(items[index]) else { return nil }
    let place = Int(items[index].firstCorner)
    return OpaqueRect(
      first: corners[place], third: corners[place + 2], box: items[index].box,
      outline: program.hasOutline ? outlines[Int(items[index].outline)] : nil)
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
