import LaminaFramePlan
import LaminaValues

/// What llvmpipe makes of some items' triangles.
///
/// It draws a rectangle along the pixels in another way than triangles, and interpolates a little
/// differently, but only in a draw of which nothing crosses the target and whose triangles all come
/// in pairs. So what else is in a draw could change a rectangle's pixels, and such items are drawn
/// apart.
struct DrawForms: OptionSet {
  let rawValue: UInt8

  /// Rectangles along the pixels, or what may contain some.
  static let rectangles = DrawForms(rawValue: 1)
  /// Items that cross the target or whose triangles come in no pairs.
  static let others = DrawForms(rawValue: 2)

  /// Whether they must not be in one draw.
  var areMixed: Bool { self == [.rectangles, .others] }
}

/// A target's pixels in the space of its items.
struct TargetArea {
  let originX: Double
  let originY: Double
  let maxX: Double
  let maxY: Double

  init(_ pass: FramePlan.Pass, _ size: PixelSize) {
    (originX, originY) = (Double(pass.originX), Double(pass.originY))
    maxX = originX + Double(size.width)
    maxY = originY + Double(size.height)
  }

  @inline(__always)
  func contains(_ corner: UnsafePointer<ItemCorner>) -> Bool {
    corner.pointee.x >= originX && corner.pointee.x <= maxX && corner.pointee.y >= originY
      && corner.pointee.y <= maxY
  }

  /// The way in which four corners are a rectangle along the pixels, as the device sees them.
  enum Alignment {
    case none
    /// The first side is level.
    case level
    /// It is upright.
    case turned
  }

  @inline(__always)
  func alignment(of corners: UnsafePointer<ItemCorner>) -> Alignment {
    func isLevel(_ a: Int, _ b: Int) -> Bool {
      Float(corners[a].y - originY) == Float(corners[b].y - originY)
    }
    func isUpright(_ a: Int, _ b: Int) -> Bool {
      Float(corners[a].x - originX) == Float(corners[b].x - originX)
    }
    let alignment: Alignment =
      if isLevel(0, 1) && isUpright(1, 2) && isLevel(2, 3) && isUpright(3, 0) {
        .level
      } else if isUpright(0, 1) && isLevel(1, 2) && isUpright(2, 3) && isLevel(3, 0) {
        .turned
      } else {
        .none
      }
    guard alignment != .none else { return .none }
    for corner in 0..<4 where corners[corner].w != 1 { return .none }
    return alignment
  }

  /// A rectangle along the pixels counts as clipped to the target.
  @inline(__always)
  func forms(
    of item: UnsafePointer<Item>, _ corners: UnsafePointer<ItemCorner>
  ) -> DrawForms {
    let count = Int(item.pointee.cornerCount)
    let isQuad = count == 4 && item.pointee.shape == .fan
    if isQuad, alignment(of: corners) != .none { return .rectangles }
    for corner in 0..<count where !contains(corners + corner) { return .others }
    if isQuad { return [] }
    // Pairs of its triangles may be rectangles.
    return item.pointee.vertexCount % 6 == 0 ? [.rectangles, .others] : .others
  }
}

extension ItemList {
  func forms(of item: Item, in area: TargetArea) -> DrawForms {
    corners.withUnsafeBufferPointer { corners in
      withUnsafePointer(to: item) { item in
        corners.baseAddress.map { area.forms(of: item, $0 + Int(item.pointee.firstCorner)) } ?? []
      }
    }
  }
}
