import Foundation
import Lamina

/// The rules of compositing as plainly as they can be said: every layer is looked at from the middle
/// of every pixel, everything that needs a picture of its own gets a whole one, and nothing is fast.
///
/// Reads layers through their public API and shares no code with the render process. The size of
/// what it draws is in points, one pixel each.
struct ReferenceCompositor {
  let width: Int
  let height: Int
  /// The pixels near an edge of anything, where coverage is a matter of method.
  private(set) var edges: Set<Int> = []
  /// Whether edges are noted; what is blurred has none.
  private var notesEdges = true

  init(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
  }

  /// The layer and all below it, in the picture's pixels.
  mutating func picture(of root: CALayer) -> ReferenceCanvas {
    let canvas = ReferenceCanvas(width: width, height: height, margin: 30, isSurface: true)
    paint(root, Plane(Self.toSuperlayer(root)), opacity: 1, into: canvas)
    return canvas
  }

  // MARK: - Layers

  private mutating func paint(
    _ layer: CALayer, _ plane: Plane, opacity: Double, into canvas: ReferenceCanvas
  ) {
    let own = min(max(Double(layer.opacity), 0), 1)
    guard !layer.isHidden, own > 0 else { return }
    if !layer.isDoubleSided, !plane.isFacingUs(layer.bounds) { return }
    let filters = layer.filters as! [CAFilter]? ?? []
    let backgroundFilters = layer.backgroundFilters as! [CAFilter]? ?? []
    let mode = layer.compositingFilter as! String? ?? "normal"
    let isFiltered = !filters.isEmpty || !backgroundFilters.isEmpty || mode != "normal"
    let isFadedWhole = isFiltered || (own < 1 && layer.allowsGroupOpacity)
    guard isFadedWhole || layer.mask != nil || layer.masksToBounds else {
      paintPieces(of: layer, plane, opacity: opacity * own, into: canvas)
      return
    }
    let group = ReferenceCanvas(like: canvas)
    if filters.isEmpty {
      paintPieces(of: layer, plane, opacity: isFadedWhole ? 1 : opacity * own, into: group)
    } else {
      let picture = ReferenceCanvas(like: canvas)
      paintAllButShadow(of: layer, plane, opacity: 1, into: picture)
      note(picture.apply(filters, scale: plane.scale))
      group.draw(picture, opacity: 1)
    }
    if layer.masksToBounds {
      let coverage = coverage(of: Outline(layer), plane, in: group)
      group.multiply { coverage[$0] }
    }
    var cover: ReferenceCanvas?
    if let mask = layer.mask {
      let picture = ReferenceCanvas(like: canvas)
      paint(mask, Plane(Self.toSuperlayer(mask), in: plane), opacity: 1, into: picture)
      cover = picture
    }
    let whole = isFadedWhole ? opacity * own : 1
    guard backgroundFilters.isEmpty else {
      // On a copy, which then shows as far as the layer is there.
      let behind = canvas.copy()
      paintBackdrop(
        of: layer, plane, backgroundFilters, repeatsEdges: canvas.isSurface, into: behind)
      note(behind.draw(group, opacity: 1, mode: mode))
      canvas.mix(behind) { whole * (cover?.alpha($0) ?? 1) }
      return
    }
    if let cover { group.multiply { cover.alpha($0) } }
    if mode == "normal" {
      canvas.draw(group, opacity: whole)
    } else {
      note(canvas.draw(group, opacity: whole, mode: mode))
    }
  }

  private mutating func note(_ unsure: [Int]) {
    if notesEdges { edges.formUnion(unsure) }
  }

  /// Puts what is behind the layer, filtered, in the place of it, inside the outline.
  private mutating func paintBackdrop(
    of layer: CALayer, _ plane: Plane, _ filters: [CAFilter], repeatsEdges: Bool,
    into canvas: ReferenceCanvas
  ) {
    let filtered = repeatsEdges ? canvas.repeatingEdges() : canvas.copy()
    note(filtered.apply(filters, scale: plane.scale))
    let coverage = coverage(of: Outline(layer), plane, in: canvas)
    canvas.mix(filtered) { coverage[$0] }
  }

  /// Shadow, background, contents, sublayers, border.
  private mutating func paintPieces(
    of layer: CALayer, _ plane: Plane, opacity: Double, into canvas: ReferenceCanvas
  ) {
    if layer.shadowOpacity > 0 { paintShadow(of: layer, plane, opacity: opacity, into: canvas) }
    paintAllButShadow(of: layer, plane, opacity: opacity, into: canvas)
  }

  private mutating func paintAllButShadow(
    of layer: CALayer, _ plane: Plane, opacity: Double, into canvas: ReferenceCanvas
  ) {
    if let color = layer.backgroundColor {
      let coverage = coverage(of: Outline(layer), plane, in: canvas)
      fill(coverage.box, color, opacity, canvas) { coverage[$0] }
    }
    if let layer = layer as? CAGradientLayer {
      let gradient = ReferenceGradient(layer)
      paint(layer, plane, opacity: opacity, outline: Outline(layer), into: canvas) {
        gradient.color(at: $0, $1)
      }
    }
    if let image = layer.contents as! CGImage? {
      paint(image, of: layer, plane, opacity: opacity, into: canvas)
    }
    paintSublayers(of: layer, plane, opacity: opacity, into: canvas)
    if layer.borderWidth > 0, let color = layer.borderColor {
      let outline = Outline(layer)
      let outer = coverage(of: outline, plane, in: canvas)
      let inner = coverage(of: outline.inset(by: Double(layer.borderWidth)), plane, in: canvas)
      fill(outer.box, color, opacity, canvas) { max(outer[$0] - inner[$0], 0) }
    }
  }

  private func fill(
    _ box: ReferenceBox, _ color: CGColor, _ opacity: Double, _ canvas: ReferenceCanvas,
    coverage: (Int) -> Double
  ) {
    let c = color.components!.map { Double($0) }
    canvas.use(box)
    box.forEachPixel(width: canvas.width) { pixel in
      let alpha = c[3] * opacity * coverage(pixel)
      guard alpha > 0 else { return }
      canvas.draw(c[0] * alpha, c[1] * alpha, c[2] * alpha, alpha, at: pixel)
    }
  }

  /// An image stretched over the bounds, mixed of its four nearest pixels.
  private mutating func paint(
    _ image: CGImage, of layer: CALayer, _ plane: Plane, opacity: Double,
    into canvas: ReferenceCanvas
  ) {
    var outline = Outline(layer)
    if !layer.masksToBounds { outline.radii = [0, 0, 0, 0] }
    let texels = ReferenceImage(image)
    paint(layer, plane, opacity: opacity, outline: outline, into: canvas) { x, y in
      texels.sample(x * Double(image.width), y * Double(image.height))
    }
  }

  /// What has a colour for every point of the bounds, in fractions of their sides.
  private mutating func paint(
    _ layer: CALayer, _ plane: Plane, opacity: Double, outline: Outline,
    into canvas: ReferenceCanvas, color: (Double, Double) -> ReferenceColor
  ) {
    let bounds = layer.bounds
    let coverage = coverage(of: outline, plane, in: canvas)
    func seen(_ x: Double, _ y: Double) -> ReferenceColor? {
      plane.local(x, y).map {
        color(
          ($0.x - Double(bounds.minX)) / Double(bounds.width),
          ($0.y - Double(bounds.minY)) / Double(bounds.height))
      }
    }
    var jumps: [Int] = []
    canvas.use(coverage.box)
    coverage.box.forEachPixel(width: canvas.width) { pixel in
      let middle = canvas.center(pixel)
      guard coverage[pixel] > 0, let c = seen(middle.x, middle.y) else { return }
      let weight = coverage[pixel] * opacity
      canvas.draw(c.r * weight, c.g * weight, c.b * weight, c.a * weight, at: pixel)
      for (x, y) in [(-1.0, 0.0), (1, 0), (0, -1), (0, 1)] {
        guard let other = seen(middle.x + x, middle.y + y) else { continue }
        let step = max(abs(c.r - other.r), abs(c.g - other.g), abs(c.b - other.b))
        if max(step, abs(c.a - other.a)) > 0.15 { jumps.append(pixel) }
      }
    }
    if notesEdges { edges.formUnion(jumps) }
  }

  /// The alpha of all that the layer and its sublayers draw, moved, blurred and coloured.
  private mutating func paintShadow(
    of layer: CALayer, _ plane: Plane, opacity: Double, into canvas: ReferenceCanvas
  ) {
    let noted = notesEdges
    notesEdges = layer.shadowRadius == 0 && noted
    let caster = ReferenceCanvas(like: canvas)
    var shifted = plane
    shifted.moveBy(Double(layer.shadowOffset.width), Double(layer.shadowOffset.height))
    // What is cut off, or faded piece by piece, casts no more than what is left of it.
    paintAllButShadow(of: layer, shifted, opacity: opacity, into: caster)
    if layer.masksToBounds {
      let coverage = coverage(of: Outline(layer), shifted, in: caster)
      caster.multiply { coverage[$0] }
    }
    notesEdges = noted
    caster.blur(sigma: Double(layer.shadowRadius) * plane.scale)
    guard let color = layer.shadowColor else { return }
    fill(caster.used, color, Double(layer.shadowOpacity), canvas) { caster.alpha($0) }
  }

  // MARK: - Sublayers

  /// One of the layers that share a space, with its place there.
  private struct Participant {
    var layer: CALayer
    /// From the layer to the space.
    var toSpace: CATransform3D
    var opacity: Double
  }

  private func participants(
    _ layer: CALayer, _ toSpace: CATransform3D, opacity: Double
  ) -> [Participant] {
    (layer.sublayers ?? []).flatMap { child -> [Participant] in
      let place = CATransform3DConcat(
        CATransform3DConcat(Self.toSuperlayer(child), Self.sublayerTransform(of: layer)), toSpace)
      guard child is CATransformLayer else {
        return [Participant(layer: child, toSpace: place, opacity: opacity)]
      }
      guard !child.isHidden else { return [] }
      return participants(child, place, opacity: opacity * Double(child.opacity))
    }
  }

  private mutating func paintSublayers(
    of layer: CALayer, _ plane: Plane, opacity: Double, into canvas: ReferenceCanvas
  ) {
    let all = participants(layer, CATransform3DIdentity, opacity: opacity)
    guard all.contains(where: { $0.toSpace.m13 != 0 || $0.toSpace.m23 != 0 }) else {
      // Parallel planes: one order holds everywhere.
      for place in all.indices.sorted(by: {
        (all[$0].toSpace.m43, $0) < (all[$1].toSpace.m43, $1)
      }) {
        paint(
          all[place].layer, Plane(all[place].toSpace, in: plane), opacity: all[place].opacity,
          into: canvas)
      }
      return
    }
    // Each in a picture of its own; then every pixel has its own order.
    let planes = all.map { Plane($0.toSpace, in: plane) }
    let pictures = all.map { _ in ReferenceCanvas(like: canvas) }
    for place in all.indices {
      paint(
        all[place].layer, planes[place], opacity: all[place].opacity, into: pictures[place])
    }
    var orders = [[Int]](repeating: [], count: canvas.count)
    let box = pictures.reduce(ReferenceBox.none) { $0.union($1.used) }
    canvas.use(box)
    box.forEachPixel(width: canvas.width) { pixel in
      let present = all.indices.filter { pictures[$0].alpha(pixel) > 0 }
      let middle = canvas.center(pixel)
      let depths = present.map {
        Self.depth(of: all[$0].toSpace, planes[$0].local(middle.x, middle.y))
      }
      let order = present.indices.sorted {
        abs(depths[$0] - depths[$1]) < 1e-7 ? $0 < $1 : depths[$0] < depths[$1]
      }.map { present[$0] }
      for place in order {
        let from = pictures[place][pixel]
        canvas.draw(from[0], from[1], from[2], from[3], at: pixel)
      }
      orders[pixel] = order
    }
    // Where the order differs from a neighbour's, two of them intersect.
    guard notesEdges else { return }
    for pixel in 0..<canvas.count - canvas.width where !orders[pixel].isEmpty {
      for other in [pixel + 1, pixel + canvas.width] where orders[pixel] != orders[other] {
        edges.formUnion([pixel, other])
      }
    }
  }

  /// How near a point of a layer's plane is, of all that is seen in the same place.
  private static func depth(of t: CATransform3D, _ p: (x: Double, y: Double)?) -> Double {
    guard let p else { return -.infinity }
    let z = p.x * Double(t.m13) + p.y * Double(t.m23) + Double(t.m43)
    return z / (p.x * Double(t.m14) + p.y * Double(t.m24) + Double(t.m44))
  }

  // MARK: - Geometry

  private static func toSuperlayer(_ layer: CALayer) -> CATransform3D {
    let (bounds, anchor) = (layer.bounds, layer.anchorPoint)
    let fromAnchor = CATransform3DMakeTranslation(
      -(bounds.minX + anchor.x * bounds.width), -(bounds.minY + anchor.y * bounds.height),
      -layer.anchorPointZ)
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

  /// How much of each pixel lies in an outline: seen from its middle, and from 64 places of it
  /// near an edge.
  private mutating func coverage(
    of outline: Outline, _ plane: Plane, in canvas: ReferenceCanvas
  ) -> Coverage {
    let margin = canvas.margin
    let box = plane.box(of: outline, margin: margin).intersection(canvas.whole)
    let coverage = Coverage(box)
    guard !box.isEmpty else { return coverage }
    // Seen from the middles of all pixels, and of those around them.
    let wide = box.outset(by: 1)
    let inside = Coverage(wide)
    for y in wide.minY..<wide.maxY {
      for x in wide.minX..<wide.maxX {
        let isInside = plane.isInside(
          outline, Double(x - margin) + 0.5, Double(y - margin) + 0.5)
        inside.set(x, y, isInside ? 1 : 0)
      }
    }
    for y in box.minY..<box.maxY {
      for x in box.minX..<box.maxX {
        let around =
          inside.at(x, y) + inside.at(x - 1, y - 1) + inside.at(x + 1, y - 1)
          + inside.at(x - 1, y + 1) + inside.at(x + 1, y + 1)
        guard around > 0, around < 5 else {
          coverage.set(x, y, inside.at(x, y))
          continue
        }
        if notesEdges { edges.insert(y * canvas.width + x) }
        var count = 0
        for sample in 0..<64 {
          let sx = Double(x - margin) + (Double(sample % 8) + 0.5) / 8
          let sy = Double(y - margin) + (Double(sample / 8) + 0.5) / 8
          if plane.isInside(outline, sx, sy) { count += 1 }
        }
        coverage.set(x, y, Double(count) / 64)
      }
    }
    coverage.width = canvas.width
    return coverage
  }
}

/// A number for each pixel of a box, and 0 elsewhere.
private final class Coverage {
  let box: ReferenceBox
  /// The canvas's, by which its pixels are counted.
  var width = 1
  private let values: UnsafeMutablePointer<Double>
  private let across: Int

  init(_ box: ReferenceBox) {
    self.box = box
    across = box.isEmpty ? 0 : box.maxX - box.minX
    let count = box.isEmpty ? 0 : across * (box.maxY - box.minY)
    values = .allocate(capacity: max(count, 1))
    values.initialize(repeating: 0, count: max(count, 1))
  }

  deinit { values.deallocate() }

  func at(_ x: Int, _ y: Int) -> Double { values[(y - box.minY) * across + x - box.minX] }

  func set(_ x: Int, _ y: Int, _ value: Double) {
    values[(y - box.minY) * across + x - box.minX] = value
  }

  subscript(pixel: Int) -> Double {
    let (x, y) = (pixel % width, pixel / width)
    guard x >= box.minX, x < box.maxX, y >= box.minY, y < box.maxY else { return 0 }
    return at(x, y)
  }
}
