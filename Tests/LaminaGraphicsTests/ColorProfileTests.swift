import Foundation
import LaminaGraphics
import LaminaValues
import TestSupport
import Testing

@Suite("Colour profiles of image files")
struct ColorProfileTests {
  /// Opaque colours, grays among them.
  static let colors: [[UInt8]] = [
    [255, 0, 0], [0, 255, 0], [0, 0, 255], [200, 100, 50], [20, 200, 120], [128, 128, 128],
    [255, 255, 255], [0, 0, 0], [240, 30, 200], [3, 9, 1],
  ]

  /// One row of the colours, each so many pixels wide.
  private func row(repeating count: Int = 1, alpha: UInt8 = 255) -> [UInt8] {
    Self.colors.flatMap { color in (0..<count).flatMap { _ in color + [alpha] } }
  }

  private func read(_ file: Data, wants16Bits: Bool = false) throws -> CGImage {
    try CGImage(data: file, named: "sample", wants16Bits: wants16Bits)
  }

  /// Calls `body` and returns what it warned of.
  private func warnings(_ body: () throws -> Void) rethrows -> [String] {
    let lines = Lock<[String]>([])
    try Warnings.$current.withValue(
      Warnings { line in lines.withLock { $0.append(line) } }, operation: body)
    return lines.withLock { $0 }
  }

  private func png(_ profile: [UInt8], alpha: UInt8 = 255) throws -> Data {
    let image = try CGImage(
      width: Self.colors.count, height: 1, unpremultipliedRGBA: row(alpha: alpha))
    return ProfileSamples.png(try image.pngData(), profile: profile)
  }

  /// A colour's bytes in sRGB, by the matrix from Display P3.
  private func sRGB(_ color: [UInt8]) -> [Int] {
    let c = color.map { Double($0) / 255 }
    let (red, green, blue, _) = CGColor(kind: .displayP3, c[0], c[1], c[2], alpha: 1).extendedSRGB
    return [red, green, blue].map { Int((min(max($0, 0), 1) * 255).rounded()) }
  }

  private func expect(
    _ image: CGImage, within tolerance: Int = 1, step: Int = 1, _ expected: ([UInt8]) -> [Int]
  ) {
    let pixels = image.unpremultipliedRGBA
    for (index, color) in Self.colors.enumerated() {
      let start = (index * step + step / 2) * 4
      let difference = zip(pixels[start..<start + 3], expected(color)).map { abs(Int($0) - $1) }
      #expect(
        difference.allSatisfy { $0 <= tolerance },
        "\(color): \(Array(pixels[start..<start + 3])), not \(expected(color))")
    }
  }

  /// The image drawn on a bitmap of sRGB.
  private func drawn(_ image: CGImage) throws -> CGImage {
    try drawing(image.width, image.height) {
      $0.draw(image, in: CGRect(x: 0, y: 0, width: image.width, height: image.height))
    }
  }

  @Test("A Display P3 image stays in its space, and its sRGB is what the matrix says")
  func displayP3() throws {
    let image = try read(png(ProfileSamples.displayP3))
    #expect(image.colorSpace?.name == CGColorSpace.displayP3)
    expect(image, within: 0) { $0.map(Int.init) }
    expect(CGImage(image.sRGBBuffer), sRGB)
    expect(try drawn(image), sRGB)
    expect(try read(image.pngData()), sRGB)
  }

  @Test("With an alpha, a Display P3 image's sRGB is what the matrix says, too")
  func transparent() throws {
    let image = try read(png(ProfileSamples.displayP3, alpha: 180))
    #expect(image.colorSpace?.name == CGColorSpace.displayP3)
    expect(CGImage(image.sRGBBuffer), within: 2, sRGB)
    #expect(image.pixel(x: 0, y: 0).alpha == 180)
  }

  @Test("Another profile is converted to sRGB")
  func adobeRGB() throws {
    func expected(_ color: [UInt8]) -> [Int] {
      let linear = color.map { pow(Double($0) / 255, 2.2) }
      // Linear Adobe RGB to linear sRGB, both D65.
      let converted = [
        1.3983557 * linear[0] - 0.3983557 * linear[1], linear[1],
        -0.0429290 * linear[1] + 1.0429290 * linear[2],
      ]
      return converted.map { Int((CGColor.encoded(min(max($0, 0), 1)) * 255).rounded()) }
    }
    let image = try read(png(ProfileSamples.adobeRGB))
    #expect(image.colorSpace?.name == CGColorSpace.sRGB)
    expect(image, within: 2, expected)
    let faint = try read(png(ProfileSamples.adobeRGB, alpha: 200))
    #expect(faint.pixel(x: 4, y: 0).alpha == 200)
    expect(faint, within: 3, expected)
  }

  @Test("A profile of sRGB changes no byte")
  func sRGBProfile() throws {
    let image = try read(png(ProfileSamples.sRGB))
    #expect(image.colorSpace?.name == CGColorSpace.sRGB)
    expect(image, within: 0) { $0.map(Int.init) }
    #expect(image.sRGBBuffer === image.buffer)
  }

  @Test("JPEGs have profiles in numbered parts, whatever their order")
  func jpeg() throws {
    let file = ImageSamples.jpeg(
      width: Self.colors.count * 16, height: 1, rgba: row(repeating: 16))
    let image = try read(ProfileSamples.jpeg(file, profile: ProfileSamples.displayP3))
    #expect(image.colorSpace?.name == CGColorSpace.displayP3)
    expect(CGImage(image.sRGBBuffer), within: 5, step: 16, sRGB)
    var damaged: CGImage?
    let said = try warnings {
      damaged = try read(
        ProfileSamples.jpeg(file, profile: ProfileSamples.displayP3, missing: 2))
    }
    #expect(said.count == 1 && said[0].contains("its colour profile is damaged"))
    expect(try #require(damaged), within: 5, step: 16) { $0.map(Int.init) }
  }

  @Test("WebPs have profiles, with and without an alpha", arguments: [255, 128] as [UInt8])
  func webP(alpha: UInt8) throws {
    let count = Self.colors.count
    let file = ImageSamples.webP(
      width: count, height: 1, rgba: row(alpha: alpha), isLossless: true)
    let image = try read(
      ProfileSamples.webP(
        file, profile: ProfileSamples.displayP3, width: count, height: 1, hasAlpha: alpha < 255))
    #expect(image.colorSpace?.name == CGColorSpace.displayP3)
    expect(CGImage(image.sRGBBuffer), within: alpha == 255 ? 1 : 3, sRGB)
    #expect(image.pixel(x: 0, y: 0).alpha == alpha)
  }

  @Test("Gray files have profiles of grays")
  func gray() throws {
    // 16 bits of gray: 128 and 18 of 255.
    let file = ProfileSamples.png(
      Data(ImageSamples.gray16), profile: ProfileSamples.gray(gamma: 1))
    let image = try read(file)
    let expected = [128, 18].map {
      UInt8((CGColor.encoded(Double($0) / 255) * 255).rounded())
    }
    for (x, level) in expected.enumerated() {
      let (blue, green, red, _) = image.pixel(x: x, y: 0)
      #expect(abs(Int(red) - Int(level)) <= 1 && red == green && green == blue)
    }
    let deep = try read(file, wants16Bits: true)
    #expect(deep.colorSpace?.name == CGColorSpace.extendedSRGB)
    #expect(abs(Int(deep.pixel(x: 0, y: 0).red) - Int(expected[0])) <= 1)
  }

  @Test("Half floats keep the colours that sRGB lacks")
  func deep() throws {
    let provider = try #require(CGDataProvider(data: Data([0xff, 0xff, 0, 0, 0, 0])))
    let red = try #require(
      CGImage(
        width: 1, height: 1, bitsPerComponent: 16, bitsPerPixel: 48, bytesPerRow: 6,
        space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: [], provider: provider, decode: nil,
        shouldInterpolate: false, intent: .defaultIntent))
    let file = ProfileSamples.png(try red.pngData(), profile: ProfileSamples.adobeRGB)
    let image = try read(file, wants16Bits: true)
    #expect(image.colorSpace?.name == CGColorSpace.extendedSRGB)
    func half(_ index: Int) -> Float {
      image.buffer.withUnsafeBytes { Float($0.load(fromByteOffset: index * 2, as: Float16.self)) }
    }
    // Adobe RGB's red is brighter than sRGB's, whose curve encodes 1.398.
    #expect(abs(half(0) - Float(CGColor.encoded(1.3983557))) < 0.003 && abs(half(1)) < 0.003)
    let wide = try read(
      ProfileSamples.png(try red.pngData(), profile: ProfileSamples.displayP3), wants16Bits: true)
    #expect(wide.colorSpace?.name == CGColorSpace.displayP3 && wide.bitsPerComponent == 16)
  }

  @Test("Profiles for other pixels, and those of no pixels, are ignored with a warning")
  func mismatches() throws {
    let color = ImageSamples.jpeg(
      width: Self.colors.count * 16, height: 1, rgba: row(repeating: 16))
    for profile in [ProfileSamples.gray(gamma: 1), ProfileSamples.inkLimit, [1, 2, 3]] {
      var image: CGImage?
      let said = try warnings {
        image = try read(ProfileSamples.jpeg(color, profile: profile))
      }
      #expect(said.count == 1 && said[0].contains("sample: its colour profile is"), "\(said)")
      expect(try #require(image), within: 5, step: 16) { $0.map(Int.init) }
    }
    let plain = try CGImage(width: 10, height: 1, unpremultipliedRGBA: row())
    var image: CGImage?
    let said = try warnings {
      image = try read(
        ProfileSamples.png(try plain.pngData(), damagedProfile: [1, 2, 3]))
    }
    #expect(said.count == 1)
    #expect(image?.unpremultipliedRGBA == plain.unpremultipliedRGBA)
  }

  @Test("Profiles that end early or have changed bytes never crash", arguments: 0..<4)
  func hostile(kind: Int) throws {
    let profile = [
      ProfileSamples.displayP3, ProfileSamples.adobeRGB, ProfileSamples.sRGB,
      ProfileSamples.gray(gamma: 1.8),
    ][kind]
    let file = ImageSamples.jpeg(
      width: Self.colors.count * 16, height: 1, rgba: row(repeating: 16))
    var random = SeededGenerator(seed: UInt64(kind))
    _ = try warnings {
      for length in stride(from: 0, to: profile.count, by: 7) {
        _ = try read(ProfileSamples.jpeg(file, profile: Array(profile.prefix(length))))
      }
      for _ in 0..<300 {
        var damaged = profile
        for _ in 0..<Int.random(in: 1...8, using: &random) {
          damaged[Int.random(in: 0..<damaged.count, using: &random)] =
            UInt8.random(in: 0...255, using: &random)
        }
        let image = try read(ProfileSamples.jpeg(file, profile: damaged))
        #expect(image.width == Self.colors.count * 16)
        _ = image.sRGBBuffer
      }
    }
  }
}
