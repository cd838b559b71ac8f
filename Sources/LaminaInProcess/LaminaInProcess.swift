import Lamina
import LaminaRenderServer

extension RenderServer {
  /// A thread of this process: nothing to find and nothing to start, but what goes wrong in a
  /// driver takes the process with it. Same pixels as in a process of its own.
  public static let inProcess = RenderServer(launcher: .inProcess)
}
