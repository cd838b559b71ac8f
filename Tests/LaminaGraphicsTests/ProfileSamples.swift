import CColor
import Foundation

/// Colour profiles, and image files that have them.
enum ProfileSamples {
  static let adobePrimaries = cmsCIExyYTRIPLE(
    Red: cmsCIExyY(x: 0.64, y: 0.33, Y: 1), Green: cmsCIExyY(x: 0.21, y: 0.71, Y: 1),
    Blue: cmsCIExyY(x: 0.15, y: 0.06, Y: 1))
  static let displayP3Primaries = cmsCIExyYTRIPLE(
    Red: cmsCIExyY(x: 0.68, y: 0.32, Y: 1), Green: cmsCIExyY(x: 0.265, y: 0.69, Y: 1),
    Blue: cmsCIExyY(x: 0.15, y: 0.06, Y: 1))

  /// The bytes of a profile with white at D65; without a gamma, with sRGB's curve.
  static func rgb(_ primaries: cmsCIExyYTRIPLE, gamma: Double? = nil) -> [UInt8] {
    var (white, primaries) = (cmsCIExyY(x: 0.3127, y: 0.3290, Y: 1), primaries)
    let curve = curve(gamma: gamma)
    defer { cmsFreeToneCurve(curve) }
    var curves = [curve, curve, curve]
    return bytes(of: cmsCreateRGBProfile(&white, &primaries, &curves))
  }

  static let displayP3 = rgb(displayP3Primaries)
  static let adobeRGB = rgb(adobePrimaries, gamma: 2.2)
  static var sRGB: [UInt8] { bytes(of: cmsCreate_sRGBProfile()) }

  static func gray(gamma: Double) -> [UInt8] {
    var white = cmsCIExyY(x: 0.3127, y: 0.3290, Y: 1)
    let curve = curve(gamma: gamma)
    defer { cmsFreeToneCurve(curve) }
    return bytes(of: cmsCreateGrayProfile(&white, curve))
  }

  /// A profile that limits inks, which describes no pixels.
  static var inkLimit: [UInt8] { bytes(of: cmsCreateInkLimitingDeviceLink(cmsSigCmykData, 300)) }

  private static func curve(gamma: Double?) -> OpaquePointer? {
    gamma.map { cmsBuildGamma(nil, $0) }
      ?? cmsBuildParametricToneCurve(nil, 4, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
  }

  private static func bytes(of profile: cmsHPROFILE?) -> [UInt8] {
    defer { cmsCloseProfile(profile) }
    var count: UInt32 = 0
    cmsSaveProfileToMem(profile, nil, &count)
    var bytes = [UInt8](repeating: 0, count: Int(count))
    cmsSaveProfileToMem(profile, &bytes, &count)
    return bytes
  }

  // MARK: - Files

  private static func big(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(name.utf8) + data
    var crc: UInt32 = .max
    for byte in body {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xedb8_8320 : crc >> 1 }
    }
    return big(data.count) + body + big(Int(~crc))
  }

  /// zlib's form of bytes, uncompressed.
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var (a, b, result): (Int, Int, [UInt8]) = (1, 0, [0x78, 1])
    for byte in bytes {
      a = (a + Int(byte)) % 65_521
      b = (b + a) % 65_521
    }
    var rest = bytes[...]
    repeat {
      let part = rest.prefix(65_535)
      rest = rest.dropFirst(part.count)
      let (low, high) = (UInt8(part.count & 255), UInt8(part.count >> 8))
      result += [rest.isEmpty ? 1 : 0, low, high, ~low, ~high] + part
    } while !rest.isEmpty
    return result + big(b << 16 | a)
  }

  /// The PNG with a profile in the place of what it says of its colours.
  static func png(_ file: Data, profile: [UInt8]) -> Data {
    pngReplacing(file, with: chunk("iCCP", Array("profile".utf8) + [0, 0] + stored(profile)))
  }

  /// The PNG with a profile chunk that cannot be unpacked.
  static func png(_ file: Data, damagedProfile: [UInt8]) -> Data {
    pngReplacing(file, with: chunk("iCCP", damagedProfile))
  }

  private static func pngReplacing(_ file: Data, with new: [UInt8]) -> Data {
    let bytes = [UInt8](file)
    var (result, position) = (Array(bytes.prefix(8)), 8)
    while position + 12 <= bytes.count {
      let length = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
      let name = String(decoding: bytes[position + 4..<position + 8], as: UTF8.self)
      if !["sRGB", "gAMA", "cHRM"].contains(name) {
        result += bytes[position..<position + length + 12]
      }
      if name == "IHDR" { result += new }
      position += length + 12
    }
    return Data(result)
  }

  /// The JPEG with a profile in many segments, in reverse order; without that of
  /// number `missing`.
  static func jpeg(_ file: [UInt8], profile: [UInt8], missing: Int? = nil) -> Data {
    // There are at most 255.
    let length = max(200, profile.count / 250 + 1)
    let parts = stride(from: 0, to: profile.count, by: length).map {
      profile[$0..<min($0 + length, profile.count)]
    }
    var result = Array(file.prefix(2))
    for (index, part) in parts.enumerated().reversed() where index + 1 != missing {
      let data = Array("ICC_PROFILE".utf8) + [0, UInt8(index + 1), UInt8(parts.count)] + part
      let length = data.count + 2
      result += [0xff, 0xe2, UInt8(length >> 8), UInt8(length & 255)] + data
    }
    return Data(result + file.dropFirst(2))
  }

  /// The WebP in an extended container with a profile.
  static func webP(_ file: [UInt8], profile: [UInt8], width: Int, height: Int, hasAlpha: Bool)
    -> Data
  {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    let padding: [UInt8] = profile.count % 2 == 1 ? [0] : []
    var chunks: [UInt8] = Array("VP8X".utf8) + little(10, 4)
    chunks += [hasAlpha ? 0x30 : 0x20, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3)
    chunks += Array("ICCP".utf8) + little(profile.count, 4) + profile + padding
    chunks += file.dropFirst(12)
    return Data(Array("RIFF".utf8) + little(chunks.count + 4, 4) + Array("WEBP".utf8) + chunks)
  }
}
