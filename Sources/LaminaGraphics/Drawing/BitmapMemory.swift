import CCairo
import Foundation
import LaminaValues

/// The memory that a context draws on. If its owner's byte order is not Cairo's, Cairo's surface
/// has memory of its own, which is converted to the owner's after each change.
final class BitmapMemory {
  /// The order of the bytes within a pixel.
  enum Order: Equatable {
    /// Cairo's own order: the surface uses the memory itself.
    case native
    case bytes(red: Int, green: Int, blue: Int, alpha: Int)
    /// One byte of gray.
    case gray
  }

  let surface: CairoSurface
  let format: cairo_format_t
  let data: UnsafeMutableRawPointer
  let stride: Int
  let order: Order
  private let ownedData: UnsafeMutableRawPointer?
  /// The layer's buffer, held so that its memory is not reused.
  private let buffer: PixelBuffer?

  /// The memory of a layer's backing store; nil if Cairo cannot draw on its layout.
  init?(_ buffer: PixelBuffer) {
    let layout = buffer.layout
    guard layout.format != .rgba16f else { return nil }
    format = layout.format == .a8 ? CAIRO_FORMAT_A8 : CAIRO_FORMAT_ARGB32
    data = buffer.arena.base + buffer.offset
    stride = layout.stride
    let made = CairoSurface(
      data, width: layout.width, height: layout.height, stride: stride, format: format)
    guard let made else { return nil }
    surface = made
    order = .native
    ownedData = nil
    self.buffer = buffer
  }

  /// The memory at `data` or, if that is nil, cleared memory of its own, for which a `stride` of 0
  /// picks the stride.
  init?(
    _ data: UnsafeMutableRawPointer?, width: Int, height: Int, stride: Int, format: cairo_format_t,
    order: Order
  ) {
    let limit = CairoSurface.sizeLimit
    guard width > 0, height > 0, width <= limit, height <= limit, stride >= 0 else { return nil }
    let pixelBytes = format == CAIRO_FORMAT_A8 || order == .gray ? 1 : 4
    let rowBytes = stride > 0 ? stride : (width * pixelBytes + 63) & ~63
    let (count, isTooLarge) = rowBytes.multipliedReportingOverflow(by: height)
    guard rowBytes >= width * pixelBytes, !isTooLarge, data == nil || stride > 0 else { return nil }
    let owned = data == nil ? calloc(count, 1) : nil
    guard let memory = data ?? owned else { return nil }
    let surface =
      order == .native
      ? CairoSurface(memory, width: width, height: height, stride: rowBytes, format: format)
      : CairoSurface(PixelRect(minX: 0, minY: 0, maxX: width, maxY: height), format: format)
    guard let surface else {
      free(owned)
      return nil
    }
    self.surface = surface
    self.format = format
    self.data = memory
    self.stride = rowBytes
    self.order = order
    ownedData = owned
    buffer = nil
    if order != .native, data != nil { convert(surface.region, toMemory: false) }
  }

  deinit { free(ownedData) }

  /// Brings the memory up to date after drawing within `region`.
  func didDraw(_ region: PixelRect) {
    if order == .native {
      cairo_surface_flush(surface.surface)
    } else {
      convert(region.intersection(surface.region), toMemory: true)
    }
  }

  private func convert(_ region: PixelRect, toMemory: Bool) {
    surface.withBytes { pixels, pixelStride in
      for y in region.minY..<max(region.minY, region.maxY) {
        let row = pixels + y * pixelStride
        let other = (data + y * stride).assumingMemoryBound(to: UInt8.self)
        for x in region.minX..<region.maxX {
          convert(row + x * 4, other, at: x, toMemory: toMemory)
        }
      }
    }
  }

  /// Converts one pixel from or to Cairo's order: blue, green, red, alpha.
  private func convert(
    _ pixel: UnsafeMutablePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, at x: Int,
    toMemory: Bool
  ) {
    switch order {
    case .native: break
    case .gray:
      if toMemory {
        // Rec. 709 luma, in 1/256.
        let luma = UInt32(pixel[2]) * 54 + UInt32(pixel[1]) * 183 + UInt32(pixel[0]) * 19
        row[x] = UInt8((luma + 128) >> 8)
      } else {
        (pixel[0], pixel[1], pixel[2], pixel[3]) = (row[x], row[x], row[x], 255)
      }
    case .bytes(let red, let green, let blue, let alpha):
      let other = row + x * 4
      if toMemory {
        (other[red], other[green], other[blue], other[alpha]) =
          (pixel[2], pixel[1], pixel[0], format == CAIRO_FORMAT_RGB24 ? 255 : pixel[3])
      } else {
        (pixel[0], pixel[1], pixel[2], pixel[3]) =
          (other[blue], other[green], other[red], other[alpha])
      }
    }
  }

  /// A copy of the pixels as premultiplied BGRA8; alpha alone becomes black with that alpha. Nil if
  /// out of memory.
  func copy() -> PixelBuffer? {
    let region = surface.region
    let copy = try? PixelBuffer(
      width: region.width, height: region.height, format: .bgra8, use: .store)
    guard let copy else { return nil }
    copy.withUnsafeMutableBytes { target in
      guard let base = target.baseAddress else { return }
      surface.withBytes { pixels, pixelStride in
        for y in 0..<region.height {
          let from = pixels + y * pixelStride
          let to = (base + y * copy.layout.stride).assumingMemoryBound(to: UInt8.self)
          copyRow(from, to: to, count: region.width)
        }
      }
    }
    return copy
  }

  private func copyRow(
    _ from: UnsafeMutablePointer<UInt8>, to: UnsafeMutablePointer<UInt8>, count: Int
  ) {
    if format == CAIRO_FORMAT_A8 {
      for x in 0..<count {
        (to[x * 4], to[x * 4 + 1], to[x * 4 + 2], to[x * 4 + 3]) = (0, 0, 0, from[x])
      }
      return
    }
    to.update(from: from, count: count * 4)
    if format == CAIRO_FORMAT_RGB24 {
      for x in 0..<count { to[x * 4 + 3] = 255 }
    }
  }
}
