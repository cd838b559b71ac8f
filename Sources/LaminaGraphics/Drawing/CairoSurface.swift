import CCairo
import Foundation
import LaminaValues

/// A Cairo image surface and the region of the pixel space that it covers. A Cairo context for it
/// takes coordinates of that space, wherever in it the surface begins.
final class CairoSurface {
  /// Longest side in pixels: Cairo's coordinates are 24.8 fixed point and its images 15 bits wide.
  static let sizeLimit = 32_767

  let surface: OpaquePointer
  let region: PixelRect

  /// A cleared surface with its own memory; nil if the region is empty or too large.
  init?(_ region: PixelRect, format: cairo_format_t = CAIRO_FORMAT_ARGB32) {
    guard !region.isEmpty, region.width <= Self.sizeLimit, region.height <= Self.sizeLimit,
      Self.canDraw()
    else { return nil }
    let made = cairo_image_surface_create(format, Int32(region.width), Int32(region.height))
    guard let made else { return nil }
    guard cairo_surface_status(made) == CAIRO_STATUS_SUCCESS else {
      cairo_surface_destroy(made)
      return nil
    }
    surface = made
    self.region = region
    cairo_surface_set_device_offset(made, Double(-region.minX), Double(-region.minY))
  }

  /// A surface on the caller's memory, which must outlive it; nil if Cairo cannot draw on the
  /// layout.
  init?(
    _ memory: UnsafeMutableRawPointer, width: Int, height: Int, stride: Int, format: cairo_format_t
  ) {
    let region = PixelRect(minX: 0, minY: 0, maxX: width, maxY: height)
    guard !region.isEmpty, width <= Self.sizeLimit, height <= Self.sizeLimit, Self.canDraw(),
      let rowBytes = Int32(exactly: stride), stride % 4 == 0,
      stride >= Int(cairo_format_stride_for_width(format, Int32(width)))
    else { return nil }
    let made = cairo_image_surface_create_for_data(
      memory.assumingMemoryBound(to: UInt8.self), format, Int32(width), Int32(height), rowBytes)
    guard let made else { return nil }
    guard cairo_surface_status(made) == CAIRO_STATUS_SUCCESS else {
      cairo_surface_destroy(made)
      return nil
    }
    surface = made
    self.region = region
  }

  deinit { cairo_surface_destroy(surface) }

  /// Opens Cairo, unless it is open. Returns false if the process can open no more files now. Where
  /// Cairo is not there, the first call of it ends the program and says so.
  private static func canDraw() -> Bool {
    lamina_open_cairo() == nil || FileDescriptor.canOpen(1)
  }

  /// Calls `body` with a new Cairo context for the surface.
  func draw(_ body: (OpaquePointer) -> Void) {
    guard let cairo = cairo_create(surface) else { return }
    body(cairo)
    cairo_destroy(cairo)
  }

  /// Calls `body` with the bytes, row after row from the top, and the number of bytes from one row
  /// to the next. Cairo is told that `body` may have changed them.
  func withBytes(_ body: (UnsafeMutablePointer<UInt8>, Int) -> Void) {
    cairo_surface_flush(surface)
    guard let bytes = cairo_image_surface_get_data(surface) else { return }
    body(bytes, Int(cairo_image_surface_get_stride(surface)))
    cairo_surface_mark_dirty(surface)
  }
}

extension CGAffineTransform {
  /// The transform as Cairo's matrix; nil if Cairo would refuse it because it is not finite or has
  /// no inverse within Cairo's range. Cairo then accepts the inverse too.
  var cairo: cairo_matrix_t? {
    let determinant = determinant
    guard determinant.isFinite, abs(determinant) > 1e-18, abs(determinant) < 1e18, tx.isFinite,
      ty.isFinite,
      a.isFinite, b.isFinite, c.isFinite, d.isFinite
    else { return nil }
    return cairo_matrix_t(xx: a, yx: b, xy: c, yy: d, x0: tx, y0: ty)
  }

  /// The greatest length to which a vector of length 1 is mapped.
  var largestScale: CGFloat {
    let (sum, difference) = ((a * a + b * b + c * c + d * d) / 2, abs(determinant))
    return (sum + max(0, sum * sum - difference * difference).squareRoot()).squareRoot()
  }

  var isFinite: Bool {
    a.isFinite && b.isFinite && c.isFinite && d.isFinite && tx.isFinite && ty.isFinite
  }
}
