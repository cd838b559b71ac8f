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
    entered(at: point).flatMap(Self.frontLayer(in:))
  }

  /// The front layer among those below this one. `point` is in the space that the sublayers share.
  final func frontSublayer(at point: CGPoint) -> CALayer? {
    Self.frontLayer(in: enteredBelow(at: point))
  }

  /// A layer that a hit test has entered, and what it has not looked at there.
  private struct EnteredLayer {
    /// The layer, if it is hit where none of its sublayers are.
    var fallback: CALayer?
    /// In the space that the sublayers share.
    var point: CGPoint
    /// The sublayers still to be looked at; the next is the last.
    var sublayers: [CALayer]
  }

  /// Searches depth first with a stack of its own, so that depth costs memory and not the thread's
  /// stack. Layers whose classes override `hitTest(_:)` are asked.
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

  /// nil if a point of the superlayer's space hits neither the layer nor anything below it.
  private func entered(at point: CGPoint) -> EnteredLayer? {
    guard !modelValues.isHidden, isFacingViewer, let local = toSharedSpace.point(seenAt: point)
    else { return nil }
    let isInside = contains(local)
    if modelValues.masksToBounds && !isInside { return nil }
    var entered = enteredBelow(at: local)
    if isInside { entered.fallback = self }
    return entered
  }

  private func enteredBelow(at point: CGPoint) -> EnteredLayer {
    EnteredLayer(point: point, sublayers: sublayersFrontToBack(at: point).reversed())
  }

  /// A layer and where its plane is in the space that it shares with others.
  private struct Member {
    let layer: CALayer
    let toSpace: CATransform3D
  }

  /// The sublayers whose planes a line of sight meets, the nearest to the viewer there first. At the
  /// same depth the later one is in front, or the one with the greater zPosition.
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

  /// The rectangle of the layer's plane that it and the layers below it cover by their bounds: what
  /// is cut where it meets another layer in space. Not flipped.
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

  /// The layers that share the space of this one's sublayers, in the order in which they are painted
  /// at equal depth: the sublayers, and in the place of each CATransformLayer its own.
  private func members() -> [Member] {
    var members: [Member] = []
    // The next is the last.
    var waiting: [Member] = []
    func enter(_ layer: CALayer, _ outer: CATransform3D) {
      let toSpace = LayerGeometry.sublayerTransform(layer.modelValues).concatenating(outer)
      waiting += layer.sublayersByPosition.reversed().map { Member(layer: $0, toSpace: toSpace) }
    }
    enter(self, .identity)
    while let next = waiting.popLast() {
      let layer = next.layer
      let toSpace = layer.toSublayersOfSuperlayer.concatenating(next.toSpace)
      if layer is CATransformLayer {
        if !layer.modelValues.isHidden { enter(layer, toSpace) }
      } else {
        members.append(Member(layer: layer, toSpace: toSpace))
      }
    }
    return members
  }

  /// By zPosition, tree order where it is equal.
  private var sublayersByPosition: [CALayer] {
    let layers = sublayers ?? []
    let first = layers.first?.modelValues.zPosition
    if layers.allSatisfy({ $0.modelValues.zPosition == first }) { return layers }
    return layers.enumerated().sorted {
      ($0.element.modelValues.zPosition, $0.offset) < ($1.element.modelValues.zPosition, $1.offset)
    }.map(\.element)
  }

  /// From the layer's own space, flipped as it is drawn, to where its superlayer's sublayer
  /// transform takes over.
  private var toSublayersOfSuperlayer: CATransform3D {
    LayerGeometry.flip(modelValues).concatenating(LayerGeometry.toSuperlayer(modelValues))
  }

  /// From the layer's own space, flipped as it is drawn, to that of the nearest layer around it that
  /// has a plane, in three dimensions.
  private var toSharedSpace: CATransform3D {
    var transform = CATransform3D.identity
    var next: CALayer = self
    while true {
      transform =
        transform
        .concatenating(LayerGeometry.flip(next.modelValues))
        .concatenating(next.toSuperlayer(next.superlayer))
      guard let outer = next.superlayer as? CATransformLayer else { return transform }
      next = outer
    }
  }

  /// Whether the layer is to be seen from the side that it shows. Transforms that mirror space, and
  /// flipped geometry, turn no layer's back.
  private var isFacingViewer: Bool {
    guard !modelValues.isDoubleSided else { return true }
    var isFacing = true
    for layer in ancestry {
      let values = layer.modelValues
      let isMirrored = LayerGeometry.mirrors(LayerGeometry.toSuperlayer(values))
      if isMirrored != values.isGeometryFlipped { isFacing.toggle() }
      guard !(layer is CATransformLayer) else { continue }
      if layer.toSharedSpace.planarDeterminant < 0 { isFacing.toggle() }
    }
    return isFacing
  }
}

extension CATransform3D {
  /// Where the plane z = 0 is met by the line of sight through a point of the viewer's plane; nil
  /// where it is seen edge-on, or lies behind the viewer.
  fileprivate func point(seenAt point: CGPoint) -> CGPoint? {
    guard let (x, y, _, w) = planarInverse?.map(point), w != 0 else { return nil }
    let local = CGPoint(x: x / w, y: y / w)
    guard map(local).w > 0, local.x.isFinite, local.y.isFinite else { return nil }
    return local
  }
}
