import Foundation
import LaminaGraphics

/// An object that provides content, layout and actions for layers.
///
/// Every method is optional. A method that a delegate's class leaves out counts as absent, and the
/// layer then does what it does without a delegate. The methods must be implemented by the class
/// that declares the conformance, or by an extension of it: Swift does not find those that only a
/// subclass adds.
public protocol CALayerDelegate: NSObjectProtocol {
  /// Provides the layer's contents, by setting `contents` for example. It takes the place of
  /// `CALayer.display()`.
  func display(_ layer: CALayer)

  /// Called before the layer's contents are drawn, to set `contentsFormat` or `isOpaque` for
  /// example. Not called if `display(_:)` is implemented.
  func layerWillDraw(_ layer: CALayer)

  /// Draws the layer's contents. Called by `CALayer.draw(in:)`, in the context described there.
  func draw(_ layer: CALayer, in ctx: CGContext)

  /// Lays out the layer's sublayers, in place of its layout manager.
  func layoutSublayers(of layer: CALayer)

  /// The action that a change of a property, or an event, starts. `CALayer.action(forKey:)` asks
  /// here first. `NSNull()` means no action; nil leaves the decision to the layer.
  func action(for layer: CALayer, forKey event: String) -> (any CAAction)?
}

// The delegate's own implementations take the place of these, so a call that arrives here shows
// that there is none.
extension CALayerDelegate {
  public func display(_ layer: CALayer) { layer.noteAbsent(.display, in: self) }
  public func layerWillDraw(_ layer: CALayer) {}
  public func draw(_ layer: CALayer, in ctx: CGContext) { layer.noteAbsent(.draw, in: self) }
  public func layoutSublayers(of layer: CALayer) { layer.noteAbsent(.layoutSublayers, in: self) }
  public func action(for layer: CALayer, forKey event: String) -> (any CAAction)? { nil }
}

/// The delegate's methods for which the layer must know whether they are implemented.
enum DelegateMethod {
  case display
  case draw
  case layoutSublayers
}

/// A call of a delegate's method that is in progress.
struct DelegateCall {
  let method: DelegateMethod
  let delegate: ObjectIdentifier
  var isAnswered = true
}

extension CALayer {
  /// Calls a method of the delegate. Returns whether the delegate implements it; false if there is
  /// no delegate.
  ///
  ///     let isDisplayed = ask(.display) { $0.display(self) }
  ///
  /// The default implementations mark the layer's current call as not answered. They identify it by
  /// method and delegate, so it does not matter which other methods an implementation calls in
  /// turn.
  final func ask(_ method: DelegateMethod, _ call: (any CALayerDelegate) -> Void) -> Bool {
    guard let delegate else { return false }
    let attachments = ownAttachments
    let outer = attachments.delegateCall
    attachments.delegateCall = DelegateCall(method: method, delegate: ObjectIdentifier(delegate))
    defer { attachments.delegateCall = outer }
    call(delegate)
    return attachments.delegateCall?.isAnswered ?? true
  }

  /// Called by the default implementation of a delegate's method.
  final func noteAbsent(_ method: DelegateMethod, in delegate: some CALayerDelegate) {
    // A tile is drawn on another thread, which does not use the layer's attachments.
    if method == .draw, let drawing = TileDrawing.current, drawing.layer === self {
      return drawing.noteAbsent()
    }
    guard let call = attachments?.delegateCall, call.method == method,
      call.delegate == ObjectIdentifier(delegate)
    else { return }
    attachments?.delegateCall?.isAnswered = false
  }
}
