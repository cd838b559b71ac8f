import Foundation
import LaminaGraphics

/// Provides content and layout for layers in their stead.
///
/// Every method is optional. A method that a delegate's class leaves out counts as absent, and the
/// layer then does what it does without a delegate. The class that declares the conformance, or an
/// extension of it, has to implement them: Swift does not find what only a subclass adds.
public protocol CALayerDelegate: NSObjectProtocol {
  /// Provides the layer's contents, by setting `contents` for example. It takes the place of
  /// `CALayer.display()`.
  func display(_ layer: CALayer)

  /// Called before the layer's contents are drawn, to set `contentsFormat` or `isOpaque` for
  /// example; not where `display(_:)` is implemented.
  func layerWillDraw(_ layer: CALayer)

  /// Draws the layer's contents, as `CALayer.draw(in:)` says, which asks the delegate.
  func draw(_ layer: CALayer, in ctx: CGContext)

  /// Lays out the layer's sublayers, in place of its layout manager.
  func layoutSublayers(of layer: CALayer)

  /// What a change of a property, or an event, starts: the first answer that
  /// `CALayer.action(forKey:)` looks for. `NSNull()` stands for nothing, nil for no answer.
  func action(for layer: CALayer, forKey event: String) -> (any CAAction)?
}

// An implementation in a delegate never gets here, so whoever comes here says that there is none.
extension CALayerDelegate {
  public func display(_ layer: CALayer) { layer.noteAbsent(.display, in: self) }
  public func layerWillDraw(_ layer: CALayer) {}
  public func draw(_ layer: CALayer, in ctx: CGContext) { layer.noteAbsent(.draw, in: self) }
  public func layoutSublayers(of layer: CALayer) { layer.noteAbsent(.layoutSublayers, in: self) }
  public func action(for layer: CALayer, forKey event: String) -> (any CAAction)? { nil }
}

/// What a layer asks its delegate, where it makes a difference whether there is an answer.
enum DelegateMethod {
  case display
  case draw
  case layoutSublayers
}

/// A call of a delegate's method that is going on.
struct DelegateCall {
  let method: DelegateMethod
  let delegate: ObjectIdentifier
  var isAnswered = true
}

extension CALayer {
  /// Calls a method of the delegate. Returns whether the delegate implements it; without a delegate
  /// false.
  ///
  ///     let isDisplayed = ask(.display) { $0.display(self) }
  ///
  /// The default implementations mark the call that the layer is making as not answered. They know
  /// it by method and delegate: so it does not matter whom an implementation calls in its turn.
  final func ask(_ method: DelegateMethod, _ call: (any CALayerDelegate) -> Void) -> Bool {
    guard let attachments, let delegate = attachments.delegate else { return false }
    let outer = attachments.delegateCall
    attachments.delegateCall = DelegateCall(method: method, delegate: ObjectIdentifier(delegate))
    defer { attachments.delegateCall = outer }
    call(delegate)
    return attachments.delegateCall?.isAnswered ?? true
  }

  /// Called by the default implementation of a delegate's method.
  final func noteAbsent(_ method: DelegateMethod, in delegate: some CALayerDelegate) {
    guard let call = attachments?.delegateCall, call.method == method,
      call.delegate == ObjectIdentifier(delegate)
    else { return }
    attachments?.delegateCall?.isAnswered = false
  }
}
