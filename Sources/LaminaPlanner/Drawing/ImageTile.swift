import LaminaValues

/// A part of an image that is a texture of its own, if the image is larger than a texture may be;
/// otherwise the whole image.
struct ImageTile: Hashable {
  /// The image's pixels that this tile draws. No two tiles share a pixel.
  var core: PixelRect
  /// The image's pixels that the texture holds: the core and, towards other tiles, a margin, so
  /// that filtering across the seam reads the same pixels as within one texture.
  var held: PixelRect
  /// Number of mipmap levels, without the texture itself, that look the same on both sides of a
  /// seam.
  var mipmapCount: Int

  /// The tiles of an image, if no side of a texture may be longer than `limit` pixels.
  static func tiles(of size: PixelSize, limit: Int) -> [ImageTile] {
    let whole = PixelRect(size)
    guard size.width > limit || size.height > limit else {
      let longest = max(size.width, size.height, 1)
      let count = Int.bitWidth - 1 - longest.leadingZeroBitCount
      return [ImageTile(core: whole, held: whole, mipmapCount: count)]
    }
    // Tiles begin at multiples of 2ⁿ and reach 2ⁿ pixels into their neighbours. Halved n times,
    // they still have the same pixels as the whole image, and one pixel beyond the seam.
    let mipmapCount = (0...6).last { 4 << $0 <= limit } ?? 0
    let margin = 1 << mipmapCount
    let step = max((limit - 2 * margin) / margin * margin, 1)
    var tiles: [ImageTile] = []
    for y in stride(from: 0, to: size.height, by: step) {
      for x in stride(from: 0, to: size.width, by: step) {
        let core = PixelRect(minX: x, minY: y, maxX: x + step, maxY: y + step)
          .intersection(whole)
        let held = PixelRect(
          minX: core.minX - margin, minY: core.minY - margin, maxX: core.maxX + margin,
          maxY: core.maxY + margin
        ).intersection(whole)
        tiles.append(ImageTile(core: core, held: held, mipmapCount: mipmapCount))
      }
    }
    return tiles
  }
}
