import Foundation
import LaminaValues

extension PathArrangement {
  /// All edges between the same two points as one, with the winding numbers on either side.
  struct Border {
    /// From the lesser point, by x and then y, to the greater.
    var edge: Edge
    /// How often each path goes from the lesser point to the greater, minus how often it goes back.
    var count = (0, 0)
    /// Each path's winding number right of the edge: below it, or to the right of a vertical edge.
    var right = (0, 0)

    var left: (Int, Int) { (right.0 + count.0, right.1 + count.1) }
  }

  /// All borders, in a fixed order. Edges for which `isLine` holds are left out.
  func borders(where isLine: (Edge) -> Bool = { _ in false }) -> [Border] {
    struct Ends: Hashable {
      var low: GridPoint
      var high: GridPoint
    }
    var borders: [Border] = []
    var indices: [Ends: Int] = [:]
    for edge in edges where !isLine(edge) {
      let rises = edge.rises
      let upward = rises ? edge : edge.reversed
      let ends = Ends(low: upward.from, high: upward.to)
      let index = indices[ends] ?? borders.count
      if index == borders.count {
        indices[ends] = index
        borders.append(Border(edge: upward))
      }
      if edge.path == 0 {
        borders[index].count.0 += rises ? 1 : -1
      } else {
        borders[index].count.1 += rises ? 1 : -1
      }
    }
    let columns = EdgeColumns(borders.map(\.edge))
    for index in borders.indices {
      borders[index].right = PathArrangement.winding(below: borders[index].edge, borders, columns)
    }
    return borders
  }

  /// Each path's winding number at the point just below the middle of `edge`, or just to its right
  /// if the edge is vertical.
  static func winding(below edge: Edge, _ borders: [Border], _ columns: EdgeColumns) -> (Int, Int) {
    // Coordinates are doubled, so that the middle is on the grid.
    let (x, y) = (edge.from.x + edge.to.x, edge.from.y + edge.to.y)
    var winding = (0, 0)
    guard let column = columns.candidates(x / 2) else { return winding }
    for index in column {
      let (low, high) = (borders[index].edge.from, borders[index].edge.to)
      guard low.x * 2 <= x, x < high.x * 2 else { continue }
      let side =
        (high.x - low.x) * (y - 2 * low.y) - (high.y - low.y) * (x - 2 * low.x)
      if side > 0 {
        winding.0 += borders[index].count.0
        winding.1 += borders[index].count.1
      }
    }
    return winding
  }

  /// The closed loops around the area for whose winding numbers `isInside` holds. The area is to
  /// their left, so that outer loops turn from +x toward +y and holes the other way.
  func loops(_ isInside: ((Int, Int)) -> Bool) -> [[Edge]] {
    var loopEdges: [Edge] = []
    for border in borders() {
      let (left, right) = (isInside(border.left), isInside(border.right))
      if left != right { loopEdges.append(left ? border.edge : border.edge.reversed) }
    }
    var outgoing: [GridPoint: [Int]] = [:]
    for (index, edge) in loopEdges.enumerated() { outgoing[edge.from, default: []].append(index) }
    var loops: [[Edge]] = []
    var isUsed = [Bool](repeating: false, count: loopEdges.count)
    for first in loopEdges.indices where !isUsed[first] {
      var loop: [Edge] = []
      var next: Int? = first
      while let index = next {
        isUsed[index] = true
        let edge = loopEdges[index]
        loop.append(edge)
        if edge.to == loopEdges[first].from { break }
        next = PathArrangement.leftmost(
          after: edge, of: (outgoing[edge.to] ?? []).filter { !isUsed[$0] }, loopEdges)
      }
      loops.append(loop)
    }
    return loops
  }

  /// The edge that turns furthest to the left, so that areas that touch in a point stay apart.
  private static func leftmost(after edge: Edge, of candidates: [Int], _ edges: [Edge]) -> Int? {
    guard candidates.count > 1 else { return candidates.first }
    return candidates.max { edge.turn(to: edges[$0]) < edge.turn(to: edges[$1]) }
  }

  /// Adds the edges one after the other; consecutive edges of one segment become one part of it.
  func append(_ edges: [Edge], closed: Bool, to path: inout Path) {
    guard var start = edges.first else { return }
    var edges = edges[...]
    if closed, let last = edges.last, last.leads(to: start),
      let seam = edges.indices.dropFirst().first(where: { !edges[$0 - 1].leads(to: edges[$0]) })
    {
      edges = edges[seam...] + edges[..<seam]
      start = edges[edges.startIndex]
    }
    path.elements.append(.move(point(start.from)))
    while let first = edges.first {
      var last = first
      edges = edges.dropFirst()
      while let next = edges.first, last.leads(to: next) {
        last = next
        edges = edges.dropFirst()
      }
      // Closing the path draws a final line.
      if closed, edges.isEmpty, case .line = sources[last.source] { break }
      path.elements.append(element(from: first, to: last))
    }
    if closed { path.elements.append(.close) }
  }

  private func element(from first: Edge, to last: Edge) -> Path.Element {
    let source = sources[first.source]
    if case .line = source { return .line(point(last.to)) }
    let part = source.part(from: min(first.start, last.end), to: max(first.start, last.end))
    // The ends are points of the grid, slightly off the curve.
    switch first.start < last.end ? part : part.reversed {
    case .line: return .line(point(last.to))
    case .quad(_, let control, _): return .quad(control: control, end: point(last.to))
    case .cubic(_, let control1, let control2, _):
      return .cubic(control1: control1, control2: control2, end: point(last.to))
    }
  }
}

extension PathArrangement.Edge {
  var rises: Bool { (from.x, from.y) < (to.x, to.y) }

  var reversed: Self {
    Self(from: to, to: from, path: path, source: source, start: end, end: start)
  }

  /// Whether `next` continues this edge along the same segment.
  func leads(to next: Self) -> Bool {
    source == next.source && end == next.start && (start < end) == (next.start < next.end)
  }

  /// The angle by which `next` turns to the left from this edge, from −π to π.
  fileprivate func turn(to next: Self) -> Double {
    let (ax, ay) = (Double(to.x - from.x), Double(to.y - from.y))
    let (bx, by) = (Double(next.to.x - next.from.x), Double(next.to.y - next.from.y))
    return atan2(ax * by - ay * bx, ax * bx + ay * by)
  }
}

extension EdgeColumns {
  /// The edges that may pass above or below `x`; nil if there are none.
  func candidates(_ x: Int) -> [Int]? {
    let column = column(x)
    return columns.indices.contains(column) ? columns[column] : nil
  }
}
