import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaValues

extension DrawnItems {
  /// Adds the layer's background.
  mutating func addBackground(of layer: LayerDrawing) {
    guard let color = layer.values.pointee.backgroundColor, color.alpha > 0 else { return }
    addFill(color, of: layer)
  }

  /// Fills the layer's bounds with their round corners.
  mutating func addFill(_ color: CGColor, of layer: LayerDrawing) {
    if let (rect, edges) = layer.rectangle {
      addSolid(rect, color, edges: edges, of: layer)
      return
    }
    let area = layer.area
    guard !area.outline.isRectangle else {
      addSolid(area.outline.rect, color, edges: area.edges, of: layer)
      return
    }
    add(area.outline, color, of: layer)
  }

  /// Fills a rounded outline.
  mutating func add(_ outline: CornerOutline, _ color: CGColor, of layer: LayerDrawing) {
    let color = self.color(color, tint: layer.tint, layer.format)
    let parts = OutlineParts(
      outline, leastInside: OutlineParts.leastDrawnInside, of: layer)
    let round = Item(
      .rounded.along(outline.curve), blend: layer.blend ?? .sourceOver, color: color,
      outline: list.outline(outline))
    for (rect, edges) in parts.frame { add(round, rect, edges, of: layer) }
    for rect in parts.inside { addSolid(rect, color, edges: .none, of: layer) }
  }

  /// Fills a rectangle of the layer's space.
  mutating func addSolid(
    _ rect: CGRect, _ color: CGColor, edges: EdgeSet, of layer: LayerDrawing
  ) {
    addSolid(rect, self.color(color, tint: layer.tint, layer.format), edges: edges, of: layer)
  }

  mutating func addSolid(
    _ rect: CGRect, _ color: ItemColor, edges: EdgeSet, of layer: LayerDrawing
  ) {
    let covers = edges.isEmpty && isOpaque(color)
    let item = Item(
      edges.isEmpty ? .solid : .solidEdges,
      blend: layer.blend ?? (covers ? .copy : .sourceOver), color: color)
    add(item, rect, edges, of: layer)
  }

  /// Adds an item that covers a rectangle of the layer's space, if any of it shows.
  mutating func add(_ item: Item, _ rect: CGRect, _ edges: EdgeSet, of layer: LayerDrawing) {
    if layer.projection.isAffine, edges.isEmpty, !item.program.hasEdges {
      list.add(item, rect, through: layer.projection, within: layer.visible)
      return
    }
    if layer.projection.isAffine, !edges.isEmpty {
      SoftCorners.find(rect, through: layer.projection, antialiased: edges) {
        list.add(item, $0, within: layer.visible)
      }
      return
    }
    guard let quad = ProjectedQuad(rect, through: layer.projection, antialiased: edges) else {
      return
    }
    list.add(item, quad, within: layer.visible)
  }
}
