import Foundation

/// An object that lays out the sublayers of the layers whose `layoutManager` it is. Every method is
/// optional.
public protocol CALayoutManager: NSObjectProtocol {
  /// The size of the layer's frame that suits its content. Default: the frame's size.
  func preferredSize(of layer: CALayer) -> CGSize

  /// Called when the layer starts to need layout: once, however often `setNeedsLayout()` is called
  /// before the layout.
  func invalidateLayout(of layer: CALayer)

  /// Lays out the layer's sublayers.
  func layoutSublayers(of layer: CALayer)
}

extension CALayoutManager {
  public func preferredSize(of layer: CALayer) -> CGSize { layer.frame.size }
  public func invalidateLayout(of layer: CALayer) {}
  public func layoutSublayers(of layer: CALayer) {}
}
