import Foundation
import LaminaCommit
import LaminaValues

extension CALayer {
  /// Whether the bounds contain a point of the layer's own space. The edges of greatest x and y lie
  /// outside.
  final func boundsContain(_ point: CGPoint) -> Bool {
    let bounds = modelValues.bounds
    return point.x >= bounds.minX && point.x < bounds.maxX && point.y >= bounds.minY
      && point.y < bounds.maxY
  }

  /// Whether nothing of the layer and its descendants is seen, because it is hidden or of opacity
  /// 0.
  final var isPassedOver: Bool { modelValues.isHidden || modelValues.opacity <= 0 }

  /// The frontmost layer at a point of the superlayer's space, among this layer and its
  /// descendants.
  final func frontLayer(at point: CGPoint) -> CALayer? {
    entered(at: point).flatMap(Self.frontLayer(in:))
  }

  /// The frontmost layer among this one's descendants. `point` is in the space that the sublayers
  /// share.
  final func frontSublayer(at point: CGPoint) -> CALayer? {
    Self.frontLayer(in: enteredBelow(at: point))
  }

  /// A layer that a hit test has entered, and what remains to be tested in it.
  private struct EnteredLayer {
    /// The layer itself if the point is inside it: it is hit if none of its sublayers is.
    var fallback: CALayer?
    /// In the space that the sublayers share.
    var point: CGPoint
    /// The sublayers still to be tested, the next one last.
    var sublayers: [CALayer]
  }

  /// Searches depth first with an explicit stack, so that a deep tree costs memory and not the
  /// thread's stack. Layers whose classes override `hitTest(_:)` are asked.
  private static func frontLayer(in first: EnteredLayer) -> CALayer? {
    var entered = [first]
    while let last = entered.indices.last {
      guard let next = entered[last].sublayers.popLast() else {
        if let hit = entered.removeLast().fallback { return hit }
        continue
      }
      if next.overridesHitTest {
        if let hit = next.hitTest(entered[last].point) { return hit }
      } else if let inner = next.entered(at: entered[last].point) {
        entered.append(inner)
      }
    }
    return nil
  }

  /// Enters the layer at a point of the superlayer's space; nil if the layer and its descendants
  /// cannot be hit there.
  private func entered(at point: CGPoint) -> EnteredLayer? {
    guard !isPassedOver, isFacingViewer, let local = toSharedSpace.point(seenAt: point),
      isInMask(local)
    else { return nil }
    let isInside = contains(local)
    if modelValues.masksToBounds && !isInside { return nil }
    var entered = enteredBelow(at: local)
    if isInside { entered.fallback = self }
    return entered
  }

  /// Whether the layer has no mask, or the mask contains a point of the layer's own space. The
  /// transparency of the mask does not count.
  private func isInMask(_ point: CGPoint) -> Bool {
    guard let mask else { return true }
    return mask.toSharedSpace.point(seenAt: point).map(mask.contains) ?? false
  }

  private func enteredBelow(at point: CGPoint) -> EnteredLayer {
    EnteredLayer(point: point, sublayers: sublayersFrontToBack(at: point).reversed())
  }

  /// A layer and the transform from its plane to the space that it shares with others.
  private struct Member {
    let layer: CALayer
    let toSpace: CATransform3D
  }

  /// The sublayers whose planes the line of sight through a point meets, the nearest to the viewer
  /// first. At equal depth, the one with the greater zPosition is in front, then the later one.
  private func sublayersFrontToBack(at point: CGPoint) -> [CALayer] {
    let members = members()
    if members.allSatisfy({ $0.toSpace.keepsPlane }) { return members.reversed().map(\.layer) }
    let seen = members.filter { $0.toSpace.point(seenAt: point) != nil }
    if seen.allSatisfy({ $0.toSpace.isLevel }) {
      return seen.indices.sorted {
        (-seen[$0].toSpace.m43, -$0) < (-seen[$1].toSpace.m43, -$1)
      }.map { seen[$0].layer }
    }
    let figures = members.map {
      DepthOrder.Figure($0.layer.coveredRect, toSpace: $0.toSpace, toView: $0.toSpace)
    }
    let places = members.indices.filter { figures[$0] != nil }
    let order = DepthOrder(places.map { figures[$0]! })
    return order.pieces.reversed().filter { order.contains($0, point) }
      .map { members[places[$0.figure]] }
      .filter { $0.toSpace.point(seenAt: point) != nil }
      .map(\.layer)
  }

  /// The rectangle of the layer's plane that the bounds of the layer and its descendants cover, not
  /// flipped. This rectangle is cut where the layer meets another in space.
  private var coveredRect: CGRect {
    var covered = modelValues.bounds
    guard !modelValues.masksToBounds, let sublayers, !sublayers.isEmpty else { return covered }
    var waiting: [(layer: CALayer, toPlane: CATransform3D)] = [(self, .identity)]
    while let (layer, toPlane) = waiting.popLast() {
      guard !layer.modelValues.masksToBounds else { continue }
      let toLayer = LayerGeometry.sublayerTransform(layer.modelValues)
      for sublayer in layer.sublayers ?? [] where !sublayer.modelValues.isHidden {
        let toPlane = sublayer.toSublayersOfSuperlayer.concatenating(toLayer).concatenating(toPlane)
        let corners = ConvexPolygon(sublayer.modelValues.bounds).points.map { toPlane.map($0) }
        if corners.allSatisfy({ $0.w > 0 }) {
          covered = covered.union(
            CGRect(enclosing: corners.map { CGPoint(x: $0.x / $0.w, y: $0.y / $0.w) }))
        }
        waiting.append((sublayer, toPlane))
      }
    }
    return covered
  }

  /// The layers that share the space of this one's sublayers, in their paint order at equal depth:
  /// the sublayers, with each layer that has no plane replaced by its own sublayers.
  private func members() -> [Member] {
    var members: [Member] = []
    // The next one is last.
    var waiting: [Member] = []
    func enter(_ layer: CALayer, _ outer: CATransform3D) {
      let toSpace = LayerGeometry.sublayerTransform(layer.modelValues).concatenating(outer)
      waiting += layer.sublayersByPosition.reversed().map { Member(layer: $0, toSpace: toSpace) }
    }
    enter(self, .identity)
    while let next = waiting.popLast() {
      let layer = next.layer
      let toSpace = layer.toSublayersOfSuperlayer.concatenating(next.toSpace)
      if layer.isSpace {
        if !layer.isPassedOver { enter(layer, toSpace) }
      } else {
        members.append(Member(layer: layer, toSpace: toSpace))
      }
    }
    return members
  }

  /// The sublayers by zPosition; those with equal ones in tree order. None for a replicator without
  /// copies.
  private var sublayersByPosition: [CALayer] {
    if type(of: self).kind == .replicator, modelValues.replicator.instanceCount == 0 { return [] }
    let layers = sublayers ?? []
    let first = layers.first?.modelValues.zPosition
    if layers.allSatisfy({ $0.modelValues.zPosition == first }) { return layers }
    return layers.enumerated().sorted {
      ($0.element.modelValues.zPosition, $0.offset) < ($1.element.modelValues.zPosition, $1.offset)
    }.map(\.element)
  }

  /// The transform from the layer's own space, flipped as it is drawn, to the space that its
  /// superlayer's sublayer transform acts on.
  private var toSublayersOfSuperlayer: CATransform3D {
    LayerGeometry.flip(modelValues).concatenating(LayerGeometry.toSuperlayer(modelValues))
  }

  /// The transform from the layer's own space, flipped as it is drawn, to the space of the nearest
  /// enclosing layer that has a plane, in three dimensions.
  private var toSharedSpace: CATransform3D {
    var transform = CATransform3D.identity
    var next: CALayer = self
    while true {
      transform =
        transform
        .concatenating(LayerGeometry.flip(next.modelValues))
        .concatenating(next.toSuperlayer(next.superlayer))
      guard let outer = next.superlayer, outer.isSpace else { return transform }
      next = outer
    }
  }

  /// Whether the layer can be seen: it is double-sided or its front faces the viewer. Mirroring
  /// transforms and flipped geometry do not turn a layer around.
  private var isFacingViewer: Bool {
    guard !modelValues.isDoubleSided else { return true }
    var isFacing = true
    for layer in ancestry {
      let values = layer.modelValues
      let isMirrored = LayerGeometry.mirrors(LayerGeometry.toSuperlayer(values))
      if isMirrored != values.isGeometryFlipped { isFacing.toggle() }
      guard !layer.isSpace else { continue }
      if layer.toSharedSpace.planarDeterminant < 0 { isFacing.toggle() }
    }
    return isFacing
  }
}

extension CATransform3D {
  /// The point where the line of sight through a point of the viewer's plane meets the plane z = 0;
  /// nil if the plane is seen edge-on or the point lies behind the viewer.
  fileprivate func point(seenAt point: CGPoint) -> CGPoint? {
    guard let (x, y, _, w) = planarInverse?.map(point), w != 0 else { return nil }
    let local = CGPoint(x: x / w, y: y / w)
    guard map(local).w > 0, local.x.isFinite, local.y.isFinite else { return nil }
    return local
  }
}
