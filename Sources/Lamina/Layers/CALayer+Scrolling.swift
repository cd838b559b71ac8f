import Foundation
import LaminaValues

extension CALayer {
  /// The part of the bounds that the nearest enclosing scroll layer shows, in the layer's own
  /// space; the whole bounds if there is none.
  public var visibleRect: CGRect {
    guard let scrollLayer = nearestScrollLayer(in: ancestry.dropFirst()) else { return bounds }
    let visible = bounds.intersection(convert(scrollLayer.bounds, from: scrollLayer))
    return visible.isNull ? .zero : visible
  }

  /// Scrolls this layer if it is a scroll layer, else the nearest enclosing one, so that a point of
  /// this layer's space lies at the origin of the scroll layer's bounds. Does nothing if there is
  /// none.
  public func scroll(_ p: CGPoint) {
    guard let scrollLayer = nearestScrollLayer(in: ancestry[...]) else { return }
    scrollLayer.scroll(to: convert(p, to: scrollLayer))
  }

  /// Scrolls this layer if it is a scroll layer, else the nearest enclosing one, by the least
  /// distance that brings a rectangle of this layer's space into view. Does nothing if there is
  /// none.
  public func scrollRectToVisible(_ r: CGRect) {
    guard let scrollLayer = nearestScrollLayer(in: ancestry[...]) else { return }
    scrollLayer.scroll(to: convert(r, to: scrollLayer))
  }

  private func nearestScrollLayer(in layers: ArraySlice<CALayer>) -> CAScrollLayer? {
    layers.lazy.compactMap { $0 as? CAScrollLayer }.first
  }
}
