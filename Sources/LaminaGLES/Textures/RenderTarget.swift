import CGL
import LaminaFramePlan
import LaminaValues

/// A texture with a framebuffer to draw into it. Holds GL names without owning them: the renderer's
/// tables do.
struct RenderTarget: PooledTarget {
  let size: PixelSize
  let format: PixelFormat
  let isBGRA: Bool
  private(set) var texture: GLuint = 0
  private(set) var framebuffer: GLuint = 0
  private var buffer: (any SurfaceBuffer)?
  /// Whether its memory is a plain texture's.
  var isTexture: Bool { buffer == nil }
  /// The area that may not be transparent.
  var drawn: PixelRect = .empty

  /// Creates a transparent target, and leaves its framebuffer bound. If the platform has its own
  /// memory, 8-bit targets use that; 16-bit ones are always plain textures. The context must be
  /// current.
  init(
    _ size: PixelSize, format: PixelFormat, isBGRA: Bool, on platform: (any Platform)?,
    label: String
  ) throws(ExecutorError) {
    self.size = size
    self.format = format
    self.isBGRA = isBGRA
    glGenTextures(1, &texture)
    glBindTexture(GLenum(GL_TEXTURE_2D), texture)
    do throws(ExecutorError) {
      try allocate(on: platform)
      setTextureDefaults(GL_TEXTURE_2D)
      try makeFramebuffer(label)
    } catch {
      destroy(in: platform?.context)
      throw error
    }
  }

  private mutating func allocate(on platform: (any Platform)?) throws(ExecutorError) {
    if format == .bgra8, let platform,
      let buffer = try platform.makeSurfaceBuffer(size, isBGRA: isBGRA)
    {
      self.buffer = buffer
      platform.context.extensions.imageTargetTexture?(GLenum(GL_TEXTURE_2D), buffer.image)
      return
    }
    let storage = TextureStorage(format, isBGRA: isBGRA)
    glTexImage2D(
      GLenum(GL_TEXTURE_2D), 0, storage.internalFormat, GLsizei(size.width),
      GLsizei(size.height), 0, storage.format, storage.type, nil)
  }

  private mutating func makeFramebuffer(_ label: String) throws(ExecutorError) {
    glGenFramebuffers(1, &framebuffer)
    glBindFramebuffer(GLenum(GL_FRAMEBUFFER), framebuffer)
    glFramebufferTexture2D(
      GLenum(GL_FRAMEBUFFER), GLenum(GL_COLOR_ATTACHMENT0), GLenum(GL_TEXTURE_2D), texture, 0)
    let error = glGetError()
    guard error == GLenum(GL_NO_ERROR) else { throw .gl(code: error, label: label) }
    let status = glCheckFramebufferStatus(GLenum(GL_FRAMEBUFFER))
    guard status == GLenum(GL_FRAMEBUFFER_COMPLETE) else {
      throw .incompleteFramebuffer(status: status, label: label)
    }
    // Earlier contents of the memory must not show.
    glDisable(GLenum(GL_SCISSOR_TEST))
    glClearColor(0, 0, 0, 0)
    glClear(GLbitfield(GL_COLOR_BUFFER_BIT))
    glEnable(GLenum(GL_SCISSOR_TEST))
  }

  /// Frees everything. Call once, with the context current if there is still one.
  func destroy(in context: RenderingContext?) {
    var (texture, framebuffer) = (texture, framebuffer)
    glDeleteFramebuffers(1, &framebuffer)
    glDeleteTextures(1, &texture)
    buffer?.close()
  }
}

/// The storage of a format's pixels in a texture.
struct TextureStorage {
  let internalFormat: GLint
  let format: GLenum
  let type: GLenum
  /// Whether the bytes for blue and red are exchanged when the texture is sampled.
  let swapsRedAndBlue: Bool

  init(_ pixelFormat: PixelFormat, isBGRA: Bool) {
    switch pixelFormat {
    case .bgra8 where isBGRA:
      (internalFormat, format, type) = (GL_BGRA_EXT, GLenum(GL_BGRA_EXT), GLenum(GL_UNSIGNED_BYTE))
    case .bgra8:
      (internalFormat, format, type) = (GL_RGBA8, GLenum(GL_RGBA), GLenum(GL_UNSIGNED_BYTE))
    case .rgba16f:
      (internalFormat, format, type) = (GL_RGBA16F, GLenum(GL_RGBA), GLenum(GL_HALF_FLOAT))
    case .a8:
      (internalFormat, format, type) = (GL_R8, GLenum(GL_RED), GLenum(GL_UNSIGNED_BYTE))
    }
    swapsRedAndBlue = pixelFormat == .bgra8 && !isBGRA
  }
}

/// Sets the parameters of the texture bound to a target so that it is clamped, and complete without
/// mipmaps. Samplers set the filtering.
func setTextureDefaults(_ target: Int32) {
  for (name, value) in [
    (GL_TEXTURE_MIN_FILTER, GL_NEAREST), (GL_TEXTURE_MAG_FILTER, GL_NEAREST),
    (GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE), (GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE),
  ] {
    glTexParameteri(GLenum(target), GLenum(name), value)
  }
}

/// Makes the bytes of the texture bound to a target appear as premultiplied red, green, blue and
/// alpha; a coverage texture's single channel appears in all four, so that the program that
/// multiplies by an image also multiplies by coverage.
func setSwizzle(_ format: PixelFormat, isBGRA: Bool, _ target: Int32) {
  if TextureStorage(format, isBGRA: isBGRA).swapsRedAndBlue {
    glTexParameteri(GLenum(target), GLenum(GL_TEXTURE_SWIZZLE_R), GL_BLUE)
    glTexParameteri(GLenum(target), GLenum(GL_TEXTURE_SWIZZLE_B), GL_RED)
  } else if format == .a8 {
    for channel in [GL_TEXTURE_SWIZZLE_G, GL_TEXTURE_SWIZZLE_B, GL_TEXTURE_SWIZZLE_A] {
      glTexParameteri(GLenum(target), GLenum(channel), GL_RED)
    }
  }
}
