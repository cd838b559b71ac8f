import Foundation
import Lamina

/// Layers that share a space in three dimensions.
extension ReferenceCompositor {
  /// One of the layers, with its place in the space.
  private struct Participant {
    var layer: CALayer
    /// The transform from the layer to the space.
    var toSpace: CATransform3D
    var place: Place
  }

  /// The sublayers of a layer; a transform layer, which has no plane, is replaced by its own.
  private func participants(
    _ layer: CALayer, _ toSpace: CATransform3D, _ place: Place
  ) -> [Participant] {
    (layer.sublayers ?? []).flatMap { child -> [Participant] in
      let toChild = CATransform3DConcat(
        CATransform3DConcat(Self.toSuperlayer(child), Self.sublayerTransform(of: layer)), toSpace)
      var inner = place.turned(by: child)
      guard child is CATransformLayer else {
        return [Participant(layer: child, toSpace: toChild, place: inner)]
      }
      guard !child.isHidden else { return [] }
      inner.opacity *= Double(child.opacity)
      return participants(child, toChild, inner)
    }
  }

  mutating func paintSublayers(
    of layer: CALayer, _ place: Place, into canvas: ReferenceCanvas
  ) {
    var all = participants(layer, CATransform3DIdentity, place)
    for index in all.indices {
      all[index].place.plane = Plane(all[index].toSpace, in: place.plane)
    }
    guard all.contains(where: { $0.toSpace.m13 != 0 || $0.toSpace.m23 != 0 }) else {
      // Parallel planes: one order holds everywhere.
      for index in all.indices.sorted(by: {
        (all[$0].toSpace.m43, $0) < (all[$1].toSpace.m43, $1)
      }) {
        paint(all[index].layer, all[index].place, into: canvas)
      }
      return
    }
    // Each layer is painted into a picture of its own; then every pixel has its own order.
    let readsBackdropItself = all.contains { Self.readsBackdropItself($0.layer) }
    let wasShowing = showsExtents
    showsExtents = showsExtents || readsBackdropItself
    let pictures = all.map { participant in
      let picture = ReferenceCanvas(like: canvas)
      paint(participant.layer, participant.place, into: picture)
      return picture
    }
    showsExtents = wasShowing
    let box = pictures.reduce(ReferenceBox.none) { $0.union($1.used) }
    var orders: [Int: [Int]] = [:]
    box.forEachPixel(width: canvas.width) { pixel in
      let middle = canvas.center(pixel)
      let present = all.indices.filter { pictures[$0].alpha(pixel) > 0 }
      let depths = present.map {
        Self.depth(of: all[$0].toSpace, all[$0].place.plane.local(middle.x, middle.y))
      }
      orders[pixel] = present.indices.sorted {
        abs(depths[$0] - depths[$1]) < 1e-7 ? $0 < $1 : depths[$0] < depths[$1]
      }.map { present[$0] }
    }
    if readsBackdropItself, !showsExtents {
      paint(all, orders, box, into: canvas)
    } else {
      canvas.use(box)
      for (pixel, order) in orders {
        for index in order {
          let from = pictures[index][pixel]
          canvas.draw(from[0], from[1], from[2], from[3], at: pixel)
        }
      }
    }
    // Where the order differs from a neighbouring pixel's, two layers intersect.
    note(
      orders.flatMap { pixel, order in
        [pixel + 1, pixel + canvas.width].flatMap { other in
          order != orders[other] ?? [] ? [pixel, other] : []
        }
      })
  }

  /// For layers whose drawing depends on what is behind them: every pixel is as if all layers were
  /// painted in that pixel's order.
  private mutating func paint(
    _ all: [Participant], _ orders: [Int: [Int]], _ box: ReferenceBox, into canvas: ReferenceCanvas
  ) {
    let before = canvas.copy()
    for order in Set(orders.values) where !order.isEmpty {
      let painted = before.copy()
      for index in order { paint(all[index].layer, all[index].place, into: painted) }
      canvas.mix(painted, in: box) { orders[$0] == order ? 1 : 0 }
    }
  }

  /// How near a point of a layer's plane is, compared with other points seen in the same place.
  private static func depth(of t: CATransform3D, _ p: (x: Double, y: Double)?) -> Double {
    guard let p else { return -.infinity }
    let z = p.x * Double(t.m13) + p.y * Double(t.m23) + Double(t.m43)
    return z / (p.x * Double(t.m14) + p.y * Double(t.m24) + Double(t.m44))
  }

  // MARK: - Places

  static func toSuperlayer(_ layer: CALayer) -> CATransform3D {
    let (bounds, anchor) = (layer.bounds, layer.anchorPoint)
    var fromAnchor = CATransform3DMakeTranslation(
      -(bounds.minX + anchor.x * bounds.width), -(bounds.minY + anchor.y * bounds.height),
      -layer.anchorPointZ)
    if layer.isGeometryFlipped {
      // Turned upside down about the middle of the bounds.
      let flip = CATransform3DConcat(
        CATransform3DMakeScale(1, -1, 1),
        CATransform3DMakeTranslation(0, bounds.minY + bounds.maxY, 0))
      fromAnchor = CATransform3DConcat(flip, fromAnchor)
    }
    let toPosition = CATransform3DMakeTranslation(
      layer.position.x, layer.position.y, layer.zPosition)
    return CATransform3DConcat(CATransform3DConcat(fromAnchor, layer.transform), toPosition)
  }

  private static func sublayerTransform(of layer: CALayer) -> CATransform3D {
    let (bounds, anchor) = (layer.bounds, layer.anchorPoint)
    let (x, y) = (
      bounds.minX + anchor.x * bounds.width, bounds.minY + anchor.y * bounds.height
    )
    return CATransform3DConcat(
      CATransform3DConcat(CATransform3DMakeTranslation(-x, -y, 0), layer.sublayerTransform),
      CATransform3DMakeTranslation(x, y, 0))
  }
}
