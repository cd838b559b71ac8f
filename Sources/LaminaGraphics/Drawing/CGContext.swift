import CCairo
import Foundation
import LaminaValues

/// A drawing destination: a bitmap in memory, drawn on with Cairo.
///
/// Every call takes coordinates in user space. The current transformation matrix maps them to
/// device space, whose unit is a pixel and whose y points up from the bitmap's lower left corner.
/// In a bitmap context that the app creates, both spaces are the same at first. A layer's context
/// begins with the layer's contents scale and with y pointing down, unless the layer is flipped.
///
/// Numbers that are not finite and sizes that make no sense are ignored or draw nothing; no call
/// fails. Use a context on one thread at a time.
public final class CGContext {
  let memory: BitmapMemory
  /// The bitmap's colour space, to which colours and images are converted.
  let space: CGColorSpace
  private let requestedInfo: CGBitmapInfo
  /// The transform from the user space that the context began with to the bitmap's pixels, y down.
  /// Shadow offsets and patterns are measured in that space.
  let baseTransform: CGAffineTransform
  /// The transform from device space, y up, to the bitmap's pixels, y down.
  let deviceToPixels: CGAffineTransform
  /// The bitmap, then the open transparency layers.
  var targets: [DrawTarget]
  var state = GraphicsState()
  /// The current path, in pixels, so that it does not follow later changes of the matrix.
  var pixelPath = Path()
  /// The ID of the next clip.
  var clipIDs: UInt64 = 1
  /// The image converted last, kept because it may be drawn again.
  var convertedImage: (id: ImageID, surface: CairoSurface)?
  /// What is drawn later; nil if drawing happens at once.
  var recording: [RecordedStep]?
  /// Whether the cell of an uncoloured pattern is being drawn, which may not set colours.
  var ignoresColors = false
  /// The transform from text space to user space; its translation is the text position. Not part of
  /// the saved state.
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
  /// `data` holds `bytesPerRow × height` bytes and must outlive the context; if it is nil, the
  /// context allocates cleared memory, and `bytesPerRow` may be 0. The supported pixels are 8 bits
  /// a component in an RGB space, with premultiplied or no alpha, first or last, in either 32-bit
  /// byte order; 8 bits of gray without alpha; and 8 bits of alpha alone. For any other the result
  /// is nil. The fastest are `premultipliedFirst` with `byteOrder32Little`. All others are
  /// converted after each call, and show only what the context draws, not what is later written to
  /// `data` by other means.
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

  /// A bitmap like that of the initialiser with an integer `bitmapInfo`.
  public convenience init?(
    data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int,
    bytesPerRow: Int, space: CGColorSpace?, bitmapInfo: CGBitmapInfo
  ) {
    self.init(
      data: data, width: width, height: height, bitsPerComponent: bitsPerComponent,
      bytesPerRow: bytesPerRow, space: space, bitmapInfo: bitmapInfo.rawValue)
  }

  /// A context that draws on a layer's backing store, whose pixels are kept. `transform` maps user
  /// space to the store's pixels, y down; nothing is drawn outside `clip`, in those pixels. Nil if
  /// the store is neither BGRA8 nor A8, or larger than Cairo can draw, 32,767 pixels a side.
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
  /// Always 8.
  public var bitsPerComponent: Int { 8 }
  /// 32, or 8 for gray and for alpha alone.
  public var bitsPerPixel: Int {
    memory.format == CAIRO_FORMAT_A8 || memory.order == .gray ? 8 : 32
  }
  /// Bytes from one row in memory to the next.
  public var bytesPerRow: Int { memory.stride }
  /// The colour space of the pixels; nil for alpha alone.
  public var colorSpace: CGColorSpace? { memory.format == CAIRO_FORMAT_A8 ? nil : space }
  /// The layout of the pixels, as it was asked for.
  public var bitmapInfo: CGBitmapInfo { requestedInfo }
  /// Where the alpha lies in a pixel, and whether colours are multiplied with it.
  public var alphaInfo: CGImageAlphaInfo {
    CGImageAlphaInfo(rawValue: requestedInfo.intersection(.alphaInfoMask).rawValue) ?? .none
  }
  /// The pixels, the top row first. Valid while the context lives.
  public var data: UnsafeMutableRawPointer? {
    playBack()
    return memory.data
  }

  /// A copy of the pixels as an image, without open transparency layers; nil if out of memory.
  public func makeImage() -> CGImage? {
    playBack()
    return memory.copy().map { CGImage($0, colorSpace: space) }
  }

  /// Does nothing: when a drawing call returns, its pixels are in memory.
  public func flush() {}
  /// Does nothing: when a drawing call returns, its pixels are in memory.
  public func synchronize() {}
}

extension CGBitmapInfo {
  /// Cairo's format for these pixels, and the order of their bytes; nil if Cairo cannot draw on
  /// them.
  fileprivate func pixelKind(
    in space: CGColorSpace?
  ) -> (format: cairo_format_t, order: BitmapMemory.Order)? {
    let alpha = CGImageAlphaInfo(rawValue: intersection(.alphaInfoMask).rawValue)
    guard let alpha, isDisjoint(with: .floatInfoMask) else { return nil }
    if alpha == .alphaOnly { return (CAIRO_FORMAT_A8, .native) }
    guard let space else { return nil }
    if space.kind == .gray {
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
