/// The place of the alpha within a pixel, and whether the colour is premultiplied.
public enum CGImageAlphaInfo: UInt32, Sendable {
  /// No alpha; opaque.
  case none = 0
  /// Premultiplied colour, then alpha: RGBA.
  case premultipliedLast
  /// Alpha, then premultiplied colour: ARGB.
  case premultipliedFirst
  /// Straight colour, then alpha: RGBA. Contexts do not support it.
  case last
  /// Alpha, then straight colour: ARGB. Contexts do not support it.
  case first
  /// Colour, then an unused component: RGBX.
  case noneSkipLast
  /// An unused component, then colour: XRGB.
  case noneSkipFirst
  /// Alpha and no colour.
  case alphaOnly
}

/// The order of a pixel's bytes in memory.
public enum CGImageByteOrderInfo: UInt32, Sendable {
  /// The same as `order32Big`.
  case orderDefault = 0
  /// Two bytes, the lower first.
  case order16Little = 0x1000
  /// Four bytes, the last component first.
  case order32Little = 0x2000
  /// Two bytes, the higher first.
  case order16Big = 0x3000
  /// Four bytes, the first component first.
  case order32Big = 0x4000
}

/// The layout of a bitmap's pixels in memory: a `CGImageAlphaInfo` and a byte order.
public struct CGBitmapInfo: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The bits that hold a `CGImageAlphaInfo`.
  public static let alphaInfoMask = CGBitmapInfo(rawValue: 0x1F)
  /// The bits that say whether components are floating-point numbers.
  public static let floatInfoMask = CGBitmapInfo(rawValue: 0xF00)
  /// The components are floating-point numbers.
  public static let floatComponents = CGBitmapInfo(rawValue: 0x100)
  /// The bits that hold the order of bytes.
  public static let byteOrderMask = CGBitmapInfo(rawValue: 0x7000)
  /// Units of 16 bits, the least significant byte first.
  public static let byteOrder16Little = CGBitmapInfo(rawValue: 0x1000)
  /// Units of 32 bits, the least significant byte first.
  public static let byteOrder32Little = CGBitmapInfo(rawValue: 0x2000)
  /// Units of 16 bits, the most significant byte first.
  public static let byteOrder16Big = CGBitmapInfo(rawValue: 0x3000)
  /// Units of 32 bits, the most significant byte first.
  public static let byteOrder32Big = CGBitmapInfo(rawValue: 0x4000)
}

/// 32-bit pixels in this machine's byte order.
public let kCGBitmapByteOrder32Host = CGBitmapInfo.byteOrder32Little
