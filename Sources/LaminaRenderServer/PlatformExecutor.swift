import LaminaFramePlan
import LaminaGLES
import LaminaSoftware
import LaminaValues

/// Makes what draws on a platform, on the thread that will use it.
package func makeExecutor(
  for platform: RenderPlatform
) throws(ExecutorError) -> any FrameExecutor {
  platform == .software ? SoftwareRenderer() : try GLESRenderer(platform: platform)
}
