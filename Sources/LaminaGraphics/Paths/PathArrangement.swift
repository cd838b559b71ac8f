import Foundation
import LaminaValues

/// The edges of two paths, cut wherever they meet, so that none crosses another.
///
/// Curves are short lines that remember which part of their curve they are. Points lie on an
/// integer grid, so that every decision is exact.
struct PathArrangement {
  struct GridPoint: Hashable {
    var x: Int
    var y: Int
  }

  /// A line between two points of the grid: a part of a path's segment.
  struct Edge {
    var from: GridPoint
    var to: GridPoint
    /// Index of the edge's path, 0 or 1.
    let path: Int
    /// Index of the edge's segment in `sources`.
    let source: Int
    /// The segment's parameters at the edge's ends.
    var start: CGFloat
    var end: CGFloat
  }

  /// The grid's size. The cross product of two differences of coordinates stays far within 63 bits.
  private static let gridSize: CGFloat = 268_435_456
  /// How many times edges are cut at most: rounding a crossing to the grid may create another.
  private static let roundLimit = 16

  private(set) var sources: [PathSegment] = []
  private(set) var edges: [Edge] = []
  private let origin: CGPoint
  private let scale: CGFloat
  /// The paths' own points, by the grid points that they were rounded to.
  private var originals: [GridPoint: CGPoint] = [:]

  /// The arrangement of two paths. Open subpaths are closed, except those of the first path if
  /// `firstIsLine`.
  init(_ first: Path, _ second: Path, firstIsLine: Bool = false) {
    let subpaths = [first, second].map { $0.subpaths.filter(\.isFinite) }
    let bounds = CGRect(
      enclosing: subpaths.joined().lazy.flatMap { subpath in
        [subpath.start] + subpath.segments.flatMap(\.hullCorners)
      })
    let extent = bounds.isNull ? 0 : max(bounds.width, bounds.height)
    // A power of two, so that round coordinates are on the grid.
    scale =
      extent > 0 && extent.isFinite
      ? exp2(log2(PathArrangement.gridSize / extent).rounded(.down)) : 0
    let corner = bounds.isNull ? .zero : bounds.origin
    origin = CGPoint(
      x: (corner.x * scale).rounded(.down) / scale, y: (corner.y * scale).rounded(.down) / scale)
    guard origin.x.isFinite, origin.y.isFinite else { return }
    guard scale > 0, scale.isFinite else { return }
    for (index, subpaths) in subpaths.enumerated() {
      for subpath in subpaths {
        for segment in subpath.segments { add(segment, of: index, tolerance: extent * 2e-5) }
        if !subpath.isClosed, !(firstIsLine && index == 0), let last = subpath.segments.last {
          add(.line(last.end, subpath.start), of: index, tolerance: 0)
        }
      }
    }
    cutAtCrossings()
  }

  private mutating func add(_ segment: PathSegment, of path: Int, tolerance: CGFloat) {
    let count = segment.lineCount(tolerance: tolerance)
    var from = gridPoint(segment.start)
    originals[from] = segment.start
    originals[gridPoint(segment.end)] = segment.end
    for index in 1...count {
      let end = index == count ? 1 : CGFloat(index) / CGFloat(count)
      let to = gridPoint(index == count ? segment.end : segment.point(at: end))
      // A part too short for the grid is joined to the next.
      if to != from {
        edges.append(
          Edge(
            from: from, to: to, path: path, source: sources.count,
            start: CGFloat(index - 1) / CGFloat(count), end: end))
      }
      from = to
    }
    sources.append(segment)
  }

  private func gridPoint(_ point: CGPoint) -> GridPoint {
    GridPoint(x: onGrid((point.x - origin.x) * scale), y: onGrid((point.y - origin.y) * scale))
  }

  private func onGrid(_ value: CGFloat) -> Int {
    // Values are within the grid already, except after the rounding of numbers near the end of
    // their range.
    let limit = PathArrangement.gridSize + 1
    return value.isFinite ? Int(min(max(value.rounded(), 0), limit)) : 0
  }

  /// The grid point in the paths' own space; exact if it is one of the paths' own points.
  func point(_ point: GridPoint) -> CGPoint {
    originals[point]
      ?? CGPoint(x: origin.x + CGFloat(point.x) / scale, y: origin.y + CGFloat(point.y) / scale)
  }

  // MARK: Cutting

  private mutating func cutAtCrossings() {
    for _ in 0..<PathArrangement.roundLimit {
      var cuts: [Int: [GridPoint]] = [:]
      EdgeColumns(edges).forEachPair(edges) { i, j in
        let (e, f) = (edges[i], edges[j])
        PathArrangement.cut(e, f) { point, isFirst in
          cuts[isFirst ? i : j, default: []].append(point)
        }
      }
      guard !cuts.isEmpty else { return }
      var cutEdges: [Edge] = []
      cutEdges.reserveCapacity(edges.count + cuts.count * 2)
      for (index, edge) in edges.enumerated() {
        if let points = cuts[index] {
          cutEdges += edge.cut(at: points)
        } else {
          cutEdges.append(edge)
        }
      }
      edges = cutEdges
    }
  }

  /// Finds the points where two edges meet, except at a common end.
  private static func cut(_ e: Edge, _ f: Edge, _ found: (GridPoint, _ isFirst: Bool) -> Void) {
    let (fromSide, toSide) = (e.side(of: f.from), e.side(of: f.to))
    let (startSide, endSide) = (f.side(of: e.from), f.side(of: e.to))
    if fromSide == 0, e.spans(f.from) { found(f.from, true) }
    if toSide == 0, e.spans(f.to) { found(f.to, true) }
    if startSide == 0, f.spans(e.from) { found(e.from, false) }
    if endSide == 0, f.spans(e.to) { found(e.to, false) }
    guard fromSide.signum() * toSide.signum() < 0, startSide.signum() * endSide.signum() < 0 else {
      return
    }
    let t = Double(startSide) / (Double(startSide) - Double(endSide))
    let point = GridPoint(
      x: e.from.x + Int((Double(e.to.x - e.from.x) * t).rounded()),
      y: e.from.y + Int((Double(e.to.y - e.from.y) * t).rounded()))
    if point != e.from, point != e.to { found(point, true) }
    if point != f.from, point != f.to { found(point, false) }
  }
}

extension PathArrangement.Edge {
  typealias GridPoint = PathArrangement.GridPoint

  /// Positive if `point` is left of the edge, +y being left of +x; zero on its line.
  func side(of point: GridPoint) -> Int {
    (to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x)
  }

  /// Whether a point on the edge's line is between its ends.
  func spans(_ point: GridPoint) -> Bool {
    point != from && point != to && point.x >= min(from.x, to.x) && point.x <= max(from.x, to.x)
      && point.y >= min(from.y, to.y) && point.y <= max(from.y, to.y)
  }

  /// The edge's pieces after cutting it at points near it.
  func cut(at points: [GridPoint]) -> [Self] {
    let (dx, dy) = (Double(to.x - from.x), Double(to.y - from.y))
    let square = dx * dx + dy * dy
    let places = points.map { point in
      (point, (Double(point.x - from.x) * dx + Double(point.y - from.y) * dy) / square)
    }
    var pieces: [Self] = []
    var piece = self
    for (point, place) in places.sorted(by: { $0.1 < $1.1 }) where point != piece.from {
      piece.to = point
      piece.end = start + (end - start) * CGFloat(min(max(place, 0), 1))
      pieces.append(piece)
      (piece.from, piece.start) = (piece.to, piece.end)
    }
    (piece.to, piece.end) = (to, end)
    if piece.from != piece.to { pieces.append(piece) }
    return pieces
  }
}

/// Edges sorted into columns of the grid, so that a search for the edges above or beside another
/// one looks at few.
struct EdgeColumns {
  private(set) var columns: [[Int]] = []
  private var left = 0
  private var width = 1

  init(_ edges: [PathArrangement.Edge]) {
    guard let first = edges.first else { return }
    var (right, spans) = (first.from.x, 0.0)
    left = first.from.x
    for edge in edges {
      left = min(left, edge.from.x, edge.to.x)
      right = max(right, edge.from.x, edge.to.x)
      spans += Double(abs(edge.to.x - edge.from.x))
    }
    // Columns are about as wide as an edge, so that on average an edge is in two or three.
    let mean = max(spans / Double(edges.count), 1)
    let count = max(1, min(1024, Int(Double(right - left) / mean)))
    width = (right - left) / count + 1
    columns = Array(repeating: [], count: count)
    for (index, edge) in edges.enumerated() {
      for column in span(edge) { columns[column].append(index) }
    }
  }

  func column(_ x: Int) -> Int { (x - left) / width }

  private func span(_ edge: PathArrangement.Edge) -> ClosedRange<Int> {
    column(min(edge.from.x, edge.to.x))...column(max(edge.from.x, edge.to.x))
  }

  /// Calls `body` once for every two edges whose bounds touch.
  func forEachPair(_ edges: [PathArrangement.Edge], _ body: (Int, Int) -> Void) {
    let bounds = edges.map { edge in
      (
        min(edge.from.x, edge.to.x), max(edge.from.x, edge.to.x), min(edge.from.y, edge.to.y),
        max(edge.from.y, edge.to.y)
      )
    }
    for (index, column) in columns.enumerated() {
      for (position, i) in column.enumerated() {
        let a = bounds[i]
        for j in column[(position + 1)...] {
          let b = bounds[j]
          guard a.0 <= b.1, b.0 <= a.1, a.2 <= b.3, b.2 <= a.3 else { continue }
          // Reported only in the first column that both are in.
          if self.column(max(a.0, b.0)) == index { body(i, j) }
        }
      }
    }
  }
}

extension PathSegment {
  fileprivate var hullCorners: [CGPoint] {
    let hull = hull
    return [CGPoint(x: hull.minX, y: hull.minY), CGPoint(x: hull.maxX, y: hull.maxY)]
  }
}
