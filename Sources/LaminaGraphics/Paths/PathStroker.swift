import Foundation
import LaminaValues

extension Path {
  /// The outline of the area that a pen covers along the path, to be filled by the non-zero rule.
  /// Every subpath is outlined separately; a closed one has two contours. A subpath without length
  /// is a dot if it has a segment: a disc or a square, depending on the cap, and nothing for
  /// `.butt`. Empty if the width is not positive; subpaths with a non-finite point are left out.
  package func stroked(
    width: CGFloat, cap: CGLineCap = .butt, join: CGLineJoin = .miter, miterLimit: CGFloat = 10
  ) -> Path {
    guard width > 0, width.isFinite else { return Path() }
    let bounds = controlPointBounds
    let extent = bounds.isNull ? 0 : max(bounds.width, bounds.height)
    var stroker = PathStroker(
      reach: width / 2, cap: cap, join: join, miterLimit: miterLimit,
      tolerance: max(width / 2, extent.isFinite ? extent / 32 : 0) * 5e-4)
    for subpath in subpaths where subpath.isFinite { stroker.add(subpath) }
    return stroker.outline
  }
}

/// Builds the outline of a stroke.
///
/// The outline is the sum of areas that all wind the same way: a strip for each piece of the path
/// and a wedge on the outer side of each corner. On the inner side of a corner the contour
/// therefore passes through the corner itself, and the non-zero rule fills precisely the union.
struct PathStroker {
  /// Half the line width.
  let reach: CGFloat
  let cap: CGLineCap
  let join: CGLineJoin
  let miterLimit: CGFloat
  /// Largest distance between a curve's outline and the exact one.
  let tolerance: CGFloat
  private(set) var outline = Path()

  init(
    reach: CGFloat, cap: CGLineCap, join: CGLineJoin, miterLimit: CGFloat, tolerance: CGFloat
  ) {
    self.reach = reach
    self.cap = cap
    self.join = join
    self.miterLimit = miterLimit
    self.tolerance = tolerance
  }

  mutating func add(_ subpath: Path.Subpath) {
    var pieces: [StrokePiece] = []
    for segment in subpath.segments { append(segment, to: &pieces) }
    guard let first = pieces.first, let last = pieces.last else {
      if subpath.isClosed || !subpath.segments.isEmpty { addDot(at: subpath.start) }
      return
    }
    var left = StrokeSide(sign: 1, start: offset(first.start, first.startDirection, 1))
    var right = StrokeSide(sign: -1, start: offset(first.start, first.startDirection, -1))
    for (index, piece) in pieces.enumerated() {
      if index > 0 {
        turn(&left, from: pieces[index - 1], to: piece)
        turn(&right, from: pieces[index - 1], to: piece)
      }
      follow(piece, &left)
      follow(piece, &right)
    }
    if subpath.isClosed {
      turn(&left, from: last, to: first)
      turn(&right, from: last, to: first)
      addContour(left)
      addContour(right.reversed)
    } else {
      addCap(&left, at: last.end, last.endDirection)
      left.append(right.reversed)
      addCap(&left, at: first.start, -first.startDirection)
      addContour(left)
    }
  }

  private mutating func addContour(_ side: StrokeSide) {
    outline.elements.append(.move(side.start))
    outline.elements += side.segments.map(\.element)
    outline.elements.append(.close)
  }

  private mutating func addDot(at point: CGPoint) {
    let rect = CGRect(
      x: point.x - reach, y: point.y - reach, width: 2 * reach, height: 2 * reach)
    switch cap {
    case .butt: break
    case .round: outline.addEllipse(in: rect)
    case .square: outline.addRect(rect)
    }
  }

  /// The outline's point beside `point` of the path, on the side that `sign` says.
  func offset(_ point: CGPoint, _ direction: CGVector, _ sign: CGFloat) -> CGPoint {
    point + direction.turned * (sign * reach)
  }

  /// Continues the contour around the end of a line, from its left side to its right.
  private func addCap(_ side: inout StrokeSide, at end: CGPoint, _ direction: CGVector) {
    let right = offset(end, direction, -1)
    switch cap {
    case .butt: break
    case .square:
      side.addLine(to: offset(end, direction, 1) + direction * reach)
      side.addLine(to: right + direction * reach)
    case .round:
      let left = direction.turned * reach
      side.addArc(around: end, from: left, sweep: -.pi, to: -left)
    }
    side.addLine(to: right)
  }

  /// Continues a side around the corner between two pieces.
  private func turn(_ side: inout StrokeSide, from: StrokePiece, to: StrokePiece) {
    let (before, after) = (from.endDirection, to.startDirection)
    let corner = to.start
    let (cross, dot) = (before.cross(after), before.dot(after))
    let target = offset(corner, after, side.sign)
    if abs(cross) < 1e-9, dot > 0 { return side.addLine(to: target) }
    let turnsLeft = cross >= 0
    if turnsLeft == (side.sign > 0) {
      side.addLine(to: corner)
      return side.addLine(to: target)
    }
    switch to.continuesCurve ? .round : join {
    case .bevel: break
    case .miter:
      // The miter's length over the width is 1 / sin(φ/2), where φ is the angle between the lines.
      guard 2 <= miterLimit * miterLimit * (1 + dot), dot > -1 + 1e-12 else { break }
      let outward = before.turned + after.turned
      side.addLine(to: corner + outward * (side.sign * reach / (1 + dot)))
    case .round:
      let angle = abs(atan2(cross, dot))
      side.addArc(
        around: corner, from: before.turned * (side.sign * reach),
        sweep: turnsLeft ? angle : -angle, to: after.turned * (side.sign * reach))
    }
    side.addLine(to: target)
  }

  /// Continues a side along a piece.
  private func follow(_ piece: StrokePiece, _ side: inout StrokeSide) {
    let end = offset(piece.end, piece.endDirection, side.sign)
    switch side.sign > 0 ? piece.left : piece.right {
    case .line: side.addLine(to: end)
    case .curve(let control1, let control2): side.addCubic(control1, control2, end)
    case .backward(let crossing, let control1, let control2):
      // The strip's two ends cross. The part before the crossing is in order; the part after it
      // would wind the other way, and is traced once more the right way.
      let start = side.point
      side.addLine(to: crossing)
      side.addLine(to: end)
      side.addCubic(control2, control1, start)
      side.addLine(to: crossing)
      side.addLine(to: end)
    }
  }
}

/// A side of a line's outline, in the direction of the path.
struct StrokeSide {
  /// 1 for the side that a quarter turn from +x toward +y points to, −1 for the other.
  let sign: CGFloat
  var start: CGPoint
  var point: CGPoint
  var segments: [PathSegment] = []

  init(sign: CGFloat, start: CGPoint) {
    self.sign = sign
    self.start = start
    point = start
  }

  mutating func addLine(to end: CGPoint) {
    guard end != point else { return }
    segments.append(.line(point, end))
    point = end
  }

  mutating func addCubic(_ control1: CGPoint, _ control2: CGPoint, _ end: CGPoint) {
    segments.append(.cubic(point, control1, control2, end))
    point = end
  }

  /// Adds an arc, as cubics of a quarter turn at most. `from` and `to` are vectors from the centre.
  mutating func addArc(
    around center: CGPoint, from: CGVector, sweep: CGFloat, to: CGVector
  ) {
    let count = max(1, Int((abs(sweep) / (.pi / 2) - 1e-9).rounded(.up)))
    let step = sweep / CGFloat(count)
    let (sine, cosine, lean) = (sin(step), cos(step), 4 / 3 * tan(step / 4))
    var radius = from
    for index in 1...count {
      let next = index == count ? to : radius * cosine + radius.turned * sine
      addCubic(
        center + radius + radius.turned * lean, center + next - next.turned * lean, center + next)
      radius = next
    }
  }

  mutating func append(_ other: StrokeSide) {
    addLine(to: other.start)
    segments += other.segments
    point = other.point
  }

  var reversed: StrokeSide {
    var reversed = StrokeSide(sign: -sign, start: point)
    reversed.segments = segments.reversed().map(\.reversed)
    reversed.point = start
    return reversed
  }
}

extension PathSegment {
  /// The same segment from its end to its start.
  package var reversed: PathSegment {
    switch self {
    case .line(let a, let b): .line(b, a)
    case .quad(let a, let b, let c): .quad(c, b, a)
    case .cubic(let a, let b, let c, let d): .cubic(d, c, b, a)
    }
  }
}
