import CCairo
import Foundation
import LaminaValues

extension CGContext {
  /// Draws an image stretched over a rectangle of user space, with its top row at the rectangle's
  /// maxY: upright if y points up, upside down if y points down.
  ///
  /// With `byTiling`, the rectangle is one of many copies that fill the clip side by side. Half
  /// floats and colour spaces other than the context's are converted.
  ///
  /// An image mask is a stencil: the fill colour is painted where the mask's samples are 0.
  public func draw(_ image: CGImage, in rect: CGRect, byTiling: Bool = false) {
    if image.isMask {
      saveGState()
      clip(to: rect, mask: image)
      fill(rect)
      return restoreGState()
    }
    let place = imageToPixels(image, in: rect)
    guard place.cairo != nil, let pixels = surface(of: image) else { return }
    let extend = byTiling ? CAIRO_EXTEND_REPEAT : CAIRO_EXTEND_PAD
    var shape = Path()
    shape.addRect(rect, transform: userToPixels)
    let bounds = byTiling ? CGRect.infinite : shape.drawnBounds
    let faded = state.alpha < 1 ? pixels.faded(by: state.alpha) : pixels
    guard let faded else { return }
    paint(
      PaintOperation(bounds: bounds) { [self] cairo in
        setSource(cairo, faded, place: place, extend: extend)
      } drawShape: { cairo in
        if byTiling {
          cairo_paint(cairo)
        } else {
          shape.append(to: cairo)
          cairo_fill(cairo)
        }
        // The source uses the image's own pixels, so the image must live until here.
        withExtendedLifetime(image) {}
      })
  }

  /// The transform from an image's pixels, y down, to the bitmap's.
  func imageToPixels(_ image: CGImage, in rect: CGRect) -> CGAffineTransform {
    CGAffineTransform(
      a: rect.width / CGFloat(image.width), b: 0, c: 0, d: -rect.height / CGFloat(image.height),
      tx: rect.minX, ty: rect.maxY
    ).concatenating(userToPixels)
  }

  /// Sets Cairo's source to a surface. `place` maps the surface's pixels to the bitmap's, and is
  /// invertible.
  func setSource(
    _ cairo: OpaquePointer, _ surface: CairoSurface, place: CGAffineTransform,
    extend: cairo_extend_t
  ) {
    cairo_set_source_surface(cairo, surface.surface, 0, 0)
    guard let pattern = cairo_get_source(cairo), var matrix = place.inverted().cairo else { return }
    cairo_pattern_set_matrix(pattern, &matrix)
    cairo_pattern_set_extend(pattern, extend)
    cairo_pattern_set_filter(pattern, state.interpolationQuality.cairo)
  }

  /// The image's pixels in the context's colour space; nil if Cairo cannot hold them.
  func surface(of image: CGImage) -> CairoSurface? {
    let layout = image.buffer.layout
    let imageKind = image.colorSpace?.kind ?? .sRGB
    if layout.format == .bgra8, imageKind.isPart(of: space.kind) { return image.buffer.surface }
    // The converted pixels stay with the image.
    if layout.format == .bgra8, CGColorSpace.Kind.sRGB.isPart(of: space.kind) {
      return image.sRGBBuffer.surface
    }
    if let converted = convertedImage, converted.id == image.id { return converted.surface }
    guard let surface = image.converted(components: components) else { return nil }
    convertedImage = (image.id, surface)
    return surface
  }
}

extension CairoSurface {
  /// A copy with everything multiplied by `alpha`.
  func faded(by alpha: CGFloat) -> CairoSurface? {
    guard let copy = CairoSurface(region) else { return nil }
    copy.draw { cairo in
      cairo_set_source_surface(cairo, surface, 0, 0)
      cairo_paint_with_alpha(cairo, alpha)
    }
    return copy
  }
}

extension CGImage {
  /// The pixels as premultiplied BGRA8 in the space that `components` converts to.
  fileprivate func converted(
    components: (CGColor) -> (red: Double, green: Double, blue: Double, alpha: Double)
  ) -> CairoSurface? {
    let surface = CairoSurface(PixelRect(buffer.size))
    guard let surface else { return nil }
    let kind = colorSpace?.kind ?? .sRGB
    let layout = buffer.layout
    buffer.withUnsafeBytes { bytes in
      surface.withBytes { target, stride in
        // Neighbouring pixels are often equal, and a conversion computes three powers.
        var (last, lastBytes): (UInt64?, SIMD4<UInt8>) = (nil, .zero)
        for y in 0..<layout.height {
          for x in 0..<layout.width {
            let offset = y * layout.stride + x * layout.format.bytesPerPixel
            let bits =
              layout.format == .rgba16f
              ? bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
              : UInt64(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            if bits != last {
              let color = layout.format.color(bits, kind)
              (last, lastBytes) = (bits, color.map { premultipliedBytes(components($0)) } ?? .zero)
            }
            let pixel = target + y * stride + x * 4
            (pixel[0], pixel[1], pixel[2], pixel[3]) =
              (lastBytes[0], lastBytes[1], lastBytes[2], lastBytes[3])
          }
        }
      }
    }
    return surface
  }

  /// The image's coverage as a mask: its luminance if it is gray, otherwise its alpha, which an
  /// image mask has where its samples are 0.
  func coverage() -> CairoSurface? {
    guard let surface = CairoSurface(PixelRect(buffer.size), format: CAIRO_FORMAT_A8)
    else { return nil }
    let isGray = colorSpace?.kind == .gray
    surface.withBytes { target, stride in
      for y in 0..<height {
        for x in 0..<width {
          let (blue, green, red, alpha) = pixel(x: x, y: y)
          let luma = UInt32(red) * 54 + UInt32(green) * 183 + UInt32(blue) * 19
          target[y * stride + x] = isGray ? UInt8((luma + 128) >> 8) : alpha
        }
      }
    }
    return surface
  }
}

extension PixelBuffer {
  /// A surface on BGRA8 pixels, which the buffer must outlive.
  fileprivate var surface: CairoSurface? {
    CairoSurface(
      arena.base + offset, width: layout.width, height: layout.height, stride: layout.stride,
      format: CAIRO_FORMAT_ARGB32)
  }

  /// A copy in sRGB of BGRA8 or RGBA16F pixels of the space `kind`, in the same format; nil if out
  /// of memory.
  func convertedToSRGB(from kind: CGColorSpace.Kind) -> PixelBuffer? {
    let (from, isHalf) = (layout, layout.format == .rgba16f)
    let copy = try? PixelBuffer(
      width: from.width, height: from.height, format: from.format, use: .store)
    guard let copy else { return nil }
    if kind == .displayP3, isOpaque, let profile = ColorProfile.displayP3() {
      withUnsafeBytes { bytes in copy.withUnsafeMutableBytes { $0.copyMemory(from: bytes) } }
      if profile.convertBytes(of: copy) { return copy }
    }
    withUnsafeBytes { bytes in
      copy.withUnsafeMutableBytes { target in
        var (last, result): (UInt64?, UInt64) = (nil, 0)
        for y in 0..<from.height {
          for x in 0..<from.width {
            let column = x * from.format.bytesPerPixel
            let offset = y * from.stride + column
            let bits =
              isHalf
              ? bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
              : UInt64(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            if bits != last {
              let color = from.format.color(bits, kind)?.extendedSRGB
              (last, result) = (bits, color.map { isHalf ? halfBits($0) : byteBits($0) } ?? 0)
            }
            let place = y * copy.layout.stride + column
            if isHalf {
              target.storeBytes(of: result, toByteOffset: place, as: UInt64.self)
            } else {
              target.storeBytes(
                of: UInt32(truncatingIfNeeded: result), toByteOffset: place, as: UInt32.self)
            }
          }
        }
      }
    }
    return copy
  }
}

extension CGColorSpace.Kind {
  /// Whether this space's colours have the same components in `other`.
  fileprivate func isPart(of other: CGColorSpace.Kind) -> Bool {
    switch other {
    case .sRGB, .extendedSRGB: self != .displayP3
    case .displayP3: self == .displayP3 || self == .gray
    case .gray: self == .gray
    }
  }
}

extension PixelFormat {
  /// The straight colour of a pixel's bits; nil if the pixel is transparent or a component is not
  /// finite.
  func color(_ bits: UInt64, _ kind: CGColorSpace.Kind) -> CGColor? {
    func component(_ index: UInt64) -> Double {
      self == .rgba16f
        ? Double(Float16(bitPattern: UInt16(truncatingIfNeeded: bits >> (index * 16))))
        : Double(UInt8(truncatingIfNeeded: bits >> (index * 8))) / 255
    }
    let alpha = component(3)
    guard alpha > 0, alpha.isFinite else { return nil }
    let (first, second, third) =
      (component(0) / alpha, component(1) / alpha, component(2) / alpha)
    let color =
      self == .rgba16f
      ? CGColor(kind: kind, first, second, third, alpha: alpha)
      : CGColor(kind: kind, third, second, first, alpha: alpha)
    return color.isFinite ? color : nil
  }
}

/// The bits of a premultiplied BGRA8 pixel.
private func byteBits(
  _ color: (red: Double, green: Double, blue: Double, alpha: Double)
) -> UInt64 {
  let bytes = premultipliedBytes(color)
  return (0..<4).reduce(0) { $0 | UInt64(bytes[$1]) << (8 * $1) }
}

/// The bits of a premultiplied RGBA16F pixel.
private func halfBits(
  _ color: (red: Double, green: Double, blue: Double, alpha: Double)
) -> UInt64 {
  let alpha = color.alpha
  let values = [color.red * alpha, color.green * alpha, color.blue * alpha, alpha]
  return values.enumerated().reduce(0) {
    $0 | UInt64(Float16($1.element).bitPattern) << (16 * $1.offset)
  }
}

/// Blue, green, red, alpha.
private func premultipliedBytes(
  _ color: (red: Double, green: Double, blue: Double, alpha: Double)
) -> SIMD4<UInt8> {
  func byte(_ v: Double) -> UInt8 { UInt8(min(max(v * 255, 0), 255).rounded()) }
  return SIMD4(
    byte(color.blue * color.alpha), byte(color.green * color.alpha),
    byte(color.red * color.alpha), byte(color.alpha))
}
