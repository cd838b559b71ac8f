import Foundation

/// A group of changes that reach the screen together, and the settings of their implicit
/// animations.
///
/// Between `begin()` and the matching `commit()`, frames show what was committed before.
/// Transactions nest. The main queue and each other thread have their own stack of transactions. A
/// transaction must not span an `await`, since it may resume on another thread. Changes outside any
/// transaction belong to an implicit one, which is committed in the next turn of the run loop or
/// the main queue, by `flush()`, or by a renderer's next frame.
open class CATransaction: NSObject {
  /// Opens a transaction inside the current one.
  open class func begin() { TransactionStack.current.begin() }

  /// Ends the current transaction. Ending the outermost one commits all changes made on this stack
  /// to layers in renderers. Does nothing if no transaction is open.
  open class func commit() { TransactionStack.current.commit() }

  /// Commits all changes made so far. Does nothing while a transaction is open, whose end commits
  /// them.
  open class func flush() { TransactionStack.current.flush() }

  /// Acquires a recursive lock shared by all threads, for apps that use one layer from several
  /// threads. Calls nest.
  open class func lock() { transactionLock.lock() }

  /// Releases the lock that `lock()` acquired.
  open class func unlock() { transactionLock.unlock() }

  /// The duration, in seconds, of implicit animations and of animations without one. Default: 0.25.
  open class func animationDuration() -> CFTimeInterval {
    TransactionStack.current.settings.duration
  }

  /// Sets the duration, in seconds, for the current transaction.
  open class func setAnimationDuration(_ duration: CFTimeInterval) {
    setValue(NSNumber(value: duration), forKey: kCATransactionAnimationDuration)
  }

  /// The timing function of implicit animations. Animations that an app adds keep their own.
  /// Default: nil, which is `CAMediaTimingFunctionName.default`.
  open class func animationTimingFunction() -> CAMediaTimingFunction? {
    TransactionStack.current.settings.timingFunction
  }

  /// Sets the timing function of implicit animations for the current transaction.
  open class func setAnimationTimingFunction(_ function: CAMediaTimingFunction?) {
    setValue(function, forKey: kCATransactionAnimationTimingFunction)
  }

  /// Whether changes start no actions. Does not affect what `CALayer.action(forKey:)` returns.
  /// Default: false.
  open class func disableActions() -> Bool { TransactionStack.current.settings.disablesActions }

  /// Sets whether changes in the current transaction start no actions.
  open class func setDisableActions(_ flag: Bool) {
    setValue(NSNumber(value: flag), forKey: kCATransactionDisableActions)
  }

  /// The completion block that was set last. Default: nil.
  open class func completionBlock() -> (() -> Void)? {
    value(forKey: kCATransactionCompletionBlock) as? () -> Void
  }

  /// Calls `block` once the transaction is committed and all animations added in it and in
  /// transactions nested in it are over or removed. Never calls it from within `commit()`: the
  /// earliest time is the next turn of the run loop or the main queue, or after the next frame.
  /// Setting another block does not replace it: both are called, the last one set first. Setting
  /// nil removes none.
  open class func setCompletionBlock(_ block: (() -> Void)?) {
    setValue(block, forKey: kCATransactionCompletionBlock)
  }

  /// The value for a key in the innermost open transaction that has one.
  open class func value(forKey key: String) -> Any? { TransactionStack.current.value(key) }

  /// Stores a value in the current transaction. A number may have any type.
  open class func setValue(_ value: Any?, forKey key: String) {
    TransactionStack.current.set(value, key)
  }
}

private let transactionLock = NSRecursiveLock()

/// The key of a transaction's animation duration, an NSNumber of seconds.
public let kCATransactionAnimationDuration = "animationDuration"
/// The key of whether a transaction starts no actions, an NSNumber that is a Boolean.
public let kCATransactionDisableActions = "disableActions"
/// The key of a transaction's `CAMediaTimingFunction`.
public let kCATransactionAnimationTimingFunction = "animationTimingFunction"
/// The key of a transaction's completion block, a `() -> Void`.
public let kCATransactionCompletionBlock = "completionBlock"
