import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

/// Draws layers of a context that have nothing below them and need neither a group nor an image, as
/// most layers in a large tree. It only reads, so that several threads can draw siblings at once.
struct LeafDrawing {
  let rows: RowTables
  let edges: UnsafePointer<BoxEdges>
  let format: TargetFormat
  /// In the surface's pixels.
  let scissor: PixelRect
  let visible: PixelRect
  /// What no group around the layers applies.
  let opacity: Double
  let tint: SIMD4<Double>
  let blend: FramePlan.Blend?
  /// What is painted again; nil for everything. An array would be retained for each layer.
  let damage: UnsafeBufferPointer<PixelRect>?

  /// Draws a row's layer. Returns false, and draws nothing, if it needs more than that.
  @inline(__always)
  func draw(_ row: Int, into drawn: inout DrawnItems) -> Bool {
    let place = rows[row]
    guard place.pointee.kind == .layer, place.pointee.transition < 0, place.pointee.copy < 0,
      place.pointee.contentsMix < 0, !place.pointee.isSpace, rows.isLeaf(row)
    else { return false }
    let values = rows.values(of: row)
    let opacity = min(max(values.pointee.opacity, 0), 1)
    guard values.pointee.contents == nil, !LayerValues.hasEffects(at: values),
      opacity == 1 || hasOnePiece(values)
    else { return false }
    let shown = edges[row].rect.intersection(scissor)
    guard opacity > 0, !shown.isEmpty,
      values.pointee.isDoubleSided || rows.isFacingUs(row, values)
    else { return true }
    if let damage, !damage.contains(where: { $0.meets(shown) }) { return true }
    let layer = LayerDrawing(
      values: values, projection: Projection(at: rows.toPixels + row), format: format,
      visible: visible, tint: tint * (self.opacity * opacity), blend: blend,
      isFlipped: place.pointee.isFlipped)
    drawn.addBackground(of: layer)
    if values.pointee.borderWidth > 0 { drawn.addBorder(of: layer) }
    return true
  }

  /// Whether one of background and border is all that the layer draws, so that it fades as one.
  private func hasOnePiece(_ values: ValuesPointer) -> Bool {
    let hasBackground = (values.pointee.backgroundColor?.alpha ?? 0) > 0
    let hasBorder =
      values.pointee.borderWidth > 0 && (values.pointee.borderColor?.alpha ?? 0) > 0
    return hasBackground != hasBorder
  }
}
