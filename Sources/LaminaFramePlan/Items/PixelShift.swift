import LaminaValues

/// How far an image's pixels are from the target's, if they are as large.
package struct PixelShift: Hashable, Sendable {
  /// From a place in the target's space to the image's, in 256ths of a pixel.
  package var x: Int32
  package var y: Int32

  /// Finds the nearest one.
  ///
  /// What is less than a hundredth of a pixel from lying on the target's pixels lies on them: the
  /// linear rasterizer of llvmpipe draws it so if it is within two 256ths along both axes.
  fileprivate init?(_ offset: SIMD2<Double>) {
    let places: SIMD2<Double> = (offset * 256).rounded(.toNearestOrEven)
    guard abs(places.x) < 0x1p24, abs(places.y) < 0x1p24 else { return nil }
    var shift = SIMD2<Int32>(places)
    let beside = (shift &+ 2) & 255
    if beside.x < 4, beside.y < 4 { shift = (shift &+ 2) & ~255 }
    (x, y) = (shift.x, shift.y)
  }
}

extension ItemList {
  /// How an image is shifted that an item shows in a rectangle along the target's pixels, if its
  /// pixels are as large as those and not mirrored or turned, and the item ends where the image
  /// does or before; else nil.
  package func shift(of item: Item, in imageSize: PixelSize) -> PixelShift? {
    guard item.cornerCount == 4, item.shape == .fan else { return nil }
    let map = maps[Int(item.parameters)]
    let size = SIMD2(Double(imageSize.width), Double(imageSize.height))
    let first = Int(item.firstCorner)
    var (least, most) = (SIMD2<Double>.zero, SIMD2<Double>.zero)
    for place in 0..<4 {
      let corner = corners[first + place]
      guard corner.w == 1 else { return nil }
      let (x, y) = (corner.localX, corner.localY)
      let shown = SIMD2(map.a * x + map.c * y + map.tx, map.b * x + map.d * y + map.ty) * size
      guard shown.x > -0.25, shown.y > -0.25, shown.x < size.x + 0.25, shown.y < size.y + 0.25
      else { return nil }
      let found = shown - SIMD2(corner.x, corner.y)
      if place == 0 { (least, most) = (found, found) }
      least = pointwiseMin(least, found)
      most = pointwiseMax(most, found)
    }
    // A thousandth of a pixel is nothing beside the 512th by which a place is rounded.
    guard most.x - least.x < 1e-3, most.y - least.y < 1e-3 else { return nil }
    return PixelShift((least + most) / 2)
  }
}
