import Foundation

/// An affine map of straight colours. Red, green, blue and alpha each have a row: four factors for
/// the four components, and a summand.
package struct ColorMatrix: Hashable, Sendable {
  /// One column for each input component.
  package var columns: [SIMD4<Double>]
  package var bias: SIMD4<Double>

  package init(columns: [SIMD4<Double>], bias: SIMD4<Double>) {
    self.columns = columns
    self.bias = bias
  }

  /// Takes four rows of five numbers; nil for another count or if a number is not finite.
  package init?(_ rows: [Double]) {
    guard rows.count == 20, rows.allSatisfy(\.isFinite) else { return nil }
    func column(_ i: Int) -> SIMD4<Double> { [rows[i], rows[5 + i], rows[10 + i], rows[15 + i]] }
    self.init(columns: (0..<4).map(column), bias: column(4))
  }

  package static let identity = scaling(SIMD4(repeating: 1))

  package static func scaling(_ factors: SIMD4<Double>) -> ColorMatrix {
    ColorMatrix(
      columns: (0..<4).map { i in
        var column = SIMD4<Double>.zero
        column[i] = factors[i]
        return column
      }, bias: .zero)
  }

  /// The four rows of five numbers, one after the other.
  package var numbers: [Double] {
    (0..<4).flatMap { row in columns.map { $0[row] } + [bias[row]] }
  }

  /// Returns the map that applies this one first, then `other`.
  package func followed(by other: ColorMatrix) -> ColorMatrix {
    ColorMatrix(
      columns: columns.map { other.linear($0) }, bias: other.linear(bias) + other.bias)
  }

  private func linear(_ v: SIMD4<Double>) -> SIMD4<Double> {
    columns[0] * v.x + columns[1] * v.y + columns[2] * v.z + columns[3] * v.w
  }

  /// Whether every colour with components in 0…1 stays in that range.
  package var staysInRange: Bool {
    let zero = SIMD4<Double>.zero
    var (least, most) = (bias, bias)
    for column in columns {
      least += pointwiseMin(column, zero)
      most += pointwiseMax(column, zero)
    }
    return least.min() >= -1e-9 && most.max() <= 1 + 1e-9
  }

  /// Whether alpha is only multiplied, by more than 0 and at most 1.
  package var scalesAlpha: Bool {
    columns[0].w == 0 && columns[1].w == 0 && columns[2].w == 0 && bias.w == 0
      && columns[3].w > 0 && columns[3].w <= 1
  }
}

extension ColorMatrix {
  // The luminance factors of sRGB's primaries, and the matrices, are those of feColorMatrix in the
  // W3C's "Filter Effects".
  private static let luminance = SIMD3(0.213, 0.715, 0.072)

  /// Takes the rows for red, green and blue; alpha stays.
  private init(_ r: SIMD3<Double>, _ g: SIMD3<Double>, _ b: SIMD3<Double>) {
    self.init(
      columns: [
        [r.x, g.x, b.x, 0], [r.y, g.y, b.y, 0], [r.z, g.z, b.z, 0], [0, 0, 0, 1],
      ], bias: .zero)
  }

  package static func saturation(_ amount: Double) -> ColorMatrix {
    let gray = luminance * (1 - amount)
    return ColorMatrix(
      gray + SIMD3(amount, 0, 0), gray + SIMD3(0, amount, 0), gray + SIMD3(0, 0, amount))
  }

  package static func brightness(_ amount: Double) -> ColorMatrix {
    var matrix = identity
    matrix.bias = [amount, amount, amount, 0]
    return matrix
  }

  package static func contrast(_ amount: Double) -> ColorMatrix {
    var matrix = scaling([amount, amount, amount, 1])
    let middle = 0.5 - 0.5 * amount
    matrix.bias = [middle, middle, middle, 0]
    return matrix
  }

  package static let inversion = contrast(-1)

  /// `angle` is in radians.
  package static func hueRotation(_ angle: Double) -> ColorMatrix {
    let (c, s) = (cos(angle), sin(angle))
    let l = luminance
    func row(_ own: SIMD3<Double>, _ turned: SIMD3<Double>) -> SIMD3<Double> {
      l + (own - l) * c + turned * s
    }
    return ColorMatrix(
      row([1, 0, 0], [-l.x, -l.y, 1 - l.z]), row([0, 1, 0], [0.143, 0.140, -0.283]),
      row([0, 0, 1], [l.x - 1, l.y, l.z]))
  }
}

extension FilterValues {
  /// The matrix of a colour filter; nil for other filters and for invalid inputs.
  package var colorMatrix: ColorMatrix? {
    switch FilterKind(type: type) {
    case .colorMatrix:
      guard case .numbers(let numbers)? = self["inputColorMatrix"] else { return nil }
      return ColorMatrix(numbers)
    case .colorSaturate: return .saturation(number("inputAmount"))
    case .colorBrightness: return .brightness(number("inputAmount"))
    case .colorContrast: return .contrast(number("inputAmount"))
    case .colorHueRotate: return .hueRotation(number("inputAngle"))
    case .colorInvert: return .inversion
    case .multiplyColor:
      guard case .color(let color)? = self["inputColor"] else { return nil }
      let (red, green, blue, alpha) = color.extendedSRGB
      return .scaling([red, green, blue, alpha])
    case .gaussianBlur, .variableBlur, nil: return nil
    }
  }
}
