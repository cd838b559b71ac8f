import LaminaFramePlan
import LaminaValues

/// The colour at the bottom of a pass: of an opaque rectangle that covers all that the pass paints.
/// It takes the place of the transparency that the parts are otherwise cleared to, and of the first
/// item, with the same bytes. Clearing needs no program, and a pixel is written once instead of
/// twice.
struct Ground {
  let color: SIMD4<Float>

  /// nil if the pass has no such item.
  init?(of pass: FramePlan.Pass, _ list: ItemList, parts: [PixelRect], on format: PixelFormat) {
    guard format == .bgra8, pass.isCleared, let batch = pass.batches.first, batch.program == .solid,
      batch.blend == .sourceOver || batch.blend == .copy, let first = batch.items.first,
      case .bytes(let bytes) = list.items[first].color, bytes >> 24 == 255,
      pass.beginsCovering(parts, list)
    else { return nil }
    let channels = SIMD4(bytes, bytes >> 8, bytes >> 16, bytes >> 24) & 255
    color = SIMD4<Float>(channels) / 255
  }

  /// What is left to draw of the pass' first batch; nil if nothing is.
  func rest(
    of batch: FramePlan.Batch, _ span: ItemVertices.Span, _ list: ItemList
  ) -> (batch: FramePlan.Batch, span: ItemVertices.Span)? {
    guard batch.items.count > 1 else { return nil }
    var (batch, span) = (batch, span)
    let vertexCount = list.items[batch.items.lowerBound].vertexCount
    batch.items = batch.items.dropFirst()
    batch.vertexCount -= vertexCount
    span.vertexCount -= vertexCount
    span.firstFloat += vertexCount * span.layout.floatCount
    return (batch, span)
  }
}

extension FramePlan.Pass {
  /// Whether its first item is a rectangle that covers these parts of its target.
  fileprivate func beginsCovering(_ parts: [PixelRect], _ list: ItemList) -> Bool {
    guard let batch = batches.first, let first = batch.items.first,
      let rect = list.wholePixels(of: list.items[first])
    else { return false }
    let covered = rect.offset(x: -originX, y: -originY).intersection(batch.scissor)
    return parts.allSatisfy { covered.contains($0) }
  }

  /// Whether its first batch, with any pixels, replaces those of all parts, which then need not be
  /// cleared. One item over nothing does so too: it leaves what it is.
  func beginsReplacing(_ parts: [PixelRect], _ list: ItemList) -> Bool {
    guard let batch = batches.first,
      batch.blend == .copy || isCleared && batch.blend == .sourceOver && batch.items.count == 1
    else { return false }
    return beginsCovering(parts, list)
  }
}

extension ItemList {
  /// The pixels of an item that is a rectangle of whole ones; nil if it is something else.
  func wholePixels(of item: Item) -> PixelRect? {
    guard item.shape == .fan, item.cornerCount == 4 else { return nil }
    let first = Int(item.firstCorner)
    func isWhole(_ coordinate: Double) -> Bool {
      abs(coordinate) < 1e9 && abs(coordinate - coordinate.rounded()) < 1e-6
    }
    guard
      corners[first..<first + 4].allSatisfy({ $0.w == 1 && isWhole($0.x) && isWhole($0.y) })
    else { return nil }
    func place(_ corner: Int) -> (x: Int, y: Int) {
      (Int(corners[first + corner].x.rounded()), Int(corners[first + corner].y.rounded()))
    }
    let (start, next, opposite, last) = (place(0), place(1), place(2), place(3))
    guard
      start.y == next.y && next.x == opposite.x && opposite.y == last.y && last.x == start.x
        || start.x == next.x && next.y == opposite.y && opposite.x == last.x && last.y == start.y
    else { return nil }
    return PixelRect(
      minX: min(start.x, opposite.x), minY: min(start.y, opposite.y),
      maxX: max(start.x, opposite.x), maxY: max(start.y, opposite.y))
  }
}
