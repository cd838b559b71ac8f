import Foundation
import LaminaValues
import Synchronization

/// An immutable image: 8 bits a channel, or half floats if a 16-bit file was read as such.
///
/// The first row is the top one. Two images are equal only if they are the same object.
public final class CGImage: Hashable, Sendable {
  package let id: ImageID
  /// Premultiplied BGRA8 or RGBA16F; never written any more.
  package let buffer: PixelBuffer
  private let space: CGColorSpace
  private let converted = Lock<PixelBuffer?>(nil)
  private let knownOpaque = Lock<Bool?>(nil)

  /// Takes over `buffer`, which must not be written after this.
  package init(_ buffer: PixelBuffer, colorSpace: CGColorSpace = CGColorSpace(.sRGB)) {
    id = .unique()
    self.buffer = buffer
    space = colorSpace
  }

  /// The image's width in pixels.
  public var width: Int { buffer.layout.width }
  /// The image's height in pixels.
  public var height: Int { buffer.layout.height }
  /// The colour space of the pixels; sRGB for images from files.
  public var colorSpace: CGColorSpace? { space }
  /// 8, or 16 for half floats.
  public var bitsPerComponent: Int { buffer.layout.format == .rgba16f ? 16 : 8 }
  public var bitsPerPixel: Int { buffer.layout.format.bytesPerPixel * 8 }
  /// Bytes from one row to the next in memory.
  public var bytesPerRow: Int { buffer.layout.stride }

  /// The pixels in sRGB, in the same format, for the render process. Extended values are kept in
  /// half floats and clamped in bytes. If out of memory, the unconverted pixels.
  package var sRGBBuffer: PixelBuffer {
    guard space.model == .displayP3 else { return buffer }
    return converted.withLock { known in
      if let known { return known }
      known = buffer.convertedToSRGB(from: space.model)
      return known ?? buffer
    }
  }

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
    return CGImage(copy, colorSpace: space)
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
