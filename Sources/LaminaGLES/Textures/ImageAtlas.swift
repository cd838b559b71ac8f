import CGL
import LaminaFramePlan
import LaminaValues

/// Copies of small images, side by side in one texture. llvmpipe's linear rasterizer samples no
/// array textures: see `RasterizerChoice.swift`.
///
/// Around each image, its outermost pixels are there once more, so that it is sampled as if it were
/// alone. Only what is drawn shifted in two frames one after another is copied, and the copy goes
/// when the image changes: what changes with each frame costs less as it is.
struct ImageAtlas {
  /// Where an image lies.
  struct Place {
    /// Of its first pixel.
    var x: Int
    var y: Int
    /// Length of the atlas' sides.
    var side: Int
  }

  private static let fewestSide = 512
  private static let mostSide = 2048
  static let mostBytes = mostSide * mostSide * 4
  private static let border = 1

  /// A row of places for images of one class.
  private struct Shelf {
    let top: Int
    var sizeClass: SizeClass
    /// The texture in each place.
    var owners: [TextureID?]

    init(top: Int, _ sizeClass: SizeClass, width: Int) {
      (self.top, self.sizeClass) = (top, sizeClass)
      owners = Array(repeating: nil, count: width / (sizeClass.size.width + 2 * border))
    }

    var end: Int { top + sizeClass.size.height + 2 * border }
    var isEmpty: Bool { owners.allSatisfy { $0 == nil } }
  }

  /// 0 if it has no image.
  private(set) var name: GLuint = 0
  /// Length of the sides, in pixels. llvmpipe writes all of a new texture, so it begins small.
  private var side = fewestSide
  /// The rasterizer reads up to four pixels at once, and by another formula near the end.
  private var usableSide: Int { side - 5 }
  private var shelves: [Shelf] = []
  /// Shelf and index of each image.
  private var places: [TextureID: (shelf: Int, index: Int)] = [:]
  /// What this frame and the last one drew shifted, and is not here.
  private var wanted: Set<TextureID> = []
  private var wantedBefore: Set<TextureID> = []

  /// Notes that a frame draws an image shifted.
  mutating func want(_ id: TextureID) { wanted.insert(id) }

  /// Returns the images to add, at the end of a frame.
  mutating func takeWanted() -> [TextureID] {
    defer {
      swap(&wanted, &wantedBefore)
      wanted.removeAll(keepingCapacity: true)
    }
    if wantedBefore.isEmpty { return [] }
    // In an order that does not depend on hashing.
    return wanted.intersection(wantedBefore).sorted { $0.rawValue < $1.rawValue }
  }

  func hasRoom(for sizeClass: SizeClass) -> Bool { shelf(for: sizeClass) != nil }

  /// Adds an image, and returns the place of its first pixel; nil if there is no room. The pixels
  /// are rows without gaps.
  ///
  /// Binds textures to the active unit.
  mutating func add(
    _ id: TextureID, _ size: PixelSize, _ sizeClass: SizeClass, _ pixels: [UInt32]
  ) -> Place? {
    guard let shelf = shelf(for: sizeClass) else { return nil }
    if shelf == shelves.count {
      shelves.append(Shelf(top: end, sizeClass, width: usableSide))
    } else if shelves[shelf].sizeClass != sizeClass {
      shelves[shelf] = Shelf(top: shelves[shelf].top, sizeClass, width: usableSide)
    }
    guard let index = shelves[shelf].owners.firstIndex(of: nil) else { return nil }
    if name == 0 { makeTexture() }
    shelves[shelf].owners[index] = id
    places[id] = (shelf, index)
    let (x, y) = (index * (sizeClass.size.width + 2 * Self.border), shelves[shelf].top)
    glBindTexture(GLenum(GL_TEXTURE_2D), name)
    glPixelStorei(GLenum(GL_UNPACK_ROW_LENGTH), 0)
    glTexSubImage2D(
      GLenum(GL_TEXTURE_2D), 0, GLint(x), GLint(y), GLsizei(size.width + 2 * Self.border),
      GLsizei(size.height + 2 * Self.border), GLenum(GL_BGRA_EXT), GLenum(GL_UNSIGNED_BYTE),
      Self.bordered(pixels, size))
    return Place(x: x + Self.border, y: y + Self.border, side: side)
  }

  mutating func release(_ id: TextureID) {
    wanted.remove(id)
    wantedBefore.remove(id)
    guard let place = places.removeValue(forKey: id) else { return }
    shelves[place.shelf].owners[place.index] = nil
    while shelves.last?.isEmpty == true { shelves.removeLast() }
    if shelves.isEmpty { empty(side: Self.fewestSide) }
  }

  /// Grows if it can, and returns the images that it no longer has; nil if it cannot.
  mutating func grow() -> [TextureID]? {
    guard side < Self.mostSide else { return nil }
    defer { empty(side: 2 * side) }
    return places.keys.sorted { $0.rawValue < $1.rawValue }
  }

  private mutating func empty(side: Int) {
    shelves.removeAll()
    places.removeAll()
    glDeleteTextures(1, &name)
    name = 0
    self.side = side
  }

  /// The place of a shelf with a free place for images of a class: one that is there, an empty one
  /// of the same height, or a new one; nil if there is no room.
  private func shelf(for sizeClass: SizeClass) -> Int? {
    let height = sizeClass.size.height
    let free = shelves.firstIndex { $0.sizeClass == sizeClass && $0.owners.contains(nil) }
    if let shelf = free
      ?? shelves.firstIndex(where: { $0.sizeClass.size.height == height && $0.isEmpty })
    {
      return shelf
    }
    return end + height + 2 * Self.border <= usableSide ? shelves.count : nil
  }

  private var end: Int { shelves.last?.end ?? 0 }

  private mutating func makeTexture() {
    let storage = TextureStorage(.bgra8, isBGRA: true)
    glGenTextures(1, &name)
    glBindTexture(GLenum(GL_TEXTURE_2D), name)
    glTexImage2D(
      GLenum(GL_TEXTURE_2D), 0, storage.internalFormat, GLsizei(side), GLsizei(side), 0,
      storage.format, storage.type, nil)
    setTextureDefaults(GL_TEXTURE_2D)
  }

  /// The pixels with the outermost ones around them once more.
  private static func bordered(_ pixels: [UInt32], _ size: PixelSize) -> [UInt32] {
    var result: [UInt32] = []
    result.reserveCapacity((size.width + 2 * border) * (size.height + 2 * border))
    for row in -border..<size.height + border {
      let start = min(max(row, 0), size.height - 1) * size.width
      let line = pixels[start..<start + size.width]
      result.append(line.first!)
      result += line
      result.append(line.last!)
    }
    return result
  }
}
