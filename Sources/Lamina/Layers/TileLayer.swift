import LaminaAnimation
import LaminaCommit
import LaminaValues

/// A layer that shows a tile below its tiled layer, of whose contents it is a part: no app ever
/// sees it. Its space is that of the tiled layer.
final class TileLayer: CALayer {
  package override class var kind: LayerKind { .tile }

  /// Shows the part of a tile that lies in the tiled layer's bounds, sampled and with the edges of
  /// that layer, whose values in the frame are given. `area` is the part of its space that the
  /// pixels show. Returns whether anything changed.
  func show(_ store: BackingStore?, of area: CGRect, in values: LayerValues) -> Bool {
    let part = area.overlap(with: values.bounds)
    guard let store, !part.isEmpty else { return false }
    var new = modelValues
    new.anchorPoint = .zero
    new.position = part.origin
    new.bounds = part
    new.contents = store.id
    var detail = values.contentsDetail
    detail.rect = CGRect(
      x: (part.minX - area.minX) / area.width, y: (part.minY - area.minY) / area.height,
      width: part.width / area.width, height: part.height / area.height)
    detail.center = ContentsValues.defaults.center
    // Drawing is faster for layers of which no detail was ever set.
    if detail != new.contentsDetail { new.contentsDetail = detail }
    new.allowsEdgeAntialiasing = values.allowsEdgeAntialiasing
    new.edgeAntialiasingMask = values.edgeAntialiasingMask & part.edges(in: values.bounds)
    guard new != modelValues else { return false }
    for property in Self.properties where new.value(of: property) != modelValues.value(of: property)
    {
      noteChange(of: property)
    }
    modelValues = new
    if contentsStorage !== store {
      contentsStorage = store
      rendered?.storeChanged = true
    }
    return true
  }

  private static let properties: [StoredProperty] = [
    .anchorPoint, .position, .bounds, .contents, .contentsRect, .minificationFilter,
    .magnificationFilter, .minificationFilterBias, .contentsMultiplyColor, .toneMapMode,
    .preferredDynamicRange, .contentsHeadroom, .wantsExtendedDynamicRangeContent,
    .allowsEdgeAntialiasing, .edgeAntialiasingMask,
  ]

  /// Makes the tile appear, in `duration` seconds of its own time from the next commit on.
  func fadeIn(duration: Double) {
    let fade = CABasicAnimation(keyPath: "opacity")
    fade.fromValue = 0.0
    fade.toValue = 1.0
    fade.duration = duration
    guard let description = fade.description(duration: duration) else { return }
    append(
      AttachedAnimation(
        description, of: nil, images: [], key: "fade", hasKey: true, isDisplayed: false,
        layer: self, in: .current))
  }
}

extension CGRect {
  /// The edges that lie on edges of a rectangle around this one, as a CAEdgeAntialiasingMask.
  fileprivate func edges(in outer: CGRect) -> UInt32 {
    var edges: CAEdgeAntialiasingMask = []
    if minX <= outer.minX { edges.insert(.layerLeftEdge) }
    if maxX >= outer.maxX { edges.insert(.layerRightEdge) }
    if minY <= outer.minY { edges.insert(.layerBottomEdge) }
    if maxY >= outer.maxY { edges.insert(.layerTopEdge) }
    return edges.rawValue
  }
}
