import Foundation

/// The storage of a pixel. All colour is premultiplied; the first row in memory is the top one.
@usableFromInline package enum PixelFormat: UInt8, Sendable, CaseIterable {
  /// Four bytes, blue first: Cairo's ARGB32 and GBM's ARGB8888 on a little-endian machine.
  case bgra8
  /// Four half floats, red first.
  case rgba16f
  /// One byte of coverage.
  case a8

  package var bytesPerPixel: Int {
    switch self {
    case .bgra8: 4
    case .rgba16f: 8
    case .a8: 1
    }
  }
}

/// A size in whole pixels.
@usableFromInline package struct PixelSize: Hashable, Sendable, CustomStringConvertible {
  @usableFromInline package var width: Int
  @usableFromInline package var height: Int
  @inlinable package init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
  @usableFromInline package var description: String { "\(width)x\(height)" }
  @usableFromInline package var isEmpty: Bool { width <= 0 || height <= 0 }
}

/// A half-open rectangle of whole pixels, y down.
@usableFromInline package struct PixelRect: Hashable, Sendable, CustomStringConvertible {
  @usableFromInline package var minX: Int
  @usableFromInline package var minY: Int
  @usableFromInline package var maxX: Int
  @usableFromInline package var maxY: Int

  @inlinable package init(minX: Int, minY: Int, maxX: Int, maxY: Int) {
    self.minX = minX
    self.minY = minY
    self.maxX = maxX
    self.maxY = maxY
  }

  @inlinable package init(_ size: PixelSize) {
    self.init(minX: 0, minY: 0, maxX: size.width, maxY: size.height)
  }

  @inlinable package static var empty: PixelRect {
    PixelRect(minX: 0, minY: 0, maxX: 0, maxY: 0)
  }
  /// Far larger than any target. Its coordinates fit into Int32, and differences of them too.
  @inlinable package static var everywhere: PixelRect {
    PixelRect(minX: -1 << 30, minY: -1 << 30, maxX: 1 << 30, maxY: 1 << 30)
  }

  @inlinable package var width: Int { max(0, maxX - minX) }
  @inlinable package var height: Int { max(0, maxY - minY) }
  @inlinable package var size: PixelSize { PixelSize(width: width, height: height) }
  @inlinable package var isEmpty: Bool { maxX <= minX || maxY <= minY }
  /// Number of pixels.
  @inlinable package var area: Int { width * height }

  @inlinable package func intersection(_ other: PixelRect) -> PixelRect {
    let r = PixelRect(
      minX: max(minX, other.minX), minY: max(minY, other.minY),
      maxX: min(maxX, other.maxX), maxY: min(maxY, other.maxY))
    return r.isEmpty ? .empty : r
  }

  @inlinable package func union(_ other: PixelRect) -> PixelRect {
    if isEmpty { return other }
    if other.isEmpty { return self }
    return PixelRect(
      minX: min(minX, other.minX), minY: min(minY, other.minY),
      maxX: max(maxX, other.maxX), maxY: max(maxY, other.maxY))
  }

  /// Whether the two have a pixel in common.
  @inlinable package func meets(_ other: PixelRect) -> Bool {
    let width = min(maxX, other.maxX) &- max(minX, other.minX)
    let height = min(maxY, other.maxY) &- max(minY, other.minY)
    // Both positive, found without a branch: which one is not is hard to predict.
    return (width &- 1) | (height &- 1) >= 0
  }

  @inlinable package func contains(_ other: PixelRect) -> Bool {
    other.isEmpty
      || (minX <= other.minX && minY <= other.minY && maxX >= other.maxX && maxY >= other.maxY)
  }

  /// The same rectangle elsewhere. No target is so far away that this wraps.
  @inlinable package func offset(x: Int, y: Int) -> PixelRect {
    PixelRect(minX: minX &+ x, minY: minY &+ y, maxX: maxX &+ x, maxY: maxY &+ y)
  }

  @usableFromInline package var cgRect: CGRect {
    CGRect(x: CGFloat(minX), y: CGFloat(minY), width: CGFloat(width), height: CGFloat(height))
  }

  /// The smallest pixel rectangle that covers `rect`, clipped to `limits`; empty if `rect` is null
  /// or has a NaN.
  @inlinable package init(covering rect: CGRect, within limits: PixelRect) {
    guard !rect.isNull, !rect.minX.isNaN, !rect.minY.isNaN, !rect.maxX.isNaN, !rect.maxY.isNaN
    else {
      self = .empty
      return
    }
    func clamped(_ v: CGFloat, _ low: Int, _ high: Int) -> Int {
      v <= CGFloat(low) ? low : v >= CGFloat(high) ? high : Int(v)
    }
    self.init(
      minX: clamped(rect.minX.rounded(.down), limits.minX, limits.maxX),
      minY: clamped(rect.minY.rounded(.down), limits.minY, limits.maxY),
      maxX: clamped(rect.maxX.rounded(.up), limits.minX, limits.maxX),
      maxY: clamped(rect.maxY.rounded(.up), limits.minY, limits.maxY))
    if isEmpty { self = .empty }
  }

  @usableFromInline package var description: String { "(\(minX),\(minY) \(width)x\(height))" }
}

/// The shape of pixels in memory.
package struct PixelLayout: Hashable, Sendable {
  package var width: Int
  package var height: Int
  /// Bytes from one row to the next, in both planes if there are two.
  package var stride: Int
  /// The format of the pixels, after decoding if they are coded.
  package var format: PixelFormat
  /// How the pixels are coded; nil if they are stored as they are. Coded pixels, whose format is
  /// `bgra8`, lie in two planes, one right after the other: NV12.
  package var coding: YCbCrCoding?

  package init(
    width: Int, height: Int, stride: Int, format: PixelFormat, coding: YCbCrCoding? = nil
  ) {
    self.width = width
    self.height = height
    self.stride = stride
    self.format = format
    self.coding = coding
  }

  /// A layout whose rows start at multiples of 64 bytes; nil if the size is not positive or would
  /// overflow.
  package init?(width: Int, height: Int, format: PixelFormat, coding: YCbCrCoding? = nil) {
    guard width > 0, height > 0, width <= 1 << 20, height <= 1 << 20 else { return nil }
    let row = coding == nil ? width * format.bytesPerPixel : width
    self.init(
      width: width, height: height, stride: (row + 63) & ~63, format: format, coding: coding)
  }

  package var size: PixelSize { PixelSize(width: width, height: height) }

  /// Number of rows in memory, of all planes. The height is at most 2⁶².
  package var rowCount: Int { coding == nil ? height : height + (height + 1) / 2 }

  /// Bytes from the first pixel to the end of the last row; nil if the layout contradicts itself or
  /// overflows.
  package var byteCount: Int? {
    let (row, o1) =
      coding == nil
      ? width.multipliedReportingOverflow(by: format.bytesPerPixel)
      : width.addingReportingOverflow(width & 1)
    guard !o1, width > 0, height > 0, height <= 1 << 62, stride >= row else { return nil }
    guard coding == nil || format == .bgra8 else { return nil }
    let (all, o2) = stride.multipliedReportingOverflow(by: rowCount)
    return o2 ? nil : all
  }
}
