import CGL
import Foundation
import LaminaFramePlan
import LaminaValues

/// A GLES 3 context without a window, on one EGL display.
///
/// It is current on the thread that created it. Call everything except `destroy()` on that thread.
final class RenderingContext {
  let display: EGLDisplay
  let context: EGLContext
  let isRobust: Bool
  let extensions: ExtensionFunctions
  let vendor: String
  let renderer: String
  let version: String
  /// Whether the CPU does the rasterising.
  let isSoftware: Bool
  private let glExtensions: Set<Substring>
  private let displayExtensions: Set<Substring>
  /// Whether only this context uses the display. Other displays are shared: EGL returns the same
  /// one to every caller in the process, so terminating it would break their contexts.
  private let ownsDisplay: Bool
  private var isDestroyed = false

  /// Creates a context and makes it current. If `ownsDisplay`, the display is terminated with the
  /// context, and also if this throws. Calls `driverLoaded` once the driver's libraries are loaded.
  init(
    display: EGLDisplay?, ownsDisplay: Bool, driverLoaded: () -> Void
  ) throws(ExecutorError) {
    guard let display else { throw noDriver("eglGetPlatformDisplay") }
    // llvmpipe starts its threads here. It wakes each while it holds what that one waits for next.
    let scheduling = BatchScheduling.begin()
    defer { scheduling.end() }
    guard eglInitialize(display, nil, nil) == EGL_TRUE else { throw noDriver("eglInitialize") }
    driverLoaded()
    self.display = display
    self.ownsDisplay = ownsDisplay
    do throws(ExecutorError) {
      displayExtensions = Set(
        (eglQueryString(display, EGL_EXTENSIONS).map { String(cString: $0) } ?? "")
          .split(separator: " "))
      (context, isRobust) = try RenderingContext.create(display, displayExtensions)
    } catch {
      if ownsDisplay { eglTerminate(display) }
      throw error
    }
    do throws(ExecutorError) {
      guard eglMakeCurrent(display, nil, nil, context) == EGL_TRUE else {
        throw .egl(call: "eglMakeCurrent", code: eglGetError())
      }
      vendor = try glString(GL_VENDOR)
      renderer = try glString(GL_RENDERER)
      version = try glString(GL_VERSION)
      glExtensions = Set(try glString(GL_EXTENSIONS).split(separator: " "))
    } catch {
      eglMakeCurrent(display, nil, nil, nil)
      eglDestroyContext(display, context)
      if ownsDisplay { eglTerminate(display) }
      throw error
    }
    extensions = ExtensionFunctions()
    isSoftware = ["llvmpipe", "softpipe", "swrast", "SWR", "SwiftShader"].contains(
      where: renderer.contains)
  }

  func has(_ glExtension: String) -> Bool { glExtensions.contains(Substring(glExtension)) }

  /// Whether EGL has what importing dma-bufs takes.
  var importsDMABufs: Bool {
    displayExtensions.contains("EGL_EXT_image_dma_buf_import") && has("GL_OES_EGL_image")
      && extensions.createImage != nil && extensions.destroyImage != nil
      && extensions.imageTargetTexture != nil
  }

  /// Imports dma-bufs, one for each plane, as an image from which textures can be made. The
  /// descriptors stay the caller's. Calls for EGL_EXT_image_dma_buf_import and, for modifiers,
  /// EGL_EXT_image_dma_buf_import_modifiers.
  func importImage(
    _ layout: DMABufLayout, descriptors: [Int32]
  ) throws(ExecutorError) -> EGLImageKHR {
    guard let createImage = extensions.createImage else {
      throw .notImported("EGL images are missing")
    }
    // Without the extension, drivers take what others made for linear.
    let saysModifier =
      layout.modifier != nil
      && displayExtensions.contains("EGL_EXT_image_dma_buf_import_modifiers")
    guard saysModifier || layout.modifier == nil || layout.isLinear else {
      throw .notImported("this driver takes no modifiers, and it is \(layout)")
    }
    var attributes: [EGLint] = [
      EGL_WIDTH, EGLint(clamping: layout.size.width),
      EGL_HEIGHT, EGLint(clamping: layout.size.height),
      EGL_LINUX_DRM_FOURCC_EXT, EGLint(bitPattern: layout.format.rawValue),
    ]
    for (place, (plane, descriptor)) in zip(layout.planes, descriptors).enumerated() {
      let names = Self.planeAttributes[place]
      attributes += [
        names.descriptor, descriptor, names.offset, EGLint(bitPattern: plane.offset),
        names.pitch, EGLint(bitPattern: plane.stride),
      ]
      if saysModifier, let modifier = layout.modifier {
        attributes += [
          names.modifier.low, EGLint(truncatingIfNeeded: modifier),
          names.modifier.high, EGLint(truncatingIfNeeded: modifier >> 32),
        ]
      }
    }
    attributes.append(EGL_NONE)
    guard let image = createImage(display, nil, EGLenum(EGL_LINUX_DMA_BUF_EXT), nil, attributes)
    else { throw .egl(call: "eglCreateImageKHR", code: eglGetError()) }
    return image
  }

  private struct PlaneAttributes {
    var descriptor: Int32
    var offset: Int32
    var pitch: Int32
    var modifier: (low: Int32, high: Int32)
  }

  private static let planeAttributes = [
    PlaneAttributes(
      descriptor: EGL_DMA_BUF_PLANE0_FD_EXT, offset: EGL_DMA_BUF_PLANE0_OFFSET_EXT,
      pitch: EGL_DMA_BUF_PLANE0_PITCH_EXT,
      modifier: (EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT, EGL_DMA_BUF_PLANE0_MODIFIER_HI_EXT)),
    PlaneAttributes(
      descriptor: EGL_DMA_BUF_PLANE1_FD_EXT, offset: EGL_DMA_BUF_PLANE1_OFFSET_EXT,
      pitch: EGL_DMA_BUF_PLANE1_PITCH_EXT,
      modifier: (EGL_DMA_BUF_PLANE1_MODIFIER_LO_EXT, EGL_DMA_BUF_PLANE1_MODIFIER_HI_EXT)),
    PlaneAttributes(
      descriptor: EGL_DMA_BUF_PLANE2_FD_EXT, offset: EGL_DMA_BUF_PLANE2_OFFSET_EXT,
      pitch: EGL_DMA_BUF_PLANE2_PITCH_EXT,
      modifier: (EGL_DMA_BUF_PLANE2_MODIFIER_LO_EXT, EGL_DMA_BUF_PLANE2_MODIFIER_HI_EXT)),
    PlaneAttributes(
      descriptor: EGL_DMA_BUF_PLANE3_FD_EXT, offset: EGL_DMA_BUF_PLANE3_OFFSET_EXT,
      pitch: EGL_DMA_BUF_PLANE3_PITCH_EXT,
      modifier: (EGL_DMA_BUF_PLANE3_MODIFIER_LO_EXT, EGL_DMA_BUF_PLANE3_MODIFIER_HI_EXT)),
  ]

  /// Makes the context current again, as another renderer may have used the thread since.
  func makeCurrent() throws(ExecutorError) {
    if eglGetCurrentContext() == context { return }
    guard eglMakeCurrent(display, nil, nil, context) == EGL_TRUE else {
      throw .egl(call: "eglMakeCurrent", code: eglGetError())
    }
  }

  /// Waits for this thread's turn to draw, which it has until as many calls of `endTurn()`. Those
  /// who draw on a GPU wait for nobody.
  func beginTurn() {
    if isSoftware { SoftwareTurn.begin() }
  }

  func endTurn() {
    if isSoftware { SoftwareTurn.end() }
  }

  /// Throws if the device was reset since the last call. Never does without robustness.
  func checkReset() throws(ExecutorError) {
    guard isRobust, let status = extensions.graphicsResetStatus else { return }
    switch status() {
    case GLenum(GL_NO_ERROR): return
    case GLenum(GL_GUILTY_CONTEXT_RESET_EXT): throw .contextLost(.guilty)
    case GLenum(GL_INNOCENT_CONTEXT_RESET_EXT): throw .contextLost(.innocent)
    default: throw .contextLost(.unknown)
    }
  }

  /// Destroys the context and with it all its GL names. May be called from any thread; releases
  /// EGL's data for the calling thread.
  func destroy() {
    guard !isDestroyed else { return }
    isDestroyed = true
    beginTurn()
    defer { endTurn() }
    if eglGetCurrentContext() == context {
      eglMakeCurrent(display, nil, nil, nil)
    }
    eglDestroyContext(display, context)
    if ownsDisplay { eglTerminate(display) }
    eglReleaseThread()
  }

  private static func create(
    _ display: EGLDisplay, _ extensions: Set<Substring>
  ) throws(ExecutorError) -> (EGLContext, isRobust: Bool) {
    guard extensions.contains("EGL_KHR_surfaceless_context") else {
      throw .noPlatform(reasons: ["no contexts without a window"])
    }
    guard eglBindAPI(EGLenum(EGL_OPENGL_ES_API)) == EGL_TRUE else {
      throw .egl(call: "eglBindAPI", code: eglGetError())
    }
    let config = try configuration(display, extensions)
    let version = [EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 0]
    if extensions.contains("EGL_EXT_create_context_robustness") {
      let robust =
        version + [
          EGL_CONTEXT_OPENGL_ROBUST_ACCESS_EXT, EGLint(EGL_TRUE),
          EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT, EGL_LOSE_CONTEXT_ON_RESET_EXT,
          EGL_NONE,
        ]
      if let context = eglCreateContext(display, config, nil, robust) { return (context, true) }
    }
    guard let context = eglCreateContext(display, config, nil, version + [EGL_NONE]) else {
      throw .egl(call: "eglCreateContext", code: eglGetError())
    }
    return (context, false)
  }

  /// Any configuration will do, or none if the display allows that, because only framebuffer
  /// objects are drawn into.
  private static func configuration(
    _ display: EGLDisplay, _ extensions: Set<Substring>
  ) throws(ExecutorError) -> EGLConfig? {
    if extensions.contains("EGL_KHR_no_config_context") { return nil }
    let wanted = [
      EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_SURFACE_TYPE, 0, EGL_NONE,
    ]
    var config: EGLConfig?
    var count: EGLint = 0
    guard eglChooseConfig(display, wanted, &config, 1, &count) == EGL_TRUE, count > 0 else {
      throw .noPlatform(reasons: ["no configuration for OpenGL ES 3"])
    }
    return config
  }
}

/// The turn of a thread to draw on the CPU.
///
/// In Mesa 22.3, llvmpipe goes through what every context of a display has recorded when one of
/// them writes into a texture, without asking whether another thread is recording or freeing it. So
/// only one thread at a time calls it. Little is lost: llvmpipe has a thread for each core anyway.
enum SoftwareTurn {
  private static let lock = NSRecursiveLock()

  static func begin() { lock.lock() }
  static func end() { lock.unlock() }
}

/// Functions for which headers declare no symbol, looked up at run time.
struct ExtensionFunctions {
  let createImage: PFNEGLCREATEIMAGEKHRPROC?
  let destroyImage: PFNEGLDESTROYIMAGEKHRPROC?
  let imageTargetTexture: PFNGLEGLIMAGETARGETTEXTURE2DOESPROC?
  let multiDrawArrays: PFNGLMULTIDRAWARRAYSEXTPROC?
  let graphicsResetStatus: PFNGLGETGRAPHICSRESETSTATUSEXTPROC?
  let queryResult: PFNGLGETQUERYOBJECTUI64VEXTPROC?

  init() {
    createImage = function("eglCreateImageKHR", as: PFNEGLCREATEIMAGEKHRPROC.self)
    destroyImage = function("eglDestroyImageKHR", as: PFNEGLDESTROYIMAGEKHRPROC.self)
    imageTargetTexture = function(
      "glEGLImageTargetTexture2DOES", as: PFNGLEGLIMAGETARGETTEXTURE2DOESPROC.self)
    multiDrawArrays = function(
      "glMultiDrawArraysEXT", as: PFNGLMULTIDRAWARRAYSEXTPROC.self)
    graphicsResetStatus =
      function("glGetGraphicsResetStatusEXT", as: PFNGLGETGRAPHICSRESETSTATUSEXTPROC.self)
      ?? function("glGetGraphicsResetStatusKHR", as: PFNGLGETGRAPHICSRESETSTATUSEXTPROC.self)
    queryResult = function(
      "glGetQueryObjectui64vEXT", as: PFNGLGETQUERYOBJECTUI64VEXTPROC.self)
  }
}

/// An extension's function; nil if the driver does not have it. Calls `eglGetProcAddress`.
func function<F>(_ name: String, as type: F.Type) -> F? {
  guard let address = eglGetProcAddress(name) else { return nil }
  return unsafeBitCast(address, to: type)
}

/// The error for a call that fails if EGL finds no driver.
private func noDriver(_ call: String) -> ExecutorError {
  .notInstalled("no driver, \(ExecutorError.egl(call: call, code: eglGetError()))")
}

/// What the driver says of itself. What is drawn, and how, depends on it, so none is no answer.
private func glString(_ name: Int32) throws(ExecutorError) -> String {
  guard let string = glGetString(GLenum(name)) else {
    throw .gl(code: glGetError(), label: "glGetString, which returned nothing")
  }
  return String(cString: string)
}
