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
    /// Whether a CPU behind it is a reason to go on looking.
    var mustBeHardware: Bool
  }

  /// Opens the platforms that `request` stands for until one can be drawn on: a buffer was
  /// allocated and a framebuffer of it completed, which is more than that it opened.
  init(_ request: PlatformRequest) throws(GLESError) {
    var reasons: [String] = []
    for candidate in PlatformChoice.candidates(request) {
      do throws(GLESError) {
        let platform = try candidate.open()
        do throws(GLESError) {
          try PlatformChoice.check(platform, mustBeHardware: candidate.mustBeHardware)
        } catch {
          platform.close()
          throw error
        }
        self.platform = platform
        self.reasons = reasons
        return
      } catch .noPlatform(let why) {
        reasons.append("\(candidate.name): " + why.joined(separator: ", "))
      } catch {
        reasons.append("\(candidate.name): \(error)")
      }
    }
    throw .noPlatform(reasons: reasons)
  }

  private static func candidates(_ request: PlatformRequest) -> [Candidate] {
    let surfaceless = Candidate(
      name: "surfaceless", open: SurfacelessPlatform.open, mustBeHardware: false)
    switch request {
    case .auto:
      return gbm(hardware: true) + devices() + [surfaceless]
    case .gbm:
      // A software node takes longer to refuse than a hardware one to accept.
      return gbm(hardware: true) + gbm(hardware: false)
    case .device: return devices()
    case .surfaceless: return [surfaceless]
    }
  }

  private static func gbm(hardware: Bool) -> [Candidate] {
    let nodes = GBMPlatform.nodes()
    let kind = hardware ? "gbm" : "software gbm"
    if nodes.isEmpty {
      return [
        Candidate(
          name: kind,
          open: { () throws(GLESError) in
            throw .noPlatform(reasons: ["there is no node in /dev/dri"])
          }, mustBeHardware: hardware)
      ]
    }
    return nodes.map { node in
      Candidate(
        name: "\(kind) \(node)", open: { () throws(GLESError) in try GBMPlatform(node: node) },
        mustBeHardware: hardware)
    }
  }

  private static func devices() -> [Candidate] {
    let devices: [HardwareDevice]
    do throws(GLESError) {
      devices = try HardwareDevice.all()
    } catch {
      return [
        Candidate(
          name: "device", open: { () throws(GLESError) in throw error }, mustBeHardware: true)
      ]
    }
    return devices.map { device in
      Candidate(
        name: "device \(device.name)",
        open: { () throws(GLESError) in try DevicePlatform(device) }, mustBeHardware: true)
    }
  }

  /// Throws unless the platform can really be drawn on.
  private static func check(
    _ platform: any Platform, mustBeHardware: Bool
  ) throws(GLESError) {
    if mustBeHardware, platform.context.isSoftware {
      throw .noPlatform(reasons: ["\(platform.context.renderer) draws on the CPU"])
    }
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
