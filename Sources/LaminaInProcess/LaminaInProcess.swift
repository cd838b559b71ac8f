import Lamina
import LaminaRenderServer

extension RenderServer {
  /// A server in a thread of this process. There is no executable to find or start, but a crash in
  /// a driver ends the app too. Draws the same pixels as a server in a separate process.
  public static let inProcess = RenderServer(launcher: .inProcess)
}
