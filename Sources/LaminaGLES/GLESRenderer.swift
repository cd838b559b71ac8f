import CGL
import Foundation
import LaminaRenderTree
import LaminaValues

/// Executes frame plans with OpenGL ES 3, and decides nothing.
///
/// It belongs to the plain thread that made it, because an EGL context is current on a thread: every
/// call must come from there, and `close()` lets go of the thread. Nothing in it is global, so any
/// number of renderers may live on as many threads. All GL names are in its tables.
///
/// A surface keeps its pixels from frame to frame, and starts out transparent. An offscreen target
/// is transparent when a frame first draws into it, whatever was drawn in the memory behind it
/// before, and whatever the pass clears.
package final class GLESRenderer {
  /// What the device can do, for the planner.
  package private(set) var profile: DeviceProfile
  package private(set) var description: DeviceDescription

  let platform: any Platform
  let readsBGRA: Bool
  var surfaces: [SurfaceID: RenderTarget] = [:]
  var offscreens = OffscreenPool()
  /// What plans drew into for later ones, as all surfaces share it.
  var canvases: [TextureID: RenderTarget] = [:]
  var textures: SourceTextures
  var programs = ProgramLibrary()
  var state: DrawState
  private var nextSurface: UInt32 = 1
  private let thread = pthread_self()
  private var isClosed = false

  /// Chooses a platform, makes its context current on this thread, and tests that it draws right:
  /// with BGRA8 framebuffers, where allowed, else with RGBA8 ones.
  package init(
    platform request: PlatformRequest, allowsBGRA: Bool = true
  ) throws(GLESError) {
    let choice = try PlatformChoice(request)
    platform = choice.platform
    let context = choice.platform.context
    var maxSize: GLint = 0
    glGetIntegerv(GLenum(GL_MAX_TEXTURE_SIZE), &maxSize)
    let hasBGRA = allowsBGRA && context.has("GL_EXT_texture_format_BGRA8888")
    readsBGRA = context.has("GL_EXT_read_format_bgra")
    state = DrawState()
    textures = SourceTextures(isBGRA: hasBGRA, maxSize: Int(maxSize))
    profile = DeviceProfile(
      maxTextureSize: Int(maxSize), hasBGRA: hasBGRA, isSoftware: context.isSoftware)
    description = DeviceDescription(
      platform: choice.platform.request, device: choice.platform.device, reasons: choice.reasons,
      vendor: context.vendor, renderer: context.renderer, version: context.version,
      maxTextureSize: Int(maxSize), isSoftware: context.isSoftware,
      framebufferFormat: hasBGRA ? "BGRA8" : "RGBA8", isRobust: context.isRobust)
    do throws(GLESError) {
      try runSelfTest()
    } catch {
      guard hasBGRA else { throw error }
      useRGBA()
      try runSelfTest()
    }
  }

  /// For drivers whose BGRA8 framebuffers are incomplete or drawn wrong. There are no surfaces yet.
  private func useRGBA() {
    textures = SourceTextures(isBGRA: false, maxSize: profile.maxTextureSize)
    profile.hasBGRA = false
    description.framebufferFormat = "RGBA8"
    offscreens.removeAll()
    discardErrors()
  }

  /// A transparent surface of BGRA8 or RGBA16F pixels.
  package func makeSurface(
    size: PixelSize, format: PixelFormat
  ) throws(GLESError) -> SurfaceID {
    try enter()
    let id = SurfaceID(rawValue: nextSurface)
    surfaces[id] = try makeTarget(size, format, on: platform, label: "\(id)")
    nextSurface += 1
    return id
  }

  /// Gives a surface another size: it becomes transparent, and the textures that its plans
  /// uploaded stay.
  package func resizeSurface(_ id: SurfaceID, to size: PixelSize) throws(GLESError) {
    try enter()
    guard let old = surfaces[id] else { throw .unknownSurface(id) }
    if old.size == size { return }
    surfaces[id] = try makeTarget(size, old.format, on: platform, label: "\(id)")
    old.destroy(in: platform.context)
  }

  /// Frees a surface; textures that its plans uploaded stay. Nothing happens where there is none.
  package func releaseSurface(_ id: SurfaceID) {
    guard (try? enter()) != nil, let target = surfaces.removeValue(forKey: id) else { return }
    target.destroy(in: platform.context)
  }

  /// Frees everything, and leaves the thread without a context. Nothing may be called after it.
  package func close() {
    guard !isClosed else { return }
    requireThread()
    isClosed = true
    if (try? platform.context.makeCurrent()) != nil {
      for target in surfaces.values { target.destroy(in: platform.context) }
      for target in canvases.values { target.destroy(in: nil) }
      offscreens.removeAll()
    }
    surfaces = [:]
    canvases = [:]
    platform.close()
  }

  deinit {
    // The last reference may be dropped anywhere; the context takes its GL names with it.
    if !isClosed { platform.close() }
  }

  /// Every way in goes through here.
  func enter() throws(GLESError) {
    requireThread()
    guard !isClosed else { programmerError("the renderer is closed") }
    try platform.context.makeCurrent()
  }

  private func requireThread() {
    guard pthread_equal(thread, pthread_self()) == 0 else { return }
    programmerError("the renderer of thread \(thread) is used on thread \(pthread_self())")
  }

  func makeTarget(
    _ size: PixelSize, _ format: PixelFormat, on platform: (any Platform)?, label: String
  ) throws(GLESError) -> RenderTarget {
    guard format != .a8 else { throw .unsupportedFormat(format) }
    guard !size.isEmpty, size.width <= profile.maxTextureSize,
      size.height <= profile.maxTextureSize
    else { throw .unsupportedSize(size, limit: profile.maxTextureSize) }
    state.forget()
    return try RenderTarget(
      size, format: format, isBGRA: profile.hasBGRA, on: platform, label: label)
  }

  /// Throws what GL reported since it was last asked.
  func checkErrors(_ label: @autoclosure () -> String) throws(GLESError) {
    let code = glGetError()
    guard code != GLenum(GL_NO_ERROR) else { return }
    discardErrors()
    if platform.context.wasReset() { throw .contextLost }
    throw .gl(code: code, label: label())
  }
}

/// Forgets what GL has yet to report. A lost context reports for ever, so this does not wait for
/// the last error.
func discardErrors() {
  for _ in 0..<8 where glGetError() == GLenum(GL_NO_ERROR) { break }
}
