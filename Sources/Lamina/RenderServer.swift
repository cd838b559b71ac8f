import LaminaCommit
import LaminaValues

/// What the render process draws with.
public enum RenderPlatform: String, Sendable, CaseIterable {
  /// The first of the others that works.
  case auto
  /// Buffers of a DRM node.
  case gbm
  /// An EGL device.
  case device
  /// Mesa's software renderer, without any device.
  case surfaceless
}

/// Where frames are drawn. Renderers of equal servers share one.
public struct RenderServer: Hashable, Sendable {
  package let launcher: RenderServerLauncher
  /// Default: `auto`.
  public var platform: RenderPlatform

  package init(launcher: RenderServerLauncher, platform: RenderPlatform = .auto) {
    self.launcher = launcher
    self.platform = platform
  }

  /// A process of its own, `lamina-render-server`: beside this program, or at
  /// `$LAMINA_RENDER_SERVER`.
  public static let process = RenderServer(launcher: .process)

  /// This server on another platform.
  public func on(_ platform: RenderPlatform) -> RenderServer {
    RenderServer(launcher: launcher, platform: platform)
  }

  func connect() throws(RenderServerError) -> ServerConnection {
    do throws(LaminaCommit.RenderServerError) {
      return try ServerConnection.shared(
        launcher: launcher, platform: PlatformChoice(rawValue: platform.rawValue) ?? .auto)
    } catch {
      throw RenderServerError(error)
    }
  }
}

/// The render process failed: it was not found, did not start, died or refused; or a renderer's
/// layers are more than it takes, and were not sent. Its description says which, in a line.
public struct RenderServerError: Error, Hashable, Sendable, CustomStringConvertible {
  package let cause: LaminaCommit.RenderServerError

  init(_ cause: LaminaCommit.RenderServerError) { self.cause = cause }

  public var description: String { cause.description }
}
