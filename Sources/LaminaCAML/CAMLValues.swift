import Foundation
import Lamina

/// Reads values from a document's text. Each function returns nil for text that is not such a
/// value. No text makes a function trap, or a finite number infinite.
enum CAMLText {
  /// The largest magnitude that a length, an angle or a factor may have. Larger ones mean nothing
  /// on a screen and leave no digits for fractions of a pixel.
  static let largestMagnitude = 1e9

  /// A number as a document writes it: `1`, `1e-100`, `inf`, `+infinity`. Never NaN.
  static func anyNumber(_ text: some StringProtocol) -> Double? {
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    // Double's own parser also takes hexadecimal and NaN.
    guard trimmed.allSatisfy({ "+-.0123456789eEinftyINFTY".contains($0) }),
      let number = Double(trimmed), !number.isNaN
    else { return nil }
    return number
  }

  /// A finite number of at most `largestMagnitude`.
  static func number(_ text: some StringProtocol) -> Double? {
    guard let number = anyNumber(text), abs(number) <= largestMagnitude else { return nil }
    return number
  }

  /// A number of at most 32 bits, without its fraction.
  static func integer(_ text: some StringProtocol) -> Int? {
    guard let number = anyNumber(text), abs(number) <= Double(UInt32.max) else { return nil }
    return Int(number.rounded(.towardZero))
  }

  /// `0` and `1`, or a word.
  static func bool(_ text: some StringProtocol) -> Bool? {
    switch text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased() {
    case "1", "true", "yes": true
    case "0", "false", "no": false
    default: number(text).map { $0 != 0 }
    }
  }

  /// Numbers separated by white space or commas.
  static func numbers(_ text: some StringProtocol) -> [Double]? {
    var numbers: [Double] = []
    for part in text.split(whereSeparator: { $0.isWhitespace || $0 == "," }) {
      guard let number = number(part) else { return nil }
      numbers.append(number)
    }
    return numbers
  }

  /// `matrix(` numbers `)`, as colour matrices are written.
  static func matrix(_ text: some StringProtocol) -> [Double]? {
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard trimmed.hasPrefix("matrix("), trimmed.hasSuffix(")") else { return nil }
    return numbers(trimmed.dropFirst(7).dropLast())
  }

  private static func numbers(_ text: some StringProtocol, count: Int) -> [Double]? {
    guard let numbers = numbers(text), numbers.count == count else { return nil }
    return numbers
  }

  /// `x y`.
  static func point(_ text: some StringProtocol) -> CGPoint? {
    numbers(text, count: 2).map { CGPoint(x: $0[0], y: $0[1]) }
  }

  /// `width height`.
  static func size(_ text: some StringProtocol) -> CGSize? {
    numbers(text, count: 2).map { CGSize(width: $0[0], height: $0[1]) }
  }

  /// `x y width height`.
  static func rect(_ text: some StringProtocol) -> CGRect? {
    numbers(text, count: 4).map { CGRect(x: $0[0], y: $0[1], width: $0[2], height: $0[3]) }
  }

  /// `r g b`, `r g b a`, `gray` or `gray a`. `opacity`, if given, multiplies the alpha. `space` is
  /// one of `colorSpaces`, or else sRGB.
  static func color(
    _ text: some StringProtocol, opacity: Double? = nil, space: String? = nil
  ) -> CGColor? {
    guard let c = numbers(text), (1...4).contains(c.count) else { return nil }
    let alpha = (c.count.isMultiple(of: 2) ? c[c.count - 1] : 1) * (opacity ?? 1)
    let isGray = c.count < 3
    let (red, green, blue) = isGray ? (c[0], c[0], c[0]) : (c[0], c[1], c[2])
    guard let name = space.flatMap({ colorSpaces[$0] }), let space = CGColorSpace(name: name) else {
      return CGColor(red: red, green: green, blue: blue, alpha: alpha)
    }
    let components =
      space.numberOfComponents == 1 ? [red, alpha] : [red, green, blue, alpha]
    return CGColor(colorSpace: space, components: components.map { CGFloat($0) })
  }

  /// The colour spaces other than sRGB, by their names in documents.
  static let colorSpaces = [
    "extendedSRGB": CGColorSpace.extendedSRGB, "displayP3": CGColorSpace.displayP3,
    "gray": CGColorSpace.genericGrayGamma2_2,
  ]
}

extension CAMLText {
  /// A sequence of transform functions, the last of which is applied first, as in a chain of calls
  /// such as `CATransform3DRotate`. The empty sequence is the identity.
  static func transform(_ text: some StringProtocol) -> CATransform3D? {
    var transform = CATransform3DIdentity
    var rest = Substring(text.trimmingCharacters(in: .whitespacesAndNewlines))
    while !rest.isEmpty {
      guard let open = rest.firstIndex(of: "("), let close = rest[open...].firstIndex(of: ")"),
        let next = function(
          rest[..<open].trimmingCharacters(in: .whitespacesAndNewlines),
          rest[rest.index(after: open)..<close])
      else { return nil }
      transform = CATransform3DConcat(next, transform)
      rest = rest[rest.index(after: close)...].drop { $0.isWhitespace || $0 == "," }
    }
    return transform.rowElements.allSatisfy(\.isFinite) ? transform : nil
  }

  private static func function(_ name: String, _ text: Substring) -> CATransform3D? {
    if name == "rotate" { return rotation(text) }
    guard let a = numbers(text) else { return nil }
    switch (name, a.count) {
    case ("scale", 1): return CATransform3DMakeScale(a[0], a[0], 1)
    case ("scale", 2): return CATransform3DMakeScale(a[0], a[1], 1)
    case ("scale", 3): return CATransform3DMakeScale(a[0], a[1], a[2])
    case ("translate", 2): return CATransform3DMakeTranslation(a[0], a[1], 0)
    case ("translate", 3): return CATransform3DMakeTranslation(a[0], a[1], a[2])
    case ("perspective", 1):
      guard a[0] != 0 else { return nil }
      var perspective = CATransform3DIdentity
      perspective.m34 = -1 / a[0]
      return perspective
    case ("matrix", 16):
      return CATransform3D(
        m11: a[0], m12: a[1], m13: a[2], m14: a[3], m21: a[4], m22: a[5], m23: a[6], m24: a[7],
        m31: a[8], m32: a[9], m33: a[10], m34: a[11], m41: a[12], m42: a[13], m43: a[14],
        m44: a[15])
    default: return nil
    }
  }

  /// A rotation by `30deg` or `0.5rad`, about z or about the axis that follows. A number without a
  /// unit is in degrees.
  private static func rotation(_ text: Substring) -> CATransform3D? {
    let parts = text.split(whereSeparator: { $0.isWhitespace || $0 == "," })
    guard let first = parts.first, parts.count == 1 || parts.count == 4 else { return nil }
    let inRadians = first.hasSuffix("rad")
    let digits = inRadians || first.hasSuffix("deg") ? first.dropLast(3) : first
    guard let angle = number(digits) else { return nil }
    let axis = parts.dropFirst().compactMap { number($0) }
    guard axis.count == parts.count - 1 else { return nil }
    let radians = inRadians ? angle : angle * .pi / 180
    return axis.isEmpty
      ? CATransform3DMakeRotation(radians, 0, 0, 1)
      : CATransform3DMakeRotation(radians, axis[0], axis[1], axis[2])
  }
}

extension CATransform3D {
  /// m11, m12 … m44.
  var rowElements: [CGFloat] {
    [m11, m12, m13, m14, m21, m22, m23, m24, m31, m32, m33, m34, m41, m42, m43, m44]
  }
}

extension CAMLText {
  /// The presets of timing functions, by their names in documents. Writing takes the first name.
  static let timingFunctions: [(name: String, preset: CAMediaTimingFunctionName)] = [
    ("linear", .linear), ("easeIn", .easeIn), ("easeOut", .easeOut),
    ("easeInEaseOut", .easeInEaseOut), ("easeInOut", .easeInEaseOut), ("default", .default),
  ]
}
