import CGL
import LaminaFramePlan
import LaminaValues

/// Provides a GL context, and the memory for surfaces.
protocol Platform: AnyObject {
  var request: RenderPlatform { get }
  /// The DRM node or the EGL device.
  var device: String? { get }
  var context: RenderingContext { get }
  /// Allocates memory for a surface, as an image from which a texture can be made; nil if a plain
  /// texture is enough. The context must be current.
  func makeSurfaceBuffer(_ size: PixelSize, isBGRA: Bool) throws(ExecutorError) -> SurfaceBuffer?
  /// Whether the CPU, where it does the rasterising, finds the pixels of dma-bufs that EGL imports.
  /// EGL takes dma-bufs of other devices too, at whose first use Mesa ends the process.
  var knowsReadableDMABufs: Bool { get }
  /// Whether the CPU finds the pixels of this dma-buf. Asked only if `knowsReadableDMABufs`.
  func canRead(_ layout: DMABufLayout, descriptors: [Int32]) -> Bool
  /// Destroys the context and everything that the platform opened. Call once, after everything
  /// drawn with it is freed.
  func close()
}

extension Platform {
  var knowsReadableDMABufs: Bool { false }
  func canRead(_ layout: DMABufLayout, descriptors: [Int32]) -> Bool { false }

  /// Whether EGL may import dma-bufs: always by a GPU's driver that says so.
  var importsDMABufs: Bool {
    context.importsDMABufs && (!context.isSoftware || knowsReadableDMABufs)
  }
}

/// Memory of a surface that GL did not allocate.
protocol SurfaceBuffer: AnyObject {
  var image: EGLImageKHR { get }
  /// Frees the memory. Call once, after freeing the textures made from it.
  func close()
}

/// The chosen platform, with its context current, and the reasons against those tried before it.
struct ChosenPlatform {
  var platform: any Platform
  var reasons: [String]

  private struct Candidate {
    var name: String
    var open: (_ driverLoaded: () -> Void) throws(ExecutorError) -> any Platform
    var software: Software
  }

  /// Whether a platform may draw on the CPU.
  private enum Software {
    case accepted, refused
    /// Accepted if no hardware is found. It stays open until then, because opening it twice takes
    /// longer than everything else here.
    case lastResort
  }

  /// Opens the platforms that `request` allows until one can be drawn on. For that, opening it is
  /// not enough: a buffer must be allocated, and a framebuffer of it must be complete. Calls
  /// `driverLoaded` whenever a driver's libraries are loaded.
  init(_ request: RenderPlatform, driverLoaded: () -> Void) throws(ExecutorError) {
    var reasons: [String] = []
    var isInstalled = true
    var lastResort: (any Platform)?
    for candidate in ChosenPlatform.candidates(request) {
      do throws(ExecutorError) {
        let platform = try ChosenPlatform.open(candidate, driverLoaded)
        if candidate.software != .lastResort || !platform.context.isSoftware {
          lastResort?.close()
          lastResort = nil
          try platform.context.makeCurrent()
          self.init(platform: platform, reasons: reasons)
          return
        } else if lastResort == nil {
          lastResort = platform
        } else {
          platform.close()
        }
      } catch .noPlatform(let why) {
        reasons.append("\(candidate.name): " + why.joined(separator: ", "))
      } catch {
        if case .notInstalled = error { isInstalled = false }
        reasons.append("\(candidate.name): \(error)")
      }
    }
    guard let lastResort else {
      throw .noPlatform(reasons: reasons + (isInstalled ? [] : [GraphicsLibrary.advice]))
    }
    try lastResort.context.makeCurrent()
    self.init(platform: lastResort, reasons: reasons)
  }

  private init(platform: any Platform, reasons: [String]) {
    self.platform = platform
    self.reasons = reasons
  }

  private static func open(
    _ candidate: Candidate, _ driverLoaded: () -> Void
  ) throws(ExecutorError) -> any Platform {
    let platform = try candidate.open(driverLoaded)
    do throws(ExecutorError) {
      if candidate.software == .refused, platform.context.isSoftware {
        throw .noPlatform(reasons: ["\(platform.context.renderer) draws on the CPU"])
      }
      try check(platform)
    } catch {
      platform.close()
      throw error
    }
    return platform
  }

  private static func candidates(_ request: RenderPlatform) -> [Candidate] {
    let surfaceless = Candidate(
      name: "surfaceless",
      open: { loaded throws(ExecutorError) in try SurfacelessPlatform(driverLoaded: loaded) },
      software: .accepted)
    switch request {
    case .auto: return gbm(.refused) + devices() + [surfaceless]
    case .gbm: return gbm(.lastResort)
    case .device: return devices()
    case .surfaceless: return [surfaceless]
    case .software: return []
    }
  }

  private static func gbm(_ software: Software) -> [Candidate] {
    let nodes = GBMPlatform.nodes()
    if nodes.isEmpty {
      return [
        Candidate(
          name: "gbm",
          open: { _ throws(ExecutorError) in
            // What else is missing concerns only those who asked for this platform.
            if software == .lastResort { try GraphicsLibrary.require(.egl, .gles, .gbm) }
            throw .noPlatform(reasons: ["there is no node in /dev/dri"])
          }, software: software)
      ]
    }
    return nodes.map { node in
      Candidate(
        name: "gbm \(node)",
        open: { loaded throws(ExecutorError) in
          try GBMPlatform(node: node, driverLoaded: loaded)
        }, software: software)
    }
  }

  private static func devices() -> [Candidate] {
    let devices: [HardwareDevice]
    do throws(ExecutorError) {
      devices = try HardwareDevice.all()
    } catch {
      return [
        Candidate(
          name: "device", open: { _ throws(ExecutorError) in throw error }, software: .refused)
      ]
    }
    return devices.map { device in
      Candidate(
        name: "device \(device.name)",
        open: { loaded throws(ExecutorError) in
          try DevicePlatform(device, driverLoaded: loaded)
        }, software: .refused)
    }
  }

  /// Throws unless the platform can actually be drawn on.
  private static func check(_ platform: any Platform) throws(ExecutorError) {
    let size = PixelSize(width: 16, height: 16)
    var lastError: ExecutorError?
    for isBGRA in [true, false] {
      do throws(ExecutorError) {
        let target = try RenderTarget(
          size, format: .bgra8, isBGRA: isBGRA, on: platform, label: "a first buffer")
        target.destroy(in: platform.context)
        return
      } catch {
        lastError = error
        discardErrors()
      }
    }
    if let lastError { throw lastError }
  }
}
