import LaminaFramePlan
import LaminaValues

/// Blend modes that need more than factors: W3C's "Compositing and Blending", and Core Animation's
/// further ones.
extension Painter {
  /// Replaces the colour by the result of blending it onto the other one.
  func blendByFormula(_ span: Span) {
    guard case .formula(let mode) = span.brush.pointee.blend else { return }
    for i in 0..<span.count {
      let source = SIMD3(color.red[i], color.green[i], color.blue[i])
      let backdrop = SIMD3(other.red[i], other.green[i], other.blue[i])
      let result = mode.blended(source, color.alpha[i], onto: backdrop, other.alpha[i])
      (color.red[i], color.green[i], color.blue[i]) = (result.x, result.y, result.z)
      color.alpha[i] = result.w
    }
  }
}

private typealias RGB = SIMD3<Float>

extension BlendMode {
  /// Blends premultiplied colours.
  fileprivate func blended(
    _ source: RGB, _ sourceAlpha: Float, onto backdrop: RGB, _ alpha: Float
  ) -> SIMD4<Float> {
    let over = SIMD4(source, sourceAlpha)
    let under = SIMD4(backdrop, alpha)
    if let factors = porterDuffFactors {
      return over * (factors.x + factors.y * alpha) + under * (factors.z * sourceAlpha)
    }
    if self == .plusDarker {
      let sum = least(sourceAlpha + alpha, 1)
      let darkened = RGB(repeating: sum) - (sourceAlpha - source) - (alpha - backdrop)
      return SIMD4(darkened.each { most($0, 0) }, sum)
    }
    let mixed = function(backdrop / most(alpha, 1e-5), source / most(sourceAlpha, 1e-5))
    return over * (1 - alpha) + under * (1 - sourceAlpha)
      + SIMD4(mixed, 1) * (sourceAlpha * alpha)
  }

  /// The source's factor alone, its factor by the backdrop's alpha, and the backdrop's by the
  /// source's.
  private var porterDuffFactors: SIMD3<Float>? {
    switch self {
    case .clear: SIMD3(0, 0, 0)
    case .copy: SIMD3(1, 0, 0)
    case .sourceIn: SIMD3(0, 1, 0)
    case .sourceOut: SIMD3(1, -1, 0)
    case .destinationIn: SIMD3(0, 0, 1)
    case .destinationAtop: SIMD3(1, -1, 1)
    default: nil
    }
  }

  /// B(b, s) of the backdrop's and the source's straight colours.
  private func function(_ b: RGB, _ s: RGB) -> RGB {
    switch self {
    case .overlay: b.each(s) { hardLit($1, $0) }
    case .hardLight: b.each(s) { hardLit($0, $1) }
    case .darken: b.each(s) { least($0, $1) }
    case .lighten: b.each(s) { most($0, $1) }
    case .colorDodge: b.each(s) { least($0 / most(1 - $1, 1e-6), 1) }
    case .colorBurn:
      b.each(s) { 1 - least((1 - $0) * (1 - $0 < 1e-4 ? 0 : 1) / most($1, 1e-6), 1) }
    case .softLight:
      b.each(s) { b, s in
        let dark = b <= 0.25 ? ((16 * b - 12) * b + 4) * b : b.squareRoot()
        return b + (2 * s - 1) * (s <= 0.5 ? b * (1 - b) : dark - b)
      }
    case .linearLight: b.each(s) { unit($0 + 2 * $1 - 1) }
    case .pinLight: b.each(s) { $1 <= 0.5 ? least($0, 2 * $1) : most($0, 2 * $1 - 1) }
    case .subtract: b.each(s) { most($0 - $1, 0) }
    case .divide: b.each(s) { least($0 / most($1, 1e-6), 1) }
    case .difference: b.each(s) { abs($0 - $1) }
    case .exclusion: b.each(s) { $0 + $1 - 2 * $0 * $1 }
    case .hue: s.withSaturation(b.saturation).withLuminosity(b.luminosity)
    case .saturation: b.withSaturation(s.saturation).withLuminosity(b.luminosity)
    case .color: s.withLuminosity(b.luminosity)
    case .luminosity: b.withLuminosity(s.luminosity)
    default: s
    }
  }
}

private func hardLit(_ b: Float, _ s: Float) -> Float {
  s <= 0.5 ? 2 * b * s : b + (2 * s - 1) * (1 - b)
}

extension SIMD3<Float> {
  @inline(__always)
  fileprivate func each(_ function: (Float) -> Float) -> Self {
    Self(function(x), function(y), function(z))
  }

  @inline(__always)
  fileprivate func each(_ other: Self, _ function: (Float, Float) -> Float) -> Self {
    Self(function(x, other.x), function(y, other.y), function(z, other.z))
  }

  fileprivate var luminosity: Float { x * 0.3 + y * 0.59 + z * 0.11 }
  private var lowest: Float { least(least(x, y), z) }
  private var highest: Float { most(most(x, y), z) }
  fileprivate var saturation: Float { highest - lowest }

  fileprivate func withSaturation(_ wanted: Float) -> Self {
    (self - lowest) * wanted / most(saturation, 1e-6)
  }

  fileprivate func withLuminosity(_ wanted: Float) -> Self {
    var color = self + (wanted - luminosity)
    let (low, high) = (color.lowest, color.highest)
    if low < 0 { color = wanted + (color - wanted) * wanted / most(wanted - low, 1e-6) }
    if high > 1 { color = wanted + (color - wanted) * (1 - wanted) / most(high - wanted, 1e-6) }
    return color
  }
}
