import CCairo
import LaminaGraphics
import LaminaValues

import struct Foundation.CGFloat
import struct Foundation.CGPoint

/// Coverage of a square of pixels, one byte each, as Cairo draws it.
struct CairoRaster {
  static let side = 64

  var coverage = [UInt8](repeating: 0, count: side * side)

  /// Runs `draw` with a context in which the path was traced. Cairo's coordinates are 256ths of a
  /// pixel, which visibly turns short lines. With a magnification they are finer, and each pixel is
  /// the mean of the smaller ones.
  init(_ path: Path, magnification: Int = 1, _ draw: (OpaquePointer) -> Void) {
    let surface = CairoRaster.surface(side: CairoRaster.side * magnification) { cairo in
      cairo_set_tolerance(cairo, 0.01)
      cairo_scale(cairo, Double(magnification), Double(magnification))
      CairoRaster.trace(path, in: cairo)
      draw(cairo)
    }
    defer { cairo_surface_destroy(surface) }
    guard magnification > 1 else {
      copy(surface)
      return
    }
    let reduced = CairoRaster.surface(side: CairoRaster.side) { cairo in
      cairo_scale(cairo, 1 / Double(magnification), 1 / Double(magnification))
      cairo_set_source_surface(cairo, surface, 0, 0)
      cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_GOOD)
      cairo_paint(cairo)
    }
    copy(reduced)
    cairo_surface_destroy(reduced)
  }

  private static func surface(side: Int, _ draw: (OpaquePointer) -> Void) -> OpaquePointer? {
    let surface = cairo_image_surface_create(CAIRO_FORMAT_A8, Int32(side), Int32(side))
    guard let surface, let cairo = cairo_create(surface) else { return surface }
    cairo_set_antialias(cairo, CAIRO_ANTIALIAS_BEST)
    draw(cairo)
    cairo_destroy(cairo)
    cairo_surface_flush(surface)
    return surface
  }

  private mutating func copy(_ surface: OpaquePointer?) {
    let side = CairoRaster.side
    guard let surface, let data = cairo_image_surface_get_data(surface) else { return }
    let stride = Int(cairo_image_surface_get_stride(surface))
    coverage.withUnsafeMutableBufferPointer { rows in
      for y in 0..<side {
        (rows.baseAddress! + y * side).update(from: data + y * stride, count: side)
      }
    }
  }

  /// The path, filled by Cairo.
  init(filling path: Path, _ rule: CGPathFillRule = .winding) {
    self.init(path) { cairo in
      cairo_set_fill_rule(
        cairo, rule == .evenOdd ? CAIRO_FILL_RULE_EVEN_ODD : CAIRO_FILL_RULE_WINDING)
      cairo_fill(cairo)
    }
  }

  /// The path, stroked by Cairo, which also dashes it if there are dashes.
  init(
    stroking path: Path, _ pen: Pen, dashes: [Double] = [], phase: Double = 0,
    magnification: Int = 1
  ) {
    self.init(path, magnification: magnification) { cairo in
      cairo_set_line_width(cairo, pen.width)
      cairo_set_miter_limit(cairo, pen.miterLimit)
      cairo_set_line_cap(cairo, cairo_line_cap_t(rawValue: UInt32(pen.cap.rawValue)))
      cairo_set_line_join(cairo, cairo_line_join_t(rawValue: UInt32(pen.join.rawValue)))
      if !dashes.isEmpty { cairo_set_dash(cairo, dashes, Int32(dashes.count), phase) }
      cairo_stroke(cairo)
    }
  }

  static func trace(_ path: Path, in cairo: OpaquePointer) {
    var point = CGPoint.zero
    for element in path.elements {
      switch element {
      case .move(let p):
        cairo_move_to(cairo, p.x, p.y)
        point = p
      case .line(let p):
        cairo_line_to(cairo, p.x, p.y)
        point = p
      case .quad(let c, let p):
        cairo_curve_to(
          cairo, (point.x + 2 * c.x) / 3, (point.y + 2 * c.y) / 3, (p.x + 2 * c.x) / 3,
          (p.y + 2 * c.y) / 3, p.x, p.y)
        point = p
      case .cubic(let c1, let c2, let p):
        cairo_curve_to(cairo, c1.x, c1.y, c2.x, c2.y, p.x, p.y)
        point = p
      case .close: cairo_close_path(cairo)
      }
    }
  }

  /// Adds the coverage of `other`.
  mutating func unite(_ other: CairoRaster) {
    for index in coverage.indices { coverage[index] = max(coverage[index], other.coverage[index]) }
  }

  /// The difference between two bitmaps, in steps of 255: the mean of all pixels, and the number of
  /// pixels that differ by more than 48.
  func difference(_ other: CairoRaster) -> RasterDifference {
    var (sum, count) = (0, 0)
    coverage.withUnsafeBufferPointer { a in
      other.coverage.withUnsafeBufferPointer { b in
        for index in 0..<a.count where a[index] != b[index] {
          let difference = abs(Int(a[index]) - Int(b[index]))
          sum += difference
          if difference > 48 { count += 1 }
        }
      }
    }
    return RasterDifference(mean: Double(sum) / Double(coverage.count), farOff: count)
  }
}

struct RasterDifference {
  var mean: Double
  var farOff: Int

  /// Whether the difference is no larger than different sampling of edges causes.
  var isSmall: Bool { mean <= 0.3 && farOff <= 4 }
}

/// The style of a stroke.
struct Pen {
  var width: Double
  var cap: CGLineCap
  var join: CGLineJoin
  var miterLimit: Double
}
