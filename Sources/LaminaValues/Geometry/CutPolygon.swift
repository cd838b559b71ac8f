import Foundation

/// One of the parts into which lines cut a figure.
package struct CutPiece: Hashable, Sendable {
  /// All cuts of the figure, including those that do not bound this part.
  package var lines: [CutLine]
  package var steps: [CutStep]

  package init(lines: [CutLine], steps: [CutStep]) {
    (self.lines, self.steps) = (lines, steps)
  }

  /// Cuts this piece further and returns one of the new parts.
  package func cut(_ lines: [CutLine], _ steps: [CutStep]) -> CutPiece {
    CutPiece(
      lines: self.lines + lines,
      steps: self.steps
        + steps.map { CutStep(cut: $0.cut + self.lines.count, isPositive: $0.isPositive) })
  }

  /// The part of a convex polygon that belongs to the piece; nil if it has none.
  ///
  /// Neighbouring parts share their corners exactly, so that no pixel between them is left out or
  /// drawn twice: each corner made by a cut is computed from only the two lines that meet there,
  /// and the edge along a cut has a corner wherever another cut meets it.
  package func part(of polygon: ConvexPolygon) -> ConvexPolygon? {
    var corners = polygon.points.indices.map { Corner(point: polygon.points[$0], edge: $0) }
    for step in steps {
      corners = clipped(corners, step, of: polygon.points)
      guard corners.count >= 3 else { return nil }
    }
    return ConvexPolygon(withSeams(corners, of: polygon.points))
  }

  /// A corner, and the line along which the outline goes on from it. The edges of the polygon are
  /// numbered first, then the cuts.
  private struct Corner {
    var point: CGPoint
    var edge: Int
  }

  private func clipped(_ corners: [Corner], _ step: CutStep, of whole: [CGPoint]) -> [Corner] {
    let line = lines[step.cut]
    let edge = whole.count + step.cut
    var kept: [Corner] = []
    kept.reserveCapacity(corners.count + 1)
    for i in corners.indices {
      let (a, b) = (corners[i], corners[i + 1 < corners.count ? i + 1 : 0])
      let isAIn = (line.distance(a.point) >= 0) == step.isPositive
      let isBIn = (line.distance(b.point) >= 0) == step.isPositive
      if isAIn { kept.append(a) }
      if isAIn != isBIn {
        let point = meeting(a.edge, edge, from: a.point, to: b.point, of: whole)
        kept.append(Corner(point: point, edge: isAIn ? edge : a.edge))
      }
    }
    return kept
  }

  /// Adds the corners at which other cuts meet the piece's edges.
  private func withSeams(_ corners: [Corner], of whole: [CGPoint]) -> [CGPoint] {
    guard lines.count > 1 else { return corners.map(\.point) }
    var points: [CGPoint] = []
    for i in corners.indices {
      let (a, b) = (corners[i], corners[i + 1 < corners.count ? i + 1 : 0])
      points.append(a.point)
      guard a.edge >= whole.count else { continue }
      var seams: [(along: CGFloat, point: CGPoint)] = []
      let (dx, dy) = (b.point.x - a.point.x, b.point.y - a.point.y)
      for (place, line) in lines.enumerated() where place + whole.count != a.edge {
        let (da, db) = (line.distance(a.point), line.distance(b.point))
        guard (da > 0 && db < 0) || (da < 0 && db > 0) else { continue }
        let point = meeting(a.edge, place + whole.count, from: a.point, to: b.point, of: whole)
        seams.append(((point.x - a.point.x) * dx + (point.y - a.point.y) * dy, point))
      }
      seams.sort { $0.along < $1.along }
      points += seams.map(\.point)
    }
    return points
  }

  /// The intersection of two lines, kept between `from` and `to` despite rounding. The result is
  /// the same for all parts that share it.
  private func meeting(
    _ first: Int, _ second: Int, from: CGPoint, to: CGPoint, of whole: [CGPoint]
  ) -> CGPoint {
    let (low, high) = (min(first, second), max(first, second))
    let line = lines[high - whole.count]
    let met: CGPoint
    if low < whole.count {
      let (p, q) = (whole[low], whole[low + 1 < whole.count ? low + 1 : 0])
      met = Self.meeting(p, q, line)
    } else {
      let other = lines[low - whole.count]
      let determinant = other.a * line.b - line.a * other.b
      met = CGPoint(
        x: (other.b * line.c - line.b * other.c) / determinant,
        y: (line.a * other.c - other.a * line.c) / determinant)
    }
    // Almost parallel lines can meet anywhere.
    let slack = 1e-6 * (1 + abs(from.x) + abs(from.y) + abs(to.x) + abs(to.y))
    let isBetween =
      met.x >= min(from.x, to.x) - slack && met.x <= max(from.x, to.x) + slack
      && met.y >= min(from.y, to.y) - slack && met.y <= max(from.y, to.y) + slack
    return isBetween ? met : Self.meeting(from, to, line)
  }

  private static func meeting(_ a: CGPoint, _ b: CGPoint, _ line: CutLine) -> CGPoint {
    // In the same order for both directions of the edge, because another polygon of the figure may
    // have it in reverse.
    let (p, q) = (a.x, a.y) < (b.x, b.y) ? (a, b) : (b, a)
    let (dp, dq) = (line.distance(p), line.distance(q))
    let t = dp == dq ? 0.5 : min(max(dp / (dp - dq), 0), 1)
    return CGPoint(x: p.x + (q.x - p.x) * t, y: p.y + (q.y - p.y) * t)
  }
}
