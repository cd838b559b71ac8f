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
  static func estimate(of placed: PlacedPath) -> Double {
    var work = PathWork(height: placed.mask.region.height)
    let transform = placed.toRegion
    let scale = max(hypot(transform.a, transform.b), hypot(transform.c, transform.d))
    work.add(placed.path, Pen(placed.mask.ink, scale: scale))
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
      var segment = Segment(from: current)
      switch element {
      case .move(let p):
        (start, current) = (p, p)
        continue
      case .line(let p): segment.extend(to: p)
      case .quad(let c, let p):
        segment.bend = 0.25 * Self.bend(current, c, p)
        segment.extend(to: c)
        segment.extend(to: p)
      case .cubic(let c, let d, let p):
        segment.bend = 0.75 * max(Self.bend(current, c, d), Self.bend(c, d, p))
        segment.extend(to: c)
        segment.extend(to: d)
        segment.extend(to: p)
      case .close: segment.extend(to: start)
      }
      add(segment, pen)
      current = segment.end
    }
  }

  private static func bend(_ a: CGPoint, _ b: CGPoint, _ c: CGPoint) -> Double {
    hypot(a.x - 2 * b.x + c.x, a.y - 2 * b.y + c.y)
  }

  /// Where a segment's control points lie.
  private struct Segment {
    var end: CGPoint
    var top: Double
    var bottom: Double
    var length = 0.0
    /// Largest distance from the chord, or more.
    var bend = 0.0

    init(from start: CGPoint) { (end, top, bottom) = (start, start.y, start.y) }

    mutating func extend(to point: CGPoint) {
      length += hypot(point.x - end.x, point.y - end.y)
      (top, bottom, end) = (min(top, point.y), max(bottom, point.y), point)
    }
  }

  private mutating func add(_ segment: Segment, _ pen: Pen) {
    let extent = segment.bottom - segment.top
    let count = max(
      1, (segment.bend / Self.tolerance).squareRoot(), segment.length * pen.dashes)
    let rows = extent + pen.width + 1
    // Numbers that are none, of a strange width.
    guard count.isFinite, rows.isFinite else { return }
    pieces += count
    let top = segment.top - pen.width / 2
    let (first, end) = (min(max(top, 0), height), min(max(top + rows, 0), height))
    guard end > first else { return }
    // The pieces follow each other down the segment.
    let crossing = count * min(1, (extent / count + pen.width + 1) / rows)
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
