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
      var sides: [CGRect] = []
      bounds.addParts(outside: inner, to: &sides)
      for side in sides { addSolid(side, color, edges: .none, of: layer) }
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
  /// Adds the rectangle less another one, as up to four that do not overlap.
  func addParts(outside hole: CGRect, to parts: inout [CGRect]) {
    guard hole.minX < maxX, hole.maxX > minX, hole.minY < maxY, hole.maxY > minY else {
      return parts.append(self)
    }
    let (top, bottom) = (max(minY, hole.minY), min(maxY, hole.maxY))
    let (left, right) = (max(minX, hole.minX), min(maxX, hole.maxX))
    func add(_ minX: CGFloat, _ minY: CGFloat, _ maxX: CGFloat, _ maxY: CGFloat) {
      guard maxX - minX > 0, maxY - minY > 0 else { return }
      parts.append(CGRect(x: minX, y: minY, width: maxX - minX, height: maxY - minY))
    }
    add(minX, minY, maxX, top)
    add(minX, top, left, bottom)
    add(right, top, maxX, bottom)
    add(minX, bottom, maxX, maxY)
  }
}
