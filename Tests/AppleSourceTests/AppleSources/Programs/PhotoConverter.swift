import CoreGraphics
import Foundation
import ImageIO

// Brings photographs in wide colour to sRGB, and says what that costs: how many pixels had colours
// that sRGB lacks.

struct PhotoConverter {
  enum Failure: Error, Equatable {
    case unreadable
    case unwritable
    case noMemory
  }

  struct Report: Equatable {
    var width: Int
    var height: Int
    var profile: String?
    /// The share of pixels with a colour that sRGB lacks.
    var outOfGamut: Double
  }

  var maximumSide: Int?
  var quality = 0.9

  /// Reads a photograph, converts it and appends the file to `output`.
  func convert(_ input: Data, to type: String, output: NSMutableData) throws -> Report {
    guard let source = CGImageSourceCreateWithData(input as CFData, nil),
      let photo = CGImageSourceCreateImageAtIndex(source, 0, nil),
      let properties = CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as? [CFString: Any]
    else { throw Failure.unreadable }
    let converted = try inSRGB(photo)
    let orientation = properties[kCGImagePropertyOrientation] as? Int ?? 1
    var options: [CFString: Any] = [
      kCGImageDestinationLossyCompressionQuality: quality,
      kCGImagePropertyOrientation: orientation,
    ]
    if let maximumSide { options[kCGImageDestinationImageMaxPixelSize] = maximumSide }
    guard
      let destination = CGImageDestinationCreateWithData(
        output as CFMutableData, type as CFString, 1, nil)
    else { throw Failure.unwritable }
    CGImageDestinationAddImage(destination, converted, options as CFDictionary)
    guard CGImageDestinationFinalize(destination) else { throw Failure.unwritable }
    return Report(
      width: photo.width, height: photo.height,
      profile: properties[kCGImagePropertyProfileName] as? String,
      outOfGamut: try outOfGamut(photo))
  }

  /// The photograph drawn on a bitmap of sRGB.
  func inSRGB(_ photo: CGImage) throws -> CGImage {
    guard let space = CGColorSpace(name: CGColorSpace.sRGB),
      let bitmap = bitmap(of: photo, in: space), let image = bitmap.makeImage()
    else { throw Failure.noMemory }
    return image
  }

  private func bitmap(of photo: CGImage, in space: CGColorSpace) -> CGContext? {
    let context = CGContext(
      data: nil, width: photo.width, height: photo.height, bitsPerComponent: 8,
      bytesPerRow: photo.width * 4, space: space,
      bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
    context?.setBlendMode(.copy)
    context?.interpolationQuality = .none
    context?.draw(photo, in: CGRect(x: 0, y: 0, width: photo.width, height: photo.height))
    return context
  }

  /// The share of pixels whose colours in extended sRGB lie outside of 0 and 1.
  private func outOfGamut(_ photo: CGImage) throws -> Double {
    guard let space = photo.colorSpace, space.model == .rgb, space.isWideGamutRGB,
      let extended = CGColorSpace(name: CGColorSpace.extendedSRGB)
    else { return 0 }
    guard let bitmap = bitmap(of: photo, in: space), let data = bitmap.data else {
      throw Failure.noMemory
    }
    let bytes = UnsafeRawBufferPointer(start: data, count: bitmap.bytesPerRow * bitmap.height)
    var count = 0
    for y in 0..<bitmap.height {
      for x in 0..<bitmap.width {
        let start = y * bitmap.bytesPerRow + x * 4
        let alpha = CGFloat(bytes[start + 3])
        guard alpha > 0 else { continue }
        let components = (0..<3).map { CGFloat(bytes[start + $0]) / alpha } + [1]
        let color = CGColor(colorSpace: space, components: components)
        let wide = color?.converted(to: extended, intent: .relativeColorimetric, options: nil)
        let isOutside = wide?.components?.contains { $0 < -0.002 || $0 > 1.002 } ?? false
        if isOutside { count += 1 }
      }
    }
    return Double(count) / Double(photo.width * photo.height)
  }

  /// Both forms side by side, as a program would show them.
  func comparison(_ photo: CGImage) throws -> CGImage {
    let converted = try inSRGB(photo)
    guard
      let space = CGColorSpace(name: CGColorSpace.displayP3),
      let context = CGContext(
        data: nil, width: photo.width * 2, height: photo.height, bitsPerComponent: 8,
        bytesPerRow: 0, space: space,
        bitmapInfo: CGImageAlphaInfo.premultipliedFirst.rawValue
          | CGBitmapInfo.byteOrder32Little.rawValue)
    else { throw Failure.noMemory }
    context.interpolationQuality = .none
    let size = CGSize(width: photo.width, height: photo.height)
    context.draw(photo, in: CGRect(origin: .zero, size: size))
    context.draw(converted, in: CGRect(origin: CGPoint(x: size.width, y: 0), size: size))
    guard let image = context.makeImage() else { throw Failure.noMemory }
    return image
  }
}
