import Foundation

/// The order in which flat figures that share a space are painted, the farthest first: where two
/// intersect, or several lie over each other in a ring, figures are cut along the lines where their
/// planes meet, and no more often than that takes.
///
/// Figures are given as the viewer sees them, in one plane, with the depth of each. What lies at the
/// same depth is painted in the order in which it is given.
package struct DepthOrder {
  package struct Figure {
    /// What it covers, or more than that.
    package var polygon: ConvexPolygon
    package var depth: DepthPlane

    package init(polygon: ConvexPolygon, depth: DepthPlane) {
      (self.polygon, self.depth) = (polygon, depth)
    }
  }

  /// A part of a figure: what lies on the given side of each of these of the figure's cuts. All
  /// parts of a figure together are the figure, and no two have anything in common.
  package struct Piece: Hashable, Sendable {
    package var figure: Int
    package var steps: [CutStep] = []
  }

  /// Back to front.
  package private(set) var pieces: [Piece] = []
  /// The lines along which each figure was cut, in figures' order.
  package private(set) var cuts: [[CutLine]]

  /// Beyond so many pieces, figures are cut no more: what still intersects is ordered as it lies in
  /// the middle. So is everything where more pairs than this lie over each other.
  private static let pieceLimit = 1 << 12
  private static let pairLimit = 1 << 18
  /// Rings beyond this many are left to overlap wrongly.
  private static let ringLimit = 1 << 8
  /// What two figures share may be as small as this without anyone seeing it.
  private static let leastArea: CGFloat = 1e-6

  private struct Part {
    var piece: Piece
    var polygon: ConvexPolygon
    var (minX, maxX, minY, maxY): (CGFloat, CGFloat, CGFloat, CGFloat)
    var isWhole = true
    /// Parts that are painted before this one.
    var behind: [Int] = []
    /// All parts that have to do with this one.
    var neighbors: [Int] = []

    init(_ piece: Piece, _ polygon: ConvexPolygon) {
      (self.piece, self.polygon) = (piece, polygon)
      (minX, maxX, minY, maxY) = (.infinity, -.infinity, .infinity, -.infinity)
      for point in polygon.points {
        (minX, maxX) = (min(minX, point.x), max(maxX, point.x))
        (minY, maxY) = (min(minY, point.y), max(maxY, point.y))
      }
    }
  }

  private let figures: [Figure]
  private var parts: [Part] = []
  /// Pairs of parts that intersect.
  private var crossings: [(Int, Int)] = []
  private var ringCount = 0

  package init(_ figures: [Figure]) {
    self.figures = figures
    cuts = Array(repeating: [], count: figures.count)
    parts = figures.indices.map { Part(Piece(figure: $0), figures[$0].polygon) }
    guard comparePairs() else {
      let order = figures.indices.sorted { (depth(of: $0), $0) < (depth(of: $1), $1) }
      pieces = order.map { Piece(figure: $0) }
      return
    }
    cutCrossings()
    while !arrange() {}
    parts = []
  }

  /// Whether a piece, as far as cuts bound it, holds a point.
  package func contains(_ piece: Piece, _ point: CGPoint) -> Bool {
    piece.steps.allSatisfy {
      (cuts[piece.figure][$0.cut].distance(point) >= 0) == $0.isPositive
    }
  }

  private func depth(of figure: Int) -> CGFloat {
    figures[figure].depth.depth(at: figures[figure].polygon.center)
  }

  /// Compares all that lie over each other; false where there are too many.
  private mutating func comparePairs() -> Bool {
    let order = parts.indices.sorted { (parts[$0].minX, $0) < (parts[$1].minX, $1) }
    var open: [Int] = []
    var pairs: [(Int, Int)] = []
    for part in order {
      open.removeAll { parts[$0].maxX <= parts[part].minX }
      for other in open
      where parts[other].minY < parts[part].maxY && parts[part].minY < parts[other].maxY {
        pairs.append((other, part))
      }
      guard pairs.count <= Self.pairLimit else { return false }
      open.append(part)
    }
    for (i, j) in pairs { compare(i, j) }
    return true
  }

  private enum Relation {
    case apart, behind, inFront, crossing
  }

  /// Notes which of two parts is painted first, or that they intersect.
  private mutating func compare(_ i: Int, _ j: Int) {
    switch relation(min(i, j), max(i, j)) {
    case .apart: return
    case .behind: place(min(i, j), behind: max(i, j))
    case .inFront: place(max(i, j), behind: min(i, j))
    case .crossing:
      crossings.append((min(i, j), max(i, j)))
      join(i, j)
    }
  }

  private mutating func join(_ i: Int, _ j: Int) {
    parts[i].neighbors.append(j)
    parts[j].neighbors.append(i)
  }

  private mutating func place(_ i: Int, behind j: Int) {
    parts[j].behind.append(i)
    join(i, j)
  }

  /// How part i lies to part j.
  private func relation(_ i: Int, _ j: Int) -> Relation {
    guard parts[i].minX < parts[j].maxX, parts[j].minX < parts[i].maxX,
      parts[i].minY < parts[j].maxY, parts[j].minY < parts[i].maxY
    else { return .apart }
    let shared = parts[i].polygon.intersection(parts[j].polygon)
    guard !shared.isEmpty, abs(shared.signedArea) > Self.leastArea else { return .apart }
    let (isBehind, isInFront) = sides(of: shared, i, j)
    switch (isBehind, isInFront) {
    case (true, true): return .crossing
    case (true, false): return .behind
    case (false, true): return .inFront
    case (false, false): return isEarlier(i, j) ? .behind : .inFront
    }
  }

  /// At equal depth, the figures' order decides.
  private func isEarlier(_ i: Int, _ j: Int) -> Bool {
    (parts[i].piece.figure, i) < (parts[j].piece.figure, j)
  }

  /// Whether somewhere in a polygon part i lies behind part j, and whether in front of it.
  private func sides(
    of polygon: ConvexPolygon, _ i: Int, _ j: Int
  ) -> (isBehind: Bool, isInFront: Bool) {
    let (a, b) = (figures[parts[i].piece.figure].depth, figures[parts[j].piece.figure].depth)
    var sides = (isBehind: false, isInFront: false)
    for point in polygon.points {
      let lead = a.lead(over: b, at: point)
      if lead < 0 { sides.isBehind = true }
      if lead > 0 { sides.isInFront = true }
    }
    return sides
  }

  /// Cuts the smaller one of every two that intersect.
  private mutating func cutCrossings() {
    var next = 0
    while next < crossings.count {
      let (i, j) = crossings[next]
      next += 1
      guard parts[i].isWhole, parts[j].isWhole else { continue }
      let areas = (abs(parts[i].polygon.signedArea), abs(parts[j].polygon.signedArea))
      let (cut, by) = areas.0 < areas.1 ? (i, j) : (j, i)
      if !split(cut, along: by), !split(by, along: cut) { settle(i, j) }
    }
    crossings = []
  }

  /// Orders two that intersect and cannot be cut by what lies in the middle.
  private mutating func settle(_ i: Int, _ j: Int) {
    let (a, b) = (figures[parts[i].piece.figure].depth, figures[parts[j].piece.figure].depth)
    let middle = parts[i].polygon.intersection(parts[j].polygon).center
    let lead = a.lead(over: b, at: middle)
    if lead < 0 || (lead == 0 && isEarlier(i, j)) {
      parts[j].behind.append(i)
    } else {
      parts[i].behind.append(j)
    }
  }

  /// Makes two parts of one, along the line where its plane meets another's; false where that line
  /// leaves it whole.
  private mutating func split(_ i: Int, along other: Int) -> Bool {
    guard parts.count + 2 <= Self.pieceLimit + figures.count else { return false }
    let figure = parts[i].piece.figure
    let (mine, theirs) = (figures[figure].depth, figures[parts[other].piece.figure].depth)
    guard let line = mine.meeting(theirs).normalized else { return false }
    let halves = [true, false].map { parts[i].polygon.clipped(to: line, positive: $0) }
    guard halves.allSatisfy({ !$0.isEmpty && abs($0.signedArea) > Self.leastArea }) else {
      return false
    }
    let cut = cuts[figure].firstIndex(of: line) ?? cuts[figure].count
    if cut == cuts[figure].count { cuts[figure].append(line) }
    parts[i].isWhole = false
    // Two parts may have met more than once: in a ring, or again after a cut.
    var neighbors = parts[i].neighbors.filter { parts[$0].isWhole && $0 != other }
    neighbors = Set(neighbors).sorted()
    let isOtherWhole = parts[other].isWhole
    for (half, isPositive) in zip(halves, [true, false]) {
      var piece = parts[i].piece
      piece.steps.append(CutStep(cut: cut, isPositive: isPositive))
      let part = parts.count
      parts.append(Part(piece, half))
      if isOtherWhole {
        if isPositive { place(other, behind: part) } else { place(part, behind: other) }
      }
      for neighbor in neighbors { compare(neighbor, part) }
    }
    return true
  }

  /// Puts what is painted first first. Where parts lie over each other in a ring, cuts one of them
  /// and returns false.
  private mutating func arrange() -> Bool {
    var order: [Int] = []
    // 0: not seen, 1: on the path, 2: in the order.
    var states = [UInt8](repeating: 0, count: parts.count)
    var path: [(part: Int, next: Int)] = []
    let starts = parts.indices.filter { parts[$0].isWhole }.sorted { isEarlier($0, $1) }
    for start in starts where states[start] == 0 {
      path.append((start, 0))
      states[start] = 1
      while let (part, next) = path.last {
        guard next < parts[part].behind.count else {
          states[part] = 2
          order.append(part)
          path.removeLast()
          continue
        }
        path[path.count - 1].next += 1
        let behind = parts[part].behind[next]
        guard parts[behind].isWhole else { continue }
        if states[behind] == 0 {
          states[behind] = 1
          path.append((behind, 0))
        } else if states[behind] == 1 {
          let ring = path.drop { $0.part != behind }.map(\.part)
          if breakRing(ring) { return false }
          // Rounding alone made it: whichever comes first will do.
        }
      }
    }
    pieces = order.map { parts[$0].piece }
    return true
  }

  /// Cuts one of a ring along another's plane. Were there none that such a plane goes through,
  /// the planes would order them all, and there would be no ring.
  private mutating func breakRing(_ ring: [Int]) -> Bool {
    ringCount += 1
    guard ringCount <= Self.ringLimit else { return false }
    for distance in 1..<max(ring.count, 2) {
      for place in ring.indices {
        let (i, j) = (ring[place], ring[(place + distance) % ring.count])
        let (isBehind, isInFront) = sides(of: parts[i].polygon, i, j)
        if isBehind, isInFront {
          guard split(i, along: j) else { continue }
          cutCrossings()
          return true
        }
      }
    }
    return false
  }
}

/// One side of one cut.
package struct CutStep: Hashable, Sendable {
  /// Which of the cuts.
  package var cut: Int
  package var isPositive: Bool

  package init(cut: Int, isPositive: Bool) {
    (self.cut, self.isPositive) = (cut, isPositive)
  }
}
