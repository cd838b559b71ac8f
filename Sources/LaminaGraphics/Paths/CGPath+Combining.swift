import Foundation
import LaminaValues

/// Boolean operations on areas, which keep curves as curves. Where paths cross, they are cut to
/// within a 50,000th of their common extent. Subpaths are closed; those with a non-finite point are
/// left out. An area's outer edges run from +x toward +y, its holes' the other way, and no edges
/// cross, so that both rules fill it alike.
extension CGPath {
  /// The path's area, with edges that do not cross.
  public func normalized(using rule: CGPathFillRule = .winding) -> CGPath {
    combined(with: nil) { rule.isInside($0.0) }
  }

  /// The area in either path or both.
  public func union(_ other: CGPath, using rule: CGPathFillRule = .winding) -> CGPath {
    combined(with: other) { rule.isInside($0.0) || rule.isInside($0.1) }
  }

  /// The area in both paths.
  public func intersection(_ other: CGPath, using rule: CGPathFillRule = .winding) -> CGPath {
    combined(with: other) { rule.isInside($0.0) && rule.isInside($0.1) }
  }

  /// The area in this path and not in `other`.
  public func subtracting(_ other: CGPath, using rule: CGPathFillRule = .winding) -> CGPath {
    combined(with: other) { rule.isInside($0.0) && !rule.isInside($0.1) }
  }

  /// The area in exactly one of the two paths.
  public func symmetricDifference(
    _ other: CGPath, using rule: CGPathFillRule = .winding
  ) -> CGPath {
    combined(with: other) { rule.isInside($0.0) != rule.isInside($0.1) }
  }

  /// Whether the paths have an area in common; touching is not enough.
  public func intersects(_ other: CGPath, using rule: CGPathFillRule = .winding) -> Bool {
    PathArrangement(storage, other.storage).borders().contains { border in
      [border.left, border.right].contains { rule.isInside($0.0) && rule.isInside($0.1) }
    }
  }

  /// The parts of this path's lines that are inside `other` or on its edge.
  public func lineIntersection(_ other: CGPath, using rule: CGPathFillRule = .winding) -> CGPath {
    lines(other, rule, inside: true)
  }

  /// The parts of this path's lines that are outside `other`.
  public func lineSubtracting(_ other: CGPath, using rule: CGPathFillRule = .winding) -> CGPath {
    lines(other, rule, inside: false)
  }

  /// The path's separate areas, each with its holes. Areas that touch only in points are separate.
  public func componentsSeparated(using rule: CGPathFillRule = .winding) -> [CGPath] {
    let arrangement = PathArrangement(storage, Path())
    let loops = arrangement.loops { rule.isInside($0.0) }.map { loop in
      var path = Path()
      arrangement.append(loop, closed: true, to: &path)
      return (path: path, area: PathArrangement.doubledArea(loop), edges: loop)
    }
    var components = loops.filter { $0.area > 0 }
    for hole in loops where hole.area <= 0 {
      // The smallest area around the hole, which may lie on an island in another area's hole.
      let around = components.indices.filter { index in
        PathArrangement.loop(components[index].edges, isAround: hole.edges[0])
      }
      guard let index = around.min(by: { components[$0].area < components[$1].area }) else {
        continue
      }
      components[index].path.elements += hole.path.elements
    }
    return components.map { CGPath($0.path) }
  }

  private func combined(
    with other: CGPath?, _ isInside: ((Int, Int)) -> Bool
  ) -> CGPath {
    let arrangement = PathArrangement(storage, other?.storage ?? Path())
    var path = Path()
    for loop in arrangement.loops(isInside) { arrangement.append(loop, closed: true, to: &path) }
    return CGPath(path)
  }

  private func lines(_ other: CGPath, _ rule: CGPathFillRule, inside: Bool) -> CGPath {
    let arrangement = PathArrangement(storage, other.storage, firstIsLine: true)
    let borders = arrangement.borders { $0.path == 0 }
    let columns = EdgeColumns(borders.map(\.edge))
    // A line that runs along an edge is inside if either side of the edge is.
    var sides: [PathArrangement.GridPoint: [PathArrangement.Border]] = [:]
    for border in borders { sides[border.edge.from, default: []].append(border) }
    var path = Path()
    var run: [PathArrangement.Edge] = []
    func finishRun() {
      arrangement.append(run, closed: false, to: &path)
      run = []
    }
    for edge in arrangement.edges where edge.path == 0 {
      let upward = edge.rises ? edge : edge.reversed
      let along = sides[upward.from]?.first { $0.edge.to == upward.to }
      let windings =
        along.map { [$0.left, $0.right] }
        ?? [PathArrangement.winding(below: upward, borders, columns)]
      let isInside = windings.contains { rule.isInside($0.1) }
      if let last = run.last, isInside != inside || last.to != edge.from { finishRun() }
      if isInside == inside { run.append(edge) }
    }
    finishRun()
    return CGPath(path)
  }
}

extension PathArrangement {
  /// Twice the area inside a loop, in squares of the grid; negative for a hole.
  static func doubledArea(_ loop: [Edge]) -> Double {
    loop.reduce(0) { sum, edge in
      sum + Double(edge.from.x) * Double(edge.to.y) - Double(edge.to.x) * Double(edge.from.y)
    }
  }

  /// Whether the middle of `edge`, which is not part of the loop, is inside the loop.
  static func loop(_ loop: [Edge], isAround edge: Edge) -> Bool {
    let (x, y) = (edge.from.x + edge.to.x, edge.from.y + edge.to.y)
    var isInside = false
    for edge in loop {
      let (low, high) = edge.rises ? (edge.from, edge.to) : (edge.to, edge.from)
      guard low.x * 2 <= x, x < high.x * 2 else { continue }
      let side = (high.x - low.x) * (y - 2 * low.y) - (high.y - low.y) * (x - 2 * low.x)
      if side > 0 { isInside.toggle() }
    }
    return isInside
  }
}
