import Foundation
import LaminaValues
import Testing

/// Numbers that are the same on every run: SplitMix64.
private struct Numbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func number(_ range: ClosedRange<CGFloat>) -> CGFloat {
    .random(in: range, using: &self)
  }
}

@Suite("Depth order and cutting")
struct DepthOrderTests {
  private func square(
    _ x: CGFloat, _ y: CGFloat, _ side: CGFloat, _ depth: DepthPlane
  ) -> DepthOrder.Figure {
    DepthOrder.Figure(
      polygon: ConvexPolygon(CGRect(x: x, y: y, width: side, height: side)), depth: depth)
  }

  private func flat(_ depth: CGFloat) -> DepthPlane { DepthPlane(x: 0, y: 0, constant: depth) }

  private func isInside(_ point: CGPoint, _ polygon: ConvexPolygon, by margin: CGFloat) -> Bool {
    let isPositive = polygon.signedArea > 0
    return polygon.points.indices.allSatisfy { i in
      let (p, q) = (polygon.points[i], polygon.points[(i + 1) % polygon.points.count])
      let (dx, dy) = (q.x - p.x, q.y - p.y)
      let distance = (dx * (point.y - p.y) - dy * (point.x - p.x)) / hypot(dx, dy)
      return (isPositive ? distance : -distance) > margin
    }
  }

  @Test("Figures that do not intersect are ordered whole, the farthest first")
  func apart() {
    let order = DepthOrder([
      square(0, 0, 10, flat(3)), square(5, 5, 10, flat(1)), square(2, 2, 10, flat(2)),
      // Its plane goes through the others', it does not.
      square(30, 0, 10, DepthPlane(x: 1, y: 0, constant: -5)),
    ])
    #expect(order.pieces.map { $0.figure } == [1, 2, 0, 3])
    #expect(order.cuts.allSatisfy { $0.isEmpty })
  }

  @Test("At the same depth the order stays as it was, and nothing is cut")
  func coplanar() {
    let tilted = DepthPlane(x: 0.3, y: -2, constant: 7)
    let order = DepthOrder((0..<6).map { square(CGFloat($0), 0, 10, tilted) })
    #expect(order.pieces.map { $0.figure } == Array(0..<6))
    #expect(order.cuts.allSatisfy { $0.isEmpty })
  }

  @Test("Of two that intersect the smaller is cut, once, where they meet")
  func crossing() {
    let order = DepthOrder([
      square(0, 0, 10, DepthPlane(x: 1, y: 0, constant: -4)), square(-5, -5, 30, flat(0)),
    ])
    #expect(order.pieces.map { $0.figure } == [0, 1, 0])
    #expect(order.cuts[0] == [CutLine(a: 1, b: 0, c: -4)] && order.cuts[1].isEmpty)
    #expect(order.pieces[0].steps == [CutStep(cut: 0, isPositive: false)])
    #expect(order.pieces[2].steps == [CutStep(cut: 0, isPositive: true)])
  }

  @Test("A hinge is not cut: two that meet in an edge of both do not intersect")
  func hinge() {
    let order = DepthOrder([
      square(0, 0, 10, DepthPlane(x: 1, y: 0, constant: 0)),
      square(0, 0, 10, DepthPlane(x: 0.25, y: 0, constant: 0)),
    ])
    #expect(order.pieces.map { $0.figure } == [1, 0])
  }

  @Test("Three that lie over each other in a ring take one cut")
  func ring() {
    // Each bar lies over the next where they overlap.
    func bar(_ angle: CGFloat) -> DepthOrder.Figure {
      let (c, s) = (cos(angle), sin(angle))
      let corners = [(-20, 4), (20, 4), (20, 6), (-20, 6)].map { (x: CGFloat, y: CGFloat) in
        CGPoint(x: x * c - y * s, y: x * s + y * c)
      }
      return DepthOrder.Figure(
        polygon: ConvexPolygon(corners), depth: DepthPlane(x: c, y: s, constant: 0))
    }
    let order = DepthOrder([bar(0), bar(2 * .pi / 3), bar(4 * .pi / 3)])
    #expect(order.pieces.count == 4)
    #expect(order.cuts.map { $0.count }.sorted() == [0, 0, 1])
  }

  private func scene(_ numbers: inout Numbers, count: Int) -> [DepthOrder.Figure] {
    (0..<count).map { _ in
      let center = CGPoint(x: numbers.number(0...100), y: numbers.number(0...100))
      let (side, angle) = (numbers.number(5...60), numbers.number(0...6))
      let corners = (0..<4).map { i in
        let turn = angle + CGFloat(i) * .pi / 2
        return CGPoint(x: center.x + side * cos(turn), y: center.y + side * sin(turn))
      }
      let (x, y) = (numbers.number(-2...2), numbers.number(-2...2))
      return DepthOrder.Figure(
        polygon: ConvexPolygon(corners),
        depth: DepthPlane(
          x: x, y: y, constant: numbers.number(-10...10) - x * center.x - y * center.y))
    }
  }

  @Test(
    "At each point, each figure has one piece, and they lie in order of depth", arguments: 0..<40)
  func everywhere(seed: Int) {
    var numbers = Numbers(state: UInt64(seed))
    let figures = scene(&numbers, count: 2 + seed % 14)
    let order = DepthOrder(figures)
    #expect(order.pieces == DepthOrder(figures).pieces)
    for _ in 0..<400 {
      let point = CGPoint(x: numbers.number(-20...120), y: numbers.number(-20...120))
      let here = figures.indices.filter { isInside(point, figures[$0].polygon, by: 1e-3) }
      let pieces = order.pieces.filter {
        here.contains($0.figure) && order.contains($0, point)
      }
      #expect(pieces.map { $0.figure }.sorted() == here)
      let depths = pieces.map { figures[$0.figure].depth.depth(at: point) }
      for (below, above) in zip(depths, depths.dropFirst()) { #expect(below <= above + 1e-3) }
    }
  }

  @Test("A crowd beyond all measure is still ordered, each figure once")
  func crowd() {
    let figures = (0..<1000).map { i in
      square(0, 0, 10, DepthPlane(x: 0, y: 0, constant: CGFloat((i * 7919) % 1000)))
    }
    let order = DepthOrder(figures)
    #expect(order.pieces.map { $0.figure }.sorted() == Array(0..<1000))
    let depths = order.pieces.map { figures[$0.figure].depth.constant }
    #expect(depths == depths.sorted())
  }

  /// Cuts a polygon into many parts, as a tree does: each part by lines of its own.
  private func parts(_ numbers: inout Numbers, of polygon: ConvexPolygon) -> [CutPiece] {
    var lines: [CutLine] = []
    var leaves: [[CutStep]] = [[]]
    for _ in 0..<Int.random(in: 1...7, using: &numbers) {
      let leaf = leaves.remove(at: Int.random(in: 0..<leaves.count, using: &numbers))
      let angle = numbers.number(0...6.3)
      let (a, b) = (cos(angle), sin(angle))
      let through = CGPoint(x: numbers.number(20...80), y: numbers.number(20...80))
      let line = CutLine(a: a, b: b, c: -a * through.x - b * through.y)
      lines.append(line)
      leaves += [true, false].map { leaf + [CutStep(cut: lines.count - 1, isPositive: $0)] }
    }
    return leaves.map { CutPiece(lines: lines, steps: $0) }
  }

  private struct Edge: Hashable {
    var from: CGPoint
    var to: CGPoint
  }

  @Test(
    "The parts of a polygon are all of it, and share their corners bit by bit", arguments: 0..<200)
  func sharedCorners(seed: Int) {
    var numbers = Numbers(state: UInt64(seed) &+ 5000)
    let angle = numbers.number(0...6)
    let whole = ConvexPolygon(
      (0..<4).map { i in
        let turn = angle + CGFloat(i) * .pi / 2
        return CGPoint(x: 50 + 45 * cos(turn), y: 50 + 45 * sin(turn))
      })
    let parts = parts(&numbers, of: whole).compactMap { $0.part(of: whole) }
    let area = parts.reduce(0) { $0 + $1.signedArea }
    #expect(abs(area - whole.signedArea) < 1e-6)
    var edges: [Edge] = []
    for part in parts {
      for i in part.points.indices {
        let edge = Edge(from: part.points[i], to: part.points[(i + 1) % part.points.count])
        if edge.from != edge.to { edges.append(edge) }
      }
    }
    let known = Set(edges)
    #expect(known.count == edges.count)
    for edge in edges where !known.contains(Edge(from: edge.to, to: edge.from)) {
      // Nothing is on its other side: it is an edge of the whole.
      let middle = CGPoint(x: (edge.from.x + edge.to.x) / 2, y: (edge.from.y + edge.to.y) / 2)
      #expect(!isInside(middle, whole, by: 1e-9), "\(edge)")
    }
  }
}
