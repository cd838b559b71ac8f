import CGL
import Foundation
import LaminaFramePlan
import LaminaValues

/// Executes frame plans with OpenGL ES 3, without decisions of its own.
///
/// A renderer belongs to the thread that created it, which must be a plain thread, because an EGL
/// context is current on one thread. All calls must come from that thread, and `close()` releases
/// it. Any number of renderers can exist on different threads; those on the CPU draw in turns. All
/// GL names are in the renderer's tables.
///
/// A surface keeps its pixels from frame to frame, and is transparent at first. An offscreen target
/// is transparent when a frame first draws into it, regardless of earlier contents of its memory
/// and of what the pass clears.
package final class GLESRenderer: FrameExecutor {
  /// The device's capabilities, for the planner.
  package private(set) var profile: DeviceProfile
  package private(set) var description: DeviceDescription

  let platform: any Platform
  let readsBGRA: Bool
  /// The most programs that are kept beside those in use. llvmpipe's are compiled code of about a
  /// megabyte each in this process, and quickly made again from Mesa's cache.
  package let programLimit: Int
  /// The most vertices that are drawn as one: see `DrawRun.swift`.
  let sliceLimit: Int
  /// Whether this is llvmpipe in the version whose rasterizers were compared over thousands of
  /// frames: see `RasterizerChoice.swift`. It needs no test at start.
  let hasComparedRasterizers: Bool
  /// Whether images that are shifted by parts of a pixel are drawn as llvmpipe's linear rasterizer
  /// draws them.
  let shiftsImages: Bool
  /// Whether the driver's last draw was into such a target as its linear rasterizer draws into.
  /// What it finds at a draw holds for the scene that begins next, perhaps with a clear.
  var drewForLinearRasterizer = false
  /// What the driver has recorded of a target, and not drawn yet as far as is known.
  var scene = RecordedScene()
  var surfaces: [SurfaceID: RenderTarget] = [:]
  var offscreens = TargetPool<RenderTarget>()
  /// Targets drawn by plans for use in later ones, shared by all surfaces.
  var canvases: [TextureID: RenderTarget] = [:]
  var textures: SourceTextures
  /// The dma-bufs that were imported.
  var dmaBufs: [DMABufID: ImportedDMABuf] = [:]
  var programs = ProgramLibrary()
  var vertices = ItemVertices()
  var state: DrawState
  /// nil unless the device's time is measured.
  var timer: DeviceTimer?
  /// About how much is recorded since everything was drawn, if the CPU draws it; else 0.
  var recordedBytes = 0
  /// The waits for what was drawn.
  var drawing = BriefWait()
  /// Number of programs that are built.
  package var programCount: Int { programs.count }
  /// Number of programs that were not built, but taken from the folder of programs.
  package var storedProgramCount: Int { programs.storedCount }
  private var nextSurface: UInt32 = 1
  private let thread = pthread_self()
  private var isClosed = false

  /// Chooses a platform, makes its context current on this thread, and tests that it draws
  /// correctly if that is not known: with BGRA8 framebuffers if allowed, otherwise or if that fails
  /// with RGBA8 ones. Keeps linked programs for other renderers in a folder, if one is given. Calls
  /// `driverLoaded` once a driver's libraries are loaded, and if it goes on to the next, again.
  package init(
    platform request: RenderPlatform, allowsBGRA: Bool = true, programs folder: String? = nil,
    driverLoaded: () -> Void = {}
  ) throws(ExecutorError) {
    // It is not known yet whether this draws on the CPU.
    SoftwareTurn.begin()
    defer { SoftwareTurn.end() }
    let choice = try ChosenPlatform(request, driverLoaded: driverLoaded)
    platform = choice.platform
    let context = choice.platform.context
    var maxSize: GLint = 0
    glGetIntegerv(GLenum(GL_MAX_TEXTURE_SIZE), &maxSize)
    let hasBGRA = allowsBGRA && context.has("GL_EXT_texture_format_BGRA8888")
    readsBGRA = context.has("GL_EXT_read_format_bgra")
    hasComparedRasterizers =
      context.renderer.contains("llvmpipe") && context.version.contains("Mesa 22.3.")
    // Its linear rasterizer is written for SSE, and kept off other machines.
    #if arch(x86_64)
      shiftsImages = hasComparedRasterizers && hasBGRA
    #else
      shiftsImages = false
    #endif
    programs.fetchesZeroOutside = hasComparedRasterizers
    programLimit = context.isSoftware ? 32 : .max
    sliceLimit = context.isSoftware ? 1020 : .max
    state = DrawState()
    var mostLayers: GLint = 0
    glGetIntegerv(GLenum(GL_MAX_ARRAY_TEXTURE_LAYERS), &mostLayers)
    textures = SourceTextures(
      isBGRA: hasBGRA, maxSize: Int(maxSize), mostLayers: Int(mostLayers))
    // As found with 5,000 targets, and with frames of 14,000 items, on llvmpipe, whose compiled
    // programs are in this process.
    profile = DeviceProfile(
      maxTextureSize: Int(maxSize), hasBGRA: hasBGRA, sharesTextures: true, sharesTargets: true,
      drawsPlainParts: context.renderer.contains("llvmpipe"), bytesBesidePixels: 4096,
      bytesPerVertex: 192,
      driverByteCount: (context.isSoftware ? 16 << 20 : 0)
        + (shiftsImages ? ImageAtlas.mostBytes : 0))
    description = DeviceDescription(
      platform: choice.platform.request, device: choice.platform.device, reasons: choice.reasons,
      vendor: context.vendor, renderer: context.renderer, version: context.version,
      maxTextureSize: Int(maxSize), isSoftware: context.isSoftware,
      framebufferFormat: hasBGRA ? "BGRA8" : "RGBA8", isRobust: context.isRobust,
      importsDMABufs: choice.platform.importsDMABufs)
    programs.store = folder.flatMap { ProgramStore(in: $0, for: context) }
    if !hasComparedRasterizers { try testDevice() }
  }

  /// Finds out what is known where the tests ran over thousands of frames: in which format the
  /// device draws right, and whether in parts too. Building the programs for this takes longer than
  /// all else at start.
  private func testDevice() throws(ExecutorError) {
    do throws(ExecutorError) {
      try runSelfTest()
    } catch {
      guard profile.hasBGRA else { throw error }
      useRGBA()
      try runSelfTest()
    }
    profile.drawsPartsExactly = try checkParts()
  }

  /// Switches to RGBA8, for drivers whose BGRA8 framebuffers are incomplete or drawn wrong. Must be
  /// called before there are surfaces.
  private func useRGBA() {
    textures = textures.emptied(isBGRA: false)
    profile.hasBGRA = false
    description.framebufferFormat = "RGBA8"
    free(offscreens.removeAll())
    discardErrors()
  }

  /// Creates a transparent surface of BGRA8 or RGBA16F pixels.
  package func makeSurface(
    size: PixelSize, format: PixelFormat
  ) throws(ExecutorError) -> SurfaceID {
    try enter()
    defer { leave() }
    let id = SurfaceID(rawValue: nextSurface)
    surfaces[id] = try makeTarget(size, format, on: platform, label: "\(id)")
    nextSurface += 1
    return id
  }

  /// Resizes a surface, which becomes transparent. Textures that its plans uploaded are kept.
  package func resizeSurface(_ id: SurfaceID, to size: PixelSize) throws(ExecutorError) {
    try enter()
    defer { leave() }
    guard let old = surfaces[id] else { throw .unknownSurface(id) }
    if old.size == size { return }
    surfaces[id] = try makeTarget(size, old.format, on: platform, label: "\(id)")
    old.destroy(in: platform.context)
  }

  /// Frees a surface if it exists. Textures that its plans uploaded are kept.
  package func releaseSurface(_ id: SurfaceID) {
    guard (try? enter()) != nil else { return }
    defer { leave() }
    guard let target = surfaces.removeValue(forKey: id) else { return }
    target.destroy(in: platform.context)
    // Its frames may have had many.
    vertices = ItemVertices()
    vertices.withBytes { state.stream($0) }
  }

  /// Frees everything, and leaves the thread without a context. No method may be called afterwards.
  package func close() {
    guard !isClosed else { return }
    requireThread()
    isClosed = true
    platform.context.beginTurn()
    defer { leave() }
    if (try? platform.context.makeCurrent()) != nil {
      for target in surfaces.values { target.destroy(in: platform.context) }
      for target in canvases.values { target.destroy(in: nil) }
      for id in Array(dmaBufs.keys) { releaseDMABuf(id) }
      free(offscreens.removeAll())
    }
    surfaces = [:]
    canvases = [:]
    platform.close()
  }

  deinit {
    // The last reference may be dropped on any thread; the context takes its GL names with it.
    if !isClosed { platform.close() }
  }

  /// Checks the thread and makes the context current. Every entry point calls this, and, if it does
  /// not throw, `leave()` at its end.
  func enter() throws(ExecutorError) {
    requireThread()
    guard !isClosed else { programmerError("the renderer is closed") }
    platform.context.beginTurn()
    do throws(ExecutorError) {
      try platform.context.makeCurrent()
    } catch {
      leave()
      throw error
    }
  }

  func leave() { platform.context.endTurn() }

  private func requireThread() {
    guard pthread_equal(thread, pthread_self()) == 0 else { return }
    programmerError("the renderer of thread \(thread) is used on thread \(pthread_self())")
  }

  func makeTarget(
    _ size: PixelSize, _ format: PixelFormat, on platform: (any Platform)?, label: String
  ) throws(ExecutorError) -> RenderTarget {
    guard format != .a8 else { throw .unsupportedFormat(format) }
    guard !size.isEmpty, size.width <= profile.maxTextureSize,
      size.height <= profile.maxTextureSize
    else { throw .unsupportedSize(size, limit: profile.maxTextureSize) }
    state.forget()
    do throws(ExecutorError) {
      return try RenderTarget(
        size, format: format, isBGRA: profile.hasBGRA, on: platform, label: label)
    } catch {
      discardErrors()
      try self.platform.context.checkReset()
      throw error
    }
  }

  /// Frees targets that the pool gave up, in the current context.
  func free(_ targets: [RenderTarget]) {
    for target in targets { target.destroy(in: nil) }
  }

  /// Throws the error that GL has recorded since the last check.
  func checkErrors(_ label: @autoclosure () -> String) throws(ExecutorError) {
    let code = glGetError()
    guard code != GLenum(GL_NO_ERROR) else { return }
    discardErrors()
    try platform.context.checkReset()
    throw .gl(code: code, label: label())
  }
}

/// Discards GL's recorded errors. A lost context reports them forever, so this does not wait for
/// the last one.
func discardErrors() {
  for _ in 0..<8 where glGetError() == GLenum(GL_NO_ERROR) { break }
}
