import Foundation

/// Changes that reach the screen together, and how they are animated.
///
/// Between `begin()` and the matching `commit()` frames show what was committed before.
/// Transactions nest; each main queue or thread has a stack of its own, and a transaction must not
/// span an `await`, after which the thread may be another. Changes outside of all of them belong to
/// an implicit one, which is committed by the run loop's or the main queue's next turn, by
/// `flush()`, or by a renderer's next frame.
public final class CATransaction: NSObject {
  private override init() {}

  /// Opens a transaction inside the current one.
  public class func begin() { TransactionStack.current.begin() }

  /// Ends the current transaction. The outermost one commits all changes that were made here to
  /// layers of renderers. Does nothing where none is open.
  public class func commit() { TransactionStack.current.commit() }

  /// Commits what was changed, unless a transaction is open: then its end does.
  public class func flush() { TransactionStack.current.flush() }

  /// Waits until no other thread is between `lock()` and `unlock()`. Calls nest. For programs that
  /// use one layer from several threads.
  public class func lock() { transactionLock.lock() }

  public class func unlock() { transactionLock.unlock() }

  /// Seconds that implicit animations last, and others without a duration. Default: 0.25.
  public class func animationDuration() -> CFTimeInterval {
    TransactionStack.current.settings.duration
  }

  public class func setAnimationDuration(_ duration: CFTimeInterval) {
    setValue(NSNumber(value: duration), forKey: kCATransactionAnimationDuration)
  }

  /// The pace of implicit animations; nil for `CAMediaTimingFunctionName.default`. Animations that
  /// a program adds keep their own. Default: nil.
  public class func animationTimingFunction() -> CAMediaTimingFunction? {
    TransactionStack.current.settings.timingFunction
  }

  public class func setAnimationTimingFunction(_ function: CAMediaTimingFunction?) {
    setValue(function, forKey: kCATransactionAnimationTimingFunction)
  }

  /// Whether changes start no actions. What `CALayer.action(forKey:)` gives stays the same.
  /// Default: false.
  public class func disableActions() -> Bool { TransactionStack.current.settings.disablesActions }

  public class func setDisableActions(_ flag: Bool) {
    setValue(NSNumber(value: flag), forKey: kCATransactionDisableActions)
  }

  /// The last block that was set. Default: nil.
  public class func completionBlock() -> (() -> Void)? {
    value(forKey: kCATransactionCompletionBlock) as? () -> Void
  }

  /// Has `block` called once the transaction is committed and all animations that were added in it,
  /// and in those inside it, are over or removed: never from within `commit()`, at the earliest in
  /// the next turn of the run loop or the main queue, or after the next frame. One that is set later
  /// is called as well, before it; nil takes none away.
  public class func setCompletionBlock(_ block: (() -> Void)?) {
    setValue(block, forKey: kCATransactionCompletionBlock)
  }

  /// The value of a key in the innermost transaction that has it.
  public class func value(forKey key: String) -> Any? { TransactionStack.current.value(key) }

  /// Stores a value in the current transaction. Numbers may be of any type.
  public class func setValue(_ value: Any?, forKey key: String) {
    TransactionStack.current.set(value, key)
  }
}

private let transactionLock = NSRecursiveLock()

public let kCATransactionAnimationDuration = "animationDuration"
public let kCATransactionDisableActions = "disableActions"
public let kCATransactionAnimationTimingFunction = "animationTimingFunction"
public let kCATransactionCompletionBlock = "completionBlock"
