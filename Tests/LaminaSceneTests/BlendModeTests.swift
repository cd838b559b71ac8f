import Foundation
import Lamina
import Testing

@testable import LaminaGraphics

private typealias Color = SIMD4<Double>

/// A blend mode by the definitions of the W3C's "Compositing and Blending" and of Porter and Duff
/// for straight components 0…1; the result is premultiplied.
struct BlendCase: Sendable, CustomTestStringConvertible {
  var names: [String]
  /// The result for the backdrop's and the source's premultiplied components.
  var result: @Sendable (_ backdrop: SIMD4<Double>, _ source: SIMD4<Double>) -> SIMD4<Double>

  var testDescription: String { names[0] }

  private static func straight(_ c: Color) -> SIMD3<Double> {
    c.w == 0 ? .zero : SIMD3(c.x, c.y, c.z) / c.w
  }

  private static func mixing(
    _ name: String, _ blend: @escaping @Sendable (SIMD3<Double>, SIMD3<Double>) -> SIMD3<Double>
  ) -> BlendCase {
    BlendCase(names: [name + "BlendMode", name]) { backdrop, source in
      let mixed = blend(straight(backdrop), straight(source))
      let both = source.w * backdrop.w
      let sum = source * (1 - backdrop.w) + backdrop * (1 - source.w)
      return sum + Color(mixed.x, mixed.y, mixed.z, 1) * both
    }
  }

  private static func separable(
    _ name: String, _ blend: @escaping @Sendable (Double, Double) -> Double
  ) -> BlendCase {
    mixing(name) { b, s in SIMD3(blend(b.x, s.x), blend(b.y, s.y), blend(b.z, s.z)) }
  }

  private static func factors(
    _ names: [String], _ source: @escaping @Sendable (Double) -> Double,
    _ backdrop: @escaping @Sendable (Double) -> Double
  ) -> BlendCase {
    BlendCase(names: names) { b, s in s * source(b.w) + b * backdrop(s.w) }
  }

  @Sendable private static func hardLight(_ b: Double, _ s: Double) -> Double {
    s <= 0.5 ? b * 2 * s : b + (2 * s - 1) - b * (2 * s - 1)
  }

  @Sendable private static func softLight(_ b: Double, _ s: Double) -> Double {
    if s <= 0.5 { return b - (1 - 2 * s) * b * (1 - b) }
    let d = b <= 0.25 ? ((16 * b - 12) * b + 4) * b : b.squareRoot()
    return b + (2 * s - 1) * (d - b)
  }

  private static func lum(_ c: SIMD3<Double>) -> Double { 0.3 * c.x + 0.59 * c.y + 0.11 * c.z }
  private static func sat(_ c: SIMD3<Double>) -> Double { c.max() - c.min() }

  private static func setLum(_ c: SIMD3<Double>, _ l: Double) -> SIMD3<Double> {
    let moved = c + (l - lum(c))
    let (n, x) = (moved.min(), moved.max())
    var result = moved
    if n < 0 { result = l + (result - l) * l / (l - n) }
    if x > 1 { result = l + (result - l) * (1 - l) / (x - l) }
    return result
  }

  private static func setSat(_ c: SIMD3<Double>, _ s: Double) -> SIMD3<Double> {
    sat(c) == 0 ? .zero : (c - c.min()) * s / sat(c)
  }

  static let all = [
    separable("normal") { $1 }, separable("multiply") { $0 * $1 },
    separable("screen") { $0 + $1 - $0 * $1 }, separable("overlay") { hardLight($1, $0) },
    separable("darken") { min($0, $1) }, separable("lighten") { max($0, $1) },
    separable("colorDodge") { b, s in b == 0 ? 0 : s >= 1 ? 1 : min(1, b / (1 - s)) },
    separable("colorBurn") { b, s in b >= 1 ? 1 : s <= 0 ? 0 : 1 - min(1, (1 - b) / s) },
    separable("hardLight", hardLight), separable("softLight", softLight),
    separable("difference") { abs($0 - $1) }, separable("exclusion") { $0 + $1 - 2 * $0 * $1 },
    separable("linearLight") { min(max($0 + 2 * $1 - 1, 0), 1) },
    separable("pinLight") { b, s in s <= 0.5 ? min(b, 2 * s) : max(b, 2 * s - 1) },
    separable("subtract") { max($0 - $1, 0) },
    separable("divide") { b, s in b == 0 ? 0 : s == 0 ? 1 : min(b / s, 1) },
    mixing("hue") { b, s in setLum(setSat(s, sat(b)), lum(b)) },
    mixing("saturation") { b, s in setLum(setSat(b, sat(s)), lum(b)) },
    mixing("color") { b, s in setLum(s, lum(b)) },
    mixing("luminosity") { b, s in setLum(b, lum(s)) },
    BlendCase(names: ["plusLighter", "plusL"]) { b, s in
      (b + s).clamped(lowerBound: .zero, upperBound: Color(repeating: 1))
    },
    BlendCase(names: ["plusDarker", "plusD"]) { b, s in
      let alpha = min(1, b.w + s.w)
      func channel(_ i: Int) -> Double { max(0, alpha - (b.w - b[i]) - (s.w - s[i])) }
      return Color(channel(0), channel(1), channel(2), alpha)
    },
    factors(["clear"], { _ in 0 }, { _ in 0 }), factors(["copy"], { _ in 1 }, { _ in 0 }),
    factors(["sourceOver"], { _ in 1 }, { 1 - $0 }),
    factors(["destinationOver", "destOver"], { 1 - $0 }, { _ in 1 }),
    factors(["sourceIn"], { $0 }, { _ in 0 }),
    factors(["destinationIn", "destIn"], { _ in 0 }, { $0 }),
    factors(["sourceOut"], { 1 - $0 }, { _ in 0 }),
    factors(["destinationOut", "destOut"], { _ in 0 }, { 1 - $0 }),
    factors(["sourceAtop"], { $0 }, { 1 - $0 }),
    factors(["destinationAtop", "destAtop"], { 1 - $0 }, { $0 }),
    factors(["xor"], { 1 - $0 }, { 1 - $0 }),
  ]
}

@Suite("Blend modes")
struct BlendModeTests {
  private static let colors: [SIMD4<Double>] = [
    [0, 0, 0, 1], [1, 1, 1, 1], [0.8, 0.2, 0.4, 1], [0.2, 0.6, 1, 1], [0.6, 0.6, 0.6, 1],
    [1, 0.4, 0, 0.6], [0.2, 0.8, 0.6, 0.2], [0.4, 0.2, 0.8, 0.8], [0, 0, 0, 0],
  ]
  private static let side = colors.count

  /// Every colour over every other one, 4 by 4 pixels each, with the backdrops in columns.
  private func image(
    _ mode: Any?, change: (CALayer) -> Void = { _ in }
  ) throws -> CGImage {
    let side = Self.side
    let backdrops = Self.colors.enumerated().map { x, color in
      FilterStage.card(CGRect(x: x * 4, y: 0, width: 4, height: side * 4), color)
    }
    let sources = (0..<side * side).map { place in
      let card = FilterStage.card(
        CGRect(x: place % side * 4, y: place / side * 4, width: 4, height: 4),
        Self.colors[place / side])
      card.compositingFilter = mode
      change(card)
      return card
    }
    return try FilterStage.image(side * 4, side * 4, backdrops + sources)
  }

  /// A colour as a frame stores it.
  private func stored(_ color: SIMD4<Double>) -> SIMD4<Double> {
    color.premultiplied.rounded(.toNearestOrAwayFromZero) / 255
  }

  private func expect(
    _ image: CGImage, _ blend: BlendCase, opacity: Double = 1, within limit: Double = 1.6
  ) {
    var worst = (distance: 0.0, text: "")
    for (y, source) in Self.colors.enumerated() {
      for (x, backdrop) in Self.colors.enumerated() {
        let (b, s) = (stored(backdrop), stored(source) * opacity)
        let found = image.channels(x * 4 + 1, y * 4 + 1)
        let distance = found.distance(to: blend.result(b, s) * 255)
        if distance > worst.distance {
          worst = (distance, "\(source) on \(backdrop): \(found), not \(blend.result(b, s) * 255)")
        }
      }
    }
    #expect(worst.distance <= limit, "\(worst.text)")
  }

  /// The names under which apps set modes: Core Animation's, and those of Core Image's filters.
  private static let otherNames = [
    "sourceOver": "normalBlendMode", "plusL": "plusLighterBlendMode",
    "plusD": "plusDarkerBlendMode", "linearDodgeBlendMode": "plusL",
    "linearBurnBlendMode": "plusD", "CIMultiplyBlendMode": "multiplyBlendMode",
    "CIScreenBlendMode": "screenBlendMode", "CIColorDodgeBlendMode": "colorDodgeBlendMode",
    "CISoftLightBlendMode": "softLightBlendMode", "CIColorBlendMode": "colorBlendMode",
    "CILuminosityBlendMode": "luminosityBlendMode", "CILinearLightBlendMode": "linearLight",
    "CIPinLightBlendMode": "pinLightBlendMode", "CISubtractBlendMode": "subtractBlendMode",
    "CIDivideBlendMode": "divideBlendMode", "CIAdditionCompositing": "plusL",
    "CISourceOverCompositing": "normal", "CISourceAtopCompositing": "sourceAtop",
    "CISourceInCompositing": "sourceIn", "CISourceOutCompositing": "sourceOut",
  ]

  @Test("A mode has further names", arguments: otherNames.keys.sorted())
  func names(_ name: String) throws {
    try expectEqual(try image(name), try image(Self.otherNames[name]), name)
  }

  @Test("Each mode does what its formula says, on colours of any alpha", arguments: BlendCase.all)
  func formula(_ blend: BlendCase) throws {
    for name in blend.names { expect(try image(name), blend) }
    try expectEqual(
      try image(CAFilter(type: blend.names[0])), try image(blend.names[0]), "as a filter")
  }

  @Test("Opacity thins the source before it is blended", arguments: BlendCase.all)
  func opacity(_ blend: BlendCase) throws {
    let image = try image(blend.names[0]) { $0.opacity = 0.4 }
    expect(image, blend, opacity: 102 / 255.0)
  }

  // The two plus modes are left out: they clamp, and it makes a difference whether before or after
  // masking.
  @Test(
    "A mask says how much of the outcome shows",
    arguments: BlendCase.all.filter { !$0.names[0].hasPrefix("plus") })
  func mask(_ blend: BlendCase) throws {
    let image = try image(blend.names[0]) {
      $0.mask = FilterStage.card(CGRect(x: 0, y: 0, width: 4, height: 4), [0, 0, 0, 0.6])
    }
    let masked = BlendCase(names: []) { b, s in b * 0.4 + blend.result(b, s) * 0.6 }
    // A masked source has 8 bits before it is blended.
    expect(image, masked, within: 2.6)
  }

  @Test("A layer blends with what is in its nearest group, and not with what is behind that")
  func group() throws {
    func shown(grouped: Bool) throws -> CGImage {
      let ground = FilterStage.card(CGRect(x: 0, y: 0, width: 16, height: 8), [0.4, 0.8, 0.2, 1])
      let group = FilterStage.card(CGRect(x: 0, y: 0, width: 16, height: 8))
      group.addSublayer(
        FilterStage.card(CGRect(x: 0, y: 0, width: 8, height: 8), [0.2, 0.2, 1, 1]))
      let top = FilterStage.card(CGRect(x: 4, y: 0, width: 8, height: 8), [1, 0.6, 0.2, 1])
      top.compositingFilter = "differenceBlendMode"
      group.addSublayer(top)
      // Anything that makes a group will do, here a mask that hides nothing.
      if grouped {
        group.mask = FilterStage.card(CGRect(x: 0, y: 0, width: 16, height: 8), [0, 0, 0, 1])
      }
      return try FilterStage.image(16, 8, [ground, group])
    }
    let open = try shown(grouped: false)
    let closed = try shown(grouped: true)
    for image in [open, closed] {
      #expect(image.channels(5, 4).distance(to: [204, 102, 204, 255]) <= 1)
    }
    #expect(open.channels(10, 4).distance(to: [153, 51, 0, 255]) <= 1)
    #expect(closed.channels(10, 4).distance(to: [255, 153, 51, 255]) <= 1)
  }

  @Test("A whole subtree is blended as one, inside its round corners and with its border")
  func subtree() throws {
    func shown(_ mode: String?) throws -> CGImage {
      let ground = FilterStage.card(CGRect(x: 0, y: 0, width: 40, height: 40), [1, 1, 1, 1])
      let card = FilterStage.card(CGRect(x: 5, y: 5, width: 30, height: 30), [0.8, 0.4, 0.2, 1])
      card.addSublayer(
        FilterStage.card(CGRect(x: 10, y: 10, width: 30, height: 10), [0.2, 0.6, 0.4, 0.5]))
      card.cornerRadius = 9
      card.masksToBounds = true
      card.borderWidth = 2
      card.compositingFilter = mode
      return try FilterStage.image(40, 40, [ground, card])
    }
    // On white, multiplying is painting.
    try expectEqual(try shown("multiplyBlendMode"), try shown(nil), difference: 1, "on white")
  }

  @Test("On a mask, modes and what is behind do not count")
  func maskItself() throws {
    func shown(_ change: (CALayer) -> Void) throws -> CGImage {
      let card = FilterStage.card(CGRect(x: 0, y: 0, width: 20, height: 20), [1, 0, 0, 1])
      let mask = FilterStage.card(CGRect(x: 4, y: 4, width: 12, height: 12), [0, 0, 0, 0.5])
      change(mask)
      card.mask = mask
      return try FilterStage.image(20, 20, [card])
    }
    let filtered = try shown {
      $0.compositingFilter = "xor"
      $0.backgroundFilters = [FilterStage.filter("colorInvert")]
    }
    try expectEqual(filtered, try shown { _ in }, "the mask")
  }
}
