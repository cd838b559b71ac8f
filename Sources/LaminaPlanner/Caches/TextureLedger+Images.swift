import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

/// The textures of one image: a single one, or those of its tiles.
struct ImageTextures {
  struct Tile {
    var texture: TextureID
    var place: ImageTile
  }

  var layout: PixelLayout
  /// The last update of the image that was uploaded.
  var version: UInt64
  /// The stamp of the uploaded pixels.
  var stamp: UInt64
  var tiles: [Tile]
  /// Whether mipmaps have been made of these pixels.
  var hasMipmaps = false
  /// Whether the pixels may lie in the image's store.
  var sharesStore = false
  /// Whether that store is a dma-buf.
  var isDMABuf = false
  /// Bytes that the textures take on the device, without mipmaps.
  var byteCount = 0
  /// Bytes of the mipmaps, whose memory stays once they were made.
  var mipmapByteCount = 0
  /// The last frame, of any session, that drew the image.
  var lastFrame: UInt64 = 0
  /// Whether the pixels are nowhere else.
  var isOnlyCopy = false
}

extension ImageTextures {
  /// Notes that a frame draws pixels with that stamp, and appends the textures to a list. Returns
  /// false if they hold others.
  fileprivate mutating func draw(
    _ stamp: UInt64, in frame: UInt64, addingTo list: inout [TextureID]
  ) -> Bool {
    guard self.stamp == stamp else { return false }
    lastFrame = frame
    for tile in tiles { list.append(tile.texture) }
    return true
  }

  /// Returns the bytes that the device needs for it.
  fileprivate mutating func makeMipmaps(in plan: inout FramePlan, _ profile: DeviceProfile) -> Int {
    if hasMipmaps { return 0 }
    hasMipmaps = true
    plan.mipmaps += tiles.map {
      FramePlan.Mipmaps(texture: $0.texture, count: $0.place.mipmapCount)
    }
    if mipmapByteCount > 0 { return 0 }
    mipmapByteCount = tiles.reduce(0) {
      $0 + profile.byteCount(ofMipmapsOf: $1.place.held.size, layout.format)
    }
    // Those of a dma-buf come with a copy of it, since the dma-buf itself is not written.
    if isDMABuf { mipmapByteCount += ImageTextures.byteCount(tiles, layout.format, profile) }
    return mipmapByteCount
  }

  fileprivate static func byteCount(
    _ tiles: [Tile], _ format: PixelFormat, _ profile: DeviceProfile
  ) -> Int {
    tiles.reduce(0) { $0 + profile.byteCount(ofImage: $1.place.held.size, format) }
  }
}

extension TextureLedger {
  /// Whether the device has a copy of an image's pixels.
  func holds(_ id: ImageID, _ image: RenderTree.Image) -> Bool {
    guard let known = imageTextures[id] else { return false }
    return known.stamp == image.stamp && !known.sharesStore
  }

  /// Appends the textures of an image to a list. Returns false if its pixels are lost.
  mutating func addTextures(
    of drawn: DrawnImage, to list: inout [TextureID], in plan: inout FramePlan
  ) -> Bool {
    let stamp = drawn.image.stamp
    switch drawn.pixels {
    case .living(let id):
      if let known = imageTextures.index(forKey: id),
        imageTextures.values[known].draw(stamp, in: frame, addingTo: &list)
      {
        counts.hits += 1
        return true
      }
      update(id, drawn.image, in: &plan)
      return imageTextures[id]?.draw(stamp, in: frame, addingTo: &list) ?? false
    case .kept(let bytes):
      if let known = keptTextures.index(forKey: stamp) {
        counts.hits += 1
        return keptTextures.values[known].draw(stamp, in: frame, addingTo: &list)
      }
      if let bytes { upload(bytes, of: drawn.image, in: &plan) }
      return keptTextures[stamp]?.draw(stamp, in: frame, addingTo: &list) ?? false
    }
  }

  /// Makes mipmaps of an image's textures, unless they exist already. This plan draws the textures.
  mutating func makeMipmaps(of drawn: DrawnImage, in plan: inout FramePlan) {
    switch drawn.pixels {
    case .living(let id):
      imageByteCount += imageTextures[id]?.makeMipmaps(in: &plan, profile) ?? 0
    case .kept:
      imageByteCount += keptTextures[drawn.image.stamp]?.makeMipmaps(in: &plan, profile) ?? 0
    }
  }

  /// Makes the textures of kept pixels.
  private mutating func upload(
    _ bytes: [UInt8], of image: RenderTree.Image, in plan: inout FramePlan
  ) {
    counts.misses += 1
    let layout = image.layout
    let made = makeTextures(of: layout, image.version, stamp: image.stamp)
    for tile in made.tiles {
      plan.uploads.append(
        FramePlan.Upload(
          texture: tile.texture, size: tile.place.held.size, format: layout.format,
          region: PixelRect(tile.place.held.size),
          source: .bytes(Self.part(tile.place.held, of: bytes, layout)),
          sharesTexture: profile.sizeClass(of: tile.place.held.size, layout.format) != nil))
    }
    keptTextures[image.stamp] = made
  }

  /// The pixels of a rectangle, as tightly packed rows.
  private static func part(
    _ rect: PixelRect, of bytes: [UInt8], _ layout: PixelLayout
  ) -> [UInt8] {
    if rect == PixelRect(layout.size) { return bytes }
    let pixel = layout.format.bytesPerPixel
    return (rect.minY..<rect.maxY).flatMap { y in
      let row = y * layout.width
      return bytes[(row + rect.minX) * pixel..<(row + rect.maxX) * pixel]
    }
  }

  /// Adds the uploads to the plan that bring an image's textures up to date.
  private mutating func update(
    _ id: ImageID, _ image: RenderTree.Image, in plan: inout FramePlan
  ) {
    counts.misses += 1
    let whole = PixelRect(image.layout.size)
    let canShare =
      image.place.dmaBuf != nil || profile.sharesStores && image.canBeShared
    if var known = imageTextures[id], known.layout.size == image.layout.size,
      known.layout.format == image.layout.format, known.sharesStore == canShare,
      known.isDMABuf == (image.place.dmaBuf != nil)
    {
      // A shared store has all the pixels. Those of the store before it are gone.
      let dirt = canShare ? [whole] : image.dirt(since: known.version) ?? [whole]
      for rect in dirt {
        for tile in known.tiles {
          upload(rect, of: id, image, to: tile, sharing: canShare, in: &plan)
        }
      }
      (known.version, known.stamp) = (image.version, image.stamp)
      known.hasMipmaps = false
      imageTextures[id] = known
      return
    }
    release(imageTextures[id])
    var made = makeTextures(
      of: image.layout, image.version, stamp: image.stamp, sharingStore: canShare)
    made.isDMABuf = image.place.dmaBuf != nil
    for tile in made.tiles {
      upload(tile.place.held, of: id, image, to: tile, sharing: canShare, in: &plan)
    }
    imageTextures[id] = made
  }

  private func upload(
    _ rect: PixelRect, of id: ImageID, _ image: RenderTree.Image, to tile: ImageTextures.Tile,
    sharing sharesStore: Bool, in plan: inout FramePlan
  ) {
    let part = rect.intersection(tile.place.held)
    guard !part.isEmpty else { return }
    if let dmaBuf = image.place.dmaBuf {
      plan.uploads.append(
        FramePlan.Upload(
          texture: tile.texture, size: image.layout.size, format: image.layout.format,
          region: PixelRect(image.layout.size), source: .dmaBuf(dmaBuf), sharesStore: true))
      return
    }
    plan.uploads.append(
      FramePlan.Upload(
        texture: tile.texture, size: tile.place.held.size, format: image.layout.format,
        region: PixelRect(
          minX: part.minX - tile.place.held.minX, minY: part.minY - tile.place.held.minY,
          maxX: part.maxX - tile.place.held.minX, maxY: part.maxY - tile.place.held.minY),
        source: .store(id, originX: part.minX, originY: part.minY), sharesStore: sharesStore,
        sharesTexture: profile.sizeClass(of: tile.place.held.size, image.layout.format) != nil))
  }

  private mutating func makeTextures(
    of layout: PixelLayout, _ version: UInt64, stamp: UInt64, sharingStore: Bool = false
  ) -> ImageTextures {
    let tiles = ImageTiles(of: layout.size, limit: profile.maxTextureSize).map {
      ImageTextures.Tile(texture: makeTexture(), place: $0)
    }
    let byteCount =
      sharingStore ? 0 : ImageTextures.byteCount(tiles, layout.format, profile)
    imageByteCount += byteCount
    return ImageTextures(
      layout: layout, version: version, stamp: stamp, tiles: tiles, sharesStore: sharingStore,
      byteCount: byteCount, lastFrame: frame)
  }
}

extension RenderTree.Image {
  /// Whether executors can read the pixels where they are.
  fileprivate var canBeShared: Bool {
    if layout.coding != nil { return false }
    return switch layout.format {
    case .bgra8:
      place.memory?.offset.isMultiple(of: 4) == true && layout.stride.isMultiple(of: 4)
    case .a8: true
    case .rgba16f: false
    }
  }
}
