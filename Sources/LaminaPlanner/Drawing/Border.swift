import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaValues

extension DrawnItems {
  /// Adds the layer's border.
  mutating func addBorder(of layer: LayerDrawing) {
    let width = CGFloat(layer.values.pointee.borderWidth)
    guard width > 0, let color = layer.values.pointee.borderColor, color.alpha > 0 else { return }
    let bounds = layer.bounds
    if width * 2 >= min(bounds.width, bounds.height) {
      // The border leaves no opening in the middle.
      addFill(color, of: layer)
      return
    }
    let outline = layer.values.outline
    let inner = bounds.insetBy(dx: width, dy: width)
    if outline.isRectangle, !layer.isClippedLater, layer.antialiasedEdges(of: bounds).isEmpty,
      layer.antialiasedEdges(of: inner).isEmpty
    {
      for side in bounds.parts(outside: inner) { addSolid(side, color, edges: .none, of: layer) }
      return
    }
    // If the outline clips the target later, the ring's outer edge lies beyond the outline. Its
    // inner edge stays where it is.
    let spread =
      layer.isClippedLater ? 2 / max(layer.projection.scale(at: bounds.center), 1e-6) : 0
    let outer = outline.inset(by: -spread)
    let ring = width + spread
    let parts = OutlineParts(
      outer, thickness: ring, leastInside: OutlineParts.leastOpenInside, of: layer)
    let item = Item(
      .roundedBorder.along(outer.curve), blend: layer.blend ?? .sourceOver,
      color: self.color(color, tint: layer.tint, layer.format), outline: list.outline(outer),
      numbers: [Float(ring), 0])
    for (rect, edges) in parts.frame { add(item, rect, edges, of: layer) }
  }
}

extension CGRect {
  /// The rectangle less another one, as up to four that do not overlap.
  func parts(outside hole: CGRect) -> [CGRect] {
    guard hole.minX < maxX, hole.maxX > minX, hole.minY < maxY, hole.maxY > minY else {
      return [self]
    }
    let (top, bottom) = (max(minY, hole.minY), min(maxY, hole.maxY))
    let (left, right) = (max(minX, hole.minX), min(maxX, hole.maxX))
    return [
      CGRect(x: minX, y: minY, width: width, height: top - minY),
      CGRect(x: minX, y: top, width: left - minX, height: bottom - top),
      CGRect(x: right, y: top, width: maxX - right, height: bottom - top),
      CGRect(x: minX, y: bottom, width: width, height: maxY - bottom),
    ].filter { $0.width > 0 && $0.height > 0 }
  }
}
