import LaminaValues

/// Pixels in memory of their own, transparent at first.
///
/// BGRA8 and A8 pixels are stored as they are. RGBA16F ones are stored as four floats, red first:
/// half floats exist only outside, in stores and in frames that are read back.
final class Bitmap {
  let size: PixelSize
  let format: PixelFormat
  let stride: Int
  let base: UnsafeMutableRawPointer

  init(_ size: PixelSize, _ format: PixelFormat) {
    self.size = size
    self.format = format
    stride = Self.stride(size.width, format)
    base = .allocate(byteCount: stride * size.height, alignment: 64)
    base.initializeMemory(as: UInt8.self, repeating: 0, count: stride * size.height)
  }

  /// Bytes from row to row, a multiple of 64 but not of 256: pixels above each other would have
  /// places in the same few lines of a processor's cache.
  static func stride(_ width: Int, _ format: PixelFormat) -> Int {
    let rounded = (width * format.storedBytesPerPixel + 63) & ~63
    return rounded.isMultiple(of: 256) ? rounded + 64 : rounded
  }

  deinit { base.deallocate() }

  var texels: Texels {
    Texels(base: base, stride: stride, width: size.width, height: size.height, format: format)
  }
}

/// Pixels that are read or written in place, as a `Bitmap` stores them. Whoever keeps this keeps
/// their memory.
struct Texels {
  var base: UnsafeMutableRawPointer
  let stride: Int
  let width: Int
  let height: Int
  let format: PixelFormat

  var rect: PixelRect { PixelRect(PixelSize(width: width, height: height)) }

  @inline(__always)
  func row(_ y: Int) -> UnsafeMutableRawPointer { base + y &* stride }

  /// A row of BGRA8 pixels.
  @inline(__always)
  func bytes(_ y: Int) -> UnsafeMutablePointer<UInt32> {
    row(y).assumingMemoryBound(to: UInt32.self)
  }

  /// A row of pixels of four floats.
  @inline(__always)
  func floats(_ y: Int) -> UnsafeMutablePointer<Float> {
    row(y).assumingMemoryBound(to: Float.self)
  }

  func clear(_ rect: PixelRect) {
    let rect = rect.intersection(self.rect)
    guard !rect.isEmpty else { return }
    let pixel = format.storedBytesPerPixel
    for y in rect.minY..<rect.maxY {
      (row(y) + rect.minX * pixel).initializeMemory(
        as: UInt8.self, repeating: 0, count: rect.width * pixel)
    }
  }
}

extension PixelFormat {
  /// In a `Bitmap`.
  var storedBytesPerPixel: Int { self == .rgba16f ? 16 : bytesPerPixel }
}
