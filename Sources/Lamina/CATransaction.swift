import Foundation

/// Changes that reach the screen together. A stack of transactions belongs to each thread; without
/// one, changes are committed with the next frame.
///
/// Between `begin()` and the matching `commit()` frames show what was committed before.
public final class CATransaction: NSObject {
  private override init() {}

  /// Opens a transaction inside the current one.
  public class func begin() { TransactionStack.current.begin() }

  /// Ends the current transaction. The outermost one commits all changes that this thread made to
  /// layers of renderers. Does nothing where none is open.
  public class func commit() { TransactionStack.current.commit() }

  /// Commits what this thread changed, unless a transaction is open: then its end does.
  public class func flush() { TransactionStack.current.flush() }

  /// Seconds, for animations without a duration. Default: 0.25.
  public class func animationDuration() -> CFTimeInterval {
    (value(forKey: kCATransactionAnimationDuration) as? NSNumber)?.doubleValue ?? 0.25
  }

  public class func setAnimationDuration(_ duration: CFTimeInterval) {
    setValue(NSNumber(value: duration), forKey: kCATransactionAnimationDuration)
  }

  /// Whether changes start no animations of their own. Default: false.
  public class func disableActions() -> Bool {
    (value(forKey: kCATransactionDisableActions) as? NSNumber)?.boolValue ?? false
  }

  public class func setDisableActions(_ flag: Bool) {
    setValue(NSNumber(value: flag), forKey: kCATransactionDisableActions)
  }

  /// The value of a key in the innermost transaction that has it.
  public class func value(forKey key: String) -> Any? { TransactionStack.current.value(key) }

  /// Stores a value in the current transaction. Numbers may be of any type.
  public class func setValue(_ value: Any?, forKey key: String) {
    TransactionStack.current.set(value, key)
  }
}

public let kCATransactionAnimationDuration = "animationDuration"
public let kCATransactionDisableActions = "disableActions"

/// A thread's transactions.
final class TransactionStack {
  /// The first holds what is set outside all transactions.
  private var values: [[String: Any]] = [[:]]
  /// Those with changes that this thread made since it last committed.
  private var trees: [Noted] = []

  private struct Noted { weak var tree: LayerTree? }

  /// Whether a transaction is open, which holds back what frames show.
  var isOpen: Bool { values.count > 1 }

  func begin() { values.append([:]) }

  func commit() {
    guard isOpen else { return }
    values.removeLast()
    flush()
  }

  func flush() {
    guard !isOpen else { return }
    values[0] = [:]
    let changed = trees.compactMap(\.tree)
    trees = []
    for tree in changed {
      tree.noteCommitted(by: self)
      // A renderer whose server failed says so at its next frame.
      _ = try? tree.commit()
    }
  }

  func noteChange(of tree: LayerTree) {
    trees.removeAll { $0.tree == nil }
    trees.append(Noted(tree: tree))
  }

  func value(_ key: String) -> Any? { values.last { $0[key] != nil }?[key] }

  func set(_ value: Any?, _ key: String) {
    let number = value.flatMap { $0 as? CGFloat }.map { NSNumber(value: Double($0)) }
    values[values.count - 1][key] = number ?? Self.boxed(value)
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

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { stack in
      guard let stack else { return }
      Unmanaged<TransactionStack>.fromOpaque(stack).release()
    }
    precondition(status == 0, "no room for the threads' transactions: error \(status)")
    return key
  }()

  /// This thread's.
  static var current: TransactionStack {
    if let existing = pthread_getspecific(key) {
      return Unmanaged<TransactionStack>.fromOpaque(existing).takeUnretainedValue()
    }
    let stack = TransactionStack()
    pthread_setspecific(key, Unmanaged.passRetained(stack).toOpaque())
    return stack
  }
}
