import Foundation
import LaminaFramePlan
import LaminaValues

extension Compositor {
  /// Adds the bitmap of a rasterized layer as contents are drawn: stretched, with linear filtering.
  mutating func add(_ bitmap: LayerBitmap, of row: Int, in context: Context) {
    mark(bitmap, of: row, in: context)
    let number = number(of: bitmap, row, in: context)
    let (layer, format) = (layer(row, values(of: row), in: context), format)
    addItems(in: context) { drawn in
      let color = drawn.color(opacity: context.opacity, format)
      let item = Item(
        drawn.isWhite(color) ? .plainImage : .image, blend: context.blend ?? .sourceOver,
        color: color, parameters: drawn.list.map(CGAffineTransform(unitOf: bitmap.rect)),
        sources: [drawn.source(.bitmap(number), .linear), 0])
      drawn.add(item, bitmap.rect, [], of: layer)
    }
  }

  /// The number of a layer bitmap in the graph, which is given when it is first added. One that no
  /// earlier frame has painted is composed then.
  private mutating func number(of bitmap: LayerBitmap, _ row: Int, in context: Context) -> Int {
    if let known = bitmapNumbers[row] { return known }
    let number = graph.bitmaps.count
    bitmapNumbers[row] = number
    graph.bitmaps.append(
      CompositingGraph.Bitmap(bitmap: bitmap, owner: owner(row, .bitmap), group: nil))
    if case .uncached(let measured) = bitmap.state {
      // The compositor of the bitmap's tree takes the graph and gives it back, so that changing the
      // graph copies nothing.
      var taken = CompositingGraph()
      swap(&taken, &graph)
      var inner = Compositor(
        measured, of: tree, maxTextureSize: format.maxTextureSize, into: consume taken,
        nesting: context.nesting)
      let group = inner.compose(into: .bitmap(number))
      swap(&inner.graph, &graph)
      graph.bitmaps[number].group = group
    }
    return number
  }
}
