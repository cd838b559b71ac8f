import LaminaFramePlan
import LaminaGLES
import LaminaSoftware
import LaminaValues

/// Makes what draws on a platform, on the thread that will use it.
package func makeExecutor(
  for platform: RenderPlatform
) throws(ExecutorError) -> any FrameExecutor {
  if platform == .software { return SoftwareRenderer() }
  return try GLESRenderer(platform: platform, programs: GLESRenderer.programFolder())
}
