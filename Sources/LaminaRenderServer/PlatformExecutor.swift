import LaminaFramePlan
import LaminaGLES
import LaminaSoftware
import LaminaValues

/// Makes what draws on a platform, on the thread that will use it. Calls `driverLoaded` once the
/// libraries of what may be its driver are loaded, which is most of the work.
package func makeExecutor(
  for platform: RenderPlatform, driverLoaded: () -> Void = {}
) throws(ExecutorError) -> any FrameExecutor {
  if platform == .software {
    driverLoaded()
    return SoftwareRenderer()
  }
  return try GLESRenderer(
    platform: platform, programs: GLESRenderer.programFolder(), driverLoaded: driverLoaded)
}
