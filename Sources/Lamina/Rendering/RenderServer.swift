import Foundation
import LaminaCommit
import LaminaValues

/// A server that draws frames. Renderers with equal values share one server.
public struct RenderServer: Hashable, Sendable {
  package let launcher: RenderServerLauncher
  /// The platform that the server draws with. Default: `auto`, for which `LAMINA_PLATFORM` in the
  /// environment may name another one.
  public var platform: RenderPlatform
  /// What happens if the render process dies or hangs, and how much memory it may take.
  public var options = Options()
  /// Whether frames' statistics tell how long each stage in the render process took.
  package var isTraced = false

  /// What happens if the render process dies or hangs, and how much memory it may take.
  ///
  /// If it dies, another one takes its place and gets all that was committed, running animations
  /// with their begin times too. Frames that were asked for come, later; only a `CATransition`
  /// under way jumps to its end. A line on standard error and `CARendererDelegate` tell of it.
  ///
  /// A renderer whose frame ended two processes in a row fails with an error that says so; the
  /// others go on.
  public struct Options: Hashable, Sendable {
    /// The number of deaths within a minute after which the process is started again on the same
    /// platform. At one more, `auto` goes on with the next platform, from a GPU to `surfaceless`
    /// and from there to `software`; a platform that was named is not replaced, and frames throw an
    /// error. With 0, the first death is an error. Default: 2.
    public var deathsAllowed: Int {
      get { policy.deathsAllowed }
      set { policy.deathsAllowed = newValue }
    }
    /// The time in seconds for which a process may say nothing while a frame is asked for. Then it
    /// counts as dead, and is killed. Default: 15. A server in this process is waited for.
    public var responseTimeout: Double {
      get { policy.responseTimeout }
      set { policy.responseTimeout = newValue }
    }

    /// The largest number of bytes that pixels may take in the render process: textures, targets,
    /// frames on the device, and copies of backing stores. What was not drawn for longest is freed
    /// first, and made again when it is drawn. A renderer that needs more for one frame fails, with
    /// an error that says so. A driver that draws on the CPU counts as 16 MB, at most as a quarter.
    /// Default: nil, for half of what the machine has, or the control group that the program is in.
    /// Backing stores themselves are the program's.
    public var memoryBudget: Int? {
      get { budget.map { Int(clamping: $0) } }
      set { budget = newValue.map { UInt64(clamping: $0) } }
    }

    fileprivate var policy = RestartPolicy()
    fileprivate var budget: UInt64?

    /// The defaults.
    public init() {}
  }

  package init(launcher: RenderServerLauncher, platform: RenderPlatform = .auto) {
    self.launcher = launcher
    self.platform = platform
  }

  /// A separate process, `lamina-render-server`, found beside the app's executable or at
  /// `$LAMINA_RENDER_SERVER`.
  public static let process = RenderServer(launcher: .process)

  /// The same server on another platform.
  public func on(_ platform: RenderPlatform) -> RenderServer {
    var server = self
    server.platform = platform
    return server
  }

  /// Starts the server, unless it runs, without waiting until it is ready, so that the renderer
  /// that is made next waits less. If it fails, that renderer's initializer throws.
  public func prepare() {
    guard let key = try? key(.process) else { return }
    ServerConnection.prepare(key)
  }

  /// Starts the server, unless it runs. It then runs for as long as the value that is returned
  /// exists, also if no renderer uses it.
  package func running() throws(RenderServerError) -> any Sendable { try connect() }

  func connect(
    environment: Environment = .process
  ) throws(RenderServerError) -> ServerConnection {
    do throws(ServerFailure) {
      return try ServerConnection.shared(key(environment))
    } catch {
      throw RenderServerError(error)
    }
  }
}

extension RenderServer {
  private func key(_ environment: Environment) throws(ServerFailure) -> ServerConnection.Key {
    ServerConnection.Key(
      launcher: launcher, platform: try chosenPlatform(environment), policy: options.policy,
      memoryBudget: options.budget, isTraced: isTraced)
  }

  /// The platform, or instead of `auto` the one that the environment names.
  func chosenPlatform(_ environment: Environment) throws(ServerFailure) -> RenderPlatform {
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
