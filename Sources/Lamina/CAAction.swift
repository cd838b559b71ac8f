import Foundation

/// What a change or an event of a layer starts: an animation, mostly.
public protocol CAAction: AnyObject {
  /// Called after the change. `anObject` is the layer; `event` is the property's key, or the name
  /// of an event such as "onOrderIn". There are no `arguments`.
  func run(forKey event: String, object anObject: Any, arguments dict: [AnyHashable: Any]?)
}

/// The action that does nothing: where a search meets it, it ends without an action.
extension NSNull: CAAction {
  public func run(forKey event: String, object anObject: Any, arguments dict: [AnyHashable: Any]?) {
  }
}

/// A layer became visible: it came into a tree on screen, or is hidden no more.
public let kCAOnOrderIn = "onOrderIn"
/// A layer left its tree on screen, or was hidden.
public let kCAOnOrderOut = "onOrderOut"
/// The key that transitions are filed under.
public let kCATransition = "transition"
/// A layer lays out its sublayers. It has no name in Apple's headers either.
let kCAOnLayout = "onLayout"
