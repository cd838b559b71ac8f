import CGL
import LaminaValues

/// A way to a GL context, and where surfaces' memory comes from.
protocol Platform: AnyObject {
  var request: PlatformRequest { get }
  /// The DRM node or the EGL device.
  var device: String? { get }
  var context: RenderingContext { get }
  /// Memory to draw a surface into, as an image that a texture can be made of; nil where a plain
  /// texture does. The context is current.
  func makeSurfaceBuffer(_ size: PixelSize, isBGRA: Bool) throws(GLESError) -> SurfaceBuffer?
  /// Destroys the context, and what the platform opened. Once, after everything drawn with it.
  func close()
}

/// A surface's memory that GL did not allocate.
protocol SurfaceBuffer: AnyObject {
  var image: EGLImageKHR { get }
  /// Frees it. Once, after the textures made of it.
  func close()
}

/// The platform that was taken, with its context current, and why those before it were not.
struct PlatformChoice {
  var platform: any Platform
  var reasons: [String]

  private struct Candidate {
    var name: String
    var open: () throws(GLESError) -> any Platform
    var software: Software
  }

  /// What a CPU behind a platform means.
  private enum Software {
    case accepted, refused
    /// It does where no hardware is found. It stays open until then: to open one twice takes
    /// longer than all else here.
    case lastResort
  }

  /// Opens the platforms that `request` stands for until one can be drawn on: a buffer was
  /// allocated and a framebuffer of it completed, which is more than that it opened.
  init(_ request: PlatformRequest) throws(GLESError) {
    var reasons: [String] = []
    var lastResort: (any Platform)?
    for candidate in PlatformChoice.candidates(request) {
      do throws(GLESError) {
        let platform = try PlatformChoice.open(candidate)
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
        reasons.append("\(candidate.name): \(error)")
      }
    }
    guard let lastResort else { throw .noPlatform(reasons: reasons) }
    try lastResort.context.makeCurrent()
    self.init(platform: lastResort, reasons: reasons)
  }

  private init(platform: any Platform, reasons: [String]) {
    self.platform = platform
    self.reasons = reasons
  }

  private static func open(_ candidate: Candidate) throws(GLESError) -> any Platform {
    let platform = try candidate.open()
    do throws(GLESError) {
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

  private static func candidates(_ request: PlatformRequest) -> [Candidate] {
    let surfaceless = Candidate(
      name: "surfaceless", open: SurfacelessPlatform.open, software: .accepted)
    switch request {
    case .auto: return gbm(.refused) + devices() + [surfaceless]
    case .gbm: return gbm(.lastResort)
    case .device: return devices()
    case .surfaceless: return [surfaceless]
    }
  }

  private static func gbm(_ software: Software) -> [Candidate] {
    let nodes = GBMPlatform.nodes()
    if nodes.isEmpty {
      return [
        Candidate(
          name: "gbm",
          open: { () throws(GLESError) in
            throw .noPlatform(reasons: ["there is no node in /dev/dri"])
          }, software: software)
      ]
    }
    return nodes.map { node in
      Candidate(
        name: "gbm \(node)", open: { () throws(GLESError) in try GBMPlatform(node: node) },
        software: software)
    }
  }

  private static func devices() -> [Candidate] {
    let devices: [HardwareDevice]
    do throws(GLESError) {
      devices = try HardwareDevice.all()
    } catch {
      return [
        Candidate(
          name: "device", open: { () throws(GLESError) in throw error }, software: .refused)
      ]
    }
    return devices.map { device in
      Candidate(
        name: "device \(device.name)",
        open: { () throws(GLESError) in try DevicePlatform(device) }, software: .refused)
    }
  }

  /// Throws unless the platform can really be drawn on.
  private static func check(_ platform: any Platform) throws(GLESError) {
    let size = PixelSize(width: 16, height: 16)
    var lastError: GLESError?
    for isBGRA in [true, false] {
      do throws(GLESError) {
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
