import CCairo
import Foundation
import LaminaValues

extension Path {
  /// Largest coordinate, in pixels: what Cairo's 24.8 fixed point holds, less room for a line's
  /// width.
  private static let coordinateLimit: CGFloat = 4_000_000

  private static func held(_ p: CGPoint) -> CGPoint {
    let limit = coordinateLimit
    return CGPoint(x: min(max(p.x, -limit), limit), y: min(max(p.y, -limit), limit))
  }

  /// Adds the path to `cairo`'s. Elements with a number that is NaN are left out, and coordinates
  /// beyond Cairo's range are clamped to it.
  func append(to cairo: OpaquePointer) {
    var current = CGPoint.zero
    var start = CGPoint.zero
    for element in elements where element.isNumeric {
      switch element {
      case .move(let p):
        (current, start) = (Path.held(p), Path.held(p))
        cairo_move_to(cairo, current.x, current.y)
      case .line(let p):
        current = Path.held(p)
        cairo_line_to(cairo, current.x, current.y)
      case .quad(let c, let p):
        let (control, end) = (Path.held(c), Path.held(p))
        cairo_curve_to(
          cairo, current.x + (control.x - current.x) * 2 / 3,
          current.y + (control.y - current.y) * 2 / 3, end.x + (control.x - end.x) * 2 / 3,
          end.y + (control.y - end.y) * 2 / 3, end.x, end.y)
        current = end
      case .cubic(let c1, let c2, let p):
        let (control1, control2) = (Path.held(c1), Path.held(c2))
        current = Path.held(p)
        cairo_curve_to(
          cairo, control1.x, control1.y, control2.x, control2.y, current.x, current.y)
      case .close:
        cairo_close_path(cairo)
        current = start
      }
    }
  }

  /// The bounding box of the points that `append` takes, clamped like there; null if there are
  /// none.
  var drawnBounds: CGRect {
    CGRect(enclosing: Path(elements.filter(\.isNumeric)).points.map(Path.held))
  }
}

extension Path {
  /// The length of the lines between the points that `append` takes, control points included: no
  /// less than the path's own.
  var drawnLength: CGFloat {
    let points = Path(elements.filter(\.isNumeric)).points.map(Path.held)
    return zip(points, points.dropFirst()).reduce(0) { length, pair in
      let (dx, dy) = (pair.1.x - pair.0.x, pair.1.y - pair.0.y)
      return length + (dx * dx + dy * dy).squareRoot()
    }
  }
}

extension Path.Element {
  fileprivate var isNumeric: Bool {
    func numeric(_ p: CGPoint) -> Bool { !p.x.isNaN && !p.y.isNaN }
    switch self {
    case .move(let p), .line(let p): return numeric(p)
    case .quad(let c, let p): return numeric(c) && numeric(p)
    case .cubic(let c1, let c2, let p): return numeric(c1) && numeric(c2) && numeric(p)
    case .close: return true
    }
  }
}
