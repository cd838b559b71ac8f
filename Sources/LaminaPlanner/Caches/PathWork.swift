import Foundation
import LaminaValues

/// An estimate of what it costs to draw a path's coverage.
///
/// Cairo keeps the edges that cross a row of pixels in a sorted list. A row costs as much as it has
/// edges, and those of a tangle change places all the time, so it costs their square too.
struct PathWork {
  /// The pixels' rows, from 0 on.
  private let height: Double
  /// How many edges more than in the row before begin at each row.
  private var changes: [Double]
  /// Pieces of the path, wherever they lie.
  private var pieces = 0.0

  /// Number of edges in a row whose square costs as much as they do.
  private static let tangle = 1024.0
  /// Largest distance of a curve from the lines that are drawn for it, in pixels.
  private static let tolerance = 0.05

  /// The estimate, in rows of single edges: of a fast machine each takes 0.05 to 0.4 µs.
  static func estimate(
    of path: Path, ink: PathInk, transform: CGAffineTransform, region: PixelRect
  ) -> Double {
    var work = PathWork(height: region.height)
    let toRegion = transform.concatenating(
      CGAffineTransform(translationX: -CGFloat(region.minX), y: -CGFloat(region.minY)))
    let scale = max(
      hypot(transform.a, transform.b), hypot(transform.c, transform.d))
    work.add(path.applying(toRegion), Pen(ink, scale: scale))
    return work.total
  }

  /// What a path is drawn with, in pixels.
  private struct Pen {
    /// 0 for a fill.
    var width = 0.0
    /// Number of dashes a pixel.
    var dashes = 0.0

    init(_ ink: PathInk, scale: Double) {
      guard case .stroke(let style) = ink else { return }
      width = style.width * scale
      let period = style.dashes.reduce(0, +) * scale
      if period > 0 { dashes = Double(style.dashes.count) / 2 / period }
    }
  }

  private init(height: Int) {
    self.height = Double(height)
    changes = Array(repeating: 0, count: height + 1)
  }

  private mutating func add(_ path: Path, _ pen: Pen) {
    var (start, current) = (CGPoint.zero, CGPoint.zero)
    for element in path.elements {
      switch element {
      case .move(let p): (start, current) = (p, p)
      case .line(let p):
        add([current, p], bend: 0, pen)
        current = p
      case .quad(let c, let p):
        add([current, c, p], bend: 0.25 * Self.bend(current, c, p), pen)
        current = p
      case .cubic(let c, let d, let p):
        let bend = 0.75 * max(Self.bend(current, c, d), Self.bend(c, d, p))
        add([current, c, d, p], bend: bend, pen)
        current = p
      case .close:
        add([current, start], bend: 0, pen)
        current = start
      }
    }
  }

  private static func bend(_ a: CGPoint, _ b: CGPoint, _ c: CGPoint) -> Double {
    hypot(a.x - 2 * b.x + c.x, a.y - 2 * b.y + c.y)
  }

  /// Adds a segment, by its control points. `bend` is its largest distance from its chord, or more.
  private mutating func add(_ points: [CGPoint], bend: Double, _ pen: Pen) {
    var (top, bottom, length) = (points[0].y, points[0].y, 0.0)
    for (p, q) in zip(points, points.dropFirst()) {
      length += hypot(p.x - q.x, p.y - q.y)
      (top, bottom) = (min(top, q.y), max(bottom, q.y))
    }
    let count = max(1, (bend / Self.tolerance).squareRoot(), length * pen.dashes)
    // A number that is none is drawn by nobody.
    guard count.isFinite, top.isFinite, bottom.isFinite else { return }
    pieces += count
    let rows = bottom - top + pen.width + 1
    let first = min(max(top - pen.width / 2, 0), height)
    let end = min(max(top - pen.width / 2 + rows, 0), height)
    guard end > first else { return }
    // The pieces follow each other down the segment.
    let crossing = count * min(1, ((bottom - top) / count + pen.width + 1) / rows)
    changes[Int(first)] += crossing
    changes[min(Int(end.rounded(.up)), changes.count - 1)] -= crossing
  }

  private var total: Double {
    var (edges, total) = (0.0, pieces)
    for change in changes.dropLast() {
      edges += change
      total += edges * (1 + edges / Self.tangle)
    }
    return total
  }
}
