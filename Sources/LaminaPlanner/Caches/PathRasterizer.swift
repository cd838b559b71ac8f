import CCairo
import Foundation
import LaminaCommit
import LaminaValues

/// How a path is inked.
enum PathInk: Hashable {
  case fill(FillRule)
  case stroke(StrokeStyle)
}

/// The style of a stroke. Lengths are in the path's own units.
struct StrokeStyle: Hashable {
  var width: Double
  var cap: LineCap
  var join: LineJoin
  var miterLimit: Double
  var dashes: [Double]
  var dashPhase: Double

  /// How far from the path the ink may reach, in the path's own units.
  var reach: CGFloat {
    let corner = join == .miter ? max(miterLimit, 1) : 1
    return CGFloat(width / 2 * max(corner, cap == .square ? 2.0.squareRoot() : 1))
  }
}

/// A path as it is drawn for a mask.
struct PlacedPath {
  let mask: PathMask
  /// From the path's own units to pixels from the origin of the mask's region.
  let toRegion: CGAffineTransform
  /// In those pixels.
  let path: Path

  /// Largest coordinate; larger ones are clamped, since Cairo counts in 24.8 bits.
  private static let coordinateLimit: CGFloat = 2_097_152

  init(_ mask: PathMask) {
    self.mask = mask
    let toRegion = mask.transform.concatenating(
      CGAffineTransform(
        translationX: -CGFloat(mask.region.minX), y: -CGFloat(mask.region.minY)))
    self.toRegion = toRegion
    func near(_ coordinate: CGFloat) -> CGFloat {
      min(max(coordinate, -Self.coordinateLimit), Self.coordinateLimit)
    }
    path = mask.path.mapPoints {
      let point = $0.applying(toRegion)
      return CGPoint(x: near(point.x), y: near(point.y))
    }
  }
}

/// Draws the coverage of paths with Cairo, one byte per pixel.
package enum PathRasterizer {
  /// Why Cairo could not be opened, which happens when the first path is drawn or before.
  private static let failure = lamina_open_cairo().map { String(cString: $0) }

  /// Opens Cairo, for a process that can open no more files once it draws.
  package static func prepare() { _ = failure }

  /// The coverage of a path over its mask's region: packed rows, top first. nil if the region is
  /// empty, if the transform has no inverse for a stroke, or if Cairo fails.
  static func coverage(of placed: PlacedPath) -> [UInt8]? {
    // Every program that uses Lamina has Cairo too, so a machine without it is set up wrongly.
    if let failure {
      programmerError("paths are drawn with Cairo: \(failure); install libcairo2")
    }
    let (region, toRegion) = (placed.mask.region, placed.toRegion)
    guard !region.isEmpty,
      let surface = cairo_image_surface_create(
        CAIRO_FORMAT_A8, Int32(region.width), Int32(region.height))
    else { return nil }
    defer { cairo_surface_destroy(surface) }
    guard let cairo = cairo_create(surface) else { return nil }
    defer { cairo_destroy(cairo) }
    cairo_set_antialias(cairo, CAIRO_ANTIALIAS_BEST)
    cairo_set_tolerance(cairo, 0.05)
    trace(placed.path, in: cairo)
    cairo_set_source_rgba(cairo, 1, 1, 1, 1)
    switch placed.mask.ink {
    case .fill(let rule):
      cairo_set_fill_rule(
        cairo, rule == .evenOdd ? CAIRO_FILL_RULE_EVEN_ODD : CAIRO_FILL_RULE_WINDING)
      cairo_fill(cairo)
    case .stroke(let style):
      // The pen is round in the path's own space, whatever shape the transform gives it.
      var matrix = cairo_matrix_t(
        xx: toRegion.a, yx: toRegion.b, xy: toRegion.c, yy: toRegion.d, x0: toRegion.tx,
        y0: toRegion.ty)
      guard abs(toRegion.determinant) > 1e-12 else { return nil }
      cairo_set_matrix(cairo, &matrix)
      apply(style, to: cairo, length: placed.mask.path.length)
      cairo_stroke(cairo)
    }
    guard cairo_status(cairo) == CAIRO_STATUS_SUCCESS else { return nil }
    return packedRows(of: surface, region.size)
  }

  private static func packedRows(of surface: OpaquePointer, _ size: PixelSize) -> [UInt8]? {
    cairo_surface_flush(surface)
    guard let data = cairo_image_surface_get_data(surface) else { return nil }
    let stride = Int(cairo_image_surface_get_stride(surface))
    return [UInt8](unsafeUninitializedCapacity: size.width * size.height) { rows, count in
      for y in 0..<size.height {
        (rows.baseAddress! + y * size.width).initialize(
          from: data + y * stride, count: size.width)
      }
      count = size.width * size.height
    }
  }

  private static func apply(_ style: StrokeStyle, to cairo: OpaquePointer, length: CGFloat) {
    cairo_set_line_width(cairo, style.width)
    cairo_set_miter_limit(cairo, max(style.miterLimit, 1))
    cairo_set_line_cap(cairo, style.cap.cairo)
    cairo_set_line_join(cairo, style.join.cairo)
    // Dashes too fine to be seen are left out, since Cairo would take forever to draw them.
    let period = style.dashes.reduce(0, +)
    if period > 0, Double(length) / period < 100_000 {
      cairo_set_dash(cairo, style.dashes, Int32(clamping: style.dashes.count), style.dashPhase)
    }
  }

  private static func trace(_ path: Path, in cairo: OpaquePointer) {
    var current = CGPoint.zero
    var start = CGPoint.zero
    for element in path.elements {
      switch element {
      case .move(let p):
        (start, current) = (p, p)
        cairo_move_to(cairo, p.x, p.y)
      case .line(let p):
        current = p
        cairo_line_to(cairo, p.x, p.y)
      case .quad(let control, let end):
        cairo_curve_to(
          cairo, current.x + (control.x - current.x) * 2 / 3,
          current.y + (control.y - current.y) * 2 / 3,
          end.x + (control.x - end.x) * 2 / 3, end.y + (control.y - end.y) * 2 / 3, end.x, end.y)
        current = end
      case .cubic(let control1, let control2, let end):
        cairo_curve_to(
          cairo, control1.x, control1.y, control2.x, control2.y, end.x, end.y)
        current = end
      case .close:
        cairo_close_path(cairo)
        current = start
      }
    }
  }
}

extension LineCap {
  fileprivate var cairo: cairo_line_cap_t {
    switch self {
    case .butt: CAIRO_LINE_CAP_BUTT
    case .round: CAIRO_LINE_CAP_ROUND
    case .square: CAIRO_LINE_CAP_SQUARE
    }
  }
}

extension LineJoin {
  fileprivate var cairo: cairo_line_join_t {
    switch self {
    case .miter: CAIRO_LINE_JOIN_MITER
    case .round: CAIRO_LINE_JOIN_ROUND
    case .bevel: CAIRO_LINE_JOIN_BEVEL
    }
  }
}
