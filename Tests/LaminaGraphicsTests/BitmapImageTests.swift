import Foundation
import LaminaGraphics
import LaminaValues
import Testing

@Suite("Images of an app's own bytes")
struct BitmapImageTests {
  private func bitmap(
    _ bytes: [UInt8], width: Int, height: Int = 1, bits: Int = 8, bitsPerPixel: Int,
    bytesPerRow: Int? = nil, space: CGColorSpace = CGColorSpaceCreateDeviceRGB(), _ info: UInt32,
    decode: [CGFloat]? = nil
  ) -> CGImage? {
    guard let provider = CGDataProvider(data: Data(bytes) as CFData) else { return nil }
    func make(_ decode: UnsafePointer<CGFloat>?) -> CGImage? {
      CGImage(
        width: width, height: height, bitsPerComponent: bits, bitsPerPixel: bitsPerPixel,
        bytesPerRow: bytesPerRow ?? width * bitsPerPixel / 8, space: space,
        bitmapInfo: CGBitmapInfo(rawValue: info), provider: provider, decode: decode,
        shouldInterpolate: true, intent: .perceptual)
    }
    return decode.map { $0.withUnsafeBufferPointer { make($0.baseAddress) } } ?? make(nil)
  }

  /// The place of the alpha, the byte order, and the bytes of a half transparent orange.
  static let layouts: [(alpha: CGImageAlphaInfo, order: CGBitmapInfo, bytes: [UInt8])] = [
    (.last, [], [255, 128, 0, 128]), (.premultipliedLast, .byteOrder32Big, [128, 64, 0, 128]),
    (.first, [], [128, 255, 128, 0]), (.premultipliedFirst, [], [128, 128, 64, 0]),
    (.premultipliedFirst, .byteOrder32Little, [0, 64, 128, 128]),
    (.last, .byteOrder32Little, [128, 0, 128, 255]),
  ]

  @Test(
    "The place of the alpha, its kind and the byte order are those of the bitmap's info",
    arguments: layouts)
  func places(alpha: CGImageAlphaInfo, order: CGBitmapInfo, bytes: [UInt8]) throws {
    let info = alpha.rawValue | order.rawValue
    let image = try #require(bitmap(bytes, width: 1, bitsPerPixel: 32, info))
    #expect(pixel(of: image, 0, 0) == Pixel(128, 64, 0, 128))
    #expect(image.alphaInfo == alpha && image.bitmapInfo.rawValue == info)
    #expect(image.bitsPerPixel == 32 && image.bytesPerRow == 4 && image.bitsPerComponent == 8)
    #expect(image.dataProvider?.data == Data(bytes))
    #expect(image.shouldInterpolate && image.renderingIntent == .perceptual)
  }

  @Test(
    "Alphas that are skipped or missing are opaque, gray is gray, and rows have room after them")
  func opaque() throws {
    let none = CGImageAlphaInfo.none.rawValue
    let rgb = try #require(
      bitmap(
        [1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12], width: 2, height: 2, bitsPerPixel: 24,
        bytesPerRow: 8, none))
    #expect(rgb.unpremultipliedRGBA == [1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255, 10, 11, 12, 255])
    let skipped = try #require(
      bitmap([9, 1, 2, 3], width: 1, bitsPerPixel: 32, CGImageAlphaInfo.noneSkipFirst.rawValue))
    #expect(skipped.unpremultipliedRGBA == [1, 2, 3, 255])
    let last = try #require(
      bitmap([1, 2, 3, 9], width: 1, bitsPerPixel: 32, CGImageAlphaInfo.noneSkipLast.rawValue))
    #expect(last.unpremultipliedRGBA == [1, 2, 3, 255])
    let gray = try #require(
      bitmap([0, 77], width: 2, bitsPerPixel: 8, space: CGColorSpaceCreateDeviceGray(), none))
    #expect(gray.unpremultipliedRGBA == [0, 0, 0, 255, 77, 77, 77, 255])
    #expect(gray.colorSpace?.model == .monochrome)
    let faint = try #require(
      bitmap(
        [100, 51], width: 1, bitsPerPixel: 16, space: CGColorSpaceCreateDeviceGray(),
        CGImageAlphaInfo.last.rawValue))
    #expect(pixel(of: faint, 0, 0) == Pixel(20, 20, 20, 51))
    let alpha = try #require(
      bitmap([51], width: 1, bitsPerPixel: 8, CGImageAlphaInfo.alphaOnly.rawValue))
    #expect(pixel(of: alpha, 0, 0) == Pixel(0, 0, 0, 51))
  }

  @Test("Components of 16 bits are kept as half floats, in either byte order")
  func deep() throws {
    let big = try #require(
      bitmap(
        [0x80, 0, 0xff, 0xff, 0, 0], width: 1, bits: 16, bitsPerPixel: 48,
        CGImageAlphaInfo.none.rawValue))
    #expect(big.unpremultipliedRGBA == [128, 255, 0, 255] && big.bitsPerComponent == 16)
    let little = try #require(
      bitmap(
        [0, 0x80, 0xff, 0xff, 0, 0], width: 1, bits: 16, bitsPerPixel: 48,
        CGImageAlphaInfo.none.rawValue | CGBitmapInfo.byteOrder16Little.rawValue))
    #expect(little.unpremultipliedRGBA == [128, 255, 0, 255])
  }

  @Test("A decode array maps each component's ends")
  func decoding() throws {
    let inverted = try #require(
      bitmap(
        [0, 100, 255], width: 1, bitsPerPixel: 24, CGImageAlphaInfo.none.rawValue,
        decode: [1, 0, 0, 1, 0, 0.5]))
    #expect(inverted.unpremultipliedRGBA == [255, 100, 128, 255])
    let endless = bitmap(
      [0, 100, 255], width: 1, bitsPerPixel: 24, CGImageAlphaInfo.none.rawValue,
      decode: [CGFloat.infinity, 0, 0, 1, 0, 1])
    #expect(endless == nil)
  }

  @Test("What does not fit makes no image")
  func refused() {
    let (none, last) = (CGImageAlphaInfo.none.rawValue, CGImageAlphaInfo.last.rawValue)
    #expect(bitmap([1, 2, 3], width: 2, bitsPerPixel: 24, none) == nil)
    #expect(bitmap([1, 2, 3], width: 0, bitsPerPixel: 24, none) == nil)
    #expect(bitmap([1, 2, 3], width: -1, bitsPerPixel: 24, none) == nil)
    #expect(bitmap([1, 2, 3], width: 1, bitsPerPixel: 24, bytesPerRow: 2, none) == nil)
    #expect(bitmap([1, 2, 3], width: 1, height: .max, bitsPerPixel: 24, none) == nil)
    #expect(bitmap([1, 2, 3], width: 1, bitsPerPixel: 24, bytesPerRow: .max, none) != nil)
    #expect(
      bitmap([1, 2, 3], width: 1, height: 2, bitsPerPixel: 24, bytesPerRow: .max, none) == nil)
    #expect(bitmap([1, 2, 3], width: 1, bits: 5, bitsPerPixel: 15, none) == nil)
    #expect(bitmap([1, 2, 3], width: 1, bitsPerPixel: 24, last) == nil)
    #expect(bitmap([1, 2, 3, 4], width: 1, bitsPerPixel: 32, last | 0x100) == nil)
    #expect(bitmap([1, 2, 3, 4], width: 1, bitsPerPixel: 32, 31) == nil)
  }

  @Test("Providers read files and copy memory")
  func providers() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("lamina-provider-\(UUID().uuidString)")
    try Data([1, 2, 3]).write(to: folder)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(CGDataProvider(url: folder)?.data == Data([1, 2, 3]))
    #expect(CGDataProvider(filename: folder.path)?.data == Data([1, 2, 3]))
    #expect(CGDataProvider(filename: folder.path + "-none") == nil)
    var released = 0
    let provider = [UInt8](arrayLiteral: 4, 5).withUnsafeBytes { bytes in
      CGDataProvider(dataInfo: nil, data: bytes.baseAddress!, size: 2) { _, _, size in
        released = size
      }
    }
    #expect(provider?.data == Data([4, 5]) && released == 2)
  }

  @Test("Images of no bitmap say how their own memory is laid out")
  func ownMemory() throws {
    let image = try CGImage(width: 1, height: 1, unpremultipliedRGBA: [10, 20, 30, 255])
    #expect(image.alphaInfo == .premultipliedFirst && image.byteOrderInfo == .order32Little)
    #expect(image.dataProvider?.data?.prefix(4) == Data([30, 20, 10, 255]))
    #expect(!image.shouldInterpolate && image.renderingIntent == .defaultIntent && !image.isMask)
    let deep = try CGImage(
      data: Data(ImageSamples.gray16), named: "gray", wants16Bits: true)
    #expect(deep.alphaInfo == .premultipliedLast && deep.bitmapInfo.contains(.floatComponents))
    let again = try #require(image.copy())
    #expect(again.unpremultipliedRGBA == image.unpremultipliedRGBA && again != image)
    let p3 = try #require(image.copy(colorSpace: CGColorSpace(.displayP3)))
    #expect(p3.colorSpace?.name == CGColorSpace.displayP3)
    #expect(p3.unpremultipliedRGBA == image.unpremultipliedRGBA)
    #expect(image.copy(colorSpace: CGColorSpaceCreateDeviceGray()) == nil)
  }

  @Test("PNG and JPEG data make images, but not as each other")
  func files() throws {
    let file = try CGImage(width: 1, height: 1, unpremultipliedRGBA: [10, 20, 30, 255]).pngData()
    let png = try #require(CGDataProvider(data: file))
    let image = try #require(
      CGImage(
        pngDataProviderSource: png, decode: nil, shouldInterpolate: true, intent: .defaultIntent))
    #expect(image.unpremultipliedRGBA == [10, 20, 30, 255])
    #expect(
      CGImage(
        jpegDataProviderSource: png, decode: nil, shouldInterpolate: true, intent: .defaultIntent)
        == nil)
    let bytes = ImageSamples.jpeg(
      width: 8, height: 8, rgba: Array(repeating: 200, count: 256), exif: nil)
    let jpeg = try #require(CGDataProvider(data: Data(bytes)))
    #expect(
      CGImage(
        jpegDataProviderSource: jpeg, decode: nil, shouldInterpolate: true, intent: .defaultIntent)?
        .width == 8)
  }
}

@Suite("Masks of images")
struct ImageMaskTests {
  private func stencil(_ samples: [UInt8], width: Int, decode: [CGFloat]? = nil) throws -> CGImage {
    let provider = try #require(CGDataProvider(data: Data(samples)))
    func make(_ decode: UnsafePointer<CGFloat>?) -> CGImage? {
      CGImage(
        maskWidth: width, height: samples.count / width, bitsPerComponent: 8, bitsPerPixel: 8,
        bytesPerRow: width, provider: provider, decode: decode, shouldInterpolate: false)
    }
    let made = decode.map { $0.withUnsafeBufferPointer { make($0.baseAddress) } } ?? make(nil)
    return try #require(made)
  }

  private let white = try? CGImage(
    width: 2, height: 1, unpremultipliedRGBA: [255, 255, 255, 255, 255, 255, 255, 255])

  @Test("An image mask is a stencil for the fill colour, where its samples are 0")
  func stencils() throws {
    let mask = try stencil([0, 255, 255, 0], width: 2)
    #expect(mask.isMask && mask.colorSpace == nil)
    let image = try drawing(4, 2) { context in
      context.setFillColor(.red)
      context.draw(mask, in: CGRect(x: 0, y: 0, width: 2, height: 2))
      context.setFillColor(.green)
      context.clip(to: CGRect(x: 2, y: 0, width: 2, height: 2), mask: mask)
      context.fill(CGRect(x: 0, y: 0, width: 4, height: 2))
    }
    #expect(picture(of: image) == ["R.G.", ".R.G"])
    let part = try #require(mask.cropping(to: CGRect(x: 1, y: 0, width: 1, height: 1)))
    #expect(part.isMask && part.pixel(x: 0, y: 0).alpha == 0)
  }

  @Test("Masking an image multiplies its alpha, by an image mask the other way round than by gray")
  func masking() throws {
    let white = try #require(white)
    let shown = try #require(white.masking(stencil([0, 204], width: 2)))
    #expect(pixel(of: shown, 0, 0) == .white)
    #expect(pixel(of: shown, 1, 0) == Pixel(51, 51, 51, 51))
    let inverted = try #require(white.masking(stencil([0, 204], width: 2, decode: [1, 0])))
    #expect(pixel(of: inverted, 0, 0) == .clear)
    #expect(pixel(of: inverted, 1, 0) == Pixel(204, 204, 204, 204))
    let gray = try drawing(
      2, 1, info: CGImageAlphaInfo.none.rawValue, space: CGColorSpaceCreateDeviceGray()
    ) { $0.fill(.white, 1, 0, 1, 1) }
    let grayed = try #require(white.masking(gray))
    #expect(picture(of: grayed) == [".W"])
    #expect(white.masking(white) == nil)
  }

  @Test("A range of colours can be made transparent")
  func colors() throws {
    let image = try CGImage(
      width: 2, height: 1, unpremultipliedRGBA: [10, 20, 30, 255, 11, 20, 30, 255])
    let cut = try #require(image.copy(maskingColorComponents: [10, 10, 0, 255, 30, 40]))
    #expect(cut.unpremultipliedRGBA == [0, 0, 0, 0, 11, 20, 30, 255])
    #expect(image.copy(maskingColorComponents: [10, 10]) == nil)
    #expect(cut.copy(maskingColorComponents: [10, 10, 0, 255, 30, 40]) == nil)
  }
}
