import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaValues

/// One layer as it is to be drawn: its values, its place, and what around it changes its items.
struct LayerDrawing {
  let values: ValuesPointer
  /// From the layer's own space to the pixels of the space in which it is drawn.
  let projection: Projection
  var format: TargetFormat
  /// The pixels that show. Items wholly outside are left out.
  var visible: PixelRect
  /// Multiplies premultiplied colours: the opacities and tints that no group around the items
  /// applies.
  var tint = SIMD4<Double>(repeating: 1)
  /// The blending of everything drawn; nil to let each item use its own.
  var blend: FramePlan.Blend?
  /// Whether the layer's outline clips the target later. Its edges are then drawn beyond the
  /// outline, so that coverage counts once.
  var isClippedLater = false
  /// Whether images and y run up.
  var isFlipped = false

  var bounds: CGRect { values.pointee.bounds }

  /// The area that the layer's background fills.
  struct Area {
    var outline: CornerOutline
    /// The antialiased edges; all of them if the outline is rounded.
    var edges: EdgeSet

    /// The rectangle with its hard edges moved outwards, so that they do not reduce the coverage of
    /// any pixel.
    func coveredRect(_ projection: Projection) -> CGRect {
      let rect = outline.rect
      let far = rect.outset(byPixels: 2, projection)
      let (minX, maxX) = (
        edges.contains(.minX) ? rect.minX : far.minX, edges.contains(.maxX) ? rect.maxX : far.maxX
      )
      let (minY, maxY) = (
        edges.contains(.minY) ? rect.minY : far.minY, edges.contains(.maxY) ? rect.maxY : far.maxY
      )
      return CGRect(x: minX, y: minY, width: maxX - minX, height: maxY - minY)
    }
  }

  var area: Area {
    if isClippedLater {
      // The outline clips the target later; here its edges must not show.
      return Area(
        outline: CornerOutline(rect: bounds.outset(byPixels: 2, projection)), edges: .none)
    }
    let outline = values.outline
    guard outline.isRectangle else { return Area(outline: outline, edges: .all) }
    return Area(outline: outline, edges: antialiasedEdges(of: outline.rect))
  }

  /// The same for a layer without round corners, as most are; nil for any other.
  var rectangle: (rect: CGRect, edges: EdgeSet)? {
    guard !isClippedLater, values.pointee.cornerRadius <= 0 else { return nil }
    return (bounds, antialiasedEdges(of: bounds))
  }

  /// The edges of a rectangle to antialias: those for which the layer asks for it and that do not
  /// lie on a pixel boundary.
  func antialiasedEdges(of rect: CGRect) -> EdgeSet {
    guard values.pointee.allowsEdgeAntialiasing else { return .none }
    var edges = EdgeSet.none
    // CAEdgeAntialiasingMask: left 1, right 2, bottom (min Y) 4, top (max Y) 8.
    let mask = values.pointee.edgeAntialiasingMask
    let (isAffine, (x, y)) = (projection.isAffine, projection.affineCorners(of: rect))
    func note(_ edge: EdgeSet, _ bit: UInt32, _ from: Int, _ to: Int) {
      guard mask & bit != 0 else { return }
      let isOnBoundary =
        isAffine
        && ((abs(x[from] - x[to]) < 1e-6 && Self.isWhole(x[from]))
          || (abs(y[from] - y[to]) < 1e-6 && Self.isWhole(y[from])))
      if !isOnBoundary { edges.insert(edge) }
    }
    note(.minX, 1, 3, 0)
    note(.maxX, 2, 1, 2)
    note(.minY, 4, 0, 1)
    note(.maxY, 8, 2, 3)
    return edges
  }

  /// Whether an edge at `v` pixels needs no coverage: 8 bits cannot show a 512th of a pixel.
  static func isWhole(_ v: CGFloat) -> Bool { abs(v - v.rounded()) < 1.0 / 512 }
}

extension CGRect {
  /// The rectangle grown by a number of screen pixels.
  func outset(byPixels pixels: CGFloat, _ projection: Projection) -> CGRect {
    let spread = pixels / max(projection.scale(at: center), 1e-6)
    return insetBy(dx: -spread, dy: -spread)
  }
}
