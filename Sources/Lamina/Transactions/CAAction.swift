import Foundation

/// An object that runs in response to a change or an event of a layer, usually an animation.
public protocol CAAction: AnyObject {
  /// Called after the change. `anObject` is the layer; `event` is the property's key, or the name
  /// of an event such as "onOrderIn". There are no `arguments`.
  func run(forKey event: String, object anObject: Any, arguments dict: [AnyHashable: Any]?)
}

/// The action that does nothing. A search that finds it ends without an action.
extension NSNull: CAAction {
  public func run(forKey event: String, object anObject: Any, arguments dict: [AnyHashable: Any]?) {
  }
}

/// The event of a layer that becomes visible: it entered a tree on screen or is no longer hidden.
public let kCAOnOrderIn = "onOrderIn"
/// The event of a layer that left its tree on screen or was hidden.
public let kCAOnOrderOut = "onOrderOut"
/// The key of transitions.
public let kCATransition = "transition"
/// The event of a layer that lays out its sublayers. Apple's headers do not declare a constant for
/// it either.
let kCAOnLayout = "onLayout"
