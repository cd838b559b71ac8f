import CGL
import LaminaFramePlan
import LaminaValues

/// Vertices that one program draws.
struct DrawRun {
  /// Whether llvmpipe's two rasterizers draw it alike.
  var isAlike: Bool
  /// Its vertices, counted from the batch's first, in slices.
  ///
  /// llvmpipe splits what is drawn as one at 1,023 vertices, and then no longer sees the rectangles
  /// in it, which it draws faster. So there a slice has 170 quads at most.
  var firsts: [GLint] = []
  var counts: [GLsizei] = []

  /// Adds vertices, to the last slice if they follow it and it stays within `limit`.
  mutating func add(_ count: Int, from first: Int, limit: Int) {
    if let lastFirst = firsts.last, let lastCount = counts.last,
      Int(lastFirst) + Int(lastCount) == first, Int(lastCount) + count <= limit
    {
      counts[counts.count - 1] += GLsizei(count)
    } else {
      firsts.append(GLint(first))
      counts.append(GLsizei(count))
    }
  }
}

extension GLESRenderer {
  /// The parts of a batch that are drawn one after another. `imageSize` is the size of the image
  /// that it samples, if it does.
  func runs(
    of batch: FramePlan.Batch, _ span: ItemVertices.Span, _ list: ItemList,
    imageSize: PixelSize? = nil
  ) -> [DrawRun] {
    var runs: [DrawRun] = []
    var vertex = 0
    var items = batch.items
    while !items.isEmpty {
      let (slice, count) = slice(
        of: items, span, list, vertexCount: span.vertexCount - vertex)
      let isAlike =
        hasComparedRasterizers
        && (span.layout.isInAtlas
          || batch.isAlikeInBothRasterizers(
            slice, of: list, imageSize: imageSize, isGroup: span.groupSize != nil))
      if runs.last?.isAlike != isAlike { runs.append(DrawRun(isAlike: isAlike)) }
      runs[runs.count - 1].firsts.append(GLint(vertex))
      runs[runs.count - 1].counts.append(GLsizei(count))
      vertex += count
      items = slice.upperBound..<items.upperBound
    }
    return runs
  }

  /// The first of some items that make a slice, and the number of their vertices. `vertexCount` is
  /// that of all.
  private func slice(
    of items: Range<Int>, _ span: ItemVertices.Span, _ list: ItemList, vertexCount: Int
  ) -> (Range<Int>, vertexCount: Int) {
    guard vertexCount > sliceLimit || span.forms.areMixed else { return (items, vertexCount) }
    var (end, count) = (items.lowerBound, 0)
    var forms: DrawForms = []
    while end < items.upperBound {
      if span.forms.areMixed { forms.formUnion(list.forms(of: list.items[end], in: span.area)) }
      let vertexCount = vertices.pieces.vertexCount(of: end, list)
      // The first one may be more than a slice, or of both forms.
      if count > 0, count + vertexCount > sliceLimit || forms.areMixed { break }
      count += vertexCount
      end += 1
    }
    return (items.lowerBound..<end, count)
  }

  /// Draws a run, in one call if the driver can, and returns the number of calls. `first` is the
  /// batch's first vertex.
  func draw(_ run: DrawRun, from first: Int) -> Int {
    let firsts = run.firsts.map { GLint(first) + $0 }
    if run.counts.count > 1, let draw = platform.context.extensions.multiDrawArrays {
      draw(GLenum(GL_TRIANGLES), firsts, run.counts, GLsizei(run.counts.count))
      return 1
    }
    for (first, count) in zip(firsts, run.counts) {
      glDrawArrays(GLenum(GL_TRIANGLES), first, count)
    }
    return firsts.count
  }
}
