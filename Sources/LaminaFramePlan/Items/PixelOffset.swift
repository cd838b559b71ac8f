import LaminaValues

extension ItemList {
  /// How far the pixels of an image lie in it from where an item shows them, if each that it shows
  /// lies on one of the target's; else nil.
  package func pixelOffset(of item: Item, in imageSize: PixelSize) -> SIMD2<Double>? {
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
      else { return nil }
      offset = whole
    }
    return offset
  }
}
