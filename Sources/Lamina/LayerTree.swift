import LaminaCommit
import LaminaValues

/// The layers that one renderer shows, and what of them changed since the last commit.
final class LayerTree {
  let context: LayerContext
  let session: SessionID
  let clock: MediaClock

  /// The layer that the renderer shows.
  var root: CALayer? {
    didSet { if root !== oldValue, let oldValue { detached.append(oldValue) } }
  }

  /// Maps the root's superspace to the session's points; nil for the identity.
  var placement: CATransform3D? {
    didSet { if placement != oldValue { placementChanged = true } }
  }

  /// Layers with changes, in the order of their first ones.
  var changed: [CALayer] = []
  /// Layers that left their places, and may have come to others.
  var detached: [CALayer] = []
  /// What the session shows in the render process.
  var renderedRoot: LayerID?
  /// The layer that stands for `placement` there.
  var container: LayerID?
  var placementChanged = false

  /// The last commit that this tree sent.
  private(set) var lastSequence: UInt64 = 0
  /// The thread's stack that will commit this tree.
  private weak var noted: TransactionStack?

  init(context: LayerContext, session: SessionID, clock: MediaClock) {
    self.context = context
    self.session = session
    self.clock = clock
  }

  /// Whether a commit would have anything to say.
  var hasChanges: Bool {
    !changed.isEmpty || !detached.isEmpty || placementChanged || context.hasOrphans
      || (root == nil ? renderedRoot != nil : root?.rendered?.tree !== self || renderedRoot == nil)
  }

  func noteChange(of layer: CALayer) {
    if changed.isEmpty, noted == nil || noted !== TransactionStack.current {
      let stack = TransactionStack.current
      noted = stack
      stack.noteChange(of: self)
    }
    changed.append(layer)
  }

  func noteDetached(_ layer: CALayer) { detached.append(layer) }

  func noteCommitted(by stack: TransactionStack) {
    if noted === stack { noted = nil }
  }

  /// Sends what changed, without waiting. Returns it, or nil where there was nothing to send.
  @discardableResult
  func commit() throws(RenderServerError) -> Commit? {
    guard hasChanges else { return nil }
    context.lock.lock()
    defer { context.lock.unlock() }
    var builder = CommitBuilder(self)
    builder.build()
    guard !builder.commit.isEmpty else { return nil }
    do throws(LaminaCommit.RenderServerError) {
      lastSequence = try context.send(builder.commit, builder.buffers)
    } catch {
      throw RenderServerError(error)
    }
    builder.commit.sequence = lastSequence
    return builder.commit
  }

  /// Takes the whole tree out of the render process; layers are as if never committed.
  func close() {
    root = nil
    placement = nil
    _ = try? commit()
  }
}
