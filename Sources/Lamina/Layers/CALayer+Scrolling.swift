import Foundation
import LaminaValues

extension CALayer {
  /// Implements `visibleRect`.
  final var shownRect: CGRect {
    guard let scrollLayer else { return bounds }
    let visible = bounds.intersection(convert(scrollLayer.bounds, from: scrollLayer))
    return visible.isNull ? .zero : visible
  }

  /// Implements `scroll(_:)`.
  final func scrollEnclosing(to p: CGPoint) {
    guard let scrollLayer else { return }
    scrollLayer.scroll(to: convert(p, to: scrollLayer))
  }

  /// Implements `scrollRectToVisible(_:)`.
  final func scrollEnclosing(toShow r: CGRect) {
    guard let scrollLayer else { return }
    scrollLayer.scroll(to: convert(r, to: scrollLayer))
  }

  private var scrollLayer: CAScrollLayer? {
    ancestry.dropFirst().lazy.compactMap { $0 as? CAScrollLayer }.first
  }
}
