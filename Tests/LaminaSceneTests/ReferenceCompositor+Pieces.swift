import Foundation
import Lamina

/// The pieces that a layer draws: shadow, background, gradient, contents, shape, sublayers, border,
/// in this order.
extension ReferenceCompositor {
  mutating func paintPieces(
    of layer: CALayer, _ place: Place, into canvas: ReferenceCanvas
  ) {
    if layer.shadowOpacity > 0 { paintShadow(of: layer, place, into: canvas) }
    paintAllButShadow(of: layer, place, into: canvas)
  }

  mutating func paintAllButShadow(
    of layer: CALayer, _ place: Place, into canvas: ReferenceCanvas
  ) {
    let (outline, plane) = (Outline(layer), place.plane)
    // Pieces that the outline will clip together are not bounded by it beforehand.
    let isBlurred = (layer.filters as! [CAFilter]?)?.contains { $0.type == "gaussianBlur" } == true
    let isOpen = layer.masksToBounds && !isBlurred && Self.isClippedWhole(layer)
    let own = isOpen ? outline.opened(outline.box) : outline
    let coverage = coverage(of: own, plane, in: canvas)
    if let color = layer.backgroundColor {
      fill(coverage, color, place.opacity, canvas)
    }
    if let layer = layer as? CAGradientLayer {
      let gradient = ReferenceGradient(layer)
      let bounds = layer.bounds
      paint(coverage, place, into: canvas) { x, y in
        guard let p = plane.local(x, y) else { return [] }
        return [
          gradient.color(
            at: (p.x - Double(bounds.minX)) / Double(bounds.width),
            (p.y - Double(bounds.minY)) / Double(bounds.height))
        ]
      }
    }
    if let image = layer.contents as! CGImage? {
      paint(image, of: layer, outline, isOpen: isOpen, place, into: canvas)
    }
    if let layer = layer as? CAShapeLayer { paintShape(of: layer, place, into: canvas) }
    paintSublayers(of: layer, place, into: canvas)
    if layer.borderWidth > 0, let color = layer.borderColor {
      let inner = self.coverage(
        of: outline.inset(by: Double(layer.borderWidth)), plane, in: canvas)
      fill(coverage.box, color, place.opacity, canvas) { max(coverage[$0] - inner[$0], 0) }
    }
  }

  /// Whether the layer clips more than its background and contents, each of which is cut as it is
  /// drawn.
  private static func isClippedWhole(_ layer: CALayer) -> Bool {
    layer.sublayers?.isEmpty == false || layer is CAShapeLayer || layer.shadowOpacity > 0
  }

  func fill(
    _ coverage: ReferenceCoverage, _ color: CGColor, _ opacity: Double, _ canvas: ReferenceCanvas
  ) {
    fill(coverage.box, color, opacity, canvas) { coverage[$0] }
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

  static let black = CGColor(red: 0, green: 0, blue: 0, alpha: 1)

  // MARK: - Contents and gradients

  private mutating func paint(
    _ image: CGImage, of layer: CALayer, _ outline: Outline, isOpen: Bool, _ place: Place,
    into canvas: ReferenceCanvas
  ) {
    let contents = ReferenceContents(image, of: layer, isFlipped: place.isFlipped)
    let plane = place.plane
    let box = isOpen ? outline.opened(contents.box) : Outline(contents.box)
    let coverage =
      layer.masksToBounds && !isOpen
      ? coverage(of: ReferenceOverlap(first: box, second: outline), plane, in: canvas)
      : coverage(of: box, plane, in: canvas)
    let tint = (layer.value(forKey: "contentsMultiplyColor") as! CGColor?)?.components
      .map { $0.map { Double($0) } }
    paint(coverage, place, into: canvas) { x, y in
      guard let p = plane.local(x, y), let right = plane.local(x + 1, y),
        let below = plane.local(x, y + 1)
      else { return [] }
      let colors = contents.color(
        at: p.x, p.y,
        pixels: ([right.x - p.x, right.y - p.y], [below.x - p.x, below.y - p.y]),
        scales: plane.scales)
      guard let tint else { return colors }
      return colors.map {
        (
          $0.r * tint[0] * tint[3], $0.g * tint[1] * tint[3], $0.b * tint[2] * tint[3],
          $0.a * tint[3]
        )
      }
    }
    guard layer.minificationFilter == .nearest || layer.magnificationFilter == .nearest else {
      return
    }
    // If two pixels are almost equally near, the choice between them depends on the method.
    note(
      steps(coverage, in: canvas) { x, y in
        plane.local(x, y).map {
          contents.color(at: $0.x, $0.y, pixels: (.zero, .zero), scales: plane.scales)[0]
        }
      })
  }

  /// Paints the covered pixels in the colours that `colors` returns: several if devices are free to
  /// choose between them, none if nothing is seen there.
  private mutating func paint(
    _ coverage: ReferenceCoverage, _ place: Place, into canvas: ReferenceCanvas,
    colors: (Double, Double) -> [ReferenceColor]
  ) {
    var (last, jumps) = ([Int: ReferenceColor](), [Int]())
    canvas.use(coverage.box)
    coverage.box.forEachPixel(width: canvas.width) { pixel in
      guard coverage[pixel] > 0 else { return }
      let middle = canvas.center(pixel)
      let found = colors(middle.x, middle.y)
      guard let c = found.first else { return }
      let weight = coverage[pixel] * place.opacity
      canvas.draw(c.r * weight, c.g * weight, c.b * weight, c.a * weight, at: pixel)
      if found.contains(where: { Self.distance(c, $0) > 2.0 / 255 }) { jumps.append(pixel) }
      for other in [pixel - 1, pixel - canvas.width] {
        guard let color = last[other], Self.distance(c, color) > 0.15 else { continue }
        jumps += [pixel, other]
      }
      last[pixel] = c
    }
    note(jumps)
  }

  static func distance(_ a: ReferenceColor, _ b: ReferenceColor) -> Double {
    max(abs(a.r - b.r), abs(a.g - b.g), abs(a.b - b.b), abs(a.a - b.a))
  }

  /// The pixels whose colour changes suddenly within a twentieth of a pixel around their middle.
  private func steps(
    _ coverage: ReferenceCoverage, in canvas: ReferenceCanvas,
    color: (Double, Double) -> ReferenceColor?
  ) -> [Int] {
    var steps: [Int] = []
    coverage.box.forEachPixel(width: canvas.width) { pixel in
      guard coverage[pixel] > 0 else { return }
      let (x, y) = canvas.center(pixel)
      let corners = [(-0.05, -0.05), (0.05, -0.05), (-0.05, 0.05), (0.05, 0.05)].map {
        color(x + $0.0, y + $0.1)
      }
      guard let first = corners[0] else { return }
      let changes = corners.contains { corner in
        corner.map { Self.distance(first, $0) > 2.0 / 255 } ?? true
      }
      if changes { steps.append(pixel) }
    }
    return steps
  }

  // MARK: - Shapes

  private mutating func paintShape(
    of layer: CAShapeLayer, _ place: Place, into canvas: ReferenceCanvas
  ) {
    guard let path = layer.path.map({ ReferencePath($0) }) else { return }
    if let color = layer.fillColor {
      let inside = ReferenceFill(path, isEvenOdd: layer.fillRule == .evenOdd)
      fill(coverage(of: inside, place.plane, in: canvas), color, place.opacity, canvas)
    }
    guard let color = layer.strokeColor else { return }
    var line = path
    if layer.strokeStart > 0 || layer.strokeEnd < 1 {
      line = line.trimmed(from: Double(layer.strokeStart), to: Double(layer.strokeEnd))
    }
    if let pattern = layer.lineDashPattern {
      line = line.dashed(pattern.map(\.doubleValue), phase: Double(layer.lineDashPhase))
    }
    let stroke = ReferenceStroke(
      line, width: Double(layer.lineWidth), cap: layer.lineCap.rawValue,
      join: layer.lineJoin.rawValue, miterLimit: Double(layer.miterLimit))
    fill(coverage(of: stroke, place.plane, in: canvas), color, place.opacity, canvas)
  }

  // MARK: - Shadows

  /// Paints a layer's shadow: the alpha of all that the layer and its sublayers draw, or the inside
  /// of a path, moved and blurred in the layer's plane, and coloured.
  mutating func paintShadow(of layer: CALayer, _ place: Place, into canvas: ReferenceCanvas) {
    guard let color = layer.shadowColor else { return }
    let plane = place.plane
    let sigma = Double(layer.shadowRadius)
    let noted = notesEdges
    notesEdges = sigma == 0 && noted
    defer { notesEdges = noted }
    let (dx, dy) = (Double(layer.shadowOffset.width), Double(layer.shadowOffset.height))
    guard sigma > 0, !plane.isUniform else {
      var shifted = place
      shifted.plane.moveBy(dx, dy)
      let caster = ReferenceCanvas(like: canvas)
      cast(layer, shifted, into: caster)
      caster.blur(sigma: sigma * plane.scale)
      notesEdges = noted
      fill(caster.used, color, Double(layer.shadowOpacity), canvas) { caster.alpha($0) }
      return
    }
    // Painted as seen from straight above, and then projected into the plane.
    let caster = ReferenceCanvas(width: width, height: height, margin: 80)
    let (x, y) = (Double(layer.bounds.midX), Double(layer.bounds.midY))
    let scales = plane.scales(x, y)
    let scale = min(max(scales.across, scales.down, 0.5), 2)
    let flat = Plane.flat(scale: scale, x, y, at: (Double(width) / 2, Double(height) / 2))
    var above = place
    above.plane = flat
    cast(layer, above, into: caster)
    caster.blur(sigma: sigma * scale)
    fill(canvas.whole, color, Double(layer.shadowOpacity), canvas) { pixel in
      let middle = canvas.center(pixel)
      guard let p = plane.local(middle.x, middle.y) else { return 0 }
      let from = flat.place(p.x - dx, p.y - dy)
      return caster.alpha(from.x, from.y)
    }
  }

  private mutating func cast(_ layer: CALayer, _ place: Place, into caster: ReferenceCanvas) {
    if let path = layer.shadowPath {
      let inside = ReferenceFill(ReferencePath(path), isEvenOdd: false)
      fill(coverage(of: inside, place.plane, in: caster), Self.black, place.opacity, caster)
      return
    }
    let outer = clips
    clips = []
    // Drawing that is cut off, or faded piece by piece, casts only the shadow of what is left.
    paintAllButShadow(of: layer, place, into: caster)
    if let filters = layer.filters as! [CAFilter]? {
      note(caster.apply(filters, scale: place.plane.scale))
    }
    clips = outer
    if layer.masksToBounds {
      let coverage = coverage(of: Outline(layer), place.plane, in: caster)
      caster.multiply { coverage[$0] }
    }
  }
}
