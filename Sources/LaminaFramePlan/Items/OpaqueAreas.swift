import Foundation
import LaminaValues

extension ItemList {
  /// The whole pixels that an item certainly covers, whatever was there before; nil if it is not
  /// known to cover any. Of a rounded rectangle, those between all of its corners.
  package func opaqueArea(of index: Int) -> PixelRect? {
    opaqueRect(of: index)?.area(beside: (across: true, down: true))
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
    /// The sides of the item and of its outline, and the size of that one's corners. All in pixels.
    var item: Sides
    var outline: Sides
    var corner = SIMD2<Double>.zero
    var box: PixelRect
    /// Pixels by which a side may be off. Those of a continuous curve are never quite straight.
    var margin: Double

    struct Sides {
      var minX: Double
      var minY: Double
      var maxX: Double
      var maxY: Double
    }

    /// Pixels to which no place is known more exactly than this. A pixel whose coverage lacks as
    /// much has the same 8 bits.
    private static let tolerance = 1e-4

    init(_ first: ItemCorner, _ third: ItemCorner, box: PixelRect) {
      item = Sides(
        minX: min(first.x, third.x), minY: min(first.y, third.y), maxX: max(first.x, third.x),
        maxY: max(first.y, third.y))
      outline = item
      self.box = box
      margin = -Self.tolerance
    }

    /// Two corners of an upright item that are opposite each other tell where its outline is; nil
    /// if they do not.
    init?(_ first: ItemCorner, _ third: ItemCorner, box: PixelRect, _ outline: CornerOutline) {
      self.init(first, third, box: box)
      let (width, height) = (third.localX - first.localX, third.localY - first.localY)
      guard width != 0, height != 0 else { return nil }
      let (across, down) = ((third.x - first.x) / width, (third.y - first.y) / height)
      let rect = outline.rect
      let left = first.x + (rect.minX - first.localX) * across
      let right = first.x + (rect.maxX - first.localX) * across
      let top = first.y + (rect.minY - first.localY) * down
      let bottom = first.y + (rect.maxY - first.localY) * down
      self.outline = Sides(
        minX: min(left, right), minY: min(top, bottom), maxX: max(left, right),
        maxY: max(top, bottom))
      let radius = outline.radii.max() * outline.curve.expansion
      corner = SIMD2(radius * abs(across), radius * abs(down))
      if outline.curve == .continuous { margin = 1 }
    }

    var hasCorners: Bool { corner != .zero }

    var areas: (PixelRect, PixelRect) {
      guard hasCorners else { return (area(beside: (false, false)), .empty) }
      return (area(beside: (across: false, down: true)), area(beside: (across: true, down: false)))
    }

    /// The pixels that it covers, without those beside its corners across or down.
    func area(beside corners: (across: Bool, down: Bool)) -> PixelRect {
      let insetX = margin + (corners.across ? corner.x : 0)
      let insetY = margin + (corners.down ? corner.y : 0)
      let minX = max(item.minX, outline.minX + insetX)
      let minY = max(item.minY, outline.minY + insetY)
      let maxX = min(item.maxX, outline.maxX - insetX)
      let maxY = min(item.maxY, outline.maxY - insetY)
      // Rounded inwards. The box is rounded outwards, so that these are small enough for Int.
      guard minX < maxX, minY < maxY else { return .empty }
      return PixelRect(
        minX: Int(max(minX.rounded(.up), Double(box.minX))),
        minY: Int(max(minY.rounded(.up), Double(box.minY))),
        maxX: Int(min(maxX.rounded(.down), Double(box.maxX))),
        maxY: Int(min(maxY.rounded(.down), Double(box.maxY))))
    }

    var coveredBox: PixelRect {
      guard hasCorners else { return box }
      let (minX, minY) = (outline.minX - margin, outline.minY - margin)
      let (maxX, maxY) = (outline.maxX + margin, outline.maxY + margin)
      guard minX < maxX, minY < maxY else { return box }
      return PixelRect(
        minX: Int(max(minX.rounded(.down), Double(box.minX))),
        minY: Int(max(minY.rounded(.down), Double(box.minY))),
        maxX: Int(min(maxX.rounded(.up), Double(box.maxX))),
        maxY: Int(min(maxY.rounded(.up), Double(box.maxY))))
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
    let (first, third, box) = (corners[place], corners[place + 2], items[index].box)
    guard program.hasOutline else { return OpaqueRect(first, third, box: box) }
    return OpaqueRect(first, third, box: box, outlines[Int(items[index].outline)])
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
