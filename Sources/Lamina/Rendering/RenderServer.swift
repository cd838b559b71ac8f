import Foundation
import LaminaCommit
import LaminaValues

/// A server that draws frames. Renderers with equal values share one server.
public struct RenderServer: Hashable, Sendable {
  package let launcher: RenderServerLauncher
  /// The platform that the server draws with. Default: `auto`, for which `LAMINA_PLATFORM` in the
  /// environment may name another one.
  public var platform: RenderPlatform

  package init(launcher: RenderServerLauncher, platform: RenderPlatform = .auto) {
    self.launcher = launcher
    self.platform = platform
  }

  /// A separate process, `lamina-render-server`, found beside the app's executable or at
  /// `$LAMINA_RENDER_SERVER`.
  public static let process = RenderServer(launcher: .process)

  /// The same server on another platform.
  public func on(_ platform: RenderPlatform) -> RenderServer {
    RenderServer(launcher: launcher, platform: platform)
  }

  /// Starts the server, unless it runs, without waiting until it is ready, so that the renderer
  /// that is made next waits less. If it fails, that renderer's initializer throws.
  public func prepare() {
    guard let platform = try? chosenPlatform(ProcessInfo.processInfo.environment) else { return }
    ServerConnection.prepare(launcher: launcher, platform: platform)
  }

  /// Starts the server, unless it runs. It then runs for as long as the value that is returned
  /// exists, also if no renderer uses it.
  package func running() throws(RenderServerError) -> any Sendable { try connect() }

  func connect(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(RenderServerError) -> ServerConnection {
    do throws(ServerFailure) {
      return try ServerConnection.shared(
        launcher: launcher, platform: chosenPlatform(environment))
    } catch {
      throw RenderServerError(error)
    }
  }
}

extension RenderServer {
  /// The platform, or instead of `auto` the one that the environment names.
  func chosenPlatform(_ environment: [String: String]) throws(ServerFailure) -> RenderPlatform {
    guard platform == .auto, let name = environment["LAMINA_PLATFORM"], !name.isEmpty else {
      return platform
    }
    guard let platform = RenderPlatform(rawValue: name) else { throw .unknownPlatform(name) }
    return platform
  }
}

/// An error of the render process: it was not found, did not start, died, or refused a request; or
/// a renderer's layers exceed its limits and were not sent. The description says which, in one
/// line.
public struct RenderServerError: Error, Hashable, Sendable, CustomStringConvertible {
  package let cause: ServerFailure

  init(_ cause: ServerFailure) { self.cause = cause }

  public var description: String { cause.description }
}
