import CGL
import LaminaFramePlan
import LaminaValues

/// A dma-buf as EGL imported it.
struct ImportedDMABuf {
  var image: EGLImageKHR
  var size: PixelSize
}

// Textures that lie in memory of other devices or processes. What is drawn there in the meantime is
// waited for as far as the driver does that by itself: by the fences that the kernel keeps with a
// dma-buf.
extension GLESRenderer {
  package func importDMABuf(
    _ id: DMABufID, _ layout: DMABufLayout, descriptors: [Int32]
  ) throws(ExecutorError) {
    try enter()
    defer { leave() }
    guard platform.importsDMABufs else {
      throw .notImported("the platform \(description.platform) does not draw from dma-bufs")
    }
    guard layout.size.width <= profile.maxTextureSize,
      layout.size.height <= profile.maxTextureSize
    else { throw .unsupportedSize(layout.size, limit: profile.maxTextureSize) }
    if platform.context.isSoftware, !platform.canRead(layout, descriptors: descriptors) {
      throw .notImported("\(layout) is not of this device, and the CPU does not find its pixels")
    }
    releaseDMABuf(id)
    let image = try platform.context.importImage(layout, descriptors: descriptors)
    let imported = ImportedDMABuf(image: image, size: layout.size)
    dmaBufs[id] = imported
    do throws(ExecutorError) {
      discardErrors()
      withTexture(in: imported) { _ in }
      try checkErrors("a texture in \(layout)")
    } catch {
      releaseDMABuf(id)
      throw error
    }
  }

  package func releaseDMABuf(_ id: DMABufID) {
    guard let imported = dmaBufs.removeValue(forKey: id) else { return }
    platform.context.beginTurn()
    defer { leave() }
    _ = platform.context.extensions.destroyImage?(platform.context.display, imported.image)
  }

  package func pixels(ofDMABuf id: DMABufID) -> [UInt8]? {
    guard let imported = dmaBufs[id], (try? enter()) != nil else { return nil }
    defer { leave() }
    let (width, height) = (imported.size.width, imported.size.height)
    var bytes = [UInt8](repeating: 0, count: width * height * 4)
    var isRead = false
    withTexture(in: imported) { texture in
      var framebuffer: GLuint = 0
      glGenFramebuffers(1, &framebuffer)
      defer { glDeleteFramebuffers(1, &framebuffer) }
      glBindFramebuffer(GLenum(GL_FRAMEBUFFER), framebuffer)
      glFramebufferTexture2D(
        GLenum(GL_FRAMEBUFFER), GLenum(GL_COLOR_ATTACHMENT0), GLenum(GL_TEXTURE_2D), texture, 0)
      guard
        glCheckFramebufferStatus(GLenum(GL_FRAMEBUFFER)) == GLenum(GL_FRAMEBUFFER_COMPLETE)
      else { return }
      glPixelStorei(GLenum(GL_PACK_ROW_LENGTH), 0)
      glReadPixels(
        0, 0, GLsizei(width), GLsizei(height), GLenum(GL_RGBA), GLenum(GL_UNSIGNED_BYTE), &bytes)
      isRead = glGetError() == GLenum(GL_NO_ERROR)
    }
    discardErrors()
    guard isRead else { return nil }
    for place in stride(from: 0, to: bytes.count, by: 4) { bytes.swapAt(place, place + 2) }
    return bytes
  }

  /// Has a texture lie in a dma-buf, which the plan's check found.
  func place(_ texture: TextureID, in id: DMABufID) {
    guard let imported = dmaBufs[id] else { return }
    textures.place(texture, imported.size) { attach(imported) }
  }

  /// Makes a dma-buf the memory of the texture that is bound.
  private func attach(_ imported: ImportedDMABuf) {
    platform.context.extensions.imageTargetTexture?(GLenum(GL_TEXTURE_2D), imported.image)
  }

  /// Calls `body` with a texture, bound to the active unit, that lies in a dma-buf.
  private func withTexture(in imported: ImportedDMABuf, _ body: (GLuint) -> Void) {
    state.forget()
    glActiveTexture(GLenum(GL_TEXTURE0))
    var texture: GLuint = 0
    glGenTextures(1, &texture)
    defer { glDeleteTextures(1, &texture) }
    glBindTexture(GLenum(GL_TEXTURE_2D), texture)
    attach(imported)
    body(texture)
  }
}
