import Foundation
import LaminaValues

/// A piece of a path that is simple enough to be offset without halving it.
struct StrokePiece {
  /// The shape of one side of the piece between its ends.
  enum Side {
    case line
    case curve(CGPoint, CGPoint)
    /// A curve that runs backward, because the side is further away than the centre of curvature:
    /// the point where the piece's two ends cross, and the control points.
    case backward(crossing: CGPoint, CGPoint, CGPoint)
  }

  var start: CGPoint
  var end: CGPoint
  /// Unit vectors.
  var startDirection: CGVector
  var endDirection: CGVector
  /// Whether the piece continues the curve of the one before it: a corner there is a cusp, and
  /// round.
  var continuesCurve = false
  var left = Side.line
  var right = Side.line
}

extension PathStroker {
  /// Most halvings of a curve; a part that is not simple by then becomes a line.
  private static let depthLimit = 10

  func append(_ segment: PathSegment, to pieces: inout [StrokePiece]) {
    switch segment {
    case .line(let a, let b):
      if let direction = (b - a).normalized {
        pieces.append(
          StrokePiece(start: a, end: b, startDirection: direction, endDirection: direction))
      }
    case .quad(let a, let b, let c):
      append(
        StrokedCubic(a, a + (b - a) * (2 / 3), c + (b - c) * (2 / 3), c), depth: 0,
        continues: false, to: &pieces)
    case .cubic(let a, let b, let c, let d):
      append(StrokedCubic(a, b, c, d), depth: 0, continues: false, to: &pieces)
    }
  }

  private func append(
    _ cubic: StrokedCubic, depth: Int, continues: Bool, to pieces: inout [StrokePiece]
  ) {
    guard let (start, end) = cubic.directions else { return }
    if depth < PathStroker.depthLimit {
      if cubic.isGentle(start, end), let left = side(1, of: cubic, start, end),
        let right = side(-1, of: cubic, start, end)
      {
        pieces.append(
          StrokePiece(
            start: cubic.a, end: cubic.d, startDirection: start, endDirection: end,
            continuesCurve: continues, left: left, right: right))
        return
      }
      // Halving does not help if numbers are too large to calculate with.
      if cubic.size.isFinite, (cubic.size * cubic.size).isFinite {
        let count = pieces.count
        let (head, tail) = cubic.halves
        append(head, depth: depth + 1, continues: continues, to: &pieces)
        append(
          tail, depth: depth + 1, continues: continues || pieces.count > count, to: &pieces)
        return
      }
    }
    if let chord = (cubic.d - cubic.a).normalized {
      pieces.append(
        StrokePiece(
          start: cubic.a, end: cubic.d, startDirection: chord, endDirection: chord,
          continuesCurve: continues))
    }
  }

  /// The shape of one side of `cubic`; nil if a single curve is not within the tolerance.
  private func side(
    _ sign: CGFloat, of cubic: StrokedCubic, _ start: CGVector, _ end: CGVector
  ) -> StrokePiece.Side? {
    // An offset curve has the curve's own velocity, less what the turning of the normal takes away.
    let (from, to) = (offset(cubic.a, start, sign), offset(cubic.d, end, sign))
    let speeds = (
      3 * (cubic.b - cubic.a).length - sign * reach * cubic.startTurning,
      3 * (cubic.d - cubic.c).length - sign * reach * cubic.endTurning
    )
    let (control1, control2) = (from + start * (speeds.0 / 3), to - end * (speeds.1 / 3))
    let offsetCurve = StrokedCubic(from, control1, control2, to)
    for t in [0.25, 0.5, 0.75] as [CGFloat] {
      guard let direction = cubic.velocity(at: t).normalized else { return nil }
      let error = offset(cubic.point(at: t), direction, sign) - offsetCurve.point(at: t)
      guard error.length <= tolerance else { return nil }
    }
    if speeds.0 >= 0, speeds.1 >= 0 { return .curve(control1, control2) }
    // Too short for its direction to matter.
    if (to - from).length <= tolerance { return .line }
    let across = start.cross(end)
    guard speeds.0 <= 0, speeds.1 <= 0, start.dot(end) >= 0.94, across != 0 else { return nil }
    let distance = (cubic.d - cubic.a).cross(end.turned) / across
    let crossing = cubic.a + start.turned * (sign * min(max(sign * distance, 0), reach))
    return .backward(crossing: crossing, control1, control2)
  }
}

/// A cubic curve, with the calculations for offsetting it.
struct StrokedCubic {
  let a: CGPoint
  let b: CGPoint
  let c: CGPoint
  let d: CGPoint

  init(_ a: CGPoint, _ b: CGPoint, _ c: CGPoint, _ d: CGPoint) {
    self.a = a
    self.b = b
    self.c = c
    self.d = d
  }

  /// The length of the polygon through the curve's points.
  var size: CGFloat { (b - a).length + (c - b).length + (d - c).length }

  /// The unit vectors along the curve at its ends; nil if all points coincide.
  var directions: (start: CGVector, end: CGVector)? {
    let least = size * 1e-9
    func direction(_ vectors: [CGVector]) -> CGVector? {
      vectors.first { $0.length > least }?.normalized
    }
    guard let start = direction([b - a, c - a, d - a, c - b]),
      let end = direction([d - c, d - b, d - a, c - b])
    else { return nil }
    return (start, end)
  }

  /// Whether the curve turns by at most 60°, from end to end and on the way.
  func isGentle(_ start: CGVector, _ end: CGVector) -> Bool {
    start.dot(end) >= 0.5
      && [b - a, c - b, d - c].allSatisfy { leg in
        leg.dot(start) >= 0.5 * leg.length && leg.dot(end) >= 0.5 * leg.length
      }
  }

  func point(at t: CGFloat) -> CGPoint { PathSegment.cubic(a, b, c, d).point(at: t) }

  func velocity(at t: CGFloat) -> CGVector { PathSegment.cubic(a, b, c, d).velocity(at: t) }

  var halves: (StrokedCubic, StrokedCubic) {
    let (ab, bc, cd) = (a.middle(b), b.middle(c), c.middle(d))
    let (abc, bcd) = (ab.middle(bc), bc.middle(cd))
    let m = abc.middle(bcd)
    return (StrokedCubic(a, ab, abc, m), StrokedCubic(m, bcd, cd, d))
  }

  /// The rate at which the direction turns at the start, in radians per unit of the parameter.
  var startTurning: CGFloat {
    let velocity = (b - a) * 3
    let acceleration = ((c - b) - (b - a)) * 6
    let square = velocity.dot(velocity)
    if velocity.length > size * 1e-9 { return velocity.cross(acceleration) / square }
    // If the velocity is zero, the cross product and the square both vanish with the parameter's
    // square; this is the limit of their quotient.
    let jerk = ((d - c) - (c - b) - (c - b) + (b - a)) * 6
    let rest = acceleration.dot(acceleration)
    return acceleration.length > size * 1e-9 ? acceleration.cross(jerk) / rest / 2 : 0
  }

  /// The rate at which the direction turns at the end, in radians per unit of the parameter.
  var endTurning: CGFloat { -StrokedCubic(d, c, b, a).startTurning }
}

extension CGVector {
  var length: CGFloat { hypot(dx, dy) }

  /// The unit vector in the same direction; nil if there is none.
  var normalized: CGVector? {
    let length = length
    return length > 0 && length.isFinite ? CGVector(dx: dx / length, dy: dy / length) : nil
  }

  /// The vector after a quarter turn from +x toward +y.
  var turned: CGVector { CGVector(dx: -dy, dy: dx) }

  func dot(_ other: CGVector) -> CGFloat { dx * other.dx + dy * other.dy }

  func cross(_ other: CGVector) -> CGFloat { dx * other.dy - dy * other.dx }

  static func + (a: CGVector, b: CGVector) -> CGVector {
    CGVector(dx: a.dx + b.dx, dy: a.dy + b.dy)
  }

  static func - (a: CGVector, b: CGVector) -> CGVector {
    CGVector(dx: a.dx - b.dx, dy: a.dy - b.dy)
  }

  static prefix func - (a: CGVector) -> CGVector { CGVector(dx: -a.dx, dy: -a.dy) }

  static func * (a: CGVector, s: CGFloat) -> CGVector { CGVector(dx: a.dx * s, dy: a.dy * s) }
}

extension CGPoint {
  static func + (p: CGPoint, v: CGVector) -> CGPoint { CGPoint(x: p.x + v.dx, y: p.y + v.dy) }

  static func - (p: CGPoint, v: CGVector) -> CGPoint { CGPoint(x: p.x - v.dx, y: p.y - v.dy) }

  static func - (p: CGPoint, q: CGPoint) -> CGVector {
    CGVector(dx: p.x - q.x, dy: p.y - q.y)
  }

  func middle(_ other: CGPoint) -> CGPoint {
    CGPoint(x: x / 2 + other.x / 2, y: y / 2 + other.y / 2)
  }
}
