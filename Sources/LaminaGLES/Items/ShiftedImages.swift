import CGL
import LaminaFramePlan
import LaminaValues

/// How images are drawn whose pixels are as large as the target's and shifted by parts of one: see
/// `RasterizerChoice.swift`.
enum ImageShifts {
  /// Like all others.
  case none
  /// As llvmpipe's linear rasterizer would, by its general one.
  case general
  /// By the linear one where the rest of a pass allows that, otherwise by the general one.
  case either
}

extension ItemVertices {
  /// Adds the shifts of a batch's items, if it draws images that are shifted.
  mutating func addShifts(
    of batch: FramePlan.Batch, in layer: ArrayLayer, _ list: ItemList
  ) -> Bool {
    guard batch.program == .plainImage || batch.program == .image,
      batch.sources.first?.filter == .linear
    else { return false }
    if case .formula = batch.blend { return false }
    let first = pixelShifts.count
    for index in batch.items {
      let item = list.items[index]
      var hasBytes: Bool { if case .bytes = item.color { true } else { false } }
      guard batch.program == .plainImage || hasBytes,
        let shift = list.shift(of: item, in: layer.imageSize)
      else {
        pixelShifts.removeSubrange(first...)
        return false
      }
      pixelShifts.append(shift)
    }
    return true
  }

  /// Writes the batches of a pass, of which some draw images that are shifted: from the atlas, if
  /// those lie there and nothing else in the pass keeps the linear rasterizer from drawing.
  mutating func writeShifted(
    _ pass: FramePlan.Pass, _ numbers: Range<Int>, of plan: FramePlan,
    with writer: inout VertexWriter
  ) {
    let size = targetSize(of: pass, plan)
    // What an offscreen target has left over may be cleared in part, which Mesa does by triangles.
    var isLinear = pass.parts == [PixelRect(size)] || !pass.target.isOffscreen
    isLinear = isLinear && max(size.width, size.height) <= exactSide
    for (number, batch) in zip(numbers, pass.batches) {
      let span = spans[number]
      isLinear = isLinear && span.forms == .rectangles && span.layout.isAffine
      if span.layout.isShifted { continue }
      writer.write(batch, in: pass, span)
      isLinear = isLinear && writer.areExactRectangles(span)
    }
    var next = numbers.lowerBound
    while next < numbers.upperBound {
      let (first, array) = (next, spans[next].layer?.array)
      // What one call can draw comes from one texture.
      var isThere = true
      while next < numbers.upperBound, spans[next].layout.isShifted,
        spans[next].layer?.array == array
      {
        if isLinear, spans[next].layer?.placeInAtlas == nil,
          let id = pass.batches[next - numbers.lowerBound].imageTexture
        {
          isThere = false
          wantedInAtlas.append(id)
        }
        next += 1
      }
      for number in first..<next {
        spans[number].layout.isInAtlas = isLinear && isThere
        writer.write(pass.batches[number - numbers.lowerBound], in: pass, spans[number])
      }
      if next == first { next += 1 }
    }
  }
}

extension FramePlan.Target {
  fileprivate var isOffscreen: Bool { if case .offscreen = self { true } else { false } }
}

/// What llvmpipe has recorded of one target: a tile in which there are triangles it draws by its
/// general rasterizer, so that images from the atlas must not be in the same scene.
struct RecordedScene {
  private var framebuffer: GLuint = 0
  private var hasAtlas = false
  private var hasOthers = false

  /// Takes in a pass, with images from the atlas and no triangles or the other way around. If it
  /// must not be in one scene with what was before, returns true.
  mutating func mustEnd(beforeAtlas: Bool, on framebuffer: GLuint) -> Bool {
    let continues = framebuffer == self.framebuffer
    let ends = continues && (beforeAtlas ? hasOthers : hasAtlas)
    if !continues || ends { (hasAtlas, hasOthers) = (false, false) }
    self.framebuffer = framebuffer
    if beforeAtlas { hasAtlas = true } else { hasOthers = true }
    return ends
  }
}
