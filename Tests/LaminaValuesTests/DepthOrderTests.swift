import Foundation
import LaminaValues
import TestSupport
import Testing

extension SeededGenerator {
  fileprivate mutating func number(_ range: ClosedRange<CGFloat>) -> CGFloat {
    .random(in: range, using: &self)
  }
}

@Suite("Depth order and cutting")
struct DepthOrderTests {
  private func square(
    _ x: CGFloat, _ y: CGFloat, _ side: CGFloat, _ depth: DepthPlane, isTilted: Bool = true
  ) -> DepthOrder.Figure {
    DepthOrder.Figure(
      polygon: ConvexPolygon(CGRect(x: x, y: y, width: side, height: side)), depth: depth,
      isTilted: isTilted)!
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

  @Test("Parallel figures are ordered by depth, and as they come at the same depth")
  func parallel() {
    let order = DepthOrder(
      [3, 1, 2, 1, 3].map { square(0, 0, 10, flat($0), isTilted: false) })
    #expect(order.pieces.map { $0.figure } == [1, 3, 2, 0, 4])
    #expect(order.cuts.allSatisfy { $0.isEmpty })
  }

  @Test("At the same depth the order stays as it was, and nothing is cut")
  func coplanar() {
    let tilted = DepthPlane(x: 0.3, y: -2, constant: 7)
    let order = DepthOrder((0..<6).map { square(CGFloat($0), 0, 10, tilted) })
    #expect(order.pieces.map { $0.figure } == Array(0..<6))
    #expect(order.cuts.allSatisfy { $0.isEmpty })
  }

  // The rules of the next five tests were found by comparing 67 frames of Apple's render server.

  @Test("The last tilted figure's plane parts the others, wherever they lie in it")
  func lastParts() {
    let order = DepthOrder([
      square(0, 0, 10, flat(3), isTilted: false),
      // It does not touch the first, but its plane goes through it.
      square(30, 0, 10, DepthPlane(x: 1, y: 0, constant: -1)),
      square(5, 0, 2, flat(100), isTilted: false),
    ])
    #expect(order.pieces.map { $0.figure } == [0, 1, 0, 2])
    #expect(order.cuts[0].count == 1)
    let (back, front) = (order.pieces[0], order.pieces[2])
    // At x - 1 = 3 the first figure passes from in front of the plane to behind it.
    #expect(order.contains(back, CGPoint(x: 4.01, y: 5)))
    #expect(order.contains(front, CGPoint(x: 3.99, y: 5)))
    #expect(!order.contains(back, CGPoint(x: 3.99, y: 5)))
  }

  @Test("On each side of a plane, whole figures come before cut ones")
  func wholeBeforeCut() {
    let order = DepthOrder([
      square(-5, 0, 10, flat(0), isTilted: false), square(1, 0, 4, flat(0), isTilted: false),
      square(-5, 0, 4, flat(0), isTilted: false),
      square(-5, 0, 10, DepthPlane(x: 1, y: 0, constant: 0)),
    ])
    #expect(order.pieces.map { $0.figure } == [1, 0, 3, 2, 0])
  }

  @Test("What lies in the dividing plane is painted in the order in which it comes")
  func within() {
    let tilted = DepthPlane(x: 1, y: 0, constant: 0)
    let order = DepthOrder([
      square(0, 0, 10, tilted), square(2, 2, 10, flat(50), isTilted: false),
      square(4, 4, 10, tilted), square(1, 1, 3, flat(-50), isTilted: false),
      square(6, 6, 3, tilted),
    ])
    #expect(order.pieces.map { $0.figure } == [3, 0, 2, 4, 1])
  }

  @Test("A figure that is seen edge-on is not painted and cuts others")
  func edgeOn() throws {
    let rect = CGRect(x: -5, y: -5, width: 10, height: 10)
    let upright = CATransform3DMakeRotation(.pi / 2, 0, 1, 0)
    let cutter = try #require(DepthOrder.Figure(rect, toSpace: upright, toView: upright))
    let level = try #require(
      DepthOrder.Figure(rect, toSpace: .identity, toView: .identity))
    let order = DepthOrder([level, level, cutter])
    #expect(order.pieces.map { $0.figure } == [0, 1, 0, 1])
    #expect(order.cuts.map { $0.count } == [1, 1, 0])
    for side in [-1.0, 1] {
      let point = CGPoint(x: side, y: 0)
      #expect(order.pieces.filter { order.contains($0, point) }.map { $0.figure } == [0, 1])
    }
  }

  @Test("A rectangle without area in space takes no part, one with perspective in its plane does")
  func area() throws {
    let rect = CGRect(x: 0, y: 0, width: 10, height: 10)
    let line = CATransform3DMakeScale(1, 0, 1)
    #expect(DepthOrder.Figure(rect, toSpace: line, toView: line) == nil)
    #expect(DepthOrder.Figure(.zero, toSpace: .identity, toView: .identity) == nil)
    var perspective = CATransform3D.identity
    perspective.m34 = -0.01
    let turned = CATransform3DMakeRotation(0.5, 0, 1, 0)
    let order = DepthOrder([
      try #require(DepthOrder.Figure(rect, toSpace: turned, toView: turned)),
      square(-5, 0, 10, flat(0), isTilted: false),
      try #require(DepthOrder.Figure(rect, toSpace: perspective, toView: perspective)),
    ])
    // The turned figure touches the last one's plane with its edge at x = 0 and lies behind it.
    #expect(order.pieces.map { $0.figure } == [0, 1, 2])
    #expect(order.cuts.allSatisfy { $0.isEmpty })
  }

  @Test("Three that lie over each other in a ring are cut")
  func ring() {
    // Each bar lies over the next one in their overlap.
    func bar(_ angle: CGFloat) -> DepthOrder.Figure {
      let (c, s) = (cos(angle), sin(angle))
      let corners = [(-20, 4), (20, 4), (20, 6), (-20, 6)].map { (x: CGFloat, y: CGFloat) in
        CGPoint(x: x * c - y * s, y: x * s + y * c)
      }
      return DepthOrder.Figure(
        polygon: ConvexPolygon(corners), depth: DepthPlane(x: c, y: s, constant: 0),
        isTilted: true)!
    }
    let order = DepthOrder([bar(0), bar(2 * .pi / 3), bar(4 * .pi / 3)])
    #expect(Set(order.pieces.map { $0.figure }) == [0, 1, 2])
    #expect(order.cuts.contains { !$0.isEmpty })
  }

  private struct Tile {
    var polygon: ConvexPolygon
    var depth: DepthPlane
    var figure: DepthOrder.Figure { .init(polygon: polygon, depth: depth, isTilted: true)! }
  }

  private func scene(_ numbers: inout SeededGenerator, count: Int) -> [Tile] {
    (0..<count).map { _ in
      let center = CGPoint(x: numbers.number(0...100), y: numbers.number(0...100))
      let (side, angle) = (numbers.number(5...60), numbers.number(0...6))
      let corners = (0..<4).map { i in
        let turn = angle + CGFloat(i) * .pi / 2
        return CGPoint(x: center.x + side * cos(turn), y: center.y + side * sin(turn))
      }
      let (x, y) = (numbers.number(-2...2), numbers.number(-2...2))
      return Tile(
        polygon: ConvexPolygon(corners),
        depth: DepthPlane(
          x: x, y: y, constant: numbers.number(-10...10) - x * center.x - y * center.y))
    }
  }

  @Test(
    "At each point, each figure has one piece, and they lie in order of depth", arguments: 0..<40)
  func everywhere(seed: Int) {
    var numbers = SeededGenerator(seed: seed)
    let figures = scene(&numbers, count: 2 + seed % 14)
    let order = DepthOrder(figures.map(\.figure))
    #expect(order.pieces == DepthOrder(figures.map(\.figure)).pieces)
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
    let depths = (0..<1000).map { CGFloat(($0 * 7919) % 1000) }
    let order = DepthOrder(depths.map { square(0, 0, 10, flat($0)) })
    #expect(order.pieces.map { $0.figure }.sorted() == Array(0..<1000))
    #expect(order.pieces.map { depths[$0.figure] } == depths.sorted())
  }

  @Test("A crowd that all intersects is cut into no more pieces than there may be")
  func tangle() {
    var numbers = SeededGenerator(seed: 77)
    let order = DepthOrder(scene(&numbers, count: 600).map(\.figure))
    #expect(Set(order.pieces.map { $0.figure }) == Set(0..<600))
    #expect(order.pieces.count == 4096 + 600)
  }

  /// Cuts a polygon into many parts, as a cutting tree does: each part has lines of its own.
  private func parts(_ numbers: inout SeededGenerator, of polygon: ConvexPolygon) -> [CutPiece] {
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
    var numbers = SeededGenerator(seed: seed + 5000)
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
      // No part is on the other side, so it is an edge of the whole.
      let middle = CGPoint(x: (edge.from.x + edge.to.x) / 2, y: (edge.from.y + edge.to.y) / 2)
      #expect(!isInside(middle, whole, by: 1e-9), "\(edge)")
    }
  }
}
