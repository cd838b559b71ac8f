import Foundation
import LaminaGraphics
import LaminaValues
import TestSupport
import Testing

@Suite("What is drawn is combined as the state says")
struct CompositingTests {
  /// Straight colours of the backdrop and of the drawing; no component is 0 or 1.
  private static let there = (color: SIMD3(0.8, 0.3, 0.4), alpha: 0.7)
  private static let drawn = (color: SIMD3(0.2, 0.6, 0.45), alpha: 0.6)

  @Test("Every blend mode follows its formula", arguments: CGBlendMode.allCases)
  func blendModes(_ mode: CGBlendMode) throws {
    let (there, drawn) = (Self.there, Self.drawn)
    let image = try drawing(3, 1) { context in
      context.fill(CGColor(there), 0, 0, 3, 1)
      context.setBlendMode(mode)
      context.fill(CGColor(drawn), 1, 0, 1, 1)
    }
    let untouched = Pixel(there.color * there.alpha, there.alpha)
    #expect(pixel(of: image, 0, 0).isNear(untouched))
    #expect(pixel(of: image, 2, 0).isNear(untouched))
    let (color, alpha) = blend(mode, there, drawn)
    #expect(
      pixel(of: image, 1, 0).isNear(Pixel(color, alpha), within: 2),
      "\(pixel(of: image, 1, 0)), not \(Pixel(color, alpha))")
  }

  @Test(
    "Every blend mode goes half of the way where the shape covers half",
    arguments: [
      CGBlendMode.copy, .clear, .sourceIn, .sourceOut, .destinationIn, .destinationAtop, .normal,
      .destinationOut, .xor,
    ])
  func partialCoverage(_ mode: CGBlendMode) throws {
    let (there, drawn) = (Self.there, Self.drawn)
    let image = try drawing(2, 1) { context in
      context.fill(CGColor(there), 0, 0, 2, 1)
      context.setBlendMode(mode)
      context.fill(CGColor(drawn), 0.5, 0, 1, 1)
    }
    let (color, alpha) = blend(mode, there, drawn)
    let half = Pixel(
      (color + there.color * there.alpha) / 2, (alpha + there.alpha) / 2)
    for x in 0...1 {
      #expect(
        pixel(of: image, x, 0).isNear(half, within: 3), "\(pixel(of: image, x, 0)), not \(half)")
    }
  }

  @Test("A mode that erases erases only within the shape, strokes and clips as well")
  func boundedErasing() throws {
    let image = try drawing(6, 3) { context in
      context.fill(.red, 0, 0, 6, 3)
      context.clip(to: CGRect(x: 0, y: 0, width: 5, height: 3))
      context.setBlendMode(.sourceOut)
      context.setLineWidth(1)
      context.move(to: CGPoint(x: 1, y: 1.5))
      context.addLine(to: CGPoint(x: 6, y: 1.5))
      context.strokePath()
    }
    #expect(picture(of: image) == ["RRRRRR", "R....R", "RRRRRR"])
  }

  @Test("Alpha multiplies colours, images, gradients and layers")
  func globalAlpha() throws {
    let white = try drawing(1, 1) { $0.fill(.white, 0, 0, 1, 1) }
    let gradient = try #require(
      CGGradient(colorsSpace: nil, colors: [CGColor.white, CGColor.white], locations: nil))
    let image = try drawing(4, 1) { context in
      context.setAlpha(0.5)
      context.fill(.white, 0, 0, 1, 1)
      context.draw(white, in: CGRect(x: 1, y: 0, width: 1, height: 1))
      context.saveGState()
      context.clip(to: CGRect(x: 2, y: 0, width: 1, height: 1))
      context.drawLinearGradient(
        gradient, start: .zero, end: CGPoint(x: 4, y: 0), options: [])
      context.restoreGState()
      context.beginTransparencyLayer(auxiliaryInfo: nil)
      context.fill(.white, 3, 0, 1, 1)
      context.endTransparencyLayer()
    }
    for x in 0..<4 { #expect(pixel(of: image, x, 0).isNear(Pixel(128, 128, 128, 128)), "\(x)") }
  }

  @Test("A transparency layer is composited once, with the alpha it began with")
  func groupOpacity() throws {
    let image = try drawing(3, 1) { context in
      context.fill(.white, 0, 0, 3, 1)
      context.setAlpha(0.5)
      context.beginTransparencyLayer(auxiliaryInfo: nil)
      context.fill(.black, 0, 0, 2, 1)
      context.fill(.black, 1, 0, 2, 1)
      context.setAlpha(0.25)
      context.saveGState()
      context.endTransparencyLayer()
      context.fill(.red, 2, 0, 1, 1)
      context.endTransparencyLayer()  // One too many.
    }
    #expect(pixel(of: image, 0, 0).isNear(Pixel(127, 127, 127, 255)))
    #expect(pixel(of: image, 1, 0) == pixel(of: image, 0, 0))
    #expect(pixel(of: image, 2, 0).isNear(Pixel(191, 63, 63, 255)))
  }

  @Test("A layer's clip and blend mode are those of its beginning, and a rectangle bounds it")
  func layerClip() throws {
    let image = try drawing(4, 2) { context in
      context.clip(to: CGRect(x: 0, y: 0, width: 3, height: 2))
      context.beginTransparencyLayer(
        in: CGRect(x: 1, y: 0, width: 3, height: 1), auxiliaryInfo: nil)
      context.fill(.red, 0, 0, 4, 2)
      context.clip(to: CGRect(x: 2, y: 0, width: 1, height: 1))
      context.fill(.blue, 0, 0, 4, 2)
      context.endTransparencyLayer()
      context.fill(.green, 0, 1, 4, 1)
    }
    #expect(picture(of: image) == ["GGG.", ".RB."])
  }

  @Test("A mask image clips by its alpha, or by its luminance where it is gray")
  func masks() throws {
    let stencil = try drawing(2, 1) { $0.fill(CGColor(gray: 0, alpha: 0.5), 0, 0, 1, 1) }
    let gray = try drawing(
      2, 1, info: CGImageAlphaInfo.none.rawValue, space: CGColorSpaceCreateDeviceGray()
    ) { $0.fill(CGColor(gray: 0.5, alpha: 1), 0, 0, 1, 1) }
    for mask in [stencil, gray] {
      let image = try drawing(4, 2) { context in
        context.saveGState()
        context.clip(to: CGRect(x: 1, y: 0, width: 2, height: 1), mask: mask)
        context.fill(.white, 0, 0, 4, 2)
        context.setBlendMode(.copy)
        context.fill(.white, 0, 0, 4, 2)
        context.restoreGState()
        context.fill(.red, 0, 1, 1, 1)
      }
      #expect(picture(of: image) == ["R...", ".?.."])
      #expect(pixel(of: image, 1, 1).isNear(Pixel(191, 191, 191, 191), within: 2))
    }
  }
}

extension CGColor {
  fileprivate init(_ c: (color: SIMD3<Double>, alpha: Double)) {
    self.init(red: c.color.x, green: c.color.y, blue: c.color.z, alpha: c.alpha)
  }
}

extension Pixel {
  fileprivate init(_ color: SIMD3<Double>, _ alpha: Double) {
    func byte(_ v: Double) -> UInt8 { UInt8((min(max(v, 0), 1) * 255).rounded()) }
    self.init(byte(color.x), byte(color.y), byte(color.z), byte(alpha))
  }
}

private typealias Straight = (color: SIMD3<Double>, alpha: Double)

/// The premultiplied result, by the formulas of the PDF reference and of Porter and Duff.
private func blend(
  _ mode: CGBlendMode, _ there: Straight, _ drawn: Straight
) -> (SIMD3<Double>, Double) {
  let (da, sa) = (there.alpha, drawn.alpha)
  let (d, s) = (there.color * da, drawn.color * sa)
  func each(_ f: (Double, Double) -> Double) -> (SIMD3<Double>, Double) {
    func mixed(_ i: Int) -> Double {
      (1 - sa) * d[i] + (1 - da) * s[i] + sa * da * f(there.color[i], drawn.color[i])
    }
    return (SIMD3(mixed(0), mixed(1), mixed(2)), sa + da - sa * da)
  }
  func whole(_ b: SIMD3<Double>) -> (SIMD3<Double>, Double) {
    ((1 - sa) * d + (1 - da) * s + sa * da * b, sa + da - sa * da)
  }
  switch mode {
  case .normal: return (s + d * (1 - sa), sa + da - sa * da)
  case .multiply: return each { $0 * $1 }
  case .screen: return each { $0 + $1 - $0 * $1 }
  case .overlay: return each { hardLight($1, $0) }
  case .darken: return each { min($0, $1) }
  case .lighten: return each { max($0, $1) }
  case .colorDodge: return each { min(1, $0 / (1 - $1)) }
  case .colorBurn: return each { 1 - min(1, (1 - $0) / $1) }
  case .softLight: return each(softLight)
  case .hardLight: return each { hardLight($0, $1) }
  case .difference: return each { abs($0 - $1) }
  case .exclusion: return each { $0 + $1 - 2 * $0 * $1 }
  case .hue:
    return whole(
      lit(saturated(drawn.color, saturation(there.color)), luminosity(there.color)))
  case .saturation:
    return whole(
      lit(saturated(there.color, saturation(drawn.color)), luminosity(there.color)))
  case .color: return whole(lit(drawn.color, luminosity(there.color)))
  case .luminosity: return whole(lit(there.color, luminosity(drawn.color)))
  case .clear: return (.zero, 0)
  case .copy: return (s, sa)
  case .sourceIn: return (s * da, sa * da)
  case .sourceOut: return (s * (1 - da), sa * (1 - da))
  case .sourceAtop: return (s * da + d * (1 - sa), da)
  case .destinationOver: return (s * (1 - da) + d, sa + da - sa * da)
  case .destinationIn: return (d * sa, sa * da)
  case .destinationOut: return (d * (1 - sa), da * (1 - sa))
  case .destinationAtop: return (s * (1 - da) + d * sa, sa)
  case .xor: return (s * (1 - da) + d * (1 - sa), sa + da - 2 * sa * da)
  case .plusDarker:
    let alpha = min(1, sa + da)
    let dark = SIMD3(repeating: sa) - s + SIMD3(repeating: da) - d
    return ((SIMD3(repeating: alpha) - dark).clamped(lowerBound: .zero, upperBound: .one), alpha)
  case .plusLighter:
    return ((s + d).clamped(lowerBound: .zero, upperBound: .one), min(1, sa + da))
  }
}

private func hardLight(_ b: Double, _ s: Double) -> Double {
  s <= 0.5 ? b * 2 * s : b + (2 * s - 1) - b * (2 * s - 1)
}

private func softLight(_ b: Double, _ s: Double) -> Double {
  if s <= 0.5 { return b - (1 - 2 * s) * b * (1 - b) }
  let d = b <= 0.25 ? ((16 * b - 12) * b + 4) * b : b.squareRoot()
  return b + (2 * s - 1) * (d - b)
}

private func luminosity(_ c: SIMD3<Double>) -> Double { 0.3 * c.x + 0.59 * c.y + 0.11 * c.z }
private func saturation(_ c: SIMD3<Double>) -> Double { c.max() - c.min() }

private func lit(_ c: SIMD3<Double>, _ l: Double) -> SIMD3<Double> {
  var c = c + (l - luminosity(c))
  let (low, high) = (c.min(), c.max())
  if low < 0 { c = l + (c - l) * (l / (l - low)) }
  if high > 1 { c = l + (c - l) * ((1 - l) / (high - l)) }
  return c
}

private func saturated(_ c: SIMD3<Double>, _ s: Double) -> SIMD3<Double> {
  (c - c.min()) * (s / (c.max() - c.min()))
}
