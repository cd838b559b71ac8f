import Foundation
import LaminaValues

extension CGImage {
  /// An image of a bitmap: `height` rows of `bytesPerRow` bytes each, the top one first, of which
  /// `provider` has at least so many that the last row is whole.
  ///
  /// The supported pixels are integers of 8 or 16 bits a component, in an RGB space or in gray,
  /// with alpha first, last, skipped or missing, premultiplied or straight; and 8 bits of alpha
  /// alone. `decode` has two numbers for each component but the alpha, to which its lowest and its
  /// highest value are mapped; nil stands for 0 and 1. Pixels of 16 bits are kept as half floats.
  /// `shouldInterpolate` and `intent` are kept without effect. Nil for any other pixels, for a size
  /// beyond the limits of `ImageLimits`, and if out of memory.
  public convenience init?(
    width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int,
    space: CGColorSpace, bitmapInfo: CGBitmapInfo, provider: CGDataProvider,
    decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool, intent: CGColorRenderingIntent
  ) {
    let bitmap = SourceBitmap(
      width: width, height: height, bitsPerComponent: bitsPerComponent,
      bitsPerPixel: bitsPerPixel, bytesPerRow: bytesPerRow, info: bitmapInfo, provider: provider,
      shouldInterpolate: shouldInterpolate, intent: intent)
    let layout = bitmap.componentLayout(colorCount: space.numberOfComponents)
    guard let layout, let buffer = bitmap.pixels(layout, decode: bitmap.decoding(decode, layout))
    else { return nil }
    self.init(buffer, colorSpace: space, bitmap: bitmap)
  }

  /// An image mask of samples of 8 bits: 0 lets everything through, 255 nothing, or the other way
  /// round if `decode` is 1, 0. Nil for samples of another size, and as for images.
  public convenience init?(
    maskWidth width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int,
    bytesPerRow: Int, provider: CGDataProvider, decode: UnsafePointer<CGFloat>?,
    shouldInterpolate: Bool
  ) {
    let bitmap = SourceBitmap(
      width: width, height: height, bitsPerComponent: bitsPerComponent,
      bitsPerPixel: bitsPerPixel, bytesPerRow: bytesPerRow, info: [], provider: provider,
      shouldInterpolate: shouldInterpolate, intent: .defaultIntent)
    let (low, high) = decode.map { ($0[0], $0[1]) } ?? (0, 1)
    // The alpha is what the samples keep out.
    guard bitsPerComponent == 8, bitsPerPixel == 8, low.isFinite, high.isFinite,
      let buffer = bitmap.pixels(.alphaOnly, decode: [(1 - low, low - high)])
    else { return nil }
    self.init(buffer, colorSpace: CGColorSpace(.gray), bitmap: bitmap, isMask: true)
  }

  /// The image in a PNG file's bytes; nil if they cannot be read. `decode`, `shouldInterpolate` and
  /// `intent` are ignored.
  public convenience init?(
    pngDataProviderSource source: CGDataProvider, decode: UnsafePointer<CGFloat>?,
    shouldInterpolate: Bool, intent: CGColorRenderingIntent
  ) {
    self.init(source, format: .png)
  }

  /// The image in a JPEG file's bytes; nil if they cannot be read. `decode`, `shouldInterpolate`
  /// and `intent` are ignored.
  public convenience init?(
    jpegDataProviderSource source: CGDataProvider, decode: UnsafePointer<CGFloat>?,
    shouldInterpolate: Bool, intent: CGColorRenderingIntent
  ) {
    self.init(source, format: .jpeg)
  }

  private convenience init?(_ provider: CGDataProvider, format: ImageFormat) {
    let source = ImageSource(
      name: "image data", bytes: [UInt8](provider.data ?? Data()), limits: ImageLimits(),
      keepsOrientation: true)
    guard source.format == format, let image = try? source.decode() else { return nil }
    self.init(image.buffer, colorSpace: CGColorSpace(image.space))
  }

  /// The image, its alpha multiplied by a mask that is stretched over it: by an image mask, whose
  /// samples keep out, or by the luminance of a gray image. Nil if `mask` is neither, or out of
  /// memory.
  public func masking(_ mask: CGImage) -> CGImage? {
    guard mask.isMask || mask.colorSpace?.kind == .gray, let result = copyOfPixels() else {
      return nil
    }
    let isGray = !mask.isMask
    let (layout, step) = (buffer.layout, buffer.layout.format.bytesPerPixel)
    result.withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let sample = mask.pixel(x: x * mask.width / width, y: y * mask.height / height)
          let coverage = isGray ? sample.green : sample.alpha
          if coverage == 255 { continue }
          let start = y * layout.stride + x * step
          for channel in 0..<4 {
            if layout.format == .rgba16f {
              let place = start + channel * 2
              let value = bytes.load(fromByteOffset: place, as: Float16.self)
              bytes.storeBytes(
                of: value * Float16(coverage) / 255, toByteOffset: place, as: Float16.self)
            } else {
              bytes[start + channel] = Premultiplication.premultiplied(
                bytes[start + channel], coverage)
            }
          }
        }
      }
    }
    return CGImage(result, colorSpace: space, bitmap: nil, isMask: isMask)
  }

  /// The image with all pixels transparent whose colour lies in a range: `components` has the
  /// lowest and the highest value of red, green and blue, or of gray, each 0…255. Nil if there are
  /// not so many numbers, if the image has an alpha that is not 1 everywhere, and for half floats.
  public func copy(maskingColorComponents components: [CGFloat]) -> CGImage? {
    let isGray = space.kind == .gray
    guard !isMask, components.count == (isGray ? 2 : 6), buffer.layout.format == .bgra8, isOpaque,
      let result = copyOfPixels()
    else { return nil }
    func holds(_ index: Int, _ value: UInt8) -> Bool {
      components[index * 2] <= CGFloat(value) && CGFloat(value) <= components[index * 2 + 1]
    }
    result.withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        for start in stride(
          from: y * buffer.layout.stride, to: y * buffer.layout.stride + width * 4, by: 4)
        {
          let isMasked =
            isGray
            ? holds(0, bytes[start])
            : holds(0, bytes[start + 2]) && holds(1, bytes[start + 1]) && holds(2, bytes[start])
          if isMasked { for channel in 0..<4 { bytes[start + channel] = 0 } }
        }
      }
    }
    return CGImage(result, colorSpace: space)
  }

  /// The image with its components understood as those of another space; nil if the spaces differ
  /// in their number of components, and for an image mask.
  public func copy(colorSpace: CGColorSpace) -> CGImage? {
    guard !isMask, colorSpace.numberOfComponents == space.numberOfComponents else { return nil }
    return CGImage(buffer, colorSpace: colorSpace)
  }

  /// Another image of the same pixels.
  public func copy() -> CGImage? {
    CGImage(buffer, colorSpace: space, bitmap: bitmap, isMask: isMask)
  }

  private func copyOfPixels() -> PixelBuffer? {
    let layout = buffer.layout
    let copy = try? PixelBuffer(
      width: layout.width, height: layout.height, format: layout.format, use: .store)
    guard let copy else { return nil }
    buffer.withUnsafeBytes { bytes in copy.withUnsafeMutableBytes { $0.copyMemory(from: bytes) } }
    return copy
  }
}

/// A bitmap of an app's own, and what it said of it.
struct SourceBitmap: Sendable {
  let width: Int
  let height: Int
  let bitsPerComponent: Int
  let bitsPerPixel: Int
  let bytesPerRow: Int
  let info: CGBitmapInfo
  let provider: CGDataProvider
  let shouldInterpolate: Bool
  let intent: CGColorRenderingIntent

  /// Where the components of a pixel are, counted in components.
  struct ComponentLayout {
    /// The places of gray, or of red, green and blue; none for alpha alone.
    var colors: [Int]
    /// Nil for opaque pixels.
    var alpha: Int?
    var isPremultiplied = false
    var isLittleEndian = false

    static let alphaOnly = ComponentLayout(colors: [], alpha: 0)
  }

  /// Nil if pixels of this kind are not supported.
  func componentLayout(colorCount: Int) -> ComponentLayout? {
    guard bitsPerComponent == 8 || bitsPerComponent == 16, info.isDisjoint(with: .floatInfoMask),
      let alpha = info.alpha, bitsPerPixel % bitsPerComponent == 0
    else { return nil }
    let count = bitsPerPixel / bitsPerComponent
    if alpha == .alphaOnly {
      return bitsPerComponent == 8 && count == 1 ? .alphaOnly : nil
    }
    let isFirst = [.premultipliedFirst, .first, .noneSkipFirst].contains(alpha)
    guard count == colorCount + (alpha == .none ? 0 : 1) else { return nil }
    let start = isFirst ? 1 : 0
    var layout = ComponentLayout(colors: (0..<colorCount).map { $0 + start })
    switch alpha {
    case .none, .noneSkipFirst, .noneSkipLast, .alphaOnly: break
    case .first, .premultipliedFirst: layout.alpha = 0
    case .last, .premultipliedLast: layout.alpha = colorCount
    }
    layout.isPremultiplied = alpha == .premultipliedFirst || alpha == .premultipliedLast
    switch CGImageByteOrderInfo(rawValue: info.intersection(.byteOrderMask).rawValue) {
    case .orderDefault: break
    case .order32Big where bitsPerPixel == 32, .order16Big where bitsPerComponent == 16: break
    case .order16Little where bitsPerComponent == 16: layout.isLittleEndian = true
    case .order32Little where bitsPerPixel == 32 && bitsPerComponent == 8:
      layout.colors = layout.colors.map { 3 - $0 }
      layout.alpha = layout.alpha.map { 3 - $0 }
    default: return nil
    }
    return layout
  }

  /// For each component of `layout`, what it begins at and its length, from pairs of the ends; nil
  /// if a number is not finite.
  func decoding(
    _ decode: UnsafePointer<CGFloat>?, _ layout: ComponentLayout
  ) -> [(start: Double, length: Double)]? {
    guard let decode else { return layout.colors.map { _ in (0, 1) } }
    let pairs = layout.colors.indices.map { (decode[$0 * 2], decode[$0 * 2 + 1]) }
    guard pairs.allSatisfy({ $0.0.isFinite && $0.1.isFinite }) else { return nil }
    return pairs.map { ($0.0, $0.1 - $0.0) }
  }

  /// The pixels as premultiplied BGRA8, or as half floats if they have 16 bits a component; nil if
  /// the provider has too few bytes, a size is beyond the limits, or out of memory. `decode` has
  /// one entry for each colour, or for the alpha if that is alone.
  func pixels(
    _ layout: ComponentLayout, decode: [(start: Double, length: Double)]?
  ) -> PixelBuffer? {
    let limits = ImageLimits()
    guard let decode, width > 0, height > 0, width <= limits.maximumSide,
      height <= limits.maximumSide, width * height <= limits.maximumPixelCount
    else { return nil }
    let (pixelBytes, wide) = (bitsPerPixel / 8, bitsPerComponent == 16)
    let (before, isTooLong) = (height - 1).multipliedReportingOverflow(by: bytesPerRow)
    guard bytesPerRow >= width * pixelBytes, !isTooLong, let data = provider.data,
      data.count >= width * pixelBytes, data.count - width * pixelBytes >= before
    else { return nil }
    let buffer = try? PixelBuffer(
      width: width, height: height, format: wide ? .rgba16f : .bgra8, use: .store)
    guard let buffer else { return nil }
    let target = buffer.layout
    data.withUnsafeBytes { source in
      buffer.withUnsafeMutableBytes { bytes in
        for y in 0..<height {
          for x in 0..<width {
            let start = y * bytesPerRow + x * pixelBytes
            func component(_ index: Int) -> Double {
              guard wide else { return Double(source[start + index]) / 255 }
              let (a, b) = (source[start + index * 2], source[start + index * 2 + 1])
              let value = layout.isLittleEndian ? Int(b) << 8 | Int(a) : Int(a) << 8 | Int(b)
              return Double(value) / 65_535
            }
            let color = color(of: layout, decode, component)
            let place = y * target.stride + x * target.format.bytesPerPixel
            for channel in 0..<4 {
              if wide {
                bytes.storeBytes(
                  of: Float16(color[channel]), toByteOffset: place + channel * 2, as: Float16.self)
              } else {
                // Blue comes first.
                let value = color[channel == 3 ? 3 : 2 - channel]
                bytes[place + channel] = UInt8((min(max(value, 0), 1) * 255).rounded())
              }
            }
          }
        }
      }
    }
    return buffer
  }

  /// A pixel's premultiplied red, green, blue and alpha.
  private func color(
    of layout: ComponentLayout, _ decode: [(start: Double, length: Double)],
    _ component: (Int) -> Double
  ) -> SIMD4<Double> {
    func decoded(_ index: Int, _ value: Double) -> Double {
      min(max(decode[index].start + decode[index].length * value, 0), 1)
    }
    let alpha = layout.alpha.map(component) ?? 1
    guard !layout.colors.isEmpty else {
      return SIMD4(0, 0, 0, decode.isEmpty ? alpha : decoded(0, alpha))
    }
    func color(_ index: Int) -> Double {
      let value = component(layout.colors[index])
      if !layout.isPremultiplied { return decoded(index, value) * alpha }
      return alpha > 0 ? decoded(index, min(value / alpha, 1)) * alpha : 0
    }
    let red = color(0)
    return layout.colors.count == 1
      ? SIMD4(red, red, red, alpha) : SIMD4(red, color(1), color(2), alpha)
  }
}

extension CGBitmapInfo {
  /// The place of the alpha; nil if there is none of the number.
  var alpha: CGImageAlphaInfo? {
    CGImageAlphaInfo(rawValue: intersection(.alphaInfoMask).rawValue)
  }
}
