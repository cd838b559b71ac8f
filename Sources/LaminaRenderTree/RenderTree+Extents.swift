import Foundation
import LaminaCommit
import LaminaValues

extension RenderTree {
  /// What each row and everything below it may touch, in the surface's pixels: never too little.
  func extents(of evaluated: EvaluatedTree) -> [CGRect] {
    var extents = [CGRect](repeating: .null, count: evaluated.rows.count)
    let everything = CGRect(
      x: 0, y: 0, width: CGFloat(evaluated.size.width), height: CGFloat(evaluated.size.height))
    // Children come after their parents, so that from the end each is complete when it is met.
    for index in evaluated.rows.indices.reversed() {
      let row = evaluated.rows[index]
      // What a transition shows are layers of their own.
      if row.transition < 0 {
        extents[index] = extent(of: row, below: extents[index], in: evaluated, everything)
      }
      let extent = extents[index]
      guard row.parent >= 0, evaluated.rows[row.parent].mask != index else { continue }
      extents[row.parent] = extents[row.parent].union(extent)
    }
    return extents
  }

  private func extent(
    of row: EvaluatedTree.Row, below: CGRect, in evaluated: EvaluatedTree, _ everything: CGRect
  ) -> CGRect {
    // Of a space, only what is in it is drawn.
    if row.kind == .transform { return below }
    let values = values(of: row, in: evaluated)
    let projection = Projection(row.toSurface, origin: .empty)
    var extent = below
    if !values.bounds.isNull {
      extent = extent.union(Self.box(of: values.bounds, through: projection) ?? everything)
    }
    for rect in furtherRects(of: row, values, in: evaluated) {
      extent = extent.union(Self.box(of: rect, through: projection) ?? everything)
    }
    if values.masksToBounds {
      let bounds = Self.box(of: values.bounds, through: projection) ?? everything
      extent = extent.intersection(bounds)
    }
    return extent
  }

  /// What the layer itself may draw on besides its bounds, in its own space.
  private func furtherRects(
    of row: EvaluatedTree.Row, _ values: LayerValues, in evaluated: EvaluatedTree
  ) -> [CGRect] {
    var rects: [CGRect] = []
    for id in evaluated.contents(of: row, values) {
      guard let image = drawnImage(id, of: row, in: evaluated) else { continue }
      rects += ContentsPlacement(values, imageSize: image.layout.size).pieces.map(\.destination)
    }
    if row.kind == .shape, let path = values.shape.path {
      let ink = values.shape.strokeStyle.map { PathInk.stroke($0) } ?? .fill(.nonZero)
      rects.append(path.inkBounds(ink))
    }
    if let shadow = values.shadow { rects.append(shadow.reach) }
    return rects.filter { !$0.isNull }
  }

  /// The box of a projected rectangle and the pixel of antialiasing around it; nil where a corner
  /// lies behind the eye, or so far off that its place is no number any more.
  private static func box(of rect: CGRect, through projection: Projection) -> CGRect? {
    var (minX, minY) = (CGFloat.infinity, CGFloat.infinity)
    var (maxX, maxY) = (-CGFloat.infinity, -CGFloat.infinity)
    for corner in 0..<4 {
      let point = projection(rect.corner(corner))
      guard point.w > Homogeneous.nearest else { return nil }
      let pixel = point.pixel
      guard abs(pixel.x) < 1e9, abs(pixel.y) < 1e9 else { return nil }
      (minX, maxX) = (min(minX, pixel.x), max(maxX, pixel.x))
      (minY, maxY) = (min(minY, pixel.y), max(maxY, pixel.y))
    }
    return CGRect(x: minX - 1, y: minY - 1, width: maxX - minX + 2, height: maxY - minY + 2)
  }
}
