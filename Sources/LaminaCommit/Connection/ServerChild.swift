import CLinux
import Foundation
import LaminaValues

/// A server that is a child process of this one.
struct ServerChild: Sendable {
  let id: pid_t
  private let group: ControlGroup?
  /// How often memory had run out when the process was started.
  private let earlierKills: UInt64?

  /// Milliseconds that a server has to quit by itself once its connection is closed.
  private static let patience = 2000

  init(_ id: pid_t) {
    self.id = id
    group = ControlGroup(of: id)
    earlierKills = group?.outOfMemoryKills
  }

  /// Waits for the end of a process that was told to quit, and kills it if it does not.
  func reap() -> ServerFailure.End {
    var status: Int32 = 0
    for attempt in 0... {
      let result = waitpid(id, &status, attempt < Self.patience ? WNOHANG : 0)
      if result == id { break }
      if result < 0, errno != EINTR { return .unknown }
      if attempt == Self.patience - 1 { kill(id, SIGKILL) }
      if attempt < Self.patience { usleep(1000) }
    }
    let code = lamina_exit_code(status)
    if code == -SIGKILL, let earlierKills, let kills = group?.outOfMemoryKills,
      kills > earlierKills
    {
      return .outOfMemory
    }
    return code < 0 ? .signal(-code) : .status(code)
  }
}
