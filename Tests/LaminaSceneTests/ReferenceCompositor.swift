import Foundation
import Lamina

/// The rules of compositing in their plainest form: every layer is sampled at the middle of every
/// pixel, everything that needs a picture of its own gets a whole one, and nothing is fast.
///
/// Reads layers through their public API and shares no code with the render process. The size of
/// the picture is in points, one pixel each.
struct ReferenceCompositor {
  let width: Int
  let height: Int
  /// The pixels near any edge, where coverage depends on the method.
  private(set) var edges: Set<Int> = []
  /// Whether edges are noted; off for drawing that will be blurred.
  var notesEdges = true
  /// Whether to paint only where each layer changes anything, as if no filter or blend mode
  /// depended on what is behind.
  var showsExtents = false
  /// The clips between the layer being painted and its nearest group, outermost first: the canvas
  /// behind the clipped layers, and the clip's coverage.
  var clips: [(behind: ReferenceCanvas, coverage: ReferenceCoverage)] = []

  init(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
  }

  /// A picture of the layer and its sublayers.
  mutating func picture(of root: CALayer) -> ReferenceCanvas {
    let canvas = ReferenceCanvas(width: width, height: height, margin: 30, isSurface: true)
    let place = Place(plane: Plane(Self.toSuperlayer(root)), opacity: 1)
    paint(root, place.turned(by: root), into: canvas)
    return canvas
  }

  /// A layer's plane, with its opacity and orientation.
  struct Place {
    var plane: Plane
    /// Product of the opacities so far that no enclosing group applies.
    var opacity: Double
    /// Whether an odd number of layers on the way have flipped geometry; images then stay upright.
    var isFlipped = false
    /// Whether an odd number of transforms on the way mirror space. Mirroring does not turn a
    /// layer's back to us.
    var isMirrored = false

    /// The place, turned by the layer's own transform and flipped geometry.
    func turned(by layer: CALayer) -> Place {
      var place = self
      if layer.isGeometryFlipped { place.isFlipped.toggle() }
      let t = layer.transform
      let minors = (
        t.m22 * t.m33 - t.m23 * t.m32, t.m21 * t.m33 - t.m23 * t.m31, t.m21 * t.m32 - t.m22 * t.m31
      )
      let mirrors = t.m11 * minors.0 - t.m12 * minors.1 + t.m13 * minors.2 < 0
      if mirrors != layer.isGeometryFlipped { place.isMirrored.toggle() }
      return place
    }

    func with(opacity: Double) -> Place {
      var place = self
      place.opacity = opacity
      return place
    }
  }

  mutating func note(_ unsure: [Int]) {
    if notesEdges { edges.formUnion(unsure) }
  }

  /// The share of each pixel that lies in a figure.
  mutating func coverage(
    of figure: any ReferenceFigure, _ plane: Plane, in canvas: ReferenceCanvas
  ) -> ReferenceCoverage {
    let coverage = ReferenceCoverage(figure, plane, in: canvas)
    note(coverage.edges)
    return coverage
  }

  // MARK: - Groups

  /// Whether a layer and its sublayers are painted into a picture of their own, transparent at
  /// first, which is then composited as one. Filtered backdrops and blend modes below the layer see
  /// only that picture.
  ///
  /// That is so if something is done to the layer as a whole. Clipping it, or putting its shadow
  /// under it, does not count.
  static func isGroup(_ layer: CALayer) -> Bool {
    let isFaded = layer.opacity < 1 && layer.allowsGroupOpacity
    return isFaded || isFiltered(layer) || layer.mask != nil || layer.shouldRasterize
  }

  private static func isFiltered(_ layer: CALayer) -> Bool {
    layer.filters?.isEmpty == false || looksBehindItself(layer)
  }

  private static func looksBehindItself(_ layer: CALayer) -> Bool {
    layer.backgroundFilters?.isEmpty == false || layer.compositingFilter != nil
  }

  /// Whether the layer's drawing depends on what is behind the layer.
  static func readsBackdropItself(_ layer: CALayer) -> Bool {
    guard !(layer is CATransformLayer) else {
      return layer.sublayers?.contains(where: readsBackdropItself) == true
    }
    return looksBehindItself(layer)
      || (!isGroup(layer) && layer.sublayers?.contains(where: readsBackdropItself) == true)
  }

  mutating func paint(_ layer: CALayer, _ place: Place, into canvas: ReferenceCanvas) {
    let own = min(max(Double(layer.opacity), 0), 1)
    guard !layer.isHidden, own > 0 else { return }
    if !layer.isDoubleSided, place.plane.isFacingUs(layer.bounds) == place.isMirrored { return }
    let faded = place.with(opacity: place.opacity * own)
    if Self.isGroup(layer) {
      paintGroup(layer, faded, into: canvas)
    } else if layer.masksToBounds {
      paintClipped(layer, faded, into: canvas)
    } else {
      paintPieces(of: layer, faded, into: canvas)
    }
  }

  /// Paints a layer over a copy of what is there, and blends the copy in inside the layer's
  /// outline.
  private mutating func paintClipped(
    _ layer: CALayer, _ place: Place, into canvas: ReferenceCanvas
  ) {
    let coverage = coverage(of: Outline(layer), place.plane, in: canvas)
    let inside = canvas.copy()
    clips.append((canvas, coverage))
    paintPieces(of: layer, place, into: inside)
    clips.removeLast()
    canvas.mix(inside, in: coverage.box) { coverage[$0] }
  }

  private mutating func paintGroup(
    _ layer: CALayer, _ place: Place, into canvas: ReferenceCanvas
  ) {
    let mode = showsExtents ? "normal" : layer.compositingFilter as! String? ?? "normal"
    let isFadedWhole =
      layer.allowsGroupOpacity || Self.isFiltered(layer) || layer.shouldRasterize
    let whole = isFadedWhole ? place.opacity : 1
    let pieces = place.with(opacity: isFadedWhole ? 1 : place.opacity)
    let (outer, group) = (clips, ReferenceCanvas(like: canvas))
    clips = []
    var cover: ReferenceCanvas?
    if layer.shouldRasterize {
      paintRaster(of: layer, pieces, into: group)
    } else {
      cover = paintPicture(of: layer, pieces, into: group)
    }
    clips = outer
    let backgroundFilters = layer.backgroundFilters as! [CAFilter]? ?? []
    if showsExtents, !backgroundFilters.isEmpty {
      fill(coverage(of: Outline(layer), place.plane, in: canvas), Self.black, 1, canvas)
    } else if !backgroundFilters.isEmpty {
      // Painted on a copy, which is then blended in by the layer's mask and opacity.
      let behind = canvas.copy()
      paintBackdrop(of: layer, place.plane, backgroundFilters, into: behind)
      note(behind.draw(group, opacity: 1, mode: mode))
      canvas.mix(behind, in: canvas.whole) { whole * (cover?.alpha($0) ?? 1) }
      return
    }
    if let cover { group.multiply { cover.alpha($0) } }
    if mode == "normal" {
      canvas.draw(group, opacity: whole)
    } else {
      note(canvas.draw(group, opacity: whole, mode: mode))
    }
  }

  /// Paints all of a layer but its mask, and returns the mask's picture.
  private mutating func paintPicture(
    of layer: CALayer, _ place: Place, into group: ReferenceCanvas
  ) -> ReferenceCanvas? {
    let filters = layer.filters as! [CAFilter]? ?? []
    if filters.isEmpty {
      paintPieces(of: layer, place, into: group)
    } else {
      let picture = ReferenceCanvas(like: group)
      paintAllButShadow(of: layer, place, into: picture)
      note(picture.apply(filters, scale: place.plane.scale))
      if layer.shadowOpacity > 0 { paintShadow(of: layer, place, into: group) }
      group.draw(picture, opacity: 1)
    }
    if layer.masksToBounds {
      let coverage = coverage(of: Outline(layer), place.plane, in: group)
      group.multiply { coverage[$0] }
    }
    guard let mask = layer.mask else { return nil }
    let cover = ReferenceCanvas(like: group)
    var inside = place.with(opacity: 1)
    inside.plane = Plane(Self.toSuperlayer(mask), in: place.plane)
    paint(mask, inside.turned(by: mask), into: cover)
    return cover
  }

  /// Paints a layer into a bitmap of its own, which starts at the origin of the layer's bounds, and
  /// draws that as an image.
  private mutating func paintRaster(
    of layer: CALayer, _ place: Place, into group: ReferenceCanvas
  ) {
    let raster = ReferenceCanvas(width: width, height: height, margin: 80)
    var above = place
    above.plane = .flat(
      scale: Double(layer.rasterizationScale), Double(layer.bounds.minX),
      Double(layer.bounds.minY), at: (0, 0))
    above.isMirrored = false
    let (outerEdges, noted) = (edges, notesEdges)
    (edges, notesEdges) = ([], true)
    let cover = paintPicture(of: layer, above, into: raster)
    if let cover { raster.multiply { cover.alpha($0) } }
    let ownEdges = edges
    (edges, notesEdges) = (outerEdges, noted)
    var unsure: [Int] = []
    group.use(group.whole)
    group.whole.forEachPixel(width: group.width) { pixel in
      let middle = group.center(pixel)
      guard let p = place.plane.local(middle.x, middle.y) else { return }
      let from = above.plane.place(p.x, p.y)
      guard let corner = raster.corner(from.x, from.y) else { return }
      let four = [corner, corner + 1, corner + raster.width, corner + raster.width + 1]
      if four.contains(where: ownEdges.contains) { unsure.append(pixel) }
      let c = raster.color(from.x, from.y)
      if c.a > 0 { group.draw(c.r, c.g, c.b, c.a, at: pixel) }
    }
    note(unsure)
  }

  /// Filters what is behind the layer, inside the outline. What clips have cut away does not count
  /// as behind it.
  private mutating func paintBackdrop(
    of layer: CALayer, _ plane: Plane, _ filters: [CAFilter], into canvas: ReferenceCanvas
  ) {
    let seen = canvas.copy()
    for clip in clips.reversed() {
      let cut = clip.behind.copy()
      cut.mix(seen, in: clip.coverage.box) { clip.coverage[$0] }
      seen.replace(with: cut)
    }
    let filtered = canvas.isSurface ? seen.repeatingEdges() : seen
    note(filtered.apply(filters, scale: plane.scale))
    let coverage = coverage(of: Outline(layer), plane, in: canvas)
    canvas.mix(filtered, in: coverage.box) { coverage[$0] }
  }
}
