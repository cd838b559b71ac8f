import LaminaFramePlan
import LaminaValues

/// A batch, with those that follow it and can be drawn in the same call: batches of images that are
/// layers of one array texture.
struct JoinedBatches {
  let first: FramePlan.Batch
  let span: ItemVertices.Span
  let scissor: PixelRect
  private var forms: DrawForms
  /// What is drawn if batches were joined.
  private(set) var runs: [DrawRun]?

  init(_ first: FramePlan.Batch, _ span: ItemVertices.Span, _ scissor: PixelRect) {
    (self.first, self.span, self.scissor, forms) = (first, span, scissor, span.forms)
  }

  /// Takes in a batch if one call can draw it too.
  mutating func join(
    _ batch: FramePlan.Batch, _ next: ItemVertices.Span, _ scissor: PixelRect, _ sliceLimit: Int
  ) -> Bool {
    guard let layer = span.layer, next.layer?.array == layer.array, next.layout == span.layout,
      batch.blend == first.blend, scissor == self.scissor,
      batch.sources.first?.filter == first.sources.first?.filter,
      !forms.union(next.forms).areMixed
    else { return false }
    let (vertex, rest) = (next.firstFloat - span.firstFloat)
      .quotientAndRemainder(dividingBy: span.layout.floatCount)
    guard rest == 0, max(batch.vertexCount, first.vertexCount) <= sliceLimit else { return false }
    if runs == nil {
      var run = DrawRun(isAlike: false)
      run.add(first.vertexCount, from: 0, limit: sliceLimit)
      runs = [run]
    }
    forms.formUnion(next.forms)
    runs?[0].add(batch.vertexCount, from: vertex, limit: sliceLimit)
    return true
  }
}
