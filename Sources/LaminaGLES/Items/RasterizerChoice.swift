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
      return list.isPixelOnPixel(item, imageSize)
    }
  }
}

extension ItemList {
  /// Whether each pixel of an image that the item shows lies on one of the target's.
  fileprivate func isPixelOnPixel(_ item: Item, _ imageSize: PixelSize) -> Bool {
    let map = maps[Int(item.parameters)]
    let (width, height) = (Double(imageSize.width), Double(imageSize.height))
    var offset: SIMD2<Double>?
    let first = Int(item.firstCorner)
    for corner in corners[first..<first + Int(item.cornerCount)] {
      let (x, y) = (corner.localX, corner.localY)
      let found = SIMD2(
        (map.a * x + map.c * y + map.tx) * width - corner.x,
        (map.b * x + map.d * y + map.ty) * height - corner.y)
      let whole = found.rounded(.toNearestOrEven)
      guard corner.w == 1, corner.x == corner.x.rounded(), corner.y == corner.y.rounded(),
        abs(found.x - whole.x) < 1e-6, abs(found.y - whole.y) < 1e-6, whole == offset ?? whole
      else { return false }
      offset = whole
    }
    return true
  }
}

/// For each byte the factor, of 1, by which both rasterizers multiply images alike.
///
/// The linear one rounds a product of two bytes, each out of 255, to the nearest, but for 24
/// factors it rounds one product down that is just above the middle, such as 229 times 152. The
/// general one does so too if such a factor is less by a 250th of a step, of which the linear one
/// sees nothing.
let alikeFactors: [Float] = (0..<256).map { factor in
  let roundsDown = (0..<256).contains { byte in
    let product = factor * byte
    return (product + (product >> 8) + 128) >> 8 < (2 * product + 255) / 510
  }
  return Float((Double(factor) - (roundsDown ? 1 / 250 : 0)) / 255)
}
