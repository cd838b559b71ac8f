import LaminaFramePlan
import LaminaValues

/// llvmpipe has two rasterizers. On 8-bit targets it chooses between them, tile by tile, by what
/// else lies in the tile, and their results may differ by 1 or 2 of 255: so a part of a frame drawn
/// again could differ from the whole. Programs in a form that its linear one does not take, such as
/// one that clamps its result, leave it no choice.
///
/// What both draw alike leaves it the choice, since the linear one takes half of the time or less:
///
/// - a colour in steps of 1/255 that is the same at all corners;
/// - an image whose pixels lie on the target's, however it is filtered;
/// - such an image times such a colour, if vertices have `alikeFactors`;
/// - a group, which is such an image, if it is drawn in a rectangle of whole pixels.
///
/// The linear one multiplies all channels again for each that a program multiplies, unless the
/// factor is 1 in 8 bits. If all images of a draw have one colour, blending multiplies by it what
/// is not alpha, and the program by factors of almost 1. These differ, since the linear one mixes
/// up channels that have the same; and it takes what is the same everywhere, rounded down, from a
/// uniform, but at another channel from a vertex that needs no other.
///
/// What is alone in a target leaves no choice either: the last step of a blur is drawn by the
/// linear one, which rounds as the step's program says.
///
/// Nor do small images whose pixels are as large as the target's and shifted by parts of one
/// (`PixelShift`), which are most of what moves. The linear one draws them where it draws the whole
/// pass: where all are rectangles, which it takes for such if opposite sides differ by the same
/// numbers, and nothing is cleared in part. It samples them in the `ImageAtlas`. Elsewhere the
/// general one draws them by a program that mixes pixels in the same integers: `shiftedSource`.
///
/// Blending is alike in both: it starts from 8 bits. This was compared on Mesa 22.3, and only there
/// is the choice left.
extension FramePlan.Batch {
  /// Whether both rasterizers draw some of its items alike. `imageSize` is the size of the image
  /// that it samples, if it does. If it `isGroup`, that is a group which is drawn as an image.
  func isAlikeInBothRasterizers(
    _ items: Range<Int>, of list: ItemList, imageSize: PixelSize?, isGroup: Bool
  ) -> Bool {
    let samples = program == .image || program == .plainImage
    guard samples && imageSize != nil || program == .solid || isGroup else { return false }
    return items.allSatisfy { index in
      let item = list.items[index]
      if program != .plainImage {
        guard case .bytes = item.color else { return false }
      }
      guard let imageSize, !isGroup else { return true }
      return list.pixelOffset(of: item, in: imageSize) != nil
    }
  }
}

/// The longest side of images and targets whose pixels are found to less than half of the steps
/// in which llvmpipe interpolates.
let exactSide = 4096

extension FramePlan.Pass {
  /// Whether it is nothing but an image of that size which is enlarged, rounding down, and fills a
  /// target in which the plan draws nothing else. Columns beside the image's last pixels, and no
  /// pixels outside of it, must be there to mix with.
  func isEnlargedAlone(
    bits: Int, on size: PixelSize, from sampled: PixelSize, _ plan: FramePlan
  ) -> Bool {
    if case .offscreen(let index) = target, plan.sharedOffscreens.contains(index) { return false }
    let whole = PixelRect(size)
    guard target != .surface || plan.passes.count(where: { $0.target == .surface }) == 1,
      isCleared, parts == [whole], batches.count == 1, batches[0].items.count == 1,
      let source = batches[0].sources.first, source.filter == .linear,
      beginsReplacing(parts, plan.items),
      max(size.width, size.height, sampled.width, sampled.height) <= exactSide
    else { return false }
    let space = whole.offset(x: originX, y: originY)
    func first(_ pixel: Int) -> Int { EnlargedPlace(of: pixel, bits: bits).first }
    let mixed = PixelRect(
      minX: first(space.minX), minY: first(space.minY), maxX: first(space.maxX - 1) + 3,
      maxY: first(space.maxY - 1) + 2)
    return PixelRect(sampled).offset(x: source.originX, y: source.originY).contains(mixed)
  }
}

/// For each byte the factor, of 1, by which both rasterizers multiply alpha alike if it is a
/// uniform, which the linear one rounds down, and takes only up to 1.
///
/// The program takes so little off it that the linear one sees nothing, and the general one rounds
/// the one product down that the linear one does (see `alikeFactors`). To others it is added here.
let alikeAlphaFactors: [Float] = (0..<256).map { factor in
  let part = (Double(factor) + 1 / 10000) / 255
  return Float(min(roundsProductDown(by: factor) ? part : part / 0.999978, 1))
}

/// Whether the linear rasterizer rounds a product of two bytes, of which one is this, down that is
/// just above the middle.
private func roundsProductDown(by factor: Int) -> Bool {
  (0..<256).contains { byte in
    let product = factor * byte
    return (product + (product >> 8) + 128) >> 8 < (2 * product + 255) / 510
  }
}

/// For each byte the factor, of 1, by which both rasterizers multiply images alike.
///
/// The linear one rounds a product of two bytes, each out of 255, to the nearest, but for 24
/// factors it rounds one product down that is just above the middle, such as 229 times 152. The
/// general one does so too if such a factor is less by a 250th of a step, of which the linear one
/// sees nothing.
let alikeFactors: [Float] = (0..<256).map { factor in
  Float((Double(factor) - (roundsProductDown(by: factor) ? 1 / 250 : 0)) / 255)
}
