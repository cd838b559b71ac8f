import Foundation
import LaminaGraphics
import LaminaValues
import Testing

@Suite("Image sources and destinations")
struct ImageIOTests {
  private let white = [UInt8](repeating: 255, count: 64 * 32 * 4)

  private func makeSource(_ bytes: [UInt8]) throws -> CGImageSource {
    try #require(CGImageSourceCreateWithData(Data(bytes) as CFData, nil))
  }

  private func silently<Result>(_ body: () throws -> Result) rethrows -> (Result, [String]) {
    let lines = Lock<[String]>([])
    let result = try Warnings.$current.withValue(
      Warnings { line in lines.withLock { $0.append(line) } }, operation: body)
    return (result, lines.withLock { $0 })
  }

  @Test("A source knows its format and its image's properties, as stored")
  func properties() throws {
    let exif = ImageSamples.exif(orientation: 6, littleEndian: true)
    let file = ImageSamples.jpeg(width: 64, height: 32, rgba: white, exif: exif)
    let source = try makeSource(
      [UInt8](ProfileSamples.jpeg(file, profile: ProfileSamples.displayP3)))
    #expect(CGImageSourceGetType(source) == "public.jpeg" && CGImageSourceGetCount(source) == 1)
    #expect(CGImageSourceGetStatus(source) == .statusComplete)
    #expect(CGImageSourceGetStatusAtIndex(source, 0) == .statusComplete)
    #expect(CGImageSourceGetStatusAtIndex(source, 1) == .statusInvalidData)
    #expect(CGImageSourceGetPrimaryImageIndex(source) == 0)
    let properties = try #require(
      CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as? [CFString: Any])
    #expect(properties[kCGImagePropertyPixelWidth] as? Int == 64)
    #expect(properties[kCGImagePropertyPixelHeight] as? Int == 32)
    #expect(properties[kCGImagePropertyOrientation] as? Int == 6)
    #expect(properties[kCGImagePropertyDepth] as? Int == 8)
    #expect(properties[kCGImagePropertyHasAlpha] as? Bool == false)
    #expect(properties[kCGImagePropertyColorModel] as? CFString == kCGImagePropertyColorModelRGB)
    #expect(properties[kCGImagePropertyProfileName] is CFString)
    #expect(properties[kCGImagePropertyIsIndexed] == nil)
    let whole = CGImageSourceCopyProperties(source, nil) as? [CFString: Any]
    #expect(whole?[kCGImagePropertyFileSize] as? Int ?? 0 > file.count)
    let stored = try #require(CGImageSourceCreateImageAtIndex(source, 0, nil))
    #expect((stored.width, stored.height) == (64, 32))
    #expect(stored.colorSpace?.name == CGColorSpace.displayP3)
  }

  @Test("Palettes, gray and depth are told apart")
  func kinds() throws {
    func properties(_ bytes: [UInt8]) throws -> [CFString: Any] {
      try #require(
        CGImageSourceCopyPropertiesAtIndex(makeSource(bytes), 0, nil) as? [CFString: Any])
    }
    let palette = try properties(ImageSamples.palette)
    #expect(palette[kCGImagePropertyIsIndexed] as? Bool == true)
    #expect(palette[kCGImagePropertyHasAlpha] as? Bool == true)
    let gray = try properties(ImageSamples.gray16)
    #expect(gray[kCGImagePropertyColorModel] as? CFString == kCGImagePropertyColorModelGray)
    #expect(gray[kCGImagePropertyDepth] as? Int == 16)
    let webP = ImageSamples.webP(width: 64, height: 32, rgba: white, isLossless: true)
    #expect(CGImageSourceGetType(try makeSource(webP)) == "org.webmproject.webp")
    #expect(try properties(webP)[kCGImagePropertyPixelWidth] as? Int == 64)
    let deep = CGImageSourceCreateImageAtIndex(
      try makeSource(ImageSamples.gray16), 0, [kCGImageSourceShouldAllowFloat: true] as CFDictionary
    )
    #expect(deep?.bitsPerComponent == 16)
    #expect(
      CGImageSourceCreateImageAtIndex(try makeSource(ImageSamples.gray16), 0, nil)?.bitsPerComponent
        == 8)
  }

  @Test("What cannot be read is nil, and a warning says why")
  func unreadable() throws {
    let junk = try makeSource([1, 2, 3])
    #expect(CGImageSourceGetType(junk) == nil && CGImageSourceGetCount(junk) == 0)
    #expect(CGImageSourceGetStatus(junk) == .statusUnknownType)
    let (nothing, said) = silently { CGImageSourceCreateImageAtIndex(junk, 0, nil) }
    #expect(
      nothing == nil
        && said == [
          "lamina: warning: image data: neither PNG nor JPEG nor WebP: it starts with 01 02 03"
        ])
    let cut = try makeSource(Array(ImageSamples.palette.prefix(50)))
    #expect(CGImageSourceGetStatus(cut) == .statusUnexpectedEOF)
    let empty = try makeSource(ImageSamples.empty)
    #expect(CGImageSourceGetStatus(empty) == .statusInvalidData)
    let (second, words) = silently {
      CGImageSourceCopyPropertiesAtIndex(junk, 1, nil)
    }
    #expect(second == nil && words.count == 1)
    #expect(CGImageSourceCreateWithURL(URL(fileURLWithPath: "/nowhere.png"), nil) == nil)
    #expect(
      CGImageSourceCopyTypeIdentifiers() as? [String] == CGImageDestinationCopyTypeIdentifiers()
        as? [String])
  }

  @Test("Thumbnails are as long as asked for, turned if asked for, and never larger than the image")
  func thumbnails() throws {
    let exif = ImageSamples.exif(orientation: 6, littleEndian: true)
    let source = try makeSource(ImageSamples.jpeg(width: 64, height: 32, rgba: white, exif: exif))
    func thumbnail(_ options: [CFString: Any]) -> [Int]? {
      CGImageSourceCreateThumbnailAtIndex(source, 0, options as CFDictionary).map {
        [$0.width, $0.height]
      }
    }
    #expect(CGImageSourceCreateThumbnailAtIndex(source, 0, nil) == nil)
    #expect(thumbnail([kCGImageSourceThumbnailMaxPixelSize: 16]) == nil)
    let always = kCGImageSourceCreateThumbnailFromImageAlways
    #expect(thumbnail([always: true, kCGImageSourceThumbnailMaxPixelSize: 16]) == [16, 8])
    #expect(
      thumbnail([
        kCGImageSourceCreateThumbnailFromImageIfAbsent: true,
        kCGImageSourceThumbnailMaxPixelSize: 16.0, kCGImageSourceCreateThumbnailWithTransform: true,
      ]) == [8, 16])
    #expect(thumbnail([always: true, kCGImageSourceThumbnailMaxPixelSize: 900]) == [64, 32])
    #expect(thumbnail([always: true]) == [64, 32])
  }

  @Test("A thumbnail averages the pixels that it stands for")
  func averaging() throws {
    var rgba: [UInt8] = []
    for y in 0..<64 {
      for x in 0..<64 { rgba += (x + y) % 2 == 0 ? [255, 0, 0, 255] : [0, 0, 255, 255] }
    }
    let file = try CGImage(width: 64, height: 64, unpremultipliedRGBA: rgba).pngData()
    let image = try #require(
      CGImageSourceCreateThumbnailAtIndex(
        makeSource([UInt8](file)), 0,
        [
          kCGImageSourceCreateThumbnailFromImageAlways: true,
          kCGImageSourceThumbnailMaxPixelSize: 8,
        ] as CFDictionary))
    #expect(pixel(of: image, 4, 4).isNear(Pixel(128, 0, 128, 255), within: 4))
  }

  /// A bright part and a half transparent one.
  private func picture() throws -> CGImage {
    let rgba = (0..<32 * 32).flatMap { index -> [UInt8] in
      index % 32 < 16 ? [200, 100, 50, 255] : [200, 100, 50, 128]
    }
    return try CGImage(width: 32, height: 32, unpremultipliedRGBA: rgba)
  }

  private func written(
    _ type: String, _ properties: [CFString: Any] = [:]
  ) throws -> CGImage {
    let data = NSMutableData()
    let destination = try #require(
      CGImageDestinationCreateWithData(data as CFMutableData, type as CFString, 1, nil))
    CGImageDestinationAddImage(destination, try picture(), properties as CFDictionary)
    #expect(CGImageDestinationFinalize(destination))
    return try CGImage(data: Data(referencing: data), named: "written")
  }

  @Test("What is written reads back: PNG and whole WebP exactly, the others nearly")
  func writing() throws {
    let original = try picture().unpremultipliedRGBA
    #expect(try written("public.png").unpremultipliedRGBA == original)
    let quality = kCGImageDestinationLossyCompressionQuality
    let whole = try written("org.webmproject.webp", [quality: 1])
    #expect(whole.unpremultipliedRGBA == original)
    let webP = try written("org.webmproject.webp")
    #expect(pixel(of: webP, 4, 16).isNear(Pixel(200, 100, 50, 255), within: 6))
    let jpeg = try written("public.jpeg", [quality: 1])
    #expect(pixel(of: jpeg, 4, 16).isNear(Pixel(200, 100, 50, 255), within: 3))
    // Half of white shows through.
    #expect(pixel(of: jpeg, 28, 16).isNear(Pixel(227, 177, 152, 255), within: 4))
    let black = try written(
      "public.jpeg", [quality: 1, kCGImageDestinationBackgroundColor: CGColor.black])
    #expect(pixel(of: black, 28, 16).isNear(Pixel(100, 50, 25, 255), within: 4))
    let small = try written("public.png", [kCGImageDestinationImageMaxPixelSize: 8])
    #expect((small.width, small.height) == (8, 8))
  }

  @Test("A lower quality makes a smaller file")
  func quality() throws {
    let rgba = ImageSamples.gradient(width: 64, height: 64)
    let image = try CGImage(width: 64, height: 64, unpremultipliedRGBA: rgba)
    let sizes = try [0.1, 0.5, 0.95].map { quality in
      let data = NSMutableData()
      let destination = try #require(
        CGImageDestinationCreateWithData(data, "public.jpeg" as CFString, 1, nil))
      CGImageDestinationSetProperties(
        destination, [kCGImageDestinationLossyCompressionQuality: quality] as CFDictionary)
      CGImageDestinationAddImage(destination, image, nil)
      #expect(CGImageDestinationFinalize(destination))
      return data.length
    }
    #expect(sizes == sizes.sorted() && sizes[0] < sizes[2])
  }

  @Test("Orientations turn the pixels that are written")
  func orientation() throws {
    let rgba: [UInt8] = [255, 0, 0, 255, 0, 255, 0, 255]
    let image = try CGImage(width: 2, height: 1, unpremultipliedRGBA: rgba)
    let data = NSMutableData()
    let destination = try #require(
      CGImageDestinationCreateWithData(data, "public.png" as CFString, 1, nil))
    CGImageDestinationAddImage(
      destination, image, [kCGImagePropertyOrientation: 6] as CFDictionary)
    #expect(CGImageDestinationFinalize(destination))
    let turned = try CGImage(data: Data(referencing: data), named: "turned")
    #expect((turned.width, turned.height) == (1, 2) && turned.unpremultipliedRGBA == rgba)
    let again = NSMutableData()
    let copy = try #require(
      CGImageDestinationCreateWithData(again, "public.png" as CFString, 1, nil))
    CGImageDestinationAddImageFromSource(copy, try makeSource(ImageSamples.rotated), 0, nil)
    #expect(CGImageDestinationFinalize(copy))
    #expect(try CGImage(data: Data(referencing: again), named: "copy").height == 2)
  }

  @Test("Files appear when they are whole, and once; what cannot be written is false")
  func files() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("lamina-destination-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("x.png")
    let destination = try #require(
      CGImageDestinationCreateWithURL(url as CFURL, "public.png" as CFString, 1, nil))
    CGImageDestinationAddImage(destination, try picture(), nil)
    #expect(!FileManager.default.fileExists(atPath: url.path))
    #expect(CGImageDestinationFinalize(destination))
    #expect(CGImageSourceCreateWithURL(url as CFURL, nil).map(CGImageSourceGetCount) == 1)
    #expect(silently { CGImageDestinationFinalize(destination) }.0 == false)
    let none = try #require(
      CGImageDestinationCreateWithURL(
        folder.appendingPathComponent("none/x.png"), "public.png" as CFString, 1, nil))
    #expect(silently { CGImageDestinationFinalize(none) }.0 == false)
    CGImageDestinationAddImage(none, try picture(), nil)
    let (isWritten, said) = silently { CGImageDestinationFinalize(none) }
    #expect(!isWritten && said.count == 1)
    #expect(CGImageDestinationCreateWithURL(url, "public.tiff" as CFString, 1, nil) == nil)
  }
}
