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
      let color = drawn.color(tint: context.faded, format)
      let item = Item(
        drawn.isWhite(color) ? .plainImage : .image, blend: context.blend ?? .sourceOver,
        color: color, parameters: drawn.list.map(CGAffineTransform(unitOf: bitmap.rect)),
        sources: SIMD2(drawn.source(.canvas(number), .linear), 0))
      drawn.add(item, bitmap.rect, [], of: layer)
    }
  }

  /// The number of a layer bitmap in the graph, which is given when it is first added. One that no
  /// earlier frame has painted is composed.
  private mutating func number(of bitmap: LayerBitmap, _ row: Int, in context: Context) -> Int {
    if let known = bitmapNumbers[row] { return known }
    // Copies that show the same share one bitmap.
    let shared = evaluated.rows[row].path == 0 ? nil : bitmap.key
    if let known = shared.flatMap({ copiedBitmapNumbers[$0] }) {
      bitmapNumbers[row] = known
      graph.canvases[known].sharers.append(owner(row, .bitmap))
      return known
    }
    let number = graph.add(
      CompositingGraph.Canvas(
        key: bitmap.key.map { .bitmap($0) }, region: bitmap.region, cached: bitmap.cached,
        owner: owner(row, .bitmap)))
    bitmapNumbers[row] = number
    if let shared { copiedBitmapNumbers[shared] = number }
    if bitmap.cached == nil {
      let group = graph.add(
        CompositingGraph.Group(
          region: bitmap.region, target: .canvas(number), isKept: true, isWhole: true))
      graph.canvases[number].group = group
      record?.noteGroups(upTo: graph.groups.count)
      var inside = Context(group: group, region: bitmap.region, nesting: context.nesting + 1)
      (inside.isWhole, inside.isInCanvas, inside.isOnScreen) = (true, true, false)
      // Nothing is marked in a layer bitmap, since later frames draw it again.
      inside.isMarked = false
      enqueue(row: evaluated.rows[row].inside, in: inside)
    }
    return number
  }
}
