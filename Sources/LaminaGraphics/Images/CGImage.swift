import Foundation
import LaminaValues
import Synchronization

/// An immutable image: 8 bits a channel, or half floats if a 16-bit file was read as such.
///
/// The first row is the top one. Two images are equal only if they are the same object.
public final class CGImage: Hashable, Sendable {
  package let id: ImageID
  /// Premultiplied BGRA8 or RGBA16F; never written any more. An image mask's alpha is 255 where its
  /// samples are 0, and its colour black.
  package let buffer: PixelBuffer
  /// Whether this is an image mask: samples that say where to paint, without a colour.
  public let isMask: Bool
  /// The colour space; without meaning for an image mask.
  let space: CGColorSpace
  /// The bitmap that the app made the image of; nil for all other images.
  let bitmap: SourceBitmap?
  private let converted = Lock<PixelBuffer?>(nil)
  private let knownOpaque = Lock<Bool?>(nil)

  /// Takes over `buffer`, which must not be written after this.
  package convenience init(_ buffer: PixelBuffer, colorSpace: CGColorSpace = CGColorSpace(.sRGB)) {
    self.init(buffer, colorSpace: colorSpace, bitmap: nil)
  }

  /// Takes over `buffer`, which has the pixels of `bitmap`.
  init(
    _ buffer: PixelBuffer, colorSpace: CGColorSpace, bitmap: SourceBitmap?, isMask: Bool = false
  ) {
    id = .unique()
    self.buffer = buffer
    space = colorSpace
    self.bitmap = bitmap
    self.isMask = isMask
  }

  /// The image's width in pixels.
  public var width: Int { buffer.layout.width }
  /// The image's height in pixels.
  public var height: Int { buffer.layout.height }
  /// The colour space of the pixels: sRGB for images from files, unless they have a profile; nil
  /// for an image mask.
  public var colorSpace: CGColorSpace? { isMask ? nil : space }

  private var isHalf: Bool { buffer.layout.format == .rgba16f }
  /// Of the bitmap that the image was made of; otherwise 8, or 16 for half floats.
  public var bitsPerComponent: Int { bitmap?.bitsPerComponent ?? (isHalf ? 16 : 8) }
  /// Of the bitmap that the image was made of; otherwise 32, or 64 for half floats.
  public var bitsPerPixel: Int { bitmap?.bitsPerPixel ?? buffer.layout.format.bytesPerPixel * 8 }
  /// Bytes from one row of `dataProvider`'s to the next.
  public var bytesPerRow: Int { bitmap?.bytesPerRow ?? buffer.layout.stride }
  /// The layout of `dataProvider`'s pixels: that of the bitmap that the image was made of;
  /// otherwise `premultipliedFirst` with `byteOrder32Little`, or `premultipliedLast` with
  /// `floatComponents` and `byteOrder16Little` for half floats.
  public var bitmapInfo: CGBitmapInfo {
    if let bitmap { return bitmap.info }
    let alpha: CGImageAlphaInfo = isHalf ? .premultipliedLast : .premultipliedFirst
    return CGBitmapInfo(rawValue: alpha.rawValue).union(
      isHalf ? [.floatComponents, .byteOrder16Little] : .byteOrder32Little)
  }
  /// The place of the alpha within a pixel, as in `bitmapInfo`.
  public var alphaInfo: CGImageAlphaInfo { bitmapInfo.alpha ?? .none }
  /// The order of a pixel's bytes, as in `bitmapInfo`.
  public var byteOrderInfo: CGImageByteOrderInfo {
    CGImageByteOrderInfo(rawValue: bitmapInfo.intersection(.byteOrderMask).rawValue)
      ?? .orderDefault
  }
  /// What the image was made with; without effect. Default: false.
  public var shouldInterpolate: Bool { bitmap?.shouldInterpolate ?? false }
  /// What the image was made with; without effect. Default: `defaultIntent`.
  public var renderingIntent: CGColorRenderingIntent { bitmap?.intent ?? .defaultIntent }

  /// The pixels' bytes: the provider that the image was made of, otherwise a copy of its memory.
  public var dataProvider: CGDataProvider? {
    if let bitmap { return bitmap.provider }
    return CGDataProvider(data: buffer.withUnsafeBytes { Data($0) })
  }

  /// The pixels in sRGB, in the same format, for the render process. Extended values are kept in
  /// half floats and clamped in bytes. If out of memory, the unconverted pixels.
  package var sRGBBuffer: PixelBuffer {
    guard space.kind == .displayP3 else { return buffer }
    return converted.withLock { known in
      if let known { return known }
      known = buffer.convertedToSRGB(from: space.kind)
      return known ?? buffer
    }
  }

  /// The image in sRGB: itself unless it is in Display P3.
  var inSRGB: CGImage { sRGBBuffer === buffer ? self : CGImage(sRGBBuffer) }

  /// Whether every pixel is known to have full alpha. Looks at the pixels once.
  package var isOpaque: Bool {
    knownOpaque.withLock { known in
      if let known { return known }
      let isOpaque = buffer.isOpaque
      known = isOpaque
      return isOpaque
    }
  }

  /// The part within `rect`, in pixels from the top left corner, widened to whole pixels; nil if
  /// they do not overlap.
  public func cropping(to rect: CGRect) -> CGImage? {
    let part = PixelRect(covering: rect, within: PixelRect(buffer.size))
    guard !part.isEmpty else { return nil }
    let layout = buffer.layout
    let copy = try? PixelBuffer(
      width: part.width, height: part.height, format: layout.format, use: .store)
    guard let copy else { return nil }
    let pixel = layout.format.bytesPerPixel
    buffer.withUnsafeBytes { source in
      copy.withUnsafeMutableBytes { target in
        for y in 0..<part.height {
          let start = (part.minY + y) * layout.stride + part.minX * pixel
          let row = UnsafeRawBufferPointer(rebasing: source[start..<start + part.width * pixel])
          let place = y * copy.layout.stride
          UnsafeMutableRawBufferPointer(rebasing: target[place..<place + row.count])
            .copyMemory(from: row)
        }
      }
    }
    return CGImage(copy, colorSpace: space, bitmap: nil, isMask: isMask)
  }

  public static func == (a: CGImage, b: CGImage) -> Bool { a === b }
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension ImageID {
  private static let next = Atomic<UInt64>(1)

  /// An ID that no other image or backing store of this process has.
  package static func unique() -> ImageID {
    ImageID(rawValue: next.wrappingAdd(1, ordering: .relaxed).oldValue)
  }
}
