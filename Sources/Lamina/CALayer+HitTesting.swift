import Foundation
import LaminaCommit
import LaminaValues

extension CALayer {
  /// Whether the bounds hold a point of the layer's own space; their far edges are not theirs.
  final func boundsContain(_ point: CGPoint) -> Bool {
    let bounds = modelValues.bounds
    return point.x >= bounds.minX && point.x < bounds.maxX && point.y >= bounds.minY
      && point.y < bounds.maxY
  }

  /// The front layer at a point of the superlayer's space, among this layer and those below it.
  final func frontLayer(at point: CGPoint) -> CALayer? {
    guard !modelValues.isHidden, isFacingViewer, let place = place(of: point, in: superlayer) else {
      return nil
    }
    let isInside = contains(place.local)
    if modelValues.masksToBounds && !isInside { return nil }
    for (layer, _) in sublayersFrontToBack(at: place.local) {
      if let hit = layer.hitTest(place.local) { return hit }
    }
    return isInside ? self : nil
  }

  /// Where the layer's plane is met by the line of sight through a point of the superlayer's
  /// space: in the layer's own space, flipped as it is drawn, and how near to the viewer. nil where
  /// the plane is seen edge-on, or lies behind the viewer.
  private func place(
    of point: CGPoint, in superlayer: CALayer?
  ) -> (local: CGPoint, depth: CGFloat)? {
    let toSuperlayer = LayerGeometry.flip(modelValues).concatenating(self.toSuperlayer(superlayer))
    guard let (x, y, _, w) = toSuperlayer.planarInverse?.map(point), w != 0 else { return nil }
    let local = CGPoint(x: x / w, y: y / w)
    let seen = toSuperlayer.map(local)
    guard seen.w > 0, local.x.isFinite, local.y.isFinite else { return nil }
    return (local, seen.z / seen.w)
  }

  /// The sublayers whose planes a line of sight meets, the nearest to the viewer there first. At the
  /// same depth the later one is in front.
  private func sublayersFrontToBack(at point: CGPoint) -> [(layer: CALayer, depth: CGFloat)] {
    guard let sublayers else { return [] }
    var seen: [(layer: CALayer, depth: CGFloat)] = []
    var isFlat = true
    for layer in sublayers.reversed() {
      guard let depth = layer.place(of: point, in: self)?.depth else { continue }
      isFlat = isFlat && depth == (seen.first?.depth ?? depth)
      seen.append((layer, depth))
    }
    if isFlat { return seen }
    return seen.enumerated()
      .sorted { (-$0.element.depth, $0.offset) < (-$1.element.depth, $1.offset) }
      .map(\.element)
  }

  /// Whether the layer is to be seen from the side that it shows. Transforms that mirror space, and
  /// flipped geometry, turn no layer's back.
  private var isFacingViewer: Bool {
    guard !modelValues.isDoubleSided else { return true }
    var isFacing = true
    for layer in ancestry {
      let toSuperlayer = layer.toSuperlayer(layer.superlayer)
      let isMirrored = LayerGeometry.mirrors(LayerGeometry.toSuperlayer(layer.modelValues))
      if (toSuperlayer.planarDeterminant < 0) != isMirrored { isFacing.toggle() }
    }
    return isFacing
  }
}
