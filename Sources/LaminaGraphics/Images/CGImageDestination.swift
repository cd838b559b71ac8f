import Foundation
import LaminaValues

/// Image property: how much of an image is kept, from 0 to 1, a number. 1 writes a WebP without
/// loss; 0.8 by default. PNGs ignore it.
public let kCGImageDestinationLossyCompressionQuality: CFString =
  "kCGImageDestinationLossyCompressionQuality"
/// Image property: the colour, a `CGColor`, that shows through the alpha of an image in a JPEG;
/// white by default.
public let kCGImageDestinationBackgroundColor: CFString = "kCGImageDestinationBackgroundColor"
/// Image property: the longer side, in pixels, to which a larger image is scaled down, a number.
public let kCGImageDestinationImageMaxPixelSize: CFString = "kCGImageDestinationImageMaxPixelSize"

/// A PNG, JPEG or WebP file of one image that is to be written.
///
/// Pixels are written in sRGB and upright. What cannot be written makes
/// `CGImageDestinationFinalize` return false, with a warning that says why.
public final class CGImageDestination: Hashable {
  private enum Target {
    case file(URL)
    case data(NSMutableData)
  }

  private let target: Target
  private let format: ImageFormat
  fileprivate var properties: CFDictionary = [:]
  private var images: [CGImage] = []
  private var isFinished = false

  fileprivate init?(file url: URL, type: CFString) {
    guard url.isFileURL, let format = ImageFormat(rawValue: type) else { return nil }
    (target, self.format) = (.file(url), format)
  }

  fileprivate init?(data: NSMutableData, type: CFString) {
    guard let format = ImageFormat(rawValue: type) else { return nil }
    (target, self.format) = (.data(data), format)
  }

  public static func == (a: CGImageDestination, b: CGImageDestination) -> Bool { a === b }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  fileprivate func add(_ image: CGImage?, _ own: CFDictionary?) {
    guard let image else { return }
    if let own { properties.merge(own) { $1 } }
    images.append(image)
  }

  fileprivate func finish() -> Bool {
    guard !isFinished, images.count == 1, let image = images.first else {
      warn("an image file holds one image and is written once; this one has \(images.count)")
      return false
    }
    isFinished = true
    do throws(ImageError) {
      let data = try prepared(image).data(
        as: format, quality: quality, background: background)
      switch target {
      case .data(let target): target.append(data)
      case .file(let url): return write(data, to: url)
      }
      return true
    } catch {
      warn("\(error)")
      return false
    }
  }

  private func write(_ data: Data, to url: URL) -> Bool {
    do {
      try data.write(to: url, options: .atomic)
      return true
    } catch {
      warn("\(url.path): it cannot be written: \(error.localizedDescription)")
      return false
    }
  }

  private var quality: Double {
    let value = properties[kCGImageDestinationLossyCompressionQuality]
    return value == nil ? 0.8 : min(max(Double(TextRun.number(value)), 0), 1)
  }

  private var background: CGColor {
    properties[kCGImageDestinationBackgroundColor] as? CGColor ?? .white
  }

  /// The image upright and as small as it is asked for.
  private func prepared(_ image: CGImage) throws(ImageError) -> CGImage {
    let number = Int(TextRun.number(properties[kCGImagePropertyOrientation]).clamped(to: 100))
    let orientation = ExifOrientation(rawValue: number) ?? .topLeft
    let upright =
      orientation == .topLeft
      ? image
      : CGImage(try orientation.upright(image.buffer, name: "image"), colorSpace: image.space)
    let side = TextRun.number(properties[kCGImageDestinationImageMaxPixelSize])
    guard let result = upright.scaledDown(toSide: side) else {
      throw ImageError(name: "image", problem: .noMemory(reason: "scaling"))
    }
    return result
  }
}

/// A file to write, which appears when it is whole. `type` is "public.png", "public.jpeg" or
/// "org.webmproject.webp"; `options` are ignored. Nil for any other type or a URL of no file.
public func CGImageDestinationCreateWithURL(
  _ url: CFURL, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
  CGImageDestination(file: url, type: type)
}

/// A file to append to `data`, like one at a URL.
public func CGImageDestinationCreateWithData(
  _ data: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
  CGImageDestination(data: data, type: type)
}

/// The formats that are written.
public func CGImageDestinationCopyTypeIdentifiers() -> CFArray {
  ImageFormat.allCases.map(\.rawValue)
}

/// Sets properties for every image; those of an image come first.
public func CGImageDestinationSetProperties(
  _ destination: CGImageDestination, _ properties: CFDictionary?
) {
  destination.properties = properties ?? [:]
}

/// Adds the image, with its own properties: those whose documentation says so.
public func CGImageDestinationAddImage(
  _ destination: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?
) {
  destination.add(image, properties)
}

/// Adds an image of a source, turned upright. If the source cannot be read, none is added.
public func CGImageDestinationAddImageFromSource(
  _ destination: CGImageDestination, _ source: CGImageSource, _ index: Int,
  _ properties: CFDictionary?
) {
  destination.add(source.uprightImage(at: index), properties)
}

/// Writes the file; false, with a warning, if that fails or if there is not one image.
public func CGImageDestinationFinalize(_ destination: CGImageDestination) -> Bool {
  destination.finish()
}
