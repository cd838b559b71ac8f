import Foundation
import Lamina

/// The colour behind the document, or none.
enum Background: Equatable {
  case none
  case color(CGColor)
}

/// Reads the values of flags. Each error names the flag.
extension ParsedArguments {
  /// A finite number from -`limit` to `limit`; nil if the flag is not given.
  func number(_ option: String, limit: Double = 1e9) throws(UsageError) -> Double? {
    guard let text = value(option) else { return nil }
    guard let number = Double(text), number.isFinite, abs(number) <= limit else {
      throw UsageError("\(option): \"\(text)\" is not a number")
    }
    return number
  }

  func positiveNumber(_ option: String, limit: Double = 1e9) throws(UsageError) -> Double? {
    guard let number = try number(option, limit: limit) else { return nil }
    guard number > 0 else { throw UsageError("\(option): \(number) is not above 0") }
    return number
  }

  func integer(_ option: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = value(option) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        "\(option): \"\(text)\" is no whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A number of bytes, or with a suffix of 2¹⁰, 2²⁰ or 2³⁰ bytes.
  func byteCount(_ option: String) throws(UsageError) -> Int? {
    guard let text = value(option) else { return nil }
    let units: [Character: Int] = ["K": 10, "M": 20, "G": 30]
    let unit = text.uppercased().last.flatMap { units[$0] }
    let digits = unit == nil ? Substring(text) : text.dropLast()
    guard let number = Int(digits), number > 0, number <= 1 << 30 else {
      throw UsageError("\(option): \"\(text)\" is not a size such as 512M or 2G")
    }
    return number << (unit ?? 0)
  }

  /// `WxH`.
  func size(_ option: String) throws(UsageError) -> CGSize? {
    guard let text = value(option) else { return nil }
    let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Double($0) }.filter { $0.isFinite && $0 > 0 && $0 <= 1e6 }
    guard parts.count == 2, numbers.count == 2 else {
      throw UsageError("\(option): \"\(text)\" is not a size such as 640x480")
    }
    return CGSize(width: numbers[0], height: numbers[1])
  }

  /// `A-B`.
  func frames(_ option: String) throws(UsageError) -> ClosedRange<Int>? {
    guard let text = value(option) else { return nil }
    guard let frames = frameRange(text) else {
      throw UsageError("\(option): \"\(text)\" is not a range of frames such as 0-299")
    }
    return frames
  }

  func background(_ option: String) throws(UsageError) -> Background? {
    guard let text = value(option) else { return nil }
    if text.lowercased() == "none" { return Background.none }
    guard let color = CGColor(argument: text) else {
      throw UsageError(
        "\(option): \"\(text)\" is no colour: #rgb, #rrggbb, #rrggbbaa, r,g,b[,a], a name or none")
    }
    return .color(color)
  }

  func overlay(_ option: String) throws(UsageError) -> CARenderer.DebugOverlay? {
    guard let text = value(option) else { return nil }
    guard let overlay = CARenderer.DebugOverlay(rawValue: text) else {
      throw UsageError("\(option): \"\(text)\" is not blended, offscreen, cache or updates")
    }
    return overlay
  }
}

extension CGColor {
  /// `#rgb`, `#rgba`, `#rrggbb`, `#rrggbbaa`, three or four numbers from 0 to 1 separated by
  /// commas, or one of CSS's basic names.
  init?(argument text: String) {
    if text.hasPrefix("#") {
      self.init(hexadecimal: String(text.dropFirst()))
    } else if text.contains(",") {
      let parts = text.split(separator: ",", omittingEmptySubsequences: false)
      let c = parts.compactMap { Double($0.trimmingCharacters(in: .whitespaces)) }
      guard c.count == parts.count, c.count == 3 || c.count == 4,
        c.allSatisfy({ (0...1).contains($0) })
      else { return nil }
      self.init(red: c[0], green: c[1], blue: c[2], alpha: c.count == 4 ? c[3] : 1)
    } else if let hexadecimal = Self.hexadecimalByName[text.lowercased()] {
      self.init(hexadecimal: hexadecimal)
    } else {
      return nil
    }
  }

  private init?(hexadecimal: String) {
    let digits = hexadecimal.compactMap(\.hexDigitValue)
    guard digits.count == hexadecimal.count, [3, 4, 6, 8].contains(digits.count) else { return nil }
    let bytes =
      digits.count < 6
      ? digits.map { $0 * 17 }
      : stride(from: 0, to: digits.count, by: 2).map { digits[$0] * 16 + digits[$0 + 1] }
    let c = bytes.map { Double($0) / 255 }
    self.init(red: c[0], green: c[1], blue: c[2], alpha: c.count == 4 ? c[3] : 1)
  }

  private static let hexadecimalByName = [
    "black": "000", "white": "fff", "gray": "808080", "grey": "808080", "silver": "c0c0c0",
    "red": "f00", "maroon": "800000", "orange": "ffa500", "yellow": "ff0", "olive": "808000",
    "lime": "0f0", "green": "008000", "aqua": "0ff", "cyan": "0ff", "teal": "008080",
    "blue": "00f", "navy": "000080", "fuchsia": "f0f", "magenta": "f0f", "purple": "800080",
    "pink": "ffc0cb", "transparent": "0000",
  ]
}
