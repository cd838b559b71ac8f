import Foundation

/// Lays out the sublayers of layers that have it as their `layoutManager`. Every method is
/// optional.
public protocol CALayoutManager: NSObjectProtocol {
  /// The size of the layer's frame that suits its content. Default: the frame's size.
  func preferredSize(of layer: CALayer) -> CGSize

  /// Called when the layer begins to need layout: once, however often it is said before the layout.
  func invalidateLayout(of layer: CALayer)

  /// Places the layer's sublayers.
  func layoutSublayers(of layer: CALayer)
}

extension CALayoutManager {
  public func preferredSize(of layer: CALayer) -> CGSize { layer.frame.size }
  public func invalidateLayout(of layer: CALayer) {}
  public func layoutSublayers(of layer: CALayer) {}
}
