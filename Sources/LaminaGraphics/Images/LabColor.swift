import Foundation
import LaminaValues

/// A colour in CIELAB, for sRGB's white (D65): lightness from 0 to 100, then how red or green, and
/// how yellow or blue it is.
struct LabColor {
  var lightness: Double
  var a: Double
  var b: Double
}

extension LabColor {
  /// A straight sRGB pixel over an opaque gray of that level.
  init(_ pixel: SIMD4<UInt8>, over gray: UInt8) {
    func level(_ channel: UInt8) -> Double {
      let alpha = Double(pixel.w) / 255
      return (Double(channel) * alpha + Double(gray) * (1 - alpha)) / 255
    }
    self.init(red: level(pixel.x), green: level(pixel.y), blue: level(pixel.z))
  }

  /// A colour of sRGB, from its components from 0 to 1.
  init(red: Double, green: Double, blue: Double) {
    let (r, g, b) = (CGColor.linear(red), CGColor.linear(green), CGColor.linear(blue))
    // CIE XYZ, each over that of white.
    let x = (0.4123908 * r + 0.3575843 * g + 0.1804808 * b) / 0.9504559
    let y = 0.2126390 * r + 0.7151687 * g + 0.0721923 * b
    let z = (0.0193308 * r + 0.1191948 * g + 0.9505322 * b) / 1.0890578
    let (fx, fy, fz) = (Self.root(x), Self.root(y), Self.root(z))
    lightness = 116 * fy - 16
    a = 500 * (fx - fy)
    self.b = 200 * (fy - fz)
  }

  /// The cube root, and a line near 0.
  private static func root(_ t: Double) -> Double {
    t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116
  }

  /// ΔE of CIE 1994, with the weights for graphic arts, from this colour as the reference.
  func difference(from other: LabColor) -> Double {
    let (chroma, otherChroma) = (hypot(a, b), hypot(other.a, other.b))
    let lightness = lightness - other.lightness
    let byChroma = chroma - otherChroma
    let (da, db) = (a - other.a, b - other.b)
    let byHue = max(da * da + db * db - byChroma * byChroma, 0)
    let (weightC, weightH) = (1 + 0.045 * chroma, 1 + 0.015 * chroma)
    return
      (lightness * lightness + byChroma * byChroma / (weightC * weightC)
      + byHue / (weightH * weightH)).squareRoot()
  }
}
