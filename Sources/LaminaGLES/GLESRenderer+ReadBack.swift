import CGL
import LaminaFramePlan
import LaminaValues

extension GLESRenderer {
  /// Waits until everything is drawn, for a frame that is not read back.
  package func finish() throws(ExecutorError) {
    try enter()
    defer { leave() }
    waitUntilDrawn()
    try platform.context.checkReset()
  }

  private func waitUntilDrawn() {
    recordedBytes = 0
    guard let fence = glFenceSync(GLenum(GL_SYNC_GPU_COMMANDS_COMPLETE), 0) else {
      return glFinish()
    }
    drawing.wait {
      let status = glClientWaitSync(fence, GLbitfield(GL_SYNC_FLUSH_COMMANDS_BIT), 0)
      return status != GLenum(GL_TIMEOUT_EXPIRED)
    } orSleep: {
      glFinish()
    }
    glDeleteSync(fence)
  }

  /// Copies a surface's pixels into memory, the top row first. The pixels are premultiplied BGRA8,
  /// or for an RGBA16F surface four half floats each, red first. `stride` is the number of bytes
  /// from row to row.
  ///
  /// If `region` is given, writes only its pixels, at their place in the whole; the rest of
  /// `memory` is unchanged. Waits until everything is drawn.
  package func readBack(
    _ id: SurfaceID, region: PixelRect? = nil, into memory: UnsafeMutableRawBufferPointer,
    stride: Int
  ) throws(ExecutorError) {
    try enter()
    defer { leave() }
    guard let surface = surfaces[id] else { throw .unknownSurface(id) }
    let layout = PixelLayout(
      width: surface.size.width, height: surface.size.height, stride: stride,
      format: surface.format)
    let bytesPerPixel = surface.format.bytesPerPixel
    guard layout.byteCount != nil, let base = memory.baseAddress,
      (layout.height - 1) * stride + layout.width * bytesPerPixel <= memory.count
    else {
      throw .badPlan("\(surface.size) pixels \(stride) bytes a row do not fit \(memory.count)")
    }
    let whole = PixelRect(surface.size)
    let region = (region ?? whole).intersection(whole)
    if region.isEmpty { return }
    // Of a frame's parts, the first one waits. A GPU is waited for by what reads.
    if recordedBytes > 0 { waitUntilDrawn() }
    glBindFramebuffer(GLenum(GL_FRAMEBUFFER), surface.framebuffer)
    let rows = Rows(
      start: base + region.minY * stride + region.minX * bytesPerPixel, stride: stride,
      region: region)
    switch surface.format {
    case .rgba16f:
      readHalfFloats(rows)
      // The driver may have drawn what was read.
      drewForLinearRasterizer = false
    case .bgra8, .a8: readBytes(rows)
    }
    try checkErrors("reading \(id) back")
    try platform.context.checkReset()
  }

  /// The destination of the region's pixels.
  private struct Rows {
    var start: UnsafeMutableRawPointer
    var stride: Int
    var region: PixelRect

    /// Reads all rows at once if GL can express their distance, which it counts in pixels.
    func read(_ format: Int32, _ type: Int32, bytesPerPixel: Int) {
      if stride.isMultiple(of: bytesPerPixel), let length = GLint(exactly: stride / bytesPerPixel) {
        glPixelStorei(GLenum(GL_PACK_ROW_LENGTH), length)
        read(region, to: start, format, type)
        return
      }
      glPixelStorei(GLenum(GL_PACK_ROW_LENGTH), 0)
      for row in 0..<region.height {
        read(
          PixelRect(
            minX: region.minX, minY: region.minY + row, maxX: region.maxX,
            maxY: region.minY + row + 1), to: start + row * stride, format, type)
      }
    }

    private func read(
      _ part: PixelRect, to pixels: UnsafeMutableRawPointer, _ format: Int32, _ type: Int32
    ) {
      glReadPixels(
        GLint(part.minX), GLint(part.minY), GLsizei(part.width), GLsizei(part.height),
        GLenum(format), GLenum(type), pixels)
    }
  }

  private func readBytes(_ rows: Rows) {
    if readsBGRA {
      rows.read(GL_BGRA_EXT, GL_UNSIGNED_BYTE, bytesPerPixel: 4)
      return
    }
    rows.read(GL_RGBA, GL_UNSIGNED_BYTE, bytesPerPixel: 4)
    for row in 0..<rows.region.height {
      let bytes = (rows.start + row * rows.stride).assumingMemoryBound(to: UInt8.self)
      for x in 0..<rows.region.width {
        (bytes[4 * x], bytes[4 * x + 2]) = (bytes[4 * x + 2], bytes[4 * x])
      }
    }
  }

  /// Reads half floats if the driver supports that; otherwise floats, which every driver does.
  private func readHalfFloats(_ rows: Rows) {
    var (format, type): (GLint, GLint) = (0, 0)
    glGetIntegerv(GLenum(GL_IMPLEMENTATION_COLOR_READ_FORMAT), &format)
    glGetIntegerv(GLenum(GL_IMPLEMENTATION_COLOR_READ_TYPE), &type)
    if format == GL_RGBA, type == GL_HALF_FLOAT {
      rows.read(GL_RGBA, GL_HALF_FLOAT, bytesPerPixel: 8)
      return
    }
    let (width, height) = (rows.region.width, rows.region.height)
    var floats = [Float](repeating: 0, count: width * height * 4)
    floats.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      Rows(start: base, stride: width * 16, region: rows.region)
        .read(GL_RGBA, GL_FLOAT, bytesPerPixel: 16)
    }
    for row in 0..<height {
      let pixels = rows.start + row * rows.stride
      for i in 0..<width * 4 {
        let half = Float16(floats[row * width * 4 + i])
        pixels.storeBytes(of: half, toByteOffset: i * 2, as: Float16.self)
      }
    }
  }
}
