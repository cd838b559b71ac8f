import Foundation
import Lamina
import Testing

@testable import LaminaGraphics

/// A colour filter and the expected result for straight components, written out by hand.
struct ColorFilterCase: Sendable, CustomTestStringConvertible {
  var type: String
  var numbers: [String: Double] = [:]
  var color: SIMD4<Double>?
  var matrix: [Double]?
  var expected: @Sendable (SIMD4<Double>) -> SIMD4<Double>

  var testDescription: String { "\(type) \(numbers)" }

  var filter: CAFilter {
    let filter = CAFilter(type: type)
    for (key, number) in numbers { filter.setValue(number, forKey: key) }
    if let color {
      let value = CGColor(red: color.x, green: color.y, blue: color.z, alpha: color.w)
      filter.setValue(value, forKey: "inputColor")
    }
    if let matrix { filter.setValue(matrix, forKey: "inputColorMatrix") }
    return filter
  }

  private static func onColors(
    _ map: @escaping @Sendable (Double) -> Double
  ) -> @Sendable (SIMD4<Double>) -> SIMD4<Double> {
    { SIMD4(map($0.x), map($0.y), map($0.z), $0.w) }
  }

  private static func luminance(_ c: SIMD4<Double>) -> Double {
    0.213 * c.x + 0.715 * c.y + 0.072 * c.z
  }

  static let all = [
    ColorFilterCase(type: "colorInvert", expected: onColors { 1 - $0 }),
    ColorFilterCase(type: "invert", expected: onColors { 1 - $0 }),
    ColorFilterCase(
      type: "colorBrightness", numbers: ["inputAmount": 0.25], expected: onColors { $0 + 0.25 }),
    ColorFilterCase(
      type: "brightness", numbers: ["inputAmount": -0.5], expected: onColors { $0 - 0.5 }),
    ColorFilterCase(
      type: "colorContrast", numbers: ["inputAmount": 1.5],
      expected: onColors { ($0 - 0.5) * 1.5 + 0.5 }),
    ColorFilterCase(
      type: "contrast", numbers: ["inputAmount": 0.25],
      expected: onColors { ($0 - 0.5) * 0.25 + 0.5 }),
    ColorFilterCase(type: "colorSaturate", numbers: ["inputAmount": 0]) { c in
      let gray = luminance(c)
      return SIMD4(gray, gray, gray, c.w)
    },
    ColorFilterCase(type: "saturate", numbers: ["inputAmount": 1.75]) { c in
      let gray = luminance(c)
      return SIMD4(
        gray + 1.75 * (c.x - gray), gray + 1.75 * (c.y - gray), gray + 1.75 * (c.z - gray), c.w)
    },
    // Half a turn: the colour's difference from its gray changes sign.
    ColorFilterCase(type: "colorHueRotate", numbers: ["inputAngle": .pi]) { c in
      let gray = luminance(c)
      return SIMD4(2 * gray - c.x, 2 * gray - c.y, 2 * gray - c.z, c.w)
    },
    ColorFilterCase(type: "hueRotate", numbers: ["inputAngle": 2 * .pi]) { $0 },
    ColorFilterCase(type: "multiplyColor", color: [0.5, 1, 0.25, 0.5]) {
      $0 * SIMD4(0.5, 1, 0.25, 0.5)
    },
    // Green from red, blue from the inverse of blue, red from alpha.
    ColorFilterCase(
      type: "colorMatrix",
      matrix: [0, 0, 0, 0.5, 0.125, 1, 0, 0, 0, 0, 0, 0, -1, 0, 1, 0, 0, 0, 0.75, 0]
    ) { c in SIMD4(0.5 * c.w + 0.125, c.x, 1 - c.z, 0.75 * c.w) },
  ]
}

@Suite("Filters of colours")
struct ColorFilterTests {
  private static let colors: [SIMD4<Double>] = [
    [1, 0, 0, 1], [0.2, 0.6, 0.4, 1], [1, 1, 1, 1], [0, 0, 0, 1], [0.8, 0.4, 0.2, 0.6],
    [0.2, 0.2, 1, 0.2],
  ]

  private func image(_ filters: [CAFilter], of colors: [SIMD4<Double>]) throws -> CGImage {
    let cards = colors.enumerated().map { place, color in
      let card = FilterStage.card(CGRect(x: place * 4, y: 0, width: 4, height: 4), color)
      card.filters = filters
      return card
    }
    return try FilterStage.image(colors.count * 4, 4, cards)
  }

  @Test("Straight components go through each filter's formula", arguments: ColorFilterCase.all)
  func formula(_ filter: ColorFilterCase) throws {
    let image = try image([filter.filter], of: Self.colors)
    for (place, color) in Self.colors.enumerated() {
      let cut = filter.expected(color).clamped(
        lowerBound: .zero, upperBound: SIMD4(repeating: 1))
      let found = image.channels(place * 4 + 1, 1)
      // Straight components come from premultiplied 8 bits, so their error grows as alpha falls.
      let slack = 1 / color.w
      #expect(
        found.distance(to: cut.premultiplied) <= slack,
        "\(color) became \(found), not \(cut.premultiplied)")
    }
  }

  @Test("Filters act one after the other, and what one cuts off stays off")
  func order() throws {
    let darker = FilterStage.filter("colorBrightness", ["inputAmount": -0.5])
    let brighter = FilterStage.filter("colorBrightness", ["inputAmount": 0.5])
    let inverted = FilterStage.filter("colorInvert")
    let color: SIMD4<Double> = [0.2, 0.6, 0.8, 1]
    func shown(_ filters: [CAFilter]) throws -> SIMD4<Double> {
      try image(filters, of: [color]).channels(1, 1)
    }
    let cases: [([CAFilter], SIMD4<Double>)] = [
      ([darker, brighter], [0.5, 0.6, 0.8, 1]), ([brighter, darker], [0.2, 0.5, 0.5, 1]),
      ([inverted, darker], [0.3, 0, 0, 1]), ([darker, inverted], [1, 0.9, 0.7, 1]),
      ([inverted, inverted], color),
    ]
    for (filters, expected) in cases {
      let found = try shown(filters)
      #expect(found.distance(to: expected.premultiplied) <= 1, "\(found), not \(expected)")
    }
  }

  @Test("What is transparent stays so, whatever a filter adds")
  func transparent() throws {
    let matrix = [1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 1, 1.0]
    let group = FilterStage.card(CGRect(x: 2, y: 0, width: 8, height: 4))
    group.addSublayer(FilterStage.card(CGRect(x: 4, y: 0, width: 8, height: 4), [0, 0, 0, 0.5]))
    group.filters = [FilterStage.filter("colorMatrix", ["inputColorMatrix": matrix])]
    let image = try FilterStage.image(20, 4, [group])
    for x in 0..<20 {
      #expect(image.channels(x, 1) == SIMD4(repeating: (6..<14).contains(x) ? 255 : 0))
    }
  }

  @Test("A layer is filtered with all in it, and its opacity, mask and outline come after")
  func picture() throws {
    func group(_ change: (CALayer) -> Void) throws -> CGImage {
      let group = FilterStage.card(CGRect(x: 4, y: 4, width: 24, height: 24), [1, 0.6, 0.2, 1])
      let inner = FilterStage.card(CGRect(x: 12, y: 6, width: 20, height: 8), [0.2, 0.4, 1, 1])
      group.addSublayer(inner)
      group.borderWidth = 2
      group.borderColor = CGColor(red: 0.2, green: 0, blue: 0.4, alpha: 1)
      change(group)
      return try FilterStage.image(40, 32, [group])
    }
    let inverted = [FilterStage.filter("colorInvert")]
    func mask() -> CALayer {
      FilterStage.card(CGRect(x: 3, y: 3, width: 15, height: 15), [0, 0, 0, 0.5])
    }
    let looks: [(String, (CALayer) -> Void)] = [
      ("plain", { _ in }), ("faded", { $0.opacity = 0.5 }), ("masked", { $0.mask = mask() }),
      ("clipped", { $0.masksToBounds = true }),
      (
        "clipped round",
        {
          $0.masksToBounds = true
          $0.cornerRadius = 7
        }
      ),
    ]
    for (name, look) in looks {
      let plain = try group(look)
      let filtered = try group {
        look($0)
        $0.filters = inverted
      }
      for y in 0..<32 {
        for x in 0..<40 {
          let (a, b) = (plain.channels(x, y), filtered.channels(x, y))
          let expected = SIMD4(a.w - a.x, a.w - a.y, a.w - a.z, a.w)
          guard b.distance(to: expected) > 2 else { continue }
          Issue.record("\(name): \(b) at \(x), \(y), not \(expected)")
          return
        }
      }
    }
  }

  @Test("A filter that is not enabled does nothing, nor does one that changes nothing")
  func nothing() throws {
    let disabled = FilterStage.filter("colorInvert")
    disabled.isEnabled = false
    let color: SIMD4<Double> = [0.2, 0.6, 0.8, 1]
    let plain = try image([], of: [color])
    for filter in [disabled] + FilterStage.neutral {
      try expectEqual(try image([filter], of: [color]), plain, filter.type)
    }
  }
}

extension FilterStage {
  /// Every filter with its default inputs, except the blur.
  fileprivate static var neutral: [CAFilter] {
    ["colorMatrix", "colorSaturate", "colorBrightness", "colorContrast", "multiplyColor"].map {
      filter($0)
    } + [blur(0)]
  }
}
