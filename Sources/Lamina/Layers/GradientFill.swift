import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaValues

// Gradient layers as `render(in:)` draws them: unlike the render process, it mixes colours in
// Generic RGB.

extension CGContext {
  /// Fills `outline` with the gradient of a layer that has the given bounds.
  func fill(
    _ outline: CornerOutline, with values: GradientValues, opacity: CGFloat, bounds: CGRect
  ) {
    guard bounds.width > 0, bounds.height > 0,
      let gradient = LayerGradient(values, convert: GenericRGB.premultiplied)
    else { return }
    saveGState()
    addPath(CGPath(outline.path))
    clip()
    multiplyAlpha(by: opacity)
    translateBy(x: bounds.minX, y: bounds.minY)
    scaleBy(x: bounds.width, y: bounds.height)
    switch gradient.type {
    case .axial: drawAxial(gradient)
    case .radial: drawRadial(gradient)
    case .conic: drawConic(gradient)
    }
    restoreGState()
  }

  private func drawAxial(_ gradient: LayerGradient) {
    let locations = gradient.locations.wide
    func point(_ location: Double) -> CGPoint {
      CGPoint(
        x: gradient.startPoint.x + gradient.span.x * location,
        y: gradient.startPoint.y + gradient.span.y * location)
    }
    drawLinearGradient(
      gradient.drawable(over: locations), start: point(locations.lowerBound),
      end: point(locations.upperBound),
      options: [.drawsBeforeStartLocation, .drawsAfterEndLocation])
  }

  private func drawRadial(_ gradient: LayerGradient) {
    let locations = 0...max(gradient.locations.wide.upperBound, 1)
    translateBy(x: gradient.startPoint.x, y: gradient.startPoint.y)
    scaleBy(x: gradient.span.x, y: gradient.span.y)
    drawRadialGradient(
      gradient.drawable(over: locations), startCenter: .zero, startRadius: 0, endCenter: .zero,
      endRadius: locations.upperBound, options: .drawsAfterEndLocation)
  }

  /// Draws wedges of one colour each. They have no seams, since a pixel belongs to the wedge that
  /// its centre lies in.
  private func drawConic(_ gradient: LayerGradient) {
    let (center, count) = (gradient.startPoint, 1440)
    // The length of the wedges, to beyond the farthest corner of the unit square.
    let reach = 4 * (1 + max(abs(center.x), abs(center.y)))
    let zero = atan2(gradient.span.y, gradient.span.x)
    func point(_ turns: Double) -> CGPoint {
      let angle = zero + turns * 2 * .pi
      return CGPoint(x: center.x + reach * cos(angle), y: center.y + reach * sin(angle))
    }
    setShouldAntialias(false)
    for index in 0..<count {
      let (from, to) = (Double(index) / Double(count), Double(index + 1) / Double(count))
      setFillColor(GenericRGB.color(gradient.color(at: (from + to) / 2)))
      move(to: center)
      addLine(to: point(from))
      addLine(to: point(to))
      closePath()
      fillPath()
    }
  }
}

extension LayerGradient {
  /// The gradient over a range of its locations, its colours mixed in small steps.
  fileprivate func drawable(over range: ClosedRange<Double>) -> CGGradient {
    let (low, high) = (range.lowerBound, range.upperBound)
    var (location, color) = (low, low > locations.lowerBound ? color(at: low) : stops[0].color)
    var (locations, colors): ([CGFloat], [CGColor]) = ([0], [GenericRGB.color(color)])
    func add(_ location: Double, _ color: SIMD4<Double>) {
      locations.append((location - low) / (high - low))
      colors.append(GenericRGB.color(color))
    }
    for stop in stops where range.contains(stop.location) {
      let steps = stop.location > location ? 32 : 1
      for step in 1...steps {
        let t = Double(step) / Double(steps)
        add(location + (stop.location - location) * t, color + (stop.color - color) * t)
      }
      (location, color) = (stop.location, stop.color)
    }
    add(high, self.color(at: high))
    return CGGradient(colorsSpace: nil, colors: colors, locations: locations)!
  }
}

extension ClosedRange<Double> {
  /// The range, or a longer one around it if its length is 0.
  fileprivate var wide: Self { upperBound > lowerBound ? self : lowerBound - 1...upperBound + 1 }
}

/// The RGB space of Apple's older systems: a gamma of 1.8.
private enum GenericRGB {
  /// Premultiplied components.
  static func premultiplied(_ color: CGColor) -> SIMD4<Double> {
    let (r, g, b, a) = color.extendedSRGB
    let linear = SIMD3(CGColor.linear(r), CGColor.linear(g), CGColor.linear(b))
    let mixed = fromSRGB.0 * linear.x + fromSRGB.1 * linear.y + fromSRGB.2 * linear.z
    let alpha = min(max(a, 0), 1)
    func encoded(_ v: Double) -> Double { pow(min(max(v, 0), 1), 1 / 1.8) * alpha }
    return SIMD4(encoded(mixed.x), encoded(mixed.y), encoded(mixed.z), alpha)
  }

  /// The colour of premultiplied components.
  static func color(_ components: SIMD4<Double>) -> CGColor {
    let alpha = components.w
    guard alpha > 0 else { return .clear }
    func linear(_ v: Double) -> Double { pow(min(max(v / alpha, 0), 1), 1.8) }
    let (r, g, b) = (linear(components.x), linear(components.y), linear(components.z))
    let mixed = toSRGB.0 * r + toSRGB.1 * g + toSRGB.2 * b
    func encoded(_ v: Double) -> Double { CGColor.encoded(min(max(v, 0), 1)) }
    return CGColor(
      red: encoded(mixed.x), green: encoded(mixed.y), blue: encoded(mixed.z), alpha: alpha)
  }

  // Columns, between the linear components of both, by way of CIE XYZ for D50. The primaries of
  // Generic RGB are those of its ICC profile.
  private static let fromSRGB = (
    SIMD3(0.974827, -0.019966, 0.001690), SIMD3(0.027125, 1.054303, 0.001641),
    SIMD3(-0.001992, -0.034360, 0.996965)
  )
  private static let toSRGB = (
    SIMD3(1.025281, 0.019359, -0.001770), SIMD3(-0.026380, 0.947945, -0.001515),
    SIMD3(0.001139, 0.032709, 1.002989)
  )
}
