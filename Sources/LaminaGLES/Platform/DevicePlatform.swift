import CGL
import LaminaFramePlan
import LaminaValues

/// A GPU known to EGL, even without a DRM node on this machine. Calls for EGL_EXT_platform_device.
final class DevicePlatform: Platform {
  let request = RenderPlatform.device
  let device: String?
  let context: RenderingContext

  init(_ hardware: HardwareDevice, driverLoaded: () -> Void) throws(ExecutorError) {
    device = hardware.name
    context = try RenderingContext(
      display: eglGetPlatformDisplay(EGLenum(EGL_PLATFORM_DEVICE_EXT), hardware.handle, nil),
      ownsDisplay: false, driverLoaded: driverLoaded)
  }

  func makeSurfaceBuffer(_ size: PixelSize, isBGRA: Bool) -> SurfaceBuffer? { nil }

  func close() { context.destroy() }
}

/// An EGL device other than Mesa's CPU rasteriser.
struct HardwareDevice {
  var handle: EGLDeviceEXT
  /// The device's DRM node, or its index in EGL's list if it has none.
  var name: String

  /// All hardware devices, at least one, in EGL's order.
  static func all() throws(ExecutorError) -> [HardwareDevice] {
    try GraphicsLibrary.require(.egl, .gles)
    let client = clientExtensions()
    guard client.contains("EGL_EXT_platform_device"),
      client.contains("EGL_EXT_device_enumeration") || client.contains("EGL_EXT_device_base"),
      let query = function("eglQueryDevicesEXT", as: PFNEGLQUERYDEVICESEXTPROC.self),
      let string = function("eglQueryDeviceStringEXT", as: PFNEGLQUERYDEVICESTRINGEXTPROC.self)
    else { throw .notInstalled("EGL_EXT_platform_device is missing") }
    var count: EGLint = 0
    guard query(0, nil, &count) == EGL_TRUE, count > 0 else {
      throw .noPlatform(reasons: ["EGL lists no devices"])
    }
    var handles = [EGLDeviceEXT?](repeating: nil, count: Int(count))
    guard query(count, &handles, &count) == EGL_TRUE else {
      throw .egl(call: "eglQueryDevicesEXT", code: eglGetError())
    }
    func text(_ handle: EGLDeviceEXT, _ name: Int32) -> String? {
      string(handle, name).map { String(cString: $0) }
    }
    var hardware: [HardwareDevice] = []
    for (index, handle) in handles.prefix(Int(count)).enumerated() {
      guard let handle else { continue }
      let extensions = Set((text(handle, EGL_EXTENSIONS) ?? "").split(separator: " "))
      if extensions.contains("EGL_MESA_device_software") { continue }
      let node =
        extensions.contains("EGL_EXT_device_drm") ? text(handle, EGL_DRM_DEVICE_FILE_EXT) : nil
      hardware.append(HardwareDevice(handle: handle, name: node ?? "\(index)"))
    }
    // Querying a name that is absent leaves an error behind for the next caller.
    _ = eglGetError()
    if hardware.isEmpty {
      throw .noPlatform(reasons: ["EGL lists only Mesa's software device"])
    }
    return hardware
  }
}
