import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaRenderTree
import LaminaValues

extension RenderTree {
  /// A box around the particles of an emitter, in the pixels of its row's space; null if there are
  /// none, nil if it is unbounded.
  func particleBox(
    of index: Int, _ values: LayerValues, in evaluated: EvaluatedTree
  ) -> CGRect? {
    let (row, toPixels) = (evaluated.rows[index], evaluated.toPixels[index])
    guard row.animated >= 0, let cloud = evaluated.animatedValues.cloud(row.animated) else {
      return .null
    }
    var box = CGRect.null
    for look in cloud.looks where look.largestScale > 0 {
      guard let image = drawnImage(look.contents, of: row, in: evaluated) else { continue }
      let size = look.size(imageSize: image.layout.size)
      // A particle turns about its middle.
      let radius = (size.x * size.x + size.y * size.y).squareRoot() / 2 * look.largestScale
      let reach = SIMD3(repeating: radius)
      let (least, greatest) = (look.least - reach, look.greatest + reach)
      guard
        let part = values.replicator.preservesDepth
          ? Self.box(from: least, to: greatest, through: toPixels)
          : Self.box(
            of: CGRect(
              x: least.x, y: least.y, width: greatest.x - least.x, height: greatest.y - least.y),
            through: Projection(toPixels))
      else { return nil }
      box = box.union(part)
    }
    return box
  }

  /// A box around what lies between two corners in three dimensions; nil if a part of that lies
  /// behind the eye, or too far away to have useful coordinates.
  private static func box(
    from least: SIMD3<Double>, to greatest: SIMD3<Double>, through toPixels: CATransform3D
  ) -> CGRect? {
    var box = CGRect.null
    for z in [least.z, greatest.z] {
      // The plane at this depth, through whose points the projection goes as through the layer's.
      let plane = CATransform3D(translationX: 0, y: 0, z: z).concatenating(toPixels)
      let rect = CGRect(
        x: least.x, y: least.y, width: greatest.x - least.x, height: greatest.y - least.y)
      guard let part = self.box(of: rect, through: Projection(plane)) else { return nil }
      box = box.union(part)
    }
    return box
  }
}
