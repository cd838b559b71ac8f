import Foundation
import LaminaValues

/// The transactions of the main queue or of a thread.
final class TransactionStack {
  /// A transaction's settings for implicit animations.
  struct Settings {
    var duration = 0.25
    var timingFunction: CAMediaTimingFunction?
    var disablesActions = false
  }

  private struct Scope {
    var values: [String: Any] = [:]
    /// The settings of this scope combined with those of the enclosing ones.
    var settings = Settings()
    /// Made when needed.
    var completion: Completion?
  }

  /// The first scope is the implicit transaction. Every layer setter reads these, so exclusive
  /// access is not checked, to save time.
  @exclusivity(unchecked) private var scopes = [Scope()] {
    didSet { disablesActions = settings.disablesActions }
  }
  /// The setting of the innermost scope, kept apart since a copy of all settings counts references.
  @exclusivity(unchecked) private var disablesActions = false
  /// The trees with changes made on this stack since the last commit.
  private var trees: [LayerTree.Reference] = []
  /// Animations of layers that were in no tree when the animations were added.
  private var unplaced: [AttachedAnimation] = []
  /// The context in which the callbacks of this stack's transactions are made.
  let context: ExecutionContext

  private let isMain: Bool

  private init(_ context: ExecutionContext) {
    self.context = context
    isMain = context === ExecutionContext.main
  }

  /// Whether an explicit transaction is open, so that changes must not reach frames yet.
  var isOpen: Bool { scopes.count > 1 }

  var settings: Settings { scopes[scopes.count - 1].settings }

  /// The completion that waits for the animations added now.
  func completion() -> Completion {
    if !isOpen { scheduleFlush() }
    // If a scope has a completion, so do all enclosing scopes.
    if let completion = scopes[scopes.count - 1].completion { return completion }
    var outer: Completion?
    for place in scopes.indices {
      let completion = scopes[place].completion ?? Completion(inside: outer)
      scopes[place].completion = completion
      outer = completion
    }
    return outer!  // There is always a scope.
  }

  func begin() { scopes.append(Scope(settings: settings)) }

  func commit() {
    guard isOpen else { return }
    let ended = scopes.removeLast()
    let tree = commitTrees()
    end(ended, tree)
  }

  /// Commits all changes and ends the implicit transaction.
  func flush() {
    guard !isOpen else { return }
    let tree = commitTrees()
    let implicit = scopes[0]
    scopes[0] = Scope()
    end(implicit, tree)
  }

  /// Commits all changes, unless a transaction is open. Returns the first tree that had changes.
  private func commitTrees() -> LayerTree? {
    guard !isOpen else { return nil }
    let changed = trees.compactMap(\.tree)
    trees = []
    var committed: LayerTree?
    for tree in changed {
      tree.noteCommitted(by: self)
      // A frame may have committed the changes that were noted.
      if committed == nil, tree.hasChanges { committed = tree }
      // If the server failed or the tree is too large, the renderer reports it at its next frame.
      _ = try? tree.commit()
      if tree.isRefused { trees.append(tree.reference) }
    }
    return committed
  }

  /// Ends a transaction whose changes were committed with `tree`.
  private func end(_ scope: Scope, _ tree: LayerTree?) {
    let callbacks = scope.completion?.leave() ?? []
    if let tree { tree.callLater(callbacks) } else { context.call(callbacks) }
    guard !isOpen else { return }
    // Animations whose layers are in no tree by the next turn are over.
    let left = unplaced.filter { !$0.isSent }
    unplaced = []
    context.call(left.map { animation in { animation.endOutsideTree() } })
  }

  func noteUnplaced(_ animation: AttachedAnimation) { unplaced.append(animation) }

  // MARK: Changes

  func noteChange(of tree: LayerTree) {
    trees.removeAll { $0.tree == nil || $0.tree === tree }
    trees.append(tree.reference)
    if !isOpen { scheduleFlush() }
  }

  /// Ends the implicit transaction in the context's next turn, if its thread has a run loop.
  private func scheduleFlush() {
    context.scheduleTurn { TransactionStack.current.flush() }
  }

  // MARK: Values

  func value(_ key: String) -> Any? { scopes.last { $0.values[key] != nil }?.values[key] }

  func set(_ value: Any?, _ key: String) {
    if key == kCATransactionCompletionBlock, let block = value as? () -> Void {
      completion().add(block)
    }
    let number = value.flatMap { $0 as? CGFloat }.map { NSNumber(value: Double($0)) }
    let last = scopes.count - 1
    scopes[last].values[key] = number ?? Self.boxed(value)
    scopes[last].settings = Settings(
      duration: (self.value(kCATransactionAnimationDuration) as? NSNumber)?.doubleValue ?? 0.25,
      timingFunction: self.value(kCATransactionAnimationTimingFunction) as? CAMediaTimingFunction,
      disablesActions: (self.value(kCATransactionDisableActions) as? NSNumber)?.boolValue ?? false)
  }

  private static func boxed(_ value: Any?) -> Any? {
    switch value {
    case let number as Double: NSNumber(value: number)
    case let number as Float: NSNumber(value: number)
    case let number as Int: NSNumber(value: number)
    case let flag as Bool: NSNumber(value: flag)
    default: value
    }
  }

  // MARK: The current stack

  private nonisolated(unsafe) static let main = TransactionStack(.main)

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { stack in
      guard let stack else { return }
      Unmanaged<TransactionStack>.fromOpaque(stack).release()
    }
    guard status == 0 else {
      programmerError("no room for the threads' transactions: \(String(cString: strerror(status)))")
    }
    return key
  }()

  /// Whether the current transaction disables actions. Every setter of a layer in a tree asks this,
  /// so the stack is read without counting a reference to it.
  static var disablesActions: Bool {
    guard let known = pthread_getspecific(key) else { return current.disablesActions }
    return Unmanaged<TransactionStack>.fromOpaque(known)._withUnsafeGuaranteedRef { stack in
      if stack.isMain || !ExecutionContext.isMainQueue { return stack.disablesActions }
      return main.disablesActions
    }
  }

  /// The main queue's stack if the caller runs on the main queue, on any thread; else this
  /// thread's.
  static var current: TransactionStack {
    let existing = pthread_getspecific(key)
    if let existing {
      let stack = Unmanaged<TransactionStack>.fromOpaque(existing).takeUnretainedValue()
      return stack.isMain || !ExecutionContext.isMainQueue ? stack : main
    }
    // Asked once per thread, since it takes two system calls.
    let stack = Thread.isMainThread ? main : TransactionStack(ExecutionContext())
    pthread_setspecific(key, Unmanaged.passRetained(stack).toOpaque())
    return stack.isMain || !ExecutionContext.isMainQueue ? stack : main
  }
}
