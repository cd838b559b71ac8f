import CCairo
import Foundation
import LaminaValues

/// A place to draw, on pixels in memory, with Cairo.
///
/// User space is what every call takes; the current transformation matrix maps it to device space,
/// whose unit is a pixel and whose y points up from the bitmap's lower left corner. In a bitmap
/// context of one's own both are the same at first. A layer's context begins with its contents'
/// scale and y pointing down, unless the layer is flipped.
///
/// Numbers that are not finite, and sizes that make no sense, are ignored or draw nothing; no call
/// fails. A context is for one thread at a time.
public final class CGContext {
  let memory: BitmapMemory
  /// What the bitmap's components mean: colours and images are converted to it.
  let space: CGColorSpace
  private let requestedInfo: CGBitmapInfo
  /// From the user space that drawing began with to the bitmap's pixels, y down. Shadows' offsets
  /// and patterns are measured in it.
  let baseTransform: CGAffineTransform
  /// From device space, y up, to the bitmap's pixels, y down.
  let deviceToPixels: CGAffineTransform
  /// The bitmap, then the transparency layers that are open.
  var targets: [DrawTarget]
  var state = GraphicsState()
  /// The current path, in pixels: it does not follow later changes of the matrix.
  var pixelPath = Path()
  /// The ID of the next clip.
  var clipIDs: UInt64 = 1
  /// The last image that had to be converted, for it may be drawn again.
  var convertedImage: (id: ImageID, surface: CairoSurface)?
  /// Whether an uncoloured pattern is being drawn, whose colours are not its own.
  var ignoresColors = false
  /// From the space that text is laid out in to user space; its translation is the text's position.
  /// Not part of the saved state.
  public var textMatrix = CGAffineTransform.identity

  init?(
    memory: BitmapMemory, space: CGColorSpace?, info: CGBitmapInfo, transform: CGAffineTransform?,
    clip: PixelRect?
  ) {
    self.memory = memory
    self.space = space ?? CGColorSpace(.sRGB)
    requestedInfo = info
    let height = CGFloat(memory.surface.region.height)
    deviceToPixels = CGAffineTransform(a: 1, b: 0, c: 0, d: -1, tx: 0, ty: height)
    baseTransform = transform ?? deviceToPixels
    // The flip is its own inverse.
    state.ctm = baseTransform.concatenating(deviceToPixels)
    let region = memory.surface.region
    let base = DrawTarget(memory.surface, clip: clip.map { $0.intersection(region) } ?? region)
    guard let base else { return nil }
    targets = [base]
  }

  /// A bitmap of `width` × `height` pixels with y pointing up.
  ///
  /// `data` holds `bytesPerRow × height` bytes and must outlive the context; with nil the context
  /// has cleared memory of its own, and `bytesPerRow` may be 0. There are these kinds of pixels, and
  /// for any other the result is nil: 8 bits a component in an RGB space, with premultiplied or no
  /// alpha, first or last, in either 32-bit byte order; 8 bits of gray without alpha; 8 bits of
  /// alpha alone. The quickest is `premultipliedFirst` with `byteOrder32Little`: others are
  /// converted after each call, and only what the context draws is seen in them, not what somebody
  /// else wrote to `data` since it was made.
  public convenience init?(
    data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int,
    bytesPerRow: Int, space: CGColorSpace?, bitmapInfo: UInt32
  ) {
    let info = CGBitmapInfo(rawValue: bitmapInfo)
    guard bitsPerComponent == 8, let kind = info.pixelKind(in: space) else { return nil }
    let memory = BitmapMemory(
      data, width: width, height: height, stride: bytesPerRow, format: kind.format,
      order: kind.order)
    guard let memory else { return nil }
    self.init(
      memory: memory, space: kind.format == CAIRO_FORMAT_A8 ? nil : space, info: info,
      transform: nil, clip: nil)
  }

  /// A bitmap as the initialiser with a plain `bitmapInfo` makes it.
  public convenience init?(
    data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int,
    bytesPerRow: Int, space: CGColorSpace?, bitmapInfo: CGBitmapInfo
  ) {
    self.init(
      data: data, width: width, height: height, bitsPerComponent: bitsPerComponent,
      bytesPerRow: bytesPerRow, space: space, bitmapInfo: bitmapInfo.rawValue)
  }

  /// Draws straight into a layer's backing store, which keeps what it holds. `transform` maps user
  /// space to the store's pixels, y down; `clip`, in those pixels, is never left. Nil where the
  /// store is no BGRA8 or A8 or larger than Cairo draws, 32,767 pixels a side.
  package convenience init?(
    buffer: PixelBuffer, transform: CGAffineTransform = .identity, clip: PixelRect? = nil
  ) {
    guard let memory = BitmapMemory(buffer) else { return nil }
    let alpha: CGImageAlphaInfo =
      buffer.layout.format == .a8 ? .alphaOnly : .premultipliedFirst
    let order: CGBitmapInfo = buffer.layout.format == .a8 ? [] : .byteOrder32Little
    self.init(
      memory: memory, space: CGColorSpace(.sRGB),
      info: CGBitmapInfo(rawValue: alpha.rawValue | order.rawValue), transform: transform,
      clip: clip)
  }

  /// The bitmap's width in pixels.
  public var width: Int { memory.surface.region.width }
  /// The bitmap's height in pixels.
  public var height: Int { memory.surface.region.height }
  /// 8.
  public var bitsPerComponent: Int { 8 }
  /// 32, or 8 for gray and for alpha alone.
  public var bitsPerPixel: Int {
    memory.format == CAIRO_FORMAT_A8 || memory.order == .gray ? 8 : 32
  }
  /// Bytes from one row in memory to the next.
  public var bytesPerRow: Int { memory.stride }
  /// What the components mean; nil for alpha alone.
  public var colorSpace: CGColorSpace? { memory.format == CAIRO_FORMAT_A8 ? nil : space }
  public var bitmapInfo: CGBitmapInfo { requestedInfo }
  public var alphaInfo: CGImageAlphaInfo {
    CGImageAlphaInfo(rawValue: requestedInfo.intersection(.alphaInfoMask).rawValue) ?? .none
  }
  /// The pixels, the top row first. Valid while the context lives.
  public var data: UnsafeMutableRawPointer? { memory.data }

  /// A copy of the pixels as an image, transparency layers that are still open left out; nil where
  /// there is no memory for it.
  public func makeImage() -> CGImage? {
    memory.copy().map { CGImage($0, colorSpace: space) }
  }

  /// Does nothing: drawing is in memory when the call that draws returns.
  public func flush() {}
  /// Does nothing: drawing is in memory when the call that draws returns.
  public func synchronize() {}
}

extension CGBitmapInfo {
  /// What Cairo draws on for such pixels, and how their bytes lie; nil where it cannot be.
  fileprivate func pixelKind(
    in space: CGColorSpace?
  ) -> (format: cairo_format_t, order: BitmapMemory.Order)? {
    let alpha = CGImageAlphaInfo(rawValue: intersection(.alphaInfoMask).rawValue)
    guard let alpha, isDisjoint(with: .floatInfoMask) else { return nil }
    if alpha == .alphaOnly { return (CAIRO_FORMAT_A8, .native) }
    guard let space else { return nil }
    if space.model == .gray {
      return alpha == .none ? (CAIRO_FORMAT_RGB24, .gray) : nil
    }
    let isLittle: Bool
    switch CGImageByteOrderInfo(rawValue: intersection(.byteOrderMask).rawValue) {
    case .order32Little: isLittle = true
    case .orderDefault, .order32Big: isLittle = false
    default: return nil
    }
    let format: cairo_format_t
    let isFirst: Bool
    switch alpha {
    case .premultipliedFirst: (format, isFirst) = (CAIRO_FORMAT_ARGB32, true)
    case .premultipliedLast: (format, isFirst) = (CAIRO_FORMAT_ARGB32, false)
    case .noneSkipFirst: (format, isFirst) = (CAIRO_FORMAT_RGB24, true)
    case .noneSkipLast: (format, isFirst) = (CAIRO_FORMAT_RGB24, false)
    case .none, .first, .last, .alphaOnly: return nil
    }
    switch (isFirst, isLittle) {
    case (true, true): return (format, .native)
    case (true, false): return (format, .bytes(red: 1, green: 2, blue: 3, alpha: 0))
    case (false, false): return (format, .bytes(red: 0, green: 1, blue: 2, alpha: 3))
    case (false, true): return (format, .bytes(red: 3, green: 2, blue: 1, alpha: 0))
    }
  }
}
