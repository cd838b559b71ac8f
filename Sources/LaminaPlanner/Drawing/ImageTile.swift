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
}

/// The tiles of an image, row by row. Nearly every image has one, so they are computed when they
/// are read.
struct ImageTiles: RandomAccessCollection {
  private let whole: PixelRect
  private let mipmapCount: Int
  /// What a tile shares with its neighbours, and the distance from one to the next; 0 if there is
  /// one.
  private let margin: Int
  private let step: Int
  private let columns: Int
  let endIndex: Int

  /// The tiles of an image of that size, if no side of a texture may be longer than `limit` pixels.
  init(of size: PixelSize, limit: Int) {
    whole = PixelRect(size)
    guard size.width > limit || size.height > limit else {
      let longest = Swift.max(size.width, size.height, 1)
      mipmapCount = Int.bitWidth - 1 - longest.leadingZeroBitCount
      (margin, step, columns, endIndex) = (0, 0, 1, 1)
      return
    }
    // Tiles begin at multiples of 2ⁿ and reach 2ⁿ pixels into their neighbours. Halved n times,
    // they still have the same pixels as the whole image, and one pixel beyond the seam.
    mipmapCount = (0...6).last { 4 << $0 <= limit } ?? 0
    margin = 1 << mipmapCount
    step = Swift.max((limit - 2 * margin) / margin * margin, 1)
    columns = (size.width + step - 1) / step
    endIndex = columns * ((size.height + step - 1) / step)
  }

  var startIndex: Int { 0 }

  subscript(_ index: Int) -> ImageTile {
    guard step > 0 else { return ImageTile(core: whole, held: whole, mipmapCount: mipmapCount) }
    let (row, column) = index.quotientAndRemainder(dividingBy: columns)
    let (x, y) = (column * step, row * step)
    let core = PixelRect(minX: x, minY: y, maxX: x + step, maxY: y + step).intersection(whole)
    let held = PixelRect(
      minX: core.minX - margin, minY: core.minY - margin, maxX: core.maxX + margin,
      maxY: core.maxY + margin
    ).intersection(whole)
    return ImageTile(core: core, held: held, mipmapCount: mipmapCount)
  }
}
