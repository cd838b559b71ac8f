import Foundation
import LaminaValues

extension CALayer {
  /// The part of the bounds that the nearest scroll layer above shows; all of them without one.
  public var visibleRect: CGRect {
    guard let scrollLayer else { return bounds }
    let visible = bounds.intersection(convert(scrollLayer.bounds, from: scrollLayer))
    return visible.isNull ? .zero : visible
  }

  /// Scrolls the nearest scroll layer above so that a point of this layer's space is where its
  /// bounds begin. Does nothing without one.
  public func scroll(_ p: CGPoint) {
    guard let scrollLayer else { return }
    scrollLayer.scroll(to: convert(p, to: scrollLayer))
  }

  /// Scrolls the nearest scroll layer above as little as brings a rectangle of this layer's space
  /// into view. Does nothing without one.
  public func scrollRectToVisible(_ r: CGRect) {
    guard let scrollLayer else { return }
    scrollLayer.scroll(to: convert(r, to: scrollLayer))
  }

  private var scrollLayer: CAScrollLayer? {
    ancestry.dropFirst().lazy.compactMap { $0 as? CAScrollLayer }.first
  }
}
