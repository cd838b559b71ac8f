import CGL
import LaminaFramePlan
import LaminaValues

/// The textures that plans upload. All surfaces share them, because a single planner counts them.
struct SourceTextures {
  /// A texture as a program samples it.
  struct Sampled {
    var name: GLuint
    /// The size of the image.
    var size: PixelSize
    /// Where the image lies if it shares the texture.
    var layer: ArrayLayer?
  }

  /// A texture of its own.
  private struct Texture {
    var name: GLuint
    var size: PixelSize
    var format: PixelFormat
    /// Whether it lies in a dma-buf, which nothing here writes.
    var isImported = false
  }

  /// Whether 8-bit colour is stored as BGRA; otherwise as RGBA, with channels swapped when sampled.
  let isBGRA: Bool
  let maxSize: Int
  private let mostLayers: Int
  private var textures: [TextureID: Texture] = [:]
  private var arrays: ArrayTextures
  private(set) var atlas = ImageAtlas()
  /// The copies, with mipmaps, of textures that are layers of arrays or lie in dma-bufs.
  private var mipmapped: [TextureID: Texture] = [:]

  init(isBGRA: Bool, maxSize: Int, mostLayers: Int) {
    self.isBGRA = isBGRA
    self.maxSize = maxSize
    self.mostLayers = mostLayers
    arrays = ArrayTextures(isBGRA: isBGRA, mostLayers: mostLayers)
  }

  /// The textures of the same device, without any, in that order of bytes.
  func emptied(isBGRA: Bool) -> SourceTextures {
    SourceTextures(isBGRA: isBGRA, maxSize: maxSize, mostLayers: mostLayers)
  }

  func contains(_ id: TextureID) -> Bool { textures[id] != nil || arrays.layer(of: id) != nil }

  /// Where a texture lies if it is a layer of an array.
  func layer(of id: TextureID) -> ArrayLayer? { arrays.layer(of: id) }

  /// What a program samples for a texture; nil if there is none.
  func sampled(_ id: TextureID, withMipmaps isMipmapped: Bool) -> Sampled? {
    if !isMipmapped, let layer = arrays.layer(of: id) {
      return Sampled(name: layer.array, size: layer.imageSize, layer: layer)
    }
    let copy = isMipmapped ? mipmapped[id] : nil
    return (copy ?? textures[id] ?? mipmapped[id]).map { Sampled(name: $0.name, size: $0.size) }
  }

  /// Frees textures. Those that lie in arrays leave their places to others until `shrinkArrays`
  /// frees these.
  mutating func release(_ ids: some Sequence<TextureID>) {
    for id in ids {
      delete(textures.removeValue(forKey: id))
      delete(mipmapped.removeValue(forKey: id))
      arrays.release(id)
      atlas.release(id)
    }
  }

  /// Notes that a frame draws a layer of an array shifted.
  mutating func wantInAtlas(_ id: TextureID) { atlas.want(id) }

  /// Copies to the atlas what frames draw shifted, once a frame is drawn.
  ///
  /// Binds textures to the active unit, and framebuffers.
  mutating func fillAtlas() {
    var ids = atlas.takeWanted()
    var next = 0
    while next < ids.count {
      let id = ids[next]
      next += 1
      guard let layer = arrays.layer(of: id), layer.format == .bgra8 else { continue }
      while !atlas.hasRoom(for: layer.sizeClass), let dropped = atlas.grow() {
        for id in dropped { arrays.place(id, inAtlas: nil) }
        ids += dropped
      }
      guard atlas.hasRoom(for: layer.sizeClass) else { continue }
      let place = atlas.add(id, layer.imageSize, layer.sizeClass, arrays.pixels(of: layer))
      arrays.place(id, inAtlas: place)
    }
  }

  /// Frees the memory of arrays that hold little.
  ///
  /// Binds array textures to the active unit, and framebuffers.
  mutating func shrinkArrays() { arrays.shrink() }

  private func delete(_ texture: Texture?) {
    guard var texture else { return }
    glDeleteTextures(1, &texture.name)
  }

  /// Writes one upload's region, after creating the texture if there is none of that size and
  /// format. The part of a new texture outside its first upload is transparent.
  ///
  /// Binds textures to the active unit, and framebuffers.
  mutating func upload(
    _ upload: FramePlan.Upload,
    stores: (ImageID) -> (layout: PixelLayout, bytes: UnsafeRawBufferPointer)?
  ) throws(ExecutorError) {
    guard !upload.size.isEmpty, upload.size.width <= maxSize, upload.size.height <= maxSize else {
      throw .unsupportedSize(upload.size, limit: maxSize)
    }
    try upload.withRows(from: stores) { bind(upload).write($0, to: upload.region) }
  }

  /// Has a texture lie in a dma-buf, which `attach` makes the memory of the texture that is bound.
  ///
  /// Binds textures to the active unit, and framebuffers.
  mutating func place(_ id: TextureID, _ size: PixelSize, attach: () -> Void) {
    release([id])
    var name: GLuint = 0
    glGenTextures(1, &name)
    glBindTexture(GLenum(GL_TEXTURE_2D), name)
    attach()
    setTextureDefaults(GL_TEXTURE_2D)
    textures[id] = Texture(name: name, size: size, format: .bgra8, isImported: true)
  }

  /// Makes smaller copies of a texture's current contents.
  ///
  /// Binds textures to the active unit, and framebuffers.
  mutating func make(_ mipmaps: FramePlan.Mipmaps) {
    if let texture = textures[mipmaps.texture], texture.isImported {
      copy(texture, of: mipmaps.texture)
    } else if let texture = textures[mipmaps.texture] {
      glBindTexture(GLenum(GL_TEXTURE_2D), texture.name)
    } else if let layer = arrays.layer(of: mipmaps.texture) {
      copy(layer, of: mipmaps.texture)
    } else {
      return
    }
    glTexParameteri(GLenum(GL_TEXTURE_2D), GLenum(GL_TEXTURE_MAX_LEVEL), GLint(mipmaps.count))
    glGenerateMipmap(GLenum(GL_TEXTURE_2D))
  }

  /// Copies an image to a texture of its own, since the mipmaps of an array would be whole layers'.
  private mutating func copy(_ layer: ArrayLayer, of id: TextureID) {
    let texture = mipmapped[id] ?? makeTexture(layer.imageSize, layer.format)
    mipmapped[id] = texture
    glBindTexture(GLenum(GL_TEXTURE_2D), texture.name)
    arrays.copy(layer, to: texture.name)
  }

  /// Copies what lies in a dma-buf to a texture of its own, to which mipmaps can be added.
  private mutating func copy(_ imported: Texture, of id: TextureID) {
    // Its colours are in their places, in whatever order they are stored.
    let texture = mipmapped[id] ?? makeTexture(imported.size, imported.format, isSwizzled: false)
    mipmapped[id] = texture
    glBindTexture(GLenum(GL_TEXTURE_2D), texture.name)
    arrays.copy(imported.name, imported.size, to: texture.name)
  }

  /// Binds an upload's texture, which is made if there is none of that size and format.
  private mutating func bind(_ upload: FramePlan.Upload) -> BoundTexture {
    let storage = TextureStorage(upload.format, isBGRA: isBGRA)
    if upload.sharesTexture, let sizeClass = SizeClass(of: upload.size, upload.format) {
      let isNew = !arrays.holds(upload.texture, upload.size, upload.format)
      atlas.release(upload.texture)
      arrays.place(upload.texture, inAtlas: nil)
      if isNew {
        release([upload.texture])
        arrays.add(upload.texture, upload.size, upload.format, sizeClass)
      }
      let layer = arrays.layer(of: upload.texture)
      glBindTexture(GLenum(GL_TEXTURE_2D_ARRAY), layer?.array ?? 0)
      let bound = BoundTexture(storage: storage, layer: layer.map { GLint($0.index) })
      if isNew { bound.clear(upload) }
      return bound
    }
    let bound = BoundTexture(storage: storage)
    if let texture = textures[upload.texture], texture.size == upload.size,
      texture.format == upload.format, !texture.isImported
    {
      glBindTexture(GLenum(GL_TEXTURE_2D), texture.name)
      return bound
    }
    release([upload.texture])
    textures[upload.texture] = makeTexture(upload.size, upload.format)
    bound.clear(upload)
    return bound
  }

  /// Makes a texture, and binds it to the active unit.
  private func makeTexture(
    _ size: PixelSize, _ format: PixelFormat, isSwizzled: Bool = true
  ) -> Texture {
    var name: GLuint = 0
    glGenTextures(1, &name)
    glBindTexture(GLenum(GL_TEXTURE_2D), name)
    let storage = TextureStorage(format, isBGRA: isBGRA)
    glTexImage2D(
      GLenum(GL_TEXTURE_2D), 0, storage.internalFormat, GLsizei(size.width), GLsizei(size.height),
      0, storage.format, storage.type, nil)
    setTextureDefaults(GL_TEXTURE_2D)
    if isSwizzled { setSwizzle(format, isBGRA: isBGRA, GL_TEXTURE_2D) }
    return Texture(name: name, size: size, format: format)
  }
}

/// The texture, or the layer of an array texture, that is bound to the active unit.
private struct BoundTexture {
  let storage: TextureStorage
  var layer: GLint?

  /// Makes a new texture transparent where its first upload does not write.
  func clear(_ upload: FramePlan.Upload) {
    let size = upload.size
    if upload.region.size == size { return }
    // In bands, because the texture may be large and the part left unwritten small.
    let rowBytes = size.width * upload.format.bytesPerPixel
    let bandHeight = min(size.height, max(1, (1 << 20) / rowBytes))
    let zeros = [UInt8](repeating: 0, count: bandHeight * rowBytes)
    glPixelStorei(GLenum(GL_UNPACK_ROW_LENGTH), 0)
    zeros.withUnsafeBytes { zeros in
      guard let start = zeros.baseAddress else { return }
      for top in stride(from: 0, to: size.height, by: bandHeight) {
        write(
          start,
          PixelRect(
            minX: 0, minY: top, maxX: size.width, maxY: min(top + bandHeight, size.height)))
      }
    }
  }

  func write(_ rows: UploadRows, to region: PixelRect) {
    if rows.stride.isMultiple(of: rows.bytesPerPixel),
      let length = GLint(exactly: rows.stride / rows.bytesPerPixel)
    {
      glPixelStorei(GLenum(GL_UNPACK_ROW_LENGTH), length)
      write(rows.start, region)
      return
    }
    // GL counts a row's length in pixels, and this one is not a whole number of pixels.
    glPixelStorei(GLenum(GL_UNPACK_ROW_LENGTH), 0)
    for row in 0..<region.height {
      write(
        rows.start + row * rows.stride,
        PixelRect(
          minX: region.minX, minY: region.minY + row, maxX: region.maxX,
          maxY: region.minY + row + 1))
    }
  }

  private func write(_ pixels: UnsafeRawPointer, _ region: PixelRect) {
    let (x, y) = (GLint(region.minX), GLint(region.minY))
    let (width, height) = (GLsizei(region.width), GLsizei(region.height))
    if let layer {
      glTexSubImage3D(
        GLenum(GL_TEXTURE_2D_ARRAY), 0, x, y, layer, width, height, 1, storage.format,
        storage.type, pixels)
    } else {
      glTexSubImage2D(
        GLenum(GL_TEXTURE_2D), 0, x, y, width, height, storage.format, storage.type, pixels)
    }
  }
}
