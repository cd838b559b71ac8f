import Foundation
import LaminaValues

/// Image option: whether a PNG of 16 bits a channel becomes an image of half floats; false by
/// default.
public let kCGImageSourceShouldAllowFloat: CFString = "kCGImageSourceShouldAllowFloat"
/// Image option without effect: an image's pixels are decoded at once.
public let kCGImageSourceShouldCache: CFString = "kCGImageSourceShouldCache"
/// Image option without effect: an image's pixels are decoded at once.
public let kCGImageSourceShouldCacheImmediately: CFString = "kCGImageSourceShouldCacheImmediately"
/// Source option without effect: the file's own bytes tell its format.
public let kCGImageSourceTypeIdentifierHint: CFString = "kCGImageSourceTypeIdentifierHint"
/// Thumbnail option: whether to make one of the image if the file has none; false by default.
public let kCGImageSourceCreateThumbnailFromImageIfAbsent: CFString =
  "kCGImageSourceCreateThumbnailFromImageIfAbsent"
/// Thumbnail option: whether to make one of the image in any case; false by default.
public let kCGImageSourceCreateThumbnailFromImageAlways: CFString =
  "kCGImageSourceCreateThumbnailFromImageAlways"
/// Thumbnail option: whether to turn it as the image's orientation says; false by default.
public let kCGImageSourceCreateThumbnailWithTransform: CFString =
  "kCGImageSourceCreateThumbnailWithTransform"
/// Thumbnail option: the longer side in pixels, a number; the image's own by default. Thumbnails
/// are never larger than the image.
public let kCGImageSourceThumbnailMaxPixelSize: CFString = "kCGImageSourceThumbnailMaxPixelSize"

/// Image property: the width in pixels, as stored, an Int.
public let kCGImagePropertyPixelWidth: CFString = "PixelWidth"
/// Image property: the height in pixels, as stored, an Int.
public let kCGImagePropertyPixelHeight: CFString = "PixelHeight"
/// Image property: the bits of a component, an Int.
public let kCGImagePropertyDepth: CFString = "Depth"
/// Image property: the orientation, an Int from 1 to 8 as in EXIF; missing if upright. To write an
/// image with it turns the pixels.
public let kCGImagePropertyOrientation: CFString = "Orientation"
/// Image property: whether the file has an alpha, a Bool.
public let kCGImagePropertyHasAlpha: CFString = "HasAlpha"
/// Image property: whether pixels are numbers of colours in a palette; missing if not.
public let kCGImagePropertyIsIndexed: CFString = "IsIndexed"
/// Image property: the kind of the colour components, one of the following strings.
public let kCGImagePropertyColorModel: CFString = "ColorModel"
/// Value of `kCGImagePropertyColorModel`: red, green and blue.
public let kCGImagePropertyColorModelRGB: CFString = "RGB"
/// Value of `kCGImagePropertyColorModel`: brightness.
public let kCGImagePropertyColorModelGray: CFString = "Gray"
/// Value of `kCGImagePropertyColorModel`: four inks.
public let kCGImagePropertyColorModelCMYK: CFString = "CMYK"
/// Image property: the name of the colour profile; missing if the file has none.
public let kCGImagePropertyProfileName: CFString = "ProfileName"
/// Source property: the number of bytes, an Int.
public let kCGImagePropertyFileSize: CFString = "FileSize"

/// How far a source has got with reading.
public enum CGImageSourceStatus: Int32, Sendable {
  /// The data ended before the image did.
  case statusUnexpectedEOF = -5
  /// The data contradicts itself.
  case statusInvalidData = -4
  /// The data is of no kind that is known.
  case statusUnknownType = -3
  /// The header has not been read.
  case statusReadingHeader = -2
  /// More data is needed.
  case statusIncomplete = -1
  /// All has been read.
  case statusComplete = 0
}

/// An image file, whose pixels are decoded when they are asked for: a PNG, JPEG or WebP.
///
/// What cannot be read is nil, with a warning that says why.
public final class CGImageSource: Hashable, Sendable {
  private let name: String
  let bytes: [UInt8]
  private let header: Result<ImageHeader, ImageError>

  fileprivate init(_ data: Data, named name: String) {
    self.name = name
    bytes = [UInt8](data)
    let source = ImageSource(name: name, bytes: bytes, limits: ImageLimits())
    do throws(ImageError) {
      header = .success(try source.readHeader())
    } catch {
      header = .failure(error)
    }
  }

  public static func == (a: CGImageSource, b: CGImageSource) -> Bool { a === b }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// Nil, with a warning, if there is no such image.
  fileprivate func header(at index: Int) -> ImageHeader? {
    guard index == 0 else {
      warn("\(name): there is no image \(index) in it")
      return nil
    }
    switch header {
    case .success(let header): return header
    case .failure(let error):
      warn("\(error)")
      return nil
    }
  }

  fileprivate var format: ImageFormat? {
    ImageSource(name: name, bytes: bytes, limits: ImageLimits()).format
  }

  fileprivate var status: CGImageSourceStatus {
    switch header {
    case .success: .statusComplete
    case .failure(let error):
      switch error.problem {
      case .truncated: .statusUnexpectedEOF
      case .unknownFormat: .statusUnknownType
      default: .statusInvalidData
      }
    }
  }

  fileprivate var count: Int { status == .statusComplete ? 1 : 0 }

  fileprivate func image(
    at index: Int, isTurned: Bool, allowsFloat: Bool = false
  ) -> CGImage? {
    guard header(at: index) != nil else { return nil }
    let source = ImageSource(
      name: name, bytes: bytes, limits: ImageLimits(), wants16Bits: allowsFloat,
      keepsOrientation: !isTurned)
    do throws(ImageError) {
      let decoded = try source.decode()
      return CGImage(decoded.buffer, colorSpace: CGColorSpace(decoded.space))
    } catch {
      warn("\(error)")
      return nil
    }
  }

  /// The image as it is meant to be seen.
  func uprightImage(at index: Int) -> CGImage? { image(at: index, isTurned: true) }
}

/// A source of a file's bytes. `options` are ignored. Nil if the file cannot be read.
public func CGImageSourceCreateWithURL(_ url: CFURL, _ options: CFDictionary?) -> CGImageSource? {
  guard let data = try? Data(contentsOf: url) else { return nil }
  return CGImageSource(data, named: url.isFileURL ? url.path : url.absoluteString)
}

/// A source of bytes in memory. `options` are ignored. Never nil: `CGImageSourceGetStatus` says
/// whether they are an image.
public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource?
{
  CGImageSource(data, named: "image data")
}

/// A source of a provider's bytes, like that of bytes in memory.
public func CGImageSourceCreateWithDataProvider(
  _ provider: CGDataProvider, _ options: CFDictionary?
) -> CGImageSource? {
  provider.data.map { CGImageSource($0, named: "image data") }
}

/// The file's format, such as "public.png"; nil if it is not one that is read.
public func CGImageSourceGetType(_ source: CGImageSource) -> CFString? { source.format?.rawValue }

/// The formats that are read.
public func CGImageSourceCopyTypeIdentifiers() -> CFArray { ImageFormat.allCases.map(\.rawValue) }

/// 1, or 0 if the file is no image that can be read.
public func CGImageSourceGetCount(_ source: CGImageSource) -> Int { source.count }

/// 0: files of several images have their first one read.
public func CGImageSourceGetPrimaryImageIndex(_ source: CGImageSource) -> Int { 0 }

/// Whether the file's header could be read.
public func CGImageSourceGetStatus(_ source: CGImageSource) -> CGImageSourceStatus {
  source.status
}

/// Whether the header of an image could be read.
public func CGImageSourceGetStatusAtIndex(
  _ source: CGImageSource, _ index: Int
) -> CGImageSourceStatus {
  index == 0 ? source.status : .statusInvalidData
}

/// The file's properties: `kCGImagePropertyFileSize`. `options` are ignored.
public func CGImageSourceCopyProperties(
  _ source: CGImageSource, _ options: CFDictionary?
) -> CFDictionary? {
  [kCGImagePropertyFileSize: source.bytes.count]
}

/// An image's properties, read without its pixels: those of the `kCGImageProperty…` names.
/// `options` are ignored. Nil if there is no such image.
public func CGImageSourceCopyPropertiesAtIndex(
  _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CFDictionary? {
  guard let header = source.header(at: index) else { return nil }
  let model =
    switch header.components {
    case .rgb: kCGImagePropertyColorModelRGB
    case .gray: kCGImagePropertyColorModelGray
    case .cmyk: kCGImagePropertyColorModelCMYK
    }
  var properties: [CFString: Any] = [
    kCGImagePropertyPixelWidth: header.width, kCGImagePropertyPixelHeight: header.height,
    kCGImagePropertyDepth: header.bitsPerComponent, kCGImagePropertyColorModel: model,
    kCGImagePropertyHasAlpha: header.hasAlpha,
  ]
  if header.orientation != .topLeft {
    properties[kCGImagePropertyOrientation] = header.orientation.rawValue
  }
  if header.isIndexed { properties[kCGImagePropertyIsIndexed] = true }
  if let name = header.profile.flatMap(ColorProfile.init)?.name {
    properties[kCGImagePropertyProfileName] = name
  }
  return properties
}

/// An image as stored: its orientation is not applied, unlike by `CGImage(contentsOf:)`. Nil if it
/// cannot be read.
public func CGImageSourceCreateImageAtIndex(
  _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
  source.image(
    at: index, isTurned: false,
    allowsFloat: options?[kCGImageSourceShouldAllowFloat] as? Bool ?? false)
}

/// A smaller form of an image, of 8 bits a channel and in its colour space. Files' own thumbnails
/// are not read, so the result is nil unless an option asks to make one of the image; and nil if
/// the image cannot be read.
public func CGImageSourceCreateThumbnailAtIndex(
  _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
  func isSet(_ option: CFString) -> Bool { options?[option] as? Bool ?? false }
  guard
    isSet(kCGImageSourceCreateThumbnailFromImageAlways)
      || isSet(kCGImageSourceCreateThumbnailFromImageIfAbsent),
    let image = source.image(
      at: index, isTurned: isSet(kCGImageSourceCreateThumbnailWithTransform))
  else { return nil }
  let side = TextRun.number(options?[kCGImageSourceThumbnailMaxPixelSize])
  return image.scaledDown(toSide: side)
}

extension CGImage {
  /// The image with its longer side no longer than `side` pixels; itself if it is so already, or if
  /// `side` is not positive. Nil if out of memory.
  func scaledDown(toSide side: CGFloat) -> CGImage? {
    let longest = CGFloat(max(width, height))
    guard side > 0, side < longest else { return self }
    let scale = side / longest
    func length(_ pixels: Int) -> Int { max(1, Int((CGFloat(pixels) * scale).rounded())) }
    let context = CGContext(
      data: nil, width: length(width), height: length(height), bitsPerComponent: 8, bytesPerRow: 0,
      space: space.kind == .displayP3 ? space : CGColorSpace(.sRGB),
      bitmapInfo: CGImageAlphaInfo.premultipliedFirst.rawValue
        | CGBitmapInfo.byteOrder32Little.rawValue)
    guard let context else { return nil }
    context.interpolationQuality = .high
    context.draw(
      self, in: CGRect(x: 0, y: 0, width: CGFloat(context.width), height: CGFloat(context.height)))
    return context.makeImage()
  }
}
