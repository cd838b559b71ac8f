import Foundation
import LaminaValues

extension CALayer {
  /// Implements `visibleRect`.
  final var shownRect: CGRect {
    guard let scrollLayer = nearestScrollLayer(in: ancestry.dropFirst()) else { return bounds }
    let visible = bounds.overlap(with: convert(scrollLayer.bounds, from: scrollLayer))
    return visible.isNull ? .zero : visible
  }

  /// Implements `scroll(_:)`.
  final func scrollEnclosing(to p: CGPoint) {
    guard let scrollLayer = nearestScrollLayer(in: ancestry[...]) else { return }
    scrollLayer.scroll(to: convert(p, to: scrollLayer))
  }

  /// Implements `scrollRectToVisible(_:)`.
  final func scrollEnclosing(toShow r: CGRect) {
    guard let scrollLayer = nearestScrollLayer(in: ancestry[...]) else { return }
    scrollLayer.scroll(to: convert(r, to: scrollLayer))
  }

  private func nearestScrollLayer(in layers: ArraySlice<CALayer>) -> CAScrollLayer? {
    layers.lazy.compactMap { $0 as? CAScrollLayer }.first
  }
}
