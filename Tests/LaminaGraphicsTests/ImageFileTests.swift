import Foundation
import LaminaGraphics
import LaminaValues
import Testing

@Suite("Image files")
struct ImageFileTests {
  private func image(_ bytes: [UInt8], wants16Bits: Bool = false) throws -> CGImage {
    try CGImage(data: Data(bytes), named: "sample", wants16Bits: wants16Bits)
  }

  @Test("Premultiplying what was unpremultiplied gives the same bytes")
  func premultiplicationRoundTrip() {
    for alpha in 0...255 {
      for value in 0...alpha {
        let straight = Premultiplication.straight(UInt8(value), UInt8(alpha))
        #expect(Premultiplication.premultiplied(straight, UInt8(alpha)) == UInt8(value))
      }
    }
    #expect(Premultiplication.premultiplied(255, 128) == 128)
    #expect(Premultiplication.straight(9, 0) == 0)
  }

  @Test("A PNG that was written reads back with equal bytes, and writes the same file again")
  func pngRoundTrip() throws {
    let pixels = ImageSamples.gradient(width: 61, height: 17)
    let first = try CGImage(width: 61, height: 17, unpremultipliedRGBA: pixels)
    let file = try first.pngData()
    let second = try CGImage(data: file, named: "round trip")
    #expect((second.width, second.height) == (61, 17))
    #expect(second.unpremultipliedRGBA == first.unpremultipliedRGBA)
    #expect(try second.pngData() == file)
    #expect(file.range(of: Data("sRGB".utf8)) != nil)
    #expect(second != first)
  }

  @Test("Transparent pixels are written as 0 0 0 0")
  func transparentPixels() throws {
    let image = try CGImage(width: 1, height: 1, unpremultipliedRGBA: [200, 100, 50, 0])
    #expect(try CGImage(data: image.pngData(), named: "clear").unpremultipliedRGBA == [0, 0, 0, 0])
  }

  @Test("Palettes, their transparency, gray and interlacing are read")
  func pngKinds() throws {
    let palette = try image(ImageSamples.palette)
    #expect(
      palette.unpremultipliedRGBA == [
        255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 128,
      ])
    #expect(palette.pixel(x: 1, y: 1) == (128, 128, 128, 128))
    let gray = try image(ImageSamples.gray)
    #expect(gray.unpremultipliedRGBA.chunkedReds == [0, 255, 255, 0])
    let interlaced = try image(ImageSamples.interlaced)
    for y in 0..<2 {
      for x in 0..<3 {
        #expect(interlaced.pixel(x: x, y: y) == (7, UInt8(y * 100), UInt8(x * 50), 255))
      }
    }
  }

  @Test("16 bits a channel are half floats where they are wanted, and sRGB in any case")
  func sixteenBits() throws {
    #expect(try image(ImageSamples.gray16).unpremultipliedRGBA.chunkedReds == [128, 18])
    let deep = try image(ImageSamples.gray16, wants16Bits: true)
    #expect(deep.bitsPerComponent == 16)
    #expect(deep.unpremultipliedRGBA.chunkedReds == [128, 18])
    let again = try CGImage(data: deep.pngData(), named: "deep", wants16Bits: true)
    let bytes = { (image: CGImage) in image.buffer.withUnsafeBytes { Array($0.prefix(16)) } }
    #expect(bytes(again) == bytes(deep))
  }

  /// The order, row by row, of the quadrants A B / C D after the image was turned upright, for each
  /// orientation.
  static let upright = ["ABCD", "BADC", "DCBA", "CDAB", "ACBD", "CADB", "DBCA", "BDAC"]

  @Test("A camera's orientation is applied", arguments: 1...8, [true, false])
  func orientations(orientation: Int, littleEndian: Bool) throws {
    let colors: [Character: [UInt8]] = [
      "A": [255, 0, 0, 255], "B": [0, 255, 0, 255], "C": [0, 0, 255, 255],
      "D": [255, 255, 255, 255],
    ]
    // 32 × 16, in quadrants of whole blocks, so that JPEG keeps them apart.
    let stored = (0..<16).flatMap { y in
      (0..<32).flatMap { x in
        colors[y < 8 ? (x < 16 ? "A" : "B") : (x < 16 ? "C" : "D")] ?? []
      }
    }
    let exif = ImageSamples.exif(orientation: UInt8(orientation), littleEndian: littleEndian)
    let upright = try image(
      ImageSamples.jpeg(width: 32, height: 16, rgba: stored, exif: exif))
    #expect(upright.width == (orientation < 5 ? 32 : 16))
    #expect(upright.height == (orientation < 5 ? 16 : 32))
    let quadrants = [(1, 1), (3, 1), (1, 3), (3, 3)]
    for ((x, y), name) in zip(quadrants, Self.upright[orientation - 1]) {
      let pixel = upright.pixel(x: upright.width * x / 4, y: upright.height * y / 4)
      let color = try #require(colors[name])
      #expect(abs(Int(pixel.red) - Int(color[0])) < 4, "\(name) at \(x) \(y)")
      #expect(abs(Int(pixel.green) - Int(color[1])) < 4, "\(name) at \(x) \(y)")
      #expect(abs(Int(pixel.blue) - Int(color[2])) < 4, "\(name) at \(x) \(y)")
    }
  }

  @Test("A PNG's orientation is applied")
  func pngOrientation() throws {
    let rotated = try image(ImageSamples.rotated)
    #expect((rotated.width, rotated.height) == (1, 2))
    #expect(rotated.pixel(x: 0, y: 0).red == 255)
    #expect(rotated.pixel(x: 0, y: 1).green == 255)
  }

  @Test("Damaged EXIF data leaves the image as it is, wherever it ends", arguments: 0..<26)
  func damagedExif(length: Int) throws {
    let whole = ImageSamples.exif(orientation: 6, littleEndian: true)
    let rgba = [UInt8](repeating: 255, count: 16 * 8 * 4)
    let file = ImageSamples.jpeg(
      width: 16, height: 8, rgba: rgba, exif: Array(whole.prefix(length)))
    let image = try image(file)
    #expect(image.width == (length < 20 ? 16 : 8))
  }

  @Test("WebP is read, with its alpha", arguments: [true, false])
  func webP(isLossless: Bool) throws {
    var rgba: [UInt8] = []
    for index in 0..<32 * 32 { rgba += index % 32 < 16 ? [200, 40, 10, 255] : [200, 40, 10, 100] }
    let image = try image(
      ImageSamples.webP(width: 32, height: 32, rgba: rgba, isLossless: isLossless))
    let pixel = image.pixel(x: 28, y: 16)
    let allowed = isLossless ? 0 : 3
    #expect(abs(Int(pixel.red) - 78) <= allowed && abs(Int(pixel.blue) - 4) <= allowed)
    #expect(pixel.alpha == 100)
    #expect(image.pixel(x: 2, y: 2).alpha == 255)
  }

  @Test("Cropping widens to whole pixels and stops at the edge")
  func cropping() throws {
    let pixels = ImageSamples.gradient(width: 10, height: 10)
    let image = try CGImage(width: 10, height: 10, unpremultipliedRGBA: pixels)
    let part = try #require(image.cropping(to: CGRect(x: 6.5, y: 2, width: 20, height: 1.5)))
    #expect((part.width, part.height) == (4, 2))
    #expect(part.pixel(x: 0, y: 1) == image.pixel(x: 6, y: 3))
    #expect(image.cropping(to: CGRect(x: 10, y: 0, width: 5, height: 5)) == nil)
  }

  @Test("A file is written, read and named in errors")
  func files() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("lamina-images-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("picture.jpeg")  // Not its format.
    let image = try CGImage(width: 2, height: 1, unpremultipliedRGBA: [1, 2, 3, 255, 4, 5, 6, 255])
    try image.writePNG(to: url)
    #expect(try CGImage(contentsOf: url).unpremultipliedRGBA == image.unpremultipliedRGBA)
    var limits = ImageLimits()
    limits.maximumByteCount = 20
    #expect(throws: ImageError(name: url.path, problem: .fileTooLarge(limit: 20))) {
      try CGImage(contentsOf: url, limits: limits)
    }
    let missing = folder.appendingPathComponent("none.png").path
    #expect(throws: ImageError(name: missing, problem: .unreadable(code: ENOENT))) {
      try CGImage(contentsOfFile: missing)
    }
    let unreachable = folder.appendingPathComponent("none/x.png").path
    let error = #expect(throws: ImageError.self) { try image.writePNG(toFile: unreachable) }
    #expect(error?.description == "\(unreachable): cannot be written: no such file")
    #expect(throws: ImageError.self) { try CGImage(contentsOfFile: folder.path) }
  }
}

extension [UInt8] {
  /// Every fourth byte: the reds of RGBA.
  fileprivate var chunkedReds: [UInt8] { stride(from: 0, to: count, by: 4).map { self[$0] } }
}
