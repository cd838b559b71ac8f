import CGL
import Foundation
import LaminaValues

/// An OpenGL ES 3 context with a framebuffer to draw a layer's picture into. It needs no window and
/// no display server: it draws on the GPU if Mesa or EGL finds one, else on Mesa's llvmpipe.
///
/// The framebuffer has 8 bits a channel, 24 of depth and 8 of stencil, and its origin at the bottom
/// left, as GL has it. A program calls GL's functions by a module of its own that links libGLESv2,
/// or finds them by `functionAddress(_:)`.
///
/// A context may be used from any thread, but only one at a time. Programs that draw on the CPU
/// with several contexts take turns: Mesa 22.3 crashes at times if two threads are in llvmpipe at
/// once.
public final class CAGLESContext {
  /// GL's name of the framebuffer. It is bound whenever the context becomes current.
  public private(set) var framebuffer: UInt32 = 0
  /// In pixels.
  public private(set) var width = 0
  /// In pixels.
  public private(set) var height = 0

  private let display: EGLDisplay
  private let context: EGLContext
  private var colorBuffer: UInt32 = 0
  private var depthBuffer: UInt32 = 0

  /// Throws if EGL or OpenGL ES cannot be loaded, or if there is no driver.
  public init() throws(CAGLESError) {
    for failure in [lamina_open_egl(), lamina_open_gles()] {
      guard let failure else { continue }
      throw CAGLESError(
        "\(String(cString: failure)): install libegl1, libgles2, libegl-mesa0 and libgl1-mesa-dri")
    }
    // A server in this process may share llvmpipe's threads, which start here or there.
    let scheduling = BatchScheduling.begin()
    defer { scheduling.end() }
    display = try Self.openDisplay()
    let version = [EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 0, EGL_NONE]
    guard eglBindAPI(EGLenum(EGL_OPENGL_ES_API)) == EGL_TRUE,
      let context = eglCreateContext(display, nil, nil, version)
    else {
      throw CAGLESError("no OpenGL ES 3 context: EGL error 0x\(String(eglGetError(), radix: 16))")
    }
    self.context = context
  }

  deinit {
    if eglGetCurrentContext() == context { eglMakeCurrent(display, nil, nil, nil) }
    // The framebuffer goes with it. Displays are the process's.
    eglDestroyContext(display, context)
  }

  /// The first device's display, else Mesa's without a window, which a server in this process uses.
  private static func openDisplay() throws(CAGLESError) -> EGLDisplay {
    let extensions = Set(
      (eglQueryString(nil, EGL_EXTENSIONS).map { String(cString: $0) } ?? "").split(separator: " "))
    var displays: [EGLDisplay?] = []
    if extensions.contains("EGL_EXT_platform_device"),
      let address = eglGetProcAddress("eglQueryDevicesEXT")
    {
      let query = unsafeBitCast(address, to: PFNEGLQUERYDEVICESEXTPROC.self)
      var device: EGLDeviceEXT?
      var count: EGLint = 0
      if query(1, &device, &count) == EGL_TRUE, count > 0 {
        displays.append(eglGetPlatformDisplay(EGLenum(EGL_PLATFORM_DEVICE_EXT), device, nil))
      }
    }
    if extensions.contains("EGL_MESA_platform_surfaceless") {
      displays.append(eglGetPlatformDisplay(EGLenum(EGL_PLATFORM_SURFACELESS_MESA), nil, nil))
    }
    for display in displays {
      guard let display, eglInitialize(display, nil, nil) == EGL_TRUE else { continue }
      let names = eglQueryString(display, EGL_EXTENSIONS).map { String(cString: $0) } ?? ""
      if names.contains("EGL_KHR_no_config_context"),
        names.contains("EGL_KHR_surfaceless_context")
      {
        return display
      }
    }
    throw CAGLESError("EGL has no display that draws without a window")
  }

  /// The address of a GL or EGL function; nil if there is none of that name.
  public static func functionAddress(_ name: String) -> UnsafeRawPointer? {
    guard lamina_open_egl() == nil, let address = eglGetProcAddress(name) else { return nil }
    return unsafeBitCast(address, to: UnsafeRawPointer.self)
  }

  /// Makes the context the calling thread's current one, and binds the framebuffer. Throws if
  /// another thread has it.
  public func makeCurrent() throws(CAGLESError) {
    if eglGetCurrentContext() != context {
      guard eglMakeCurrent(display, nil, nil, context) == EGL_TRUE else {
        throw CAGLESError(
          "eglMakeCurrent: EGL error 0x\(String(eglGetError(), radix: 16)); is the context in use on"
            + " another thread?")
      }
    }
    glBindFramebuffer(GLenum(GL_FRAMEBUFFER), framebuffer)
  }

  /// Calls `body` while the context is current. Afterwards the thread's context is the one that it
  /// was before.
  func whileCurrent<Result>(
    _ body: () throws(CAGLESError) -> Result
  ) throws(CAGLESError) -> Result {
    let (oldDisplay, oldContext) = (eglGetCurrentDisplay(), eglGetCurrentContext())
    let (draw, read) = (eglGetCurrentSurface(EGL_DRAW), eglGetCurrentSurface(EGL_READ))
    try makeCurrent()
    defer {
      if oldContext != context {
        if let oldContext {
          eglMakeCurrent(oldDisplay, draw, read, oldContext)
        } else {
          eglMakeCurrent(display, nil, nil, nil)
        }
      }
    }
    return try body()
  }

  /// Gives the framebuffer a size. Its contents are then undefined, unless it had the size already.
  /// The context must be current.
  func resize(width: Int, height: Int) throws(CAGLESError) {
    guard (width, height) != (self.width, self.height) else { return }
    if framebuffer == 0 {
      glGenFramebuffers(1, &framebuffer)
      glGenRenderbuffers(1, &colorBuffer)
      glGenRenderbuffers(1, &depthBuffer)
    }
    let (target, buffer) = (GLenum(GL_FRAMEBUFFER), GLenum(GL_RENDERBUFFER))
    glBindFramebuffer(target, framebuffer)
    for (name, format, attachment) in [
      (colorBuffer, GL_RGBA8, GL_COLOR_ATTACHMENT0),
      (depthBuffer, GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL_ATTACHMENT),
    ] {
      glBindRenderbuffer(buffer, name)
      glRenderbufferStorage(
        buffer, GLenum(format), GLsizei(clamping: width), GLsizei(clamping: height))
      glFramebufferRenderbuffer(target, GLenum(attachment), buffer, name)
    }
    guard glCheckFramebufferStatus(target) == GL_FRAMEBUFFER_COMPLETE else {
      (self.width, self.height) = (0, 0)
      throw CAGLESError("no framebuffer of \(width)x\(height) pixels")
    }
    (self.width, self.height) = (width, height)
  }

  /// Reads the picture back into memory, its top row first. If `isOpaque`, all of it gets full
  /// alpha. The context must be current; of its state, only what is bound and the packing changes.
  func read(into pixels: CAPixelBuffer, isOpaque: Bool) throws(CAGLESError) {
    glBindFramebuffer(GLenum(GL_FRAMEBUFFER), framebuffer)
    // With a buffer of GL's bound, the address would be a place in that.
    glBindBuffer(GLenum(GL_PIXEL_PACK_BUFFER), 0)
    glPixelStorei(GLenum(GL_PACK_ROW_LENGTH), GLint(clamping: pixels.bytesPerRow / 4))
    for parameter in [GL_PACK_SKIP_ROWS, GL_PACK_SKIP_PIXELS] {
      glPixelStorei(GLenum(parameter), 0)
    }
    glPixelStorei(GLenum(GL_PACK_ALIGNMENT), 4)
    pixels.withUnsafeMutableBytes { bytes in
      glReadPixels(
        0, 0, GLsizei(clamping: width), GLsizei(clamping: height), GLenum(GL_RGBA),
        GLenum(GL_UNSIGNED_BYTE), bytes.baseAddress)
      let rows = FramebufferRows(
        bytes: bytes, width: width, height: height, stride: pixels.bytesPerRow)
      rows.makeBGRATopDown(isOpaque: isOpaque)
    }
    let code = glGetError()
    guard code == GL_NO_ERROR else {
      throw CAGLESError("drawing left GL error 0x\(String(code, radix: 16))")
    }
  }
}

/// Why OpenGL ES cannot be drawn with. The description says it in one line.
public struct CAGLESError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

/// The rows of a framebuffer as GL reads them: red first, the bottom row first.
private struct FramebufferRows {
  var bytes: UnsafeMutableRawBufferPointer
  var width: Int
  var height: Int
  var stride: Int

  /// Exchanges rows, and red and blue in each pixel.
  func makeBGRATopDown(isOpaque: Bool) {
    let alpha: UInt32 = isOpaque ? 0xff00_0000 : 0
    for y in 0..<(height + 1) / 2 {
      let (above, below) = (row(y), row(height - 1 - y))
      for x in 0..<width {
        let (a, b) = (above[x], below[x])
        above[x] = Self.swapped(b) | alpha
        below[x] = Self.swapped(a) | alpha
      }
    }
  }

  private func row(_ y: Int) -> UnsafeMutablePointer<UInt32> {
    (bytes.baseAddress! + y * stride).assumingMemoryBound(to: UInt32.self)
  }

  @inline(__always)
  private static func swapped(_ pixel: UInt32) -> UInt32 {
    pixel & 0xff00_ff00 | pixel >> 16 & 0xff | (pixel & 0xff) << 16
  }
}
