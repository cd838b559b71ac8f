import CGL
import LaminaFramePlan
import LaminaValues

/// Mesa without a device node, which almost always means llvmpipe. Calls for
/// EGL_MESA_platform_surfaceless.
final class SurfacelessPlatform: Platform {
  let request = RenderPlatform.surfaceless
  let device: String? = nil
  let context: RenderingContext

  init(driverLoaded: () -> Void) throws(ExecutorError) {
    try GraphicsLibrary.require(.egl, .gles)
    guard clientExtensions().contains("EGL_MESA_platform_surfaceless") else {
      throw .notInstalled("EGL_MESA_platform_surfaceless is missing")
    }
    context = try RenderingContext(
      display: eglGetPlatformDisplay(EGLenum(EGL_PLATFORM_SURFACELESS_MESA), nil, nil),
      ownsDisplay: false, driverLoaded: driverLoaded)
  }

  func makeSurfaceBuffer(_ size: PixelSize, isBGRA: Bool) -> SurfaceBuffer? { nil }

  func close() { context.destroy() }
}

/// The extensions of EGL itself, which can be queried before there is a display.
func clientExtensions() -> Set<Substring> {
  guard let names = eglQueryString(nil, EGL_EXTENSIONS) else { return [] }
  return Set(String(cString: names).split(separator: " "))
}
