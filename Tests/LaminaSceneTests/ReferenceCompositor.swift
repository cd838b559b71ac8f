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
    let canvas = ReferenceCanvas(width: width, height: height, margin: 20)
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
    let isFadedWhole = own < 1 && layer.allowsGroupOpacity
    guard isFadedWhole || layer.mask != nil || layer.masksToBounds else {
      paintPieces(of: layer, plane, opacity: opacity * own, into: canvas)
      return
    }
    let group = ReferenceCanvas(like: canvas)
    paintPieces(of: layer, plane, opacity: isFadedWhole ? 1 : opacity * own, into: group)
    if layer.masksToBounds {
      let coverage = coverage(of: Outline(layer), plane, in: group)
      group.multiply { coverage[$0] }
    }
    if let mask = layer.mask {
      let picture = ReferenceCanvas(like: canvas)
      paint(mask, Plane(Self.toSuperlayer(mask), in: plane), opacity: 1, into: picture)
      group.multiply { picture.alpha($0) }
    }
    canvas.draw(group, opacity: isFadedWhole ? opacity * own : 1)
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
    let bounds = layer.bounds
    var outline = Outline(layer)
    if !layer.masksToBounds { outline.radii = [0, 0, 0, 0] }
    let coverage = coverage(of: outline, plane, in: canvas)
    let texels = ReferenceImage(image)
    canvas.use(coverage.box)
    coverage.box.forEachPixel(width: canvas.width) { pixel in
      let middle = canvas.center(pixel)
      guard coverage[pixel] > 0, let p = plane.local(middle.x, middle.y) else { return }
      let weight = coverage[pixel] * opacity
      let c = texels.sample(
        (p.x - Double(bounds.minX)) / Double(bounds.width) * Double(image.width),
        (p.y - Double(bounds.minY)) / Double(bounds.height) * Double(image.height))
      canvas.draw(c.r * weight, c.g * weight, c.b * weight, c.a * weight, at: pixel)
    }
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
    paintAllButShadow(of: layer, shifted, opacity: 1, into: caster)
    notesEdges = noted
    caster.blur(sigma: Double(layer.shadowRadius) * plane.scale)
    guard let color = layer.shadowColor else { return }
    fill(caster.used, color, Double(layer.shadowOpacity) * opacity, canvas) { caster.alpha($0) }
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
      guard Self.extendsSpace(child) else {
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

  private static func extendsSpace(_ layer: CALayer) -> Bool { false }

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

  /// How much of each pixel lies in an outline: seen from its middle, and from sixteen places of it
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
        for sample in 0..<16 {
          let sx = Double(x - margin) + (Double(sample % 4) + 0.5) / 4
          let sy = Double(y - margin) + (Double(sample / 4) + 0.5) / 4
          if plane.isInside(outline, sx, sy) { count += 1 }
        }
        coverage.set(x, y, Double(count) / 16)
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

/// A layer's plane as it is seen.
struct Plane {
  /// A matrix that points are multiplied by from the left, as x, y and 1 or w.
  private struct Matrix {
    var a, b, c, d, e, f, g, h, i: Double

    /// nil where it is singular.
    var inverse: Matrix? {
      let determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
      guard abs(determinant) > 1e-12 else { return nil }
      let k = 1 / determinant
      return Matrix(
        a: k * (e * i - f * h), b: k * (c * h - b * i), c: k * (b * f - c * e),
        d: k * (f * g - d * i), e: k * (a * i - c * g), f: k * (c * d - a * f),
        g: k * (d * h - e * g), h: k * (b * g - a * h), i: k * (a * e - b * d))
    }

    static func * (l: Matrix, r: Matrix) -> Matrix {
      Matrix(
        a: l.a * r.a + l.b * r.d + l.c * r.g, b: l.a * r.b + l.b * r.e + l.c * r.h,
        c: l.a * r.c + l.b * r.f + l.c * r.i, d: l.d * r.a + l.e * r.d + l.f * r.g,
        e: l.d * r.b + l.e * r.e + l.f * r.h, f: l.d * r.c + l.e * r.f + l.f * r.i,
        g: l.g * r.a + l.h * r.d + l.i * r.g, h: l.g * r.b + l.h * r.e + l.i * r.h,
        i: l.g * r.c + l.h * r.f + l.i * r.i)
    }
  }

  /// From the layer's own space to the screen.
  private var m: Matrix
  /// nil for a plane seen on its edge: nothing of it shows.
  private var inverse: Matrix?

  /// In the screen itself.
  init(_ t: CATransform3D) {
    self.init(
      Matrix(
        a: Double(t.m11), b: Double(t.m12), c: Double(t.m14), d: Double(t.m21), e: Double(t.m22),
        f: Double(t.m24), g: Double(t.m41), h: Double(t.m42), i: Double(t.m44)))
  }

  /// In another layer's plane, onto which what lies in its space is pressed.
  init(_ toSpace: CATransform3D, in other: Plane) { self.init(Plane(toSpace).m * other.m) }

  private init(_ m: Matrix) {
    self.m = m
    inverse = m.inverse
  }

  /// Moves what is in the plane by a distance in its own units.
  mutating func moveBy(_ x: Double, _ y: Double) {
    self = Plane(Matrix(a: 1, b: 0, c: 0, d: 0, e: 1, f: 0, g: x, h: y, i: 1) * m)
  }

  /// Pixels a unit, where that is the same in all directions.
  var scale: Double { (m.a * m.a + m.b * m.b).squareRoot() }

  /// The point of the layer that is seen in a place of the screen; nil where the plane is not seen
  /// there, or lies behind the eye.
  func local(_ x: Double, _ y: Double) -> (x: Double, y: Double)? {
    guard let n = inverse else { return nil }
    let t = x * n.c + y * n.f + n.i
    guard t != 0 else { return nil }
    let px = (x * n.a + y * n.d + n.g) / t
    let py = (x * n.b + y * n.e + n.h) / t
    return px * m.c + py * m.f + m.i > 0 ? (px, py) : nil
  }

  func isInside(_ outline: Outline, _ x: Double, _ y: Double) -> Bool {
    guard let p = local(x, y) else { return false }
    return outline.contains(p.x, p.y)
  }

  /// The pixels that an outline may touch, or all where some of it lies behind the eye.
  func box(of outline: Outline, margin: Int) -> ReferenceBox {
    var box = ReferenceBox.none
    for (x, y) in [
      (outline.minX, outline.minY), (outline.maxX, outline.minY), (outline.minX, outline.maxY),
      (outline.maxX, outline.maxY),
    ] {
      let w = x * m.c + y * m.f + m.i
      let (sx, sy) = ((x * m.a + y * m.d + m.g) / w, (x * m.b + y * m.e + m.h) / w)
      guard w > 1e-6, abs(sx) < 1e6, abs(sy) < 1e6 else {
        return ReferenceBox(minX: -1_000_000, minY: -1_000_000, maxX: 1_000_000, maxY: 1_000_000)
      }
      let (column, row) = (Int(sx.rounded(.down)) + margin, Int(sy.rounded(.down)) + margin)
      box = box.union(
        ReferenceBox(minX: column - 1, minY: row - 1, maxX: column + 2, maxY: row + 2))
    }
    return box
  }

  func isFacingUs(_ bounds: CGRect) -> Bool {
    let (x, y) = (Double(bounds.midX), Double(bounds.midY))
    let w = x * m.c + y * m.f + m.i
    guard w > 0 else { return true }
    let (sx, sy) = ((x * m.a + y * m.d + m.g) / w, (x * m.b + y * m.e + m.h) / w)
    let (ax, ay) = (m.a - sx * m.c, m.b - sy * m.c)
    let (bx, by) = (m.d - sx * m.f, m.e - sy * m.f)
    return ax * by - ay * bx > 0
  }
}

/// A rectangle with round corners.
struct Outline {
  var minX, minY, maxX, maxY: Double
  /// Of the corners minX minY, maxX minY, minX maxY and maxX maxY.
  var radii: [Double]

  init(_ layer: CALayer) {
    let bounds = layer.bounds
    (minX, minY) = (Double(bounds.minX), Double(bounds.minY))
    (maxX, maxY) = (Double(bounds.maxX), Double(bounds.maxY))
    let radius = min(Double(layer.cornerRadius), min(maxX - minX, maxY - minY) / 2)
    radii = (0..<4).map { layer.maskedCorners.rawValue >> UInt($0) & 1 == 1 ? radius : 0 }
  }

  func inset(by width: Double) -> Outline {
    var inner = self
    (inner.minX, inner.minY) = (minX + width, minY + width)
    (inner.maxX, inner.maxY) = (maxX - width, maxY - width)
    inner.radii = radii.map { max($0 - width, 0) }
    return inner
  }

  func contains(_ x: Double, _ y: Double) -> Bool {
    guard x > minX, x < maxX, y > minY, y < maxY else { return false }
    let isRight = x > (minX + maxX) / 2
    let isLow = y > (minY + maxY) / 2
    let radius = radii[(isRight ? 1 : 0) + (isLow ? 2 : 0)]
    guard radius > 0 else { return true }
    let dx = isRight ? x - (maxX - radius) : minX + radius - x
    let dy = isLow ? y - (maxY - radius) : minY + radius - y
    return dx <= 0 || dy <= 0 || dx * dx + dy * dy < radius * radius
  }
}
