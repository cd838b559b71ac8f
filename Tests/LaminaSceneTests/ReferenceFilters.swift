import Foundation
import Lamina

/// Filters of straight colours, and blend modes of two colours, by the formulas of the W3C's
/// "Filter Effects" and "Compositing and Blending".
enum ReferenceFilters {
  /// The function of straight colours that a filter applies, by its type; nil for a blur.
  static func colors(_ filter: CAFilter) -> ((ReferenceColor) -> ReferenceColor)? {
    func number(_ key: String) -> Double { (filter.value(forKey: key) as! NSNumber).doubleValue }
    switch filter.type {
    case "colorInvert": return { (1 - $0.r, 1 - $0.g, 1 - $0.b, $0.a) }
    case "colorBrightness":
      let amount = number("inputAmount")
      return { ($0.r + amount, $0.g + amount, $0.b + amount, $0.a) }
    case "colorContrast":
      let amount = number("inputAmount")
      return {
        (
          ($0.r - 0.5) * amount + 0.5, ($0.g - 0.5) * amount + 0.5, ($0.b - 0.5) * amount + 0.5,
          $0.a
        )
      }
    case "colorSaturate":
      let s = number("inputAmount")
      return {
        let gray = 0.213 * $0.r + 0.715 * $0.g + 0.072 * $0.b
        return (
          gray + ($0.r - gray) * s, gray + ($0.g - gray) * s, gray + ($0.b - gray) * s, $0.a
        )
      }
    case "colorHueRotate":
      let (c, s) = (cos(number("inputAngle")), sin(number("inputAngle")))
      return { p in
        (
          (0.213 + c * 0.787 - s * 0.213) * p.r + (0.715 - c * 0.715 - s * 0.715) * p.g
            + (0.072 - c * 0.072 + s * 0.928) * p.b,
          (0.213 - c * 0.213 + s * 0.143) * p.r + (0.715 + c * 0.285 + s * 0.140) * p.g
            + (0.072 - c * 0.072 - s * 0.283) * p.b,
          (0.213 - c * 0.213 - s * 0.787) * p.r + (0.715 - c * 0.715 + s * 0.715) * p.g
            + (0.072 + c * 0.928 + s * 0.072) * p.b, p.a
        )
      }
    default: return nil
    }
  }

  /// The mix of a backdrop's colour and a source's, both straight; nil for a mode that works on
  /// premultiplied colours.
  static func mixed(_ mode: String, _ b: [Double], _ s: [Double]) -> [Double]? {
    func each(_ mix: (Double, Double) -> Double) -> [Double] { zip(b, s).map { mix($0, $1) } }
    switch mode {
    case "normal": return s
    case "multiply": return each(*)
    case "screen": return each { $0 + $1 - $0 * $1 }
    case "overlay": return each { hardLight($1, $0) }
    case "darken": return each(min)
    case "lighten": return each(max)
    case "colorDodge":
      return each { $0 == 0 ? 0 : $1 >= 1 ? 1 : min(1, $0 / (1 - $1)) }
    case "colorBurn":
      return each { $0 >= 1 ? 1 : $1 <= 0 ? 0 : 1 - min(1, (1 - $0) / $1) }
    case "hardLight": return each(hardLight)
    case "softLight": return each(softLight)
    case "difference": return each { abs($0 - $1) }
    case "exclusion": return each { $0 + $1 - 2 * $0 * $1 }
    case "hue": return withLuminosity(withSaturation(s, saturation(b)), luminosity(b))
    case "saturation": return withLuminosity(withSaturation(b, saturation(s)), luminosity(b))
    case "color": return withLuminosity(s, luminosity(b))
    case "luminosity": return withLuminosity(b, luminosity(s))
    default: return nil
    }
  }

  /// Two premultiplied colours composited by a mode.
  static func composited(
    _ mode: String, _ b: ReferenceColor, _ s: ReferenceColor
  ) -> ReferenceColor {
    func each(_ alpha: Double, _ mix: (Double, Double) -> Double) -> ReferenceColor {
      (mix(b.r, s.r), mix(b.g, s.g), mix(b.b, s.b), alpha)
    }
    switch mode {
    case "plusLighter": return each(min(1, b.a + s.a)) { min(1, $0 + $1) }
    case "plusDarker":
      let alpha = min(1, b.a + s.a)
      return each(alpha) { max(0, alpha - (b.a - $0) - (s.a - $1)) }
    case "xor": return each(s.a * (1 - b.a) + b.a * (1 - s.a)) { $1 * (1 - b.a) + $0 * (1 - s.a) }
    case "sourceAtop": return each(b.a) { $1 * b.a + $0 * (1 - s.a) }
    case "destinationOver": return each(b.a + s.a * (1 - b.a)) { $0 + $1 * (1 - b.a) }
    case "destinationOut": return each(b.a * (1 - s.a)) { back, _ in back * (1 - s.a) }
    default:
      let (straightB, straightS) = (straight(b), straight(s))
      let m = mixed(mode, straightB, straightS)!
      let rest = s.a * (1 - b.a)
      return (
        straightS[0] * rest + s.a * b.a * m[0] + (1 - s.a) * b.r,
        straightS[1] * rest + s.a * b.a * m[1] + (1 - s.a) * b.g,
        straightS[2] * rest + s.a * b.a * m[2] + (1 - s.a) * b.b, s.a + b.a * (1 - s.a)
      )
    }
  }

  static func straight(_ c: ReferenceColor) -> [Double] {
    c.a > 0 ? [c.r, c.g, c.b].map { min($0 / c.a, 1) } : [0, 0, 0]
  }

  private static func hardLight(_ b: Double, _ s: Double) -> Double {
    s <= 0.5 ? b * 2 * s : b + (2 * s - 1) - b * (2 * s - 1)
  }

  private static func softLight(_ b: Double, _ s: Double) -> Double {
    guard s > 0.5 else { return b - (1 - 2 * s) * b * (1 - b) }
    let d = b <= 0.25 ? ((16 * b - 12) * b + 4) * b : b.squareRoot()
    return b + (2 * s - 1) * (d - b)
  }

  private static func luminosity(_ c: [Double]) -> Double { 0.3 * c[0] + 0.59 * c[1] + 0.11 * c[2] }

  private static func saturation(_ c: [Double]) -> Double { c.max()! - c.min()! }

  private static func withLuminosity(_ c: [Double], _ luminosity: Double) -> [Double] {
    var c = c.map { $0 + luminosity - Self.luminosity(c) }
    let (l, low, high) = (Self.luminosity(c), c.min()!, c.max()!)
    if low < 0 { c = c.map { l + ($0 - l) * l / (l - low) } }
    if high > 1 { c = c.map { l + ($0 - l) * (1 - l) / (high - l) } }
    return c
  }

  private static func withSaturation(_ c: [Double], _ saturation: Double) -> [Double] {
    let (low, high) = (c.min()!, c.max()!)
    return c.map { high > low ? ($0 - low) * saturation / (high - low) : 0 }
  }
}

extension ReferenceCanvas {
  func color(_ pixel: Int) -> ReferenceColor {
    let p = self[pixel]
    return (p[0], p[1], p[2], p[3])
  }

  func set(_ pixel: Int, _ color: ReferenceColor) {
    let p = self[pixel]
    (p[0], p[1], p[2], p[3]) = (
      Self.rounded(color.r), Self.rounded(color.g), Self.rounded(color.b), Self.rounded(color.a)
    )
  }

  /// Applies filters to the picture, each result rounded to eight bits. `scale` is in pixels per
  /// point. Returns the pixels whose alpha is so low that rounding shows.
  func apply(_ filters: [CAFilter], scale: Double) -> [Int] {
    var unsure: [Int] = []
    for filter in filters where filter.isEnabled {
      guard let map = ReferenceFilters.colors(filter) else {
        blur(
          sigma: (filter.value(forKey: "inputRadius") as! NSNumber).doubleValue * scale)
        continue
      }
      used.forEachPixel(width: width) { pixel in
        let c = color(pixel)
        guard c.a > 0 else { return }
        if c.a < 0.2 { unsure.append(pixel) }
        let s = ReferenceFilters.straight(c)
        let m = map((s[0], s[1], s[2], c.a))
        func limited(_ v: Double) -> Double { min(max(v, 0), 1) * c.a }
        set(pixel, (limited(m.r), limited(m.g), limited(m.b), c.a))
      }
    }
    return unsure
  }

  /// Composites a picture by a mode. Returns the pixels where a step of 1/255 in one of the two
  /// pictures would change the result by several.
  func draw(_ other: ReferenceCanvas, opacity: Double, mode: String) -> [Int] {
    var unsure: [Int] = []
    use(other.used)
    other.used.forEachPixel(width: width) { pixel in
      let (b, o) = (color(pixel), other.color(pixel))
      let s = (o.r * opacity, o.g * opacity, o.b * opacity, o.a * opacity)
      guard s.3 > 0 else { return }
      let exact = ReferenceFilters.composited(mode, b, s)
      let step = 1.0 / 255
      for shifts in [(step, 0.0), (-step, 0), (0, step), (0, -step)] {
        func moved(_ c: ReferenceColor, _ by: Double) -> ReferenceColor {
          func limited(_ v: Double) -> Double { min(max(v, 0), c.a) }
          return (limited(c.r + by), limited(c.g - by), limited(c.b + by), c.a)
        }
        let other = ReferenceFilters.composited(mode, moved(b, shifts.0), moved(s, shifts.1))
        let spread = max(
          abs(exact.r - other.r), abs(exact.g - other.g), abs(exact.b - other.b))
        if spread > 2 * step { unsure.append(pixel) }
      }
      set(pixel, exact)
    }
    return unsure
  }

  /// A copy whose margin repeats the picture's border, as the backdrop of the root continues.
  func repeatingEdges() -> ReferenceCanvas {
    let copy = ReferenceCanvas(like: self)
    copy.use(whole)
    for pixel in 0..<count {
      let x = min(max(pixel % width, margin), width - margin - 1)
      let y = min(max(pixel / width, margin), height - margin - 1)
      copy.set(pixel, color(y * width + x))
    }
    return copy
  }
}
