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
    color = ItemColor.components(of: bytes)
  }

  /// What is left to draw of the pass' first batch, whose first item has so many vertices; nil if
  /// nothing is.
  func rest(
    of batch: FramePlan.Batch, _ span: ItemVertices.Span, vertexCount: Int
  ) -> (batch: FramePlan.Batch, span: ItemVertices.Span)? {
    guard batch.items.count > 1 else { return nil }
    var (batch, span) = (batch, span)
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
