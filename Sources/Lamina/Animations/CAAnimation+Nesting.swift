import LaminaAnimation
import LaminaCommit

extension CAAnimation {
  /// The reason why the animation cannot be sent: groups nested deeper than the render process
  /// accepts, or a group inside itself. nil if it can.
  final var nestingRefusal: CommitError? {
    let limit = TreeLimit.animationDepth
    return nests(deeperThan: limit) ? .tooDeep("animation group", limit: limit) : nil
  }

  private func nests(deeperThan limit: Int) -> Bool {
    guard let members = (self as? CAAnimationGroup)?.animations else { return false }
    return limit == 0 || members.contains { $0.nests(deeperThan: limit - 1) }
  }
}
