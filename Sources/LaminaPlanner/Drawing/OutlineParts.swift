import Foundation
import LaminaValues

/// The parts of a rounded rectangle: its frame, which holds the edges and the corners, and its
/// inside. A pixel inside costs a fifth of one in the frame. A small rectangle is all frame, and so
/// is any other where the executor finds the inside by itself.
struct OutlineParts {
  /// Each with those of its edges that are edges of the whole.
  var frame: [(rect: CGRect, edges: EdgeSet)]
  var inside: [CGRect] = []

  /// Smallest area of an inside that is drawn, in pixels. A smaller one saves less than its own
  /// draw and the change of programs cost.
  static let leastDrawnInside: CGFloat = 12288
  /// The same for one that is left out.
  static let leastOpenInside: CGFloat = 1024

  /// Along an edge the frame is as wide as `thickness`, at a corner as the corner, each with one
  /// pixel more for antialiasing. Where pixels lie along the layer's sides, parts meet between
  /// them.
  init(
    _ outline: CornerOutline, thickness: CGFloat = 0, leastInside: CGFloat, of layer: LayerDrawing
  ) {
    let projection = layer.projection
    let rect = outline.rect
    frame = [(rect, .all)]
    guard layer.format.drawsInsidesApart, projection.isAffine,
      let unit = projection.unitsPerPixel(at: rect.center)
    else { return }
    let corner = max(CGFloat(outline.radii.max()) * outline.curve.expansion, thickness)
    let middle = rect.insetBy(dx: corner + unit.x, dy: corner + unit.y)
      .ofWholePixels(projection)
    guard !middle.isNull,
      middle.width * middle.height * abs(projection.affine.determinant) >= leastInside
    else { return }
    // Where parts meet along a side of another, only sides along the pixels have no gaps.
    let edge = projection.isAxisAligned ? thickness : corner
    let inner = rect.insetBy(dx: edge + unit.x, dy: edge + unit.y)
      .ofWholePixels(projection)
    func part(_ minX: CGFloat, _ minY: CGFloat, _ maxX: CGFloat, _ maxY: CGFloat) -> CGRect {
      CGRect(x: minX, y: minY, width: maxX - minX, height: maxY - minY)
    }
    frame = [
      (part(rect.minX, rect.minY, middle.minX, middle.minY), [.minX, .minY]),
      (part(middle.minX, rect.minY, middle.maxX, inner.minY), .minY),
      (part(middle.maxX, rect.minY, rect.maxX, middle.minY), [.maxX, .minY]),
      (part(rect.minX, middle.minY, inner.minX, middle.maxY), .minX),
      (part(inner.maxX, middle.minY, rect.maxX, middle.maxY), .maxX),
      (part(rect.minX, middle.maxY, middle.minX, rect.maxY), [.minX, .maxY]),
      (part(middle.minX, inner.maxY, middle.maxX, rect.maxY), .maxY),
      (part(middle.maxX, middle.maxY, rect.maxX, rect.maxY), [.maxX, .maxY]),
    ]
    inside = [part(inner.minX, middle.minY, inner.maxX, middle.maxY)]
    if edge < corner {
      inside += [
        part(middle.minX, inner.minY, middle.maxX, middle.minY),
        part(middle.minX, middle.maxY, middle.maxX, inner.maxY),
      ]
    }
  }
}

extension CGRect {
  /// The largest part that covers whole pixels, if pixels lie along its sides; otherwise all of it.
  fileprivate func ofWholePixels(_ projection: Projection) -> CGRect {
    guard projection.isAxisAligned, !isNull else { return self }
    let box = applying(projection.affine)
    let (minX, minY) = (box.minX.rounded(.up), box.minY.rounded(.up))
    let (maxX, maxY) = (box.maxX.rounded(.down), box.maxY.rounded(.down))
    guard maxX > minX, maxY > minY else { return .null }
    return CGRect(x: minX, y: minY, width: maxX - minX, height: maxY - minY)
      .applying(projection.affine.inverted())
  }
}
