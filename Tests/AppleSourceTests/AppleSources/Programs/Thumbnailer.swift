import CoreGraphics
import Foundation
import ImageIO

// Reads the images of a folder without decoding more of them than is needed, and writes a sheet of
// small ones, each in its proportions, over what is known of it.

struct Thumbnailer {
  struct Entry {
    var name: String
    var type: String
    /// As it is seen: with the orientation.
    var size: CGSize
    var thumbnail: CGImage
  }

  var side: Int
  var columns: Int
  var gap: CGFloat = 4

  /// The images of a folder, by name. Other files are left out.
  func entries(in folder: URL) -> [Entry] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().compactMap { name in
      autoreleasepool { entry(folder.appendingPathComponent(name)) }
    }
  }

  private func entry(_ url: URL) -> Entry? {
    let sourceOptions = [kCGImageSourceShouldCache: false] as CFDictionary
    guard let source = CGImageSourceCreateWithURL(url as CFURL, sourceOptions),
      CGImageSourceGetCount(source) > 0, let type = CGImageSourceGetType(source),
      let properties = CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as? [CFString: Any],
      let width = properties[kCGImagePropertyPixelWidth] as? Int,
      let height = properties[kCGImagePropertyPixelHeight] as? Int
    else { return nil }
    let options =
      [
        kCGImageSourceCreateThumbnailFromImageAlways: true,
        kCGImageSourceCreateThumbnailWithTransform: true,
        kCGImageSourceShouldCacheImmediately: true,
        kCGImageSourceThumbnailMaxPixelSize: side,
      ] as CFDictionary
    guard let thumbnail = CGImageSourceCreateThumbnailAtIndex(source, 0, options) else {
      return nil
    }
    let orientation = properties[kCGImagePropertyOrientation] as? Int ?? 1
    let isLying = orientation >= 5
    return Entry(
      name: url.lastPathComponent, type: type as String,
      size: isLying ? CGSize(width: height, height: width) : CGSize(width: width, height: height),
      thumbnail: thumbnail)
  }

  /// The size of a sheet of so many images.
  func sheetSize(count: Int) -> CGSize {
    let rows = (count + columns - 1) / columns
    let pitch = CGFloat(side) + gap
    return CGSize(width: CGFloat(columns) * pitch + gap, height: CGFloat(rows) * pitch + gap)
  }

  /// The place of an image's cell, with y up.
  func cell(_ index: Int, count: Int) -> CGRect {
    let pitch = CGFloat(side) + gap
    let (column, row) = (CGFloat(index % columns), CGFloat(index / columns))
    return CGRect(
      x: gap + column * pitch, y: sheetSize(count: count).height - (row + 1) * pitch,
      width: CGFloat(side), height: CGFloat(side))
  }

  func sheet(of entries: [Entry]) -> CGImage? {
    let size = sheetSize(count: entries.count)
    guard
      let context = CGContext(
        data: nil, width: Int(size.width), height: Int(size.height), bitsPerComponent: 8,
        bytesPerRow: 0, space: CGColorSpace(name: CGColorSpace.sRGB)!,
        bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
    else { return nil }
    context.setFillColor(gray: 0.15, alpha: 1)
    context.fill(CGRect(origin: .zero, size: size))
    for (index, entry) in entries.enumerated() {
      let cell = cell(index, count: entries.count)
      let (width, height) = (CGFloat(entry.thumbnail.width), CGFloat(entry.thumbnail.height))
      let place = CGRect(
        x: (cell.midX - width / 2).rounded(), y: (cell.midY - height / 2).rounded(), width: width,
        height: height)
      context.setFillColor(gray: 0.3, alpha: 1)
      context.fill(cell)
      context.saveGState()
      context.addPath(
        CGPath(roundedRect: place, cornerWidth: 3, cornerHeight: 3, transform: nil))
      context.clip()
      context.interpolationQuality = .none
      context.draw(entry.thumbnail, in: place)
      context.restoreGState()
    }
    return context.makeImage()
  }

  /// Writes the sheet; false if that fails.
  func write(_ sheet: CGImage, to url: URL, type: String, quality: Double) -> Bool {
    guard
      let destination = CGImageDestinationCreateWithURL(
        url as CFURL, type as CFString, 1, nil)
    else { return false }
    let properties = [kCGImageDestinationLossyCompressionQuality: quality] as CFDictionary
    CGImageDestinationAddImage(destination, sheet, properties)
    return CGImageDestinationFinalize(destination)
  }
}
