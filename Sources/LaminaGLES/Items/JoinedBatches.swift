import LaminaFramePlan
import LaminaValues

/// A batch, with those that follow it and can be drawn in the same call.
struct JoinedBatches {
  let first: FramePlan.Batch
  let span: ItemVertices.Span
  private(set) var scissor: PixelRect
  /// As in the spans, if it is the same in all.
  private(set) var tint: UInt32?
  private var forms: DrawForms
  /// Those of which it is not known yet whether their scissor leaves something out of them.
  private var unchecked: [(items: Range<Int>, scissor: PixelRect)]
  /// What is drawn if batches were joined.
  private(set) var runs: [DrawRun]?

  init(_ first: FramePlan.Batch, _ span: ItemVertices.Span, _ scissor: PixelRect) {
    (self.first, self.span, self.scissor, forms) = (first, span, scissor, span.forms)
    tint = span.tint
    unchecked = [(first.items, scissor)]
  }

  /// Takes in a batch if one call can draw it too: if it samples the same, another layer of the
  /// same array texture or another place in the atlas, and has the same scissor, or neither's
  /// scissor leaves anything out.
  mutating func join(
    _ batch: FramePlan.Batch, _ next: ItemVertices.Span, _ scissor: PixelRect,
    of list: ItemList, by renderer: GLESRenderer
  ) -> Bool {
    let sliceLimit = renderer.sliceLimit
    guard next.layout == span.layout, batch.blend == first.blend,
      next.layer?.array == span.layer?.array || span.layout.isInAtlas,
      span.layer != nil
        ? batch.sources.first?.filter == first.sources.first?.filter
        : batch.samplesLike(first) && !batch.samplesImage,
      !forms.union(next.forms).areMixed
    else { return false }
    let (vertex, rest) = (next.firstFloat - span.firstFloat)
      .quotientAndRemainder(dividingBy: span.layout.floatCount)
    guard rest == 0, max(next.vertexCount, span.vertexCount) <= sliceLimit else { return false }
    if scissor != self.scissor {
      let areWhole = (unchecked + [(batch.items, scissor)]).allSatisfy { items, scissor in
        list.lie(items, within: scissor, span.area)
      }
      guard areWhole else { return false }
      unchecked.removeAll(keepingCapacity: true)
      self.scissor = self.scissor.union(scissor)
    } else {
      unchecked.append((batch.items, scissor))
    }
    forms.formUnion(next.forms)
    if next.tint != tint { tint = nil }
    if span.layer == nil {
      if runs == nil { runs = renderer.runs(of: first, span, list) }
      for run in renderer.runs(of: batch, next, list) { add(run, from: vertex, sliceLimit) }
    } else {
      if runs == nil {
        var run = DrawRun(isAlike: span.layout.isInAtlas)
        run.add(span.vertexCount, from: 0, limit: sliceLimit)
        runs = [run]
      }
      runs?[0].add(next.vertexCount, from: vertex, limit: sliceLimit)
    }
    return true
  }

  /// Adds what another batch draws, whose first vertex is this one of the first batch's.
  private mutating func add(_ run: DrawRun, from vertex: Int, _ sliceLimit: Int) {
    var runs = self.runs ?? []
    self.runs = nil
    if runs.last?.isAlike != run.isAlike { runs.append(DrawRun(isAlike: run.isAlike)) }
    for (first, count) in zip(run.firsts, run.counts) {
      runs[runs.count - 1].add(Int(count), from: vertex + Int(first), limit: sliceLimit)
    }
    self.runs = runs
  }
}

extension FramePlan.Batch {
  /// Whether it samples the same textures in the same way, from wherever: vertices say where a
  /// target lies.
  fileprivate func samplesLike(_ other: FramePlan.Batch) -> Bool {
    sources.elementsEqual(other.sources) { $0.texture == $1.texture && $0.filter == $1.filter }
  }

  /// Whether it samples a texture that is no target.
  fileprivate var samplesImage: Bool {
    sources.contains { if case .texture = $0.texture { true } else { false } }
  }
}

extension ItemList {
  /// Whether all that some items touch lies within a rectangle of their target.
  fileprivate func lie(_ places: Range<Int>, within rect: PixelRect, _ area: TargetArea) -> Bool {
    let space = rect.offset(x: Int(area.originX), y: Int(area.originY))
    return items[places].allSatisfy { space.contains($0.box) }
  }
}
