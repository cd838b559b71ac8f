import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaValues

/// Everything that the pixels of a gradient's ramp depend on.
struct RampKey: Hashable {
  var stops: [LayerGradient.Stop]
  /// The locations of the first and the last texel.
  var first: Double
  var last: Double
  var count: Int
  var isEightBit: Bool
}

extension Compositor {
  /// Paints the gradient over the background, in the same area.
  mutating func paintGradient(of row: Int, _ values: ValuesPointer, in context: Context) {
    let bounds = values.pointee.bounds
    guard bounds.width > 0, bounds.height > 0,
      let gradient = LayerGradient(values.pointee.gradient, convert: mixable)
    else { return }
    let projection = Projection(evaluated.rows[row].toSurface, origin: context.region)
    let area = area(of: row, values, projection, in: context)
    guard
      let quad = ProjectedQuad(area.outline.rect, through: projection, antialiased: area.edges)
    else { return }
    if gradient.type == .axial {
      paint(gradient, over: quad, area, bounds: bounds, in: context)
    } else {
      paint(gradient, of: row, over: quad, area, bounds: bounds, projection, in: context)
    }
  }

  /// The components that a gradient interpolates: premultiplied and, for an 8-bit target, clamped
  /// to its gamut.
  private func mixable(_ color: CGColor) -> SIMD4<Double> {
    let (r, g, b, a) = color.extendedSRGB
    let alpha = min(max(a, 0), 1)
    var components = SIMD4(r, g, b, 1)
    if isEightBit { components.clamp(lowerBound: .zero, upperBound: .one) }
    return components * alpha
  }

  /// Paints an axial gradient. It is linear between its stops, so the quad is cut there, and each
  /// part needs only a colour per vertex.
  private mutating func paint(
    _ gradient: LayerGradient, over quad: ProjectedQuad, _ area: Area, bounds: CGRect,
    in context: Context
  ) {
    let stops = gradient.stops
    let isOpaque = context.opacity >= 1 && stops.allSatisfy { $0.color.w >= 1 }
    func location(_ local: CGPoint) -> Double {
      gradient.location(at: bounds.unitPoint(local))
    }
    for (index, part) in quad.cut(at: stops.lazy.map(\.location), location).enumerated() {
      guard let part else { continue }
      func color(_ local: CGPoint) -> SIMD4<Float> {
        let color =
          switch index {
          case 0: stops[0].color
          case stops.count: stops[index - 1].color
          default: gradient.color(at: location(local), between: index - 1)
          }
        return SIMD4<Float>(color * context.opacity)
      }
      let outline = area.outline
      if !outline.isRectangle {
        add(.rounded.along(outline.curve), quad: part, in: context) { vertex, out in
          out.append(color(vertex.local))
          Self.emitCorners(vertex, outline, &out)
        }
      } else if area.edges.isEmpty {
        add(.solid, blend: isOpaque ? .copy : .sourceOver, quad: part, in: context) { vertex, out in
          out.append(color(vertex.local))
        }
      } else {
        add(.solidEdges, quad: part, in: context) { vertex, out in
          out.append(color(vertex.local))
          Self.emitEdges(vertex, &out)
        }
      }
    }
  }

  /// Paints a radial or conic gradient, which looks up each pixel's colour in a ramp.
  private mutating func paint(
    _ gradient: LayerGradient, of row: Int, over quad: ProjectedQuad, _ area: Area,
    bounds: CGRect, _ projection: Projection, in context: Context
  ) {
    let program: FramePlan.Program = gradient.type == .radial ? .radial : .conic
    let ramp = ramp(of: gradient, bounds: bounds, scale: projection.scale(at: bounds.center))
    let texture = rampTexture(ramp, of: row)
    var outline = area.outline
    if outline.isRectangle { outline.rect = area.coveredRect(projection) }
    // These map a location to a texture coordinate: `first` to the middle of the first texel,
    // `last` to the middle of the last.
    let factor = Double(ramp.count - 1) / Double(ramp.count) / (ramp.last - ramp.first)
    let offset = 0.5 / Double(ramp.count) - ramp.first * factor
    let tint = SIMD4<Float>(repeating: channel(context.opacity))
    let source = FramePlan.TextureSource(texture: .texture(texture), filter: .linear)
    add(program.along(outline.curve), sources: [source], quad: quad, in: context) { vertex, out in
      out.append(tint)
      Self.emitCorners(vertex, outline, &out)
      let place = gradient.place(of: bounds.unitPoint(vertex.local))
      out += [Float(place.x), Float(place.y), Float(factor), Float(offset)]
    }
  }

  /// A ramp with about four texels per pixel along the longest extent of the gradient on the
  /// screen.
  private func ramp(of gradient: LayerGradient, bounds: CGRect, scale: CGFloat) -> RampKey {
    let extent =
      gradient.type == .radial
      ? gradient.reach(in: bounds.size) : 2 * .pi * hypot(bounds.width, bounds.height)
    let pixels = max(Double(extent * scale), 1)
    // A quarter of a pixel is added on either side, for a hard edge at the first or last stop.
    let (low, high) = (gradient.locations.lowerBound, gradient.locations.upperBound)
    let first = max(low - 0.25 / pixels, 0)
    var last = high + 0.25 / pixels
    if gradient.type == .conic { last = min(last, 1) }
    if !(last > first) { last = first + 1 }
    let limit = min(ledger.profile.maxTextureSize, 4096)
    var count = 16
    while count < limit, Double(count) < 4 * pixels * (last - first) { count *= 2 }
    return RampKey(
      stops: gradient.stops, first: first, last: last,
      count: min(count, limit), isEightBit: isEightBit)
  }

  private mutating func rampTexture(_ ramp: RampKey, of row: Int) -> TextureID {
    let owner = owner(row, .gradient)
    if let known = ledger.ramps.take(ramp, for: owner) { return known }
    let texture = ledger.makeTexture()
    ledger.ramps.keep(
      texture, (), byteCount: ramp.count * (ramp.isEightBit ? 4 : 8), for: ramp, of: owner)
    let size = PixelSize(width: ramp.count, height: 1)
    plan.uploads.append(
      FramePlan.Upload(
        texture: texture, size: size, format: ramp.isEightBit ? .bgra8 : .rgba16f,
        region: PixelRect(size), source: .bytes(ramp.bytes)))
    return texture
  }
}

extension RampKey {
  /// The texels.
  fileprivate var bytes: [UInt8] {
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
      [color.z, color.y, color.x, color.w].map { UInt8(min(max($0, 0), 1) * 255 + 0.5) }
    }
  }
}

extension LayerGradient {
  /// The distance from location 0 to location 1 of a radial gradient, along the longer axis.
  fileprivate func reach(in size: CGSize) -> CGFloat {
    max(abs(span.x) * size.width, abs(span.y) * size.height)
  }
}

extension CGRect {
  /// A point as a fraction of the rectangle's sides.
  fileprivate func unitPoint(_ point: CGPoint) -> CGPoint {
    CGPoint(x: (point.x - minX) / width, y: (point.y - minY) / height)
  }
}
