import Foundation

/// The order in which flat figures in a shared space are painted: the farthest first, as Apple's
/// render server orders siblings in three dimensions.
///
/// The plane of the last tilted figure divides the others: those behind it are painted first, then
/// those in it, in the given order, then those in front. A figure that crosses the plane is cut
/// there, and its parts come after the whole figures on their side. Each side is divided likewise
/// by its own last tilted figure. If a side has none left, its planes are parallel, and depth
/// decides.
package struct DepthOrder {
  package struct Figure {
    /// The corners as the viewer sees them. The third lane is the depth; greater is nearer.
    fileprivate var corners: [SIMD3<Double>]
    /// nil if the figure is seen edge-on. Such a figure is not painted, but it still divides
    /// others.
    fileprivate var depth: DepthPlane?
    fileprivate var plane: ViewPlane
    /// Whether the figure can divide others: its transform leaves two dimensions.
    fileprivate var isTilted: Bool
  }

  /// A part of a figure: the points on the given side of each cut in `steps`. The parts of a figure
  /// make up the whole figure and do not overlap.
  package struct Piece: Hashable, Sendable {
    package var figure: Int
    package var steps: [CutStep] = []
  }

  /// Back to front.
  package private(set) var pieces: [Piece] = []
  /// The lines along which each figure was cut, by figure.
  package private(set) var cuts: [[CutLine]]

  /// Largest number of pieces that cuts may add. After that, a figure counts as on the side of its
  /// middle.
  private static let pieceLimit = 1 << 12
  /// Number of comparisons after which the remaining parts are ordered by the depth of their
  /// middles.
  private static let comparisonLimit = 1 << 23

  /// A figure, or a part of one, that is being ordered.
  private struct Part {
    var piece: Piece
    var corners: [SIMD3<Double>]
  }

  private enum Step {
    case order([Part])
    case paint([Part])
  }

  private let figures: [Figure]
  private var partCount: Int
  /// Number of times that a figure was compared with the plane of another.
  package private(set) var comparisonCount = 0

  /// `figures` are in their painting order at equal depth.
  package init(_ figures: [Figure]) {
    self.figures = figures
    cuts = Array(repeating: [], count: figures.count)
    partCount = figures.count
    pieces.reserveCapacity(figures.count)
    var steps = [
      Step.order(
        figures.indices.map { Part(piece: Piece(figure: $0), corners: figures[$0].corners) })
    ]
    while let step = steps.popLast() {
      switch step {
      case .paint(let parts): paint(parts)
      case .order(let parts): order(parts, &steps)
      }
    }
  }

  /// Whether the cuts that bound a piece leave the point inside.
  package func contains(_ piece: Piece, _ point: CGPoint) -> Bool {
    piece.steps.allSatisfy {
      (cuts[piece.figure][$0.cut].distance(point) >= 0) == $0.isPositive
    }
  }

  private mutating func paint(_ parts: [Part]) {
    for part in parts where figures[part.piece.figure].depth != nil { pieces.append(part.piece) }
  }

  private mutating func order(_ parts: [Part], _ steps: inout [Step]) {
    guard parts.count > 1, comparisonCount < Self.comparisonLimit,
      let divider = parts.last(where: { figures[$0.piece.figure].isTilted })
    else { return paint(sortedByDepth(parts)) }
    comparisonCount += parts.count
    let plane = figures[divider.piece.figure].plane
    var (far, here, near): ([Part], [Part], [Part]) = ([], [], [])
    var (farCut, nearCut): ([Part], [Part]) = ([], [])
    for part in parts {
      if part.piece == divider.piece {
        here.append(part)
        continue
      }
      switch plane.side(of: part.corners) {
      case .within: here.append(part)
      case .front: near.append(part)
      case .back: far.append(part)
      case .both:
        guard let (back, front) = split(part, along: plane) else {
          if plane.distance(Self.middle(of: part.corners)) < 0 {
            far.append(part)
          } else {
            near.append(part)
          }
          continue
        }
        farCut.append(back)
        nearCut.append(front)
      }
    }
    steps.append(.order(near + nearCut))
    steps.append(.paint(here))
    steps.append(.order(far + farCut))
  }

  private func sortedByDepth(_ parts: [Part]) -> [Part] {
    guard parts.count > 1 else { return parts }
    let depths = parts.map { Self.middle(of: $0.corners).z }
    return parts.indices.sorted { (depths[$0], $0) < (depths[$1], $1) }.map { parts[$0] }
  }

  private static func middle(of corners: [SIMD3<Double>]) -> SIMD3<Double> {
    corners.reduce(.zero, +) / Double(max(corners.count, 1))
  }

  /// Splits a part at a plane that crosses it; nil if there are too many pieces already.
  private mutating func split(_ part: Part, along plane: ViewPlane) -> (back: Part, front: Part)? {
    guard partCount < Self.pieceLimit + figures.count else { return nil }
    let figure = part.piece.figure
    var back = Part(piece: part.piece, corners: plane.clipped(part.corners, front: false))
    var front = Part(piece: part.piece, corners: plane.clipped(part.corners, front: true))
    partCount += 1
    // A figure seen edge-on is not painted, and has no line on the screen along which to cut it.
    guard let depth = figures[figure].depth else { return (back, front) }
    guard let line = plane.meeting(depth).normalized else { return nil }
    let cut = cuts[figure].firstIndex(of: line) ?? cuts[figure].count
    if cut == cuts[figure].count { cuts[figure].append(line) }
    back.piece.steps.append(CutStep(cut: cut, isPositive: false))
    front.piece.steps.append(CutStep(cut: cut, isPositive: true))
    return (back, front)
  }
}

extension DepthOrder.Figure {
  /// A polygon on the screen that shows part of a layer's plane; nil if it is empty.
  package init?(polygon: ConvexPolygon, depth: DepthPlane, isTilted: Bool) {
    guard !polygon.isEmpty, let plane = ViewPlane(depth) else { return nil }
    corners = polygon.points.map { SIMD3($0.x, $0.y, depth.depth(at: $0)) }
    (self.depth, self.plane, self.isTilted) = (depth, plane, isTilted)
  }

  /// The part of a layer's rectangle in front of the viewer's eye. `toView` maps the layer to the
  /// viewer's points, `toSpace` to the space shared with others. nil if the rectangle has no area
  /// in that space.
  package init?(_ rect: CGRect, toSpace: CATransform3D, toView: CATransform3D) {
    corners = Self.corners(of: rect, toSpace, toView)
    guard corners.count >= 3 else { return nil }
    var area = SIMD3<Double>.zero
    for (p, q) in zip(corners.dropFirst(), corners.dropFirst(2)) {
      area += (p - corners[0]).cross(q - corners[0])
    }
    guard area.length > 1e-9 else { return nil }
    isTilted = toSpace.leavesTwoDimensions
    // Rounding leaves some area even if the figure is seen edge-on.
    if abs(area.z) > 1e-9 * area.length, abs(area.z) > 1e-9,
      let depth = DepthPlane(toSpace: toSpace, toView: toView), let plane = ViewPlane(depth)
    {
      (self.depth, self.plane) = (depth, plane)
    } else {
      depth = nil
      plane = ViewPlane(normal: area, through: corners[0])
    }
  }

  /// The corners in the viewer's points, with their depth.
  private static func corners(
    of rect: CGRect, _ toSpace: CATransform3D, _ toView: CATransform3D
  ) -> [SIMD3<Double>] {
    let depth = SIMD3<Double>(toSpace.m13, toSpace.m23, toSpace.m43)
    let corners = ConvexPolygon(rect).points.map { point -> SIMD4<Double> in
      let seen = toView.map(point)
      let z = (depth * SIMD3<Double>(point.x, point.y, 1)).sum()
      return SIMD4<Double>(seen.x, seen.y, z, seen.w)
    }
    // Clips at a plane in front of the eye, far enough from it to avoid points at infinity.
    let least = 1e-5 * corners.reduce(0) { max($0, abs($1.w)) }
    var seen: [SIMD3<Double>] = []
    for (place, p) in corners.enumerated() {
      let q = corners[(place + 1) % corners.count]
      if p.w >= least { seen.append(SIMD3(p.x, p.y, p.z) / p.w) }
      if (p.w >= least) != (q.w >= least) {
        let crossing = p + (q - p) * ((least - p.w) / (q.w - p.w))
        seen.append(SIMD3(crossing.x, crossing.y, crossing.z) / crossing.w)
      }
    }
    return seen.allSatisfy { $0.x.isFinite && $0.y.isFinite && $0.z.isFinite } ? seen : []
  }
}

/// A plane in the space of the viewer's points and their depth. Its front faces the viewer.
private struct ViewPlane {
  /// A unit vector that does not point away from the viewer.
  var normal: SIMD3<Double>
  var constant: Double

  enum Side {
    case within, front, back, both
  }

  init(normal: SIMD3<Double>, through point: SIMD3<Double>) {
    let turned = normal.z < 0 ? -normal : normal
    self.normal = turned / turned.length
    constant = -(self.normal * point).sum()
  }

  init?(_ depth: DepthPlane) {
    let normal = SIMD3(-depth.x, -depth.y, 1)
    let length = normal.length
    guard length.isFinite else { return nil }
    self.normal = normal / length
    constant = -depth.constant / length
  }

  func distance(_ point: SIMD3<Double>) -> Double { (normal * point).sum() + constant }

  /// The side on which a polygon lies. Within the rounding error of the plane counts as `within`.
  func side(of corners: [SIMD3<Double>]) -> Side {
    var (isInFront, isBehind) = (false, false)
    for corner in corners {
      let distance = distance(corner)
      let slack = 1e-6 + 1e-10 * abs(corner).max()
      if distance > slack { isInFront = true }
      if distance < -slack { isBehind = true }
    }
    switch (isInFront, isBehind) {
    case (false, false): return .within
    case (true, false): return .front
    case (false, true): return .back
    case (true, true): return .both
    }
  }

  /// The part of a convex polygon on one side.
  func clipped(_ corners: [SIMD3<Double>], front: Bool) -> [SIMD3<Double>] {
    var kept: [SIMD3<Double>] = []
    kept.reserveCapacity(corners.count + 1)
    for (place, p) in corners.enumerated() {
      let q = corners[place + 1 < corners.count ? place + 1 : 0]
      let (dp, dq) = (distance(p), distance(q))
      if (dp >= 0) == front { kept.append(p) }
      if (dp >= 0) != (dq >= 0) { kept.append(p + (q - p) * (dp / (dp - dq))) }
    }
    return kept
  }

  /// The line on the screen in which a figure meets the plane. The figure is in front on the line's
  /// positive side.
  func meeting(_ depth: DepthPlane) -> CutLine {
    CutLine(
      a: normal.x + normal.z * depth.x, b: normal.y + normal.z * depth.y,
      c: constant + normal.z * depth.constant)
  }
}

extension SIMD3<Double> {
  fileprivate func cross(_ o: Self) -> Self {
    Self(y * o.z - z * o.y, z * o.x - x * o.z, x * o.y - y * o.x)
  }

  fileprivate var length: Double { (self * self).sum().squareRoot() }
}

private func abs(_ v: SIMD3<Double>) -> SIMD3<Double> { v.replacing(with: -v, where: v .< 0) }

/// A cut and the side of it.
package struct CutStep: Hashable, Sendable {
  /// Index of the cut.
  package var cut: Int
  package var isPositive: Bool

  package init(cut: Int, isPositive: Bool) {
    (self.cut, self.isPositive) = (cut, isPositive)
  }
}
