import LaminaCommit
import LaminaValues
import Testing

@testable import Lamina
@testable import LaminaRenderTree

/// The receiver of commits, without a render process: every commit is checked and applied.
final class CommitReceiver: Sendable {
  private struct State {
    var tree = RenderTree()
    var last: Commit?
    var failure: CommitError?
    var heldImages: Set<ImageID> = []
  }

  private let state = Lock(State())

  init(sessions: Int = 1) throws {
    try state.withLock { state in
      for session in 0..<sessions {
        try state.tree.openSession(
          SessionID(rawValue: UInt32(session)),
          SessionOptions(size: PixelSize(width: 10, height: 10), scale: 1))
      }
    }
  }

  func context() -> LayerContext {
    LayerContext { commit, stores in
      self.state.withLock { state in
        var commit = commit
        commit.sequence = state.tree.sequence + 1
        #expect(commit.stores.count == stores.count)
        do throws(CommitError) {
          try state.tree.apply(commit)
        } catch {
          state.failure = error
        }
        state.last = commit
        return commit.sequence
      }
    }
  }

  var last: Commit? { state.withLock { $0.last } }
  var failure: CommitError? { state.withLock { $0.failure } }
  var tree: RenderTree { state.withLock { $0.tree } }
}
