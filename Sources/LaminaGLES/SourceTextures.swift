import CGL
import LaminaFramePlan
import LaminaValues

/// The textures that plans upload. All surfaces share them, because a single planner counts them.
struct SourceTextures {
  struct Texture {
    var name: GLuint
    var size: PixelSize
    var format: PixelFormat
  }

  /// Whether 8-bit colour is stored as BGRA; otherwise as RGBA, with channels swapped when sampled.
  let isBGRA: Bool
  let maxSize: Int
  private var textures: [TextureID: Texture] = [:]

  init(isBGRA: Bool, maxSize: Int) {
    self.isBGRA = isBGRA
    self.maxSize = maxSize
  }

  func texture(_ id: TextureID) -> Texture? { textures[id] }

  mutating func release(_ id: TextureID) {
    guard var texture = textures.removeValue(forKey: id) else { return }
    glDeleteTextures(1, &texture.name)
  }

  /// Writes one upload's region, after creating the texture if there is none of that size and
  /// format. The part of a new texture outside its first upload is transparent.
  ///
  /// Binds the texture to the active unit.
  mutating func upload(
    _ upload: FramePlan.Upload,
    stores: (ImageID) -> (layout: PixelLayout, bytes: UnsafeRawBufferPointer)?
  ) throws(ExecutorError) {
    let region = upload.region
    guard !upload.size.isEmpty, upload.size.width <= maxSize, upload.size.height <= maxSize else {
      throw .unsupportedSize(upload.size, limit: maxSize)
    }
    guard PixelRect(upload.size).contains(region) else {
      throw .badUpload(upload.texture, "\(region) is not within \(upload.size)")
    }
    if region.isEmpty { return }
    switch upload.source {
    case .store(let image, let originX, let originY):
      guard let store = stores(image) else {
        throw .badUpload(upload.texture, "there is no \(image)")
      }
      let rows = try UploadRows(
        upload, of: store.layout, store.bytes, originX: originX, originY: originY)
      bind(upload)
      rows.write(to: region, TextureStorage(upload.format, isBGRA: isBGRA))
    case .bytes(let bytes):
      let layout = PixelLayout(
        width: region.width, height: region.height,
        stride: region.width * upload.format.bytesPerPixel, format: upload.format)
      let result: Result<Void, ExecutorError> = bytes.withUnsafeBytes { bytes in
        do throws(ExecutorError) {
          let rows = try UploadRows(upload, of: layout, bytes, originX: 0, originY: 0)
          bind(upload)
          rows.write(to: region, TextureStorage(upload.format, isBGRA: isBGRA))
          return .success(())
        } catch {
          return .failure(error)
        }
      }
      try result.get()
    }
  }

  /// Makes smaller copies of a texture's current contents.
  ///
  /// Binds the texture to the active unit.
  func make(_ mipmaps: FramePlan.Mipmaps) {
    guard let texture = textures[mipmaps.texture] else { return }
    glBindTexture(GLenum(GL_TEXTURE_2D), texture.name)
    glTexParameteri(GLenum(GL_TEXTURE_2D), GLenum(GL_TEXTURE_MAX_LEVEL), GLint(mipmaps.count))
    glGenerateMipmap(GLenum(GL_TEXTURE_2D))
  }

  private mutating func bind(_ upload: FramePlan.Upload) {
    if let texture = textures[upload.texture] {
      if texture.size == upload.size, texture.format == upload.format {
        glBindTexture(GLenum(GL_TEXTURE_2D), texture.name)
        return
      }
      release(upload.texture)
    }
    var name: GLuint = 0
    glGenTextures(1, &name)
    glBindTexture(GLenum(GL_TEXTURE_2D), name)
    textures[upload.texture] = Texture(name: name, size: upload.size, format: upload.format)
    allocate(upload)
    setTextureDefaults()
    setSwizzle(upload.format)
  }

  private func allocate(_ upload: FramePlan.Upload) {
    let storage = TextureStorage(upload.format, isBGRA: isBGRA)
    let size = upload.size
    glTexImage2D(
      GLenum(GL_TEXTURE_2D), 0, storage.internalFormat, GLsizei(size.width),
      GLsizei(size.height), 0, storage.format, storage.type, nil)
    if upload.region.size == size { return }
    // In bands, because the texture may be large and the part left unwritten small.
    let rowBytes = size.width * upload.format.bytesPerPixel
    let bandHeight = min(size.height, max(1, (1 << 20) / rowBytes))
    let zeros = [UInt8](repeating: 0, count: bandHeight * rowBytes)
    glPixelStorei(GLenum(GL_UNPACK_ROW_LENGTH), 0)
    for top in stride(from: 0, to: size.height, by: bandHeight) {
      glTexSubImage2D(
        GLenum(GL_TEXTURE_2D), 0, 0, GLint(top), GLsizei(size.width),
        GLsizei(min(bandHeight, size.height - top)), storage.format, storage.type, zeros)
    }
  }

  /// Makes a coverage texture's single channel appear in all four, so that the program that
  /// multiplies by an image also multiplies by coverage.
  private func setSwizzle(_ format: PixelFormat) {
    if TextureStorage(format, isBGRA: isBGRA).swapsRedAndBlue {
      glTexParameteri(GLenum(GL_TEXTURE_2D), GLenum(GL_TEXTURE_SWIZZLE_R), GL_BLUE)
      glTexParameteri(GLenum(GL_TEXTURE_2D), GLenum(GL_TEXTURE_SWIZZLE_B), GL_RED)
    } else if format == .a8 {
      for channel in [GL_TEXTURE_SWIZZLE_G, GL_TEXTURE_SWIZZLE_B, GL_TEXTURE_SWIZZLE_A] {
        glTexParameteri(GLenum(GL_TEXTURE_2D), GLenum(channel), GL_RED)
      }
    }
  }
}

extension UploadRows {
  /// Writes the pixels into the bound texture.
  fileprivate func write(to region: PixelRect, _ storage: TextureStorage) {
    if stride.isMultiple(of: bytesPerPixel), let length = GLint(exactly: stride / bytesPerPixel) {
      glPixelStorei(GLenum(GL_UNPACK_ROW_LENGTH), length)
      write(start, region, storage)
      return
    }
    // GL counts a row's length in pixels, and this one is not a whole number of pixels.
    glPixelStorei(GLenum(GL_UNPACK_ROW_LENGTH), 0)
    for row in 0..<region.height {
      write(
        start + row * stride,
        PixelRect(
          minX: region.minX, minY: region.minY + row, maxX: region.maxX,
          maxY: region.minY + row + 1), storage)
    }
  }

  private func write(
    _ pixels: UnsafeRawPointer, _ region: PixelRect, _ storage: TextureStorage
  ) {
    glTexSubImage2D(
      GLenum(GL_TEXTURE_2D), 0, GLint(region.minX), GLint(region.minY), GLsizei(region.width),
      GLsizei(region.height), storage.format, storage.type, pixels)
  }
}
