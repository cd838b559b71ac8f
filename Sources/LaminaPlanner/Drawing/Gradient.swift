import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaValues

/// Everything that the pixels of a gradient's ramp depend on.
struct GradientRamp: Hashable {
  var stops: [LayerGradient.Stop]
  /// The locations of the first and the last texel.
  var first: Double
  var last: Double
  var count: Int
  var isEightBit: Bool
}

extension DrawnItems {
  /// Adds the layer's gradient, in the area of its background.
  mutating func addGradient(of layer: LayerDrawing) {
    let bounds = layer.bounds
    guard bounds.width > 0, bounds.height > 0,
      let gradient = LayerGradient(
        layer.values.pointee.gradient, convert: { layer.format.mixable($0) })
    else { return }
    let area = layer.area
    guard
      let quad = ProjectedQuad(
        area.outline.rect, through: layer.projection, antialiased: area.edges)
    else { return }
    if gradient.type == .axial {
      add(gradient, over: quad, area, of: layer)
    } else {
      addRamp(of: gradient, over: quad, area, of: layer)
    }
  }

  /// Adds an axial gradient. It is linear between its stops, so the quad is cut there, and each
  /// part needs only the colours of two of them.
  private mutating func add(
    _ gradient: LayerGradient, over quad: ProjectedQuad, _ area: LayerDrawing.Area,
    of layer: LayerDrawing
  ) {
    let stops = gradient.stops
    let place = gradient.placeTransform(in: layer.bounds)
    let isOpaque = layer.tint.w >= 1 && stops.allSatisfy { $0.color.w >= 1 }
    let location = { (local: CGPoint) in
      gradient.location(at: layer.bounds.unitPoint(local))
    }
    let parts = quad.cut(at: stops.lazy.map(\.location), location)
    for (index, part) in parts.enumerated() {
      guard let part else { continue }
      let (a, b) = (stops[max(index - 1, 0)], stops[min(index, stops.count - 1)])
      let color = list.color(
        ColorRamp(
          first: a.color * layer.tint, second: b.color * layer.tint, from: a.location,
          to: b.location, across: place.a, down: place.c, origin: place.tx))
      var item = Item(.solid, color: color)
      if !area.outline.isRectangle {
        item.program = .rounded.along(area.outline.curve)
        item.outline = list.outline(area.outline)
      } else if !area.edges.isEmpty {
        item.program = .solidEdges
      } else if isOpaque {
        item.blend = .copy
      }
      if let blend = layer.blend { item.blend = blend }
      list.add(item, part, within: layer.visible)
    }
  }

  /// Adds a radial or conic gradient, which looks up each pixel's colour in a ramp.
  private mutating func addRamp(
    of gradient: LayerGradient, over quad: ProjectedQuad, _ area: LayerDrawing.Area,
    of layer: LayerDrawing
  ) {
    let program: FramePlan.Program = gradient.type == .radial ? .radial : .conic
    let ramp = GradientRamp(gradient, of: layer)
    var outline = area.outline
    if outline.isRectangle { outline.rect = area.coveredRect(layer.projection) }
    // These map a location to a texture coordinate: `first` to the middle of the first texel,
    // `last` to the middle of the last.
    let factor = Double(ramp.count - 1) / Double(ramp.count) / (ramp.last - ramp.first)
    let offset = 0.5 / Double(ramp.count) - ramp.first * factor
    ramps.append(ramp)
    let item = Item(
      program.along(outline.curve), blend: layer.blend ?? .sourceOver,
      color: color(tint: layer.tint, layer.format), outline: list.outline(outline),
      parameters: list.map(gradient.placeTransform(in: layer.bounds)),
      numbers: [Float(factor), Float(offset)],
      sources: SIMD2(source(.ramp(ramps.count - 1), .linear), 0))
    list.add(item, quad, within: layer.visible)
  }
}

extension TargetFormat {
  /// The components that a gradient interpolates: premultiplied and, for an 8-bit target, clamped
  /// to its gamut.
  fileprivate func mixable(_ color: CGColor) -> SIMD4<Double> {
    let (r, g, b, a) = color.extendedSRGB
    let alpha = min(max(a, 0), 1)
    var components = SIMD4(r, g, b, 1)
    if isEightBit { components.clamp(lowerBound: .zero, upperBound: .one) }
    return components * alpha
  }
}

extension GradientRamp {
  /// A ramp with about four texels per pixel along the longest extent of the gradient on the
  /// screen.
  fileprivate init(_ gradient: LayerGradient, of layer: LayerDrawing) {
    let bounds = layer.bounds
    let extent =
      gradient.type == .radial
      ? gradient.reach(in: bounds.size) : 2 * .pi * hypot(bounds.width, bounds.height)
    let pixels = max(Double(extent * layer.projection.scale(at: bounds.center)), 1)
    // A quarter of a pixel is added on either side, for a hard edge at the first or last stop.
    let (low, high) = (gradient.locations.lowerBound, gradient.locations.upperBound)
    first = max(low - 0.25 / pixels, 0)
    last = high + 0.25 / pixels
    if gradient.type == .conic { last = min(last, 1) }
    if !(last > first) { last = first + 1 }
    let limit = min(layer.format.maxTextureSize, 4096)
    var count = 16
    while count < limit, Double(count) < 4 * pixels * (last - first) { count *= 2 }
    (stops, self.count) = (gradient.stops, min(count, limit))
    isEightBit = layer.format.isEightBit
  }

  /// The texels.
  var bytes: [UInt8] {
    let step = (last - first) / Double(count - 1)
    // Stops and texels are both in ascending order, so each texel lies in the same segment as the
    // one before it or in a later one.
    var next = 0
    let colors = (0..<count).map { index -> SIMD4<Double> in
      let location = first + step * Double(index)
      while next < stops.count, stops[next].location <= location { next += 1 }
      guard next > 0 else { return stops[0].color }
      guard next < stops.count else { return stops[next - 1].color }
      let (a, b) = (stops[next - 1], stops[next])
      return a.color
        + (b.color - a.color) * ((location - a.location) / (b.location - a.location))
    }
    guard isEightBit else {
      let halves = colors.flatMap { color in (0..<4).map { Float16(color[$0]) } }
      return halves.withUnsafeBytes { Array($0) }
    }
    return colors.flatMap { color in
      [color.z, color.y, color.x, color.w].map {
        // Components may be anything, NaN too.
        $0 > 0 ? UInt8(min($0, 1) * 255 + 0.5) : 0
      }
    }
  }
}

extension LayerGradient {
  /// The distance from location 0 to location 1 of a radial gradient, along the longer axis.
  fileprivate func reach(in size: CGSize) -> CGFloat {
    max(abs(span.x) * size.width, abs(span.y) * size.height)
  }

  /// `place(of:)` as a map from the space in which the gradient's layer has these bounds.
  fileprivate func placeTransform(in bounds: CGRect) -> CGAffineTransform {
    // A point of the unit square, relative to the start.
    let toUnit = CGAffineTransform(
      a: 1 / bounds.width, b: 0, c: 0, d: 1 / bounds.height,
      tx: -bounds.minX / bounds.width - startPoint.x,
      ty: -bounds.minY / bounds.height - startPoint.y)
    switch type {
    case .radial:
      return toUnit.concatenating(CGAffineTransform(scaleX: 1 / span.x, y: 1 / span.y))
    case .axial, .conic:
      let square = span.x * span.x + span.y * span.y
      let (x, y) = (span.x / square, span.y / square)
      return toUnit.concatenating(CGAffineTransform(a: x, b: -y, c: y, d: x, tx: 0, ty: 0))
    }
  }
}

extension CGRect {
  /// A point as a fraction of the rectangle's sides.
  fileprivate func unitPoint(_ point: CGPoint) -> CGPoint {
    CGPoint(x: (point.x - minX) / width, y: (point.y - minY) / height)
  }
}
