import Foundation

extension Path {
  /// Distance of a quarter circle's control points from its ends along the tangents, for radius 1.
  package static let quarterArc: CGFloat = 4 / 3 * (2.0.squareRoot() - 1)

  /// Adds an arc of the unit circle about the origin, as cubics of at most a quarter turn. Angles
  /// are in radians from +x toward +y. If `joining`, a line leads from the current point to the
  /// arc.
  package mutating func addUnitArc(
    from start: CGFloat, sweep: CGFloat, joining: Bool,
    transform: CGAffineTransform = .identity
  ) {
    guard start.isFinite, sweep.isFinite else { return }
    let sweep = min(max(sweep, -2 * .pi), 2 * .pi)
    var from = Path.unitPoint(start)
    if joining, currentPoint != nil {
      addLine(to: from.applying(transform))
    } else {
      move(to: from.applying(transform))
    }
    guard sweep != 0 else { return }
    // The small slack keeps a quarter turn in one cubic despite rounding.
    let count = max(1, Int((abs(sweep) / (.pi / 2) - 1e-9).rounded(.up)))
    let step = sweep / CGFloat(count)
    let reach = 4 / 3 * tan(step / 4)
    for index in 1...count {
      let to =
        index == count && abs(sweep) == 2 * .pi
        ? Path.unitPoint(start) : Path.unitPoint(start + step * CGFloat(index))
      addCubic(
        control1: CGPoint(x: from.x - reach * from.y, y: from.y + reach * from.x)
          .applying(transform),
        control2: CGPoint(x: to.x + reach * to.y, y: to.y - reach * to.x).applying(transform),
        end: to.applying(transform))
      from = to
    }
  }

  /// The point of the unit circle at `angle`. Exact on the axes, where sine and cosine are not.
  private static func unitPoint(_ angle: CGFloat) -> CGPoint {
    let quarters = angle / (.pi / 2)
    guard abs(quarters - quarters.rounded()) < 1e-14 * max(1, abs(quarters)) else {
      return CGPoint(x: cos(angle), y: sin(angle))
    }
    switch quarters.rounded().remainder(dividingBy: 4) {
    case 0: return CGPoint(x: 1, y: 0)
    case 1: return CGPoint(x: 0, y: 1)
    case -1: return CGPoint(x: 0, y: -1)
    default: return CGPoint(x: -1, y: 0)
    }
  }

  /// Adds an arc, after a line from the current point if there is one. `clockwise` means toward
  /// falling angles, which looks clockwise if y points up. An end on the wrong side of the start is
  /// taken modulo a turn; more than a turn counts as one turn.
  package mutating func addArc(
    center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool,
    transform: CGAffineTransform = .identity
  ) {
    var sweep = endAngle - startAngle
    let turn = 2 * CGFloat.pi
    if clockwise, sweep > 0 {
      sweep = sweep.truncatingRemainder(dividingBy: turn) - turn
    } else if !clockwise, sweep < 0 {
      sweep = sweep.truncatingRemainder(dividingBy: turn) + turn
    }
    addArc(
      center: center, radius: radius, startAngle: startAngle, delta: sweep, transform: transform)
  }

  /// Adds an arc of `delta` radians, after a line from the current point if there is one.
  package mutating func addArc(
    center: CGPoint, radius: CGFloat, startAngle: CGFloat, delta: CGFloat,
    transform: CGAffineTransform = .identity
  ) {
    let place = CGAffineTransform(a: radius, b: 0, c: 0, d: radius, tx: center.x, ty: center.y)
    addUnitArc(
      from: startAngle, sweep: delta, joining: true, transform: place.concatenating(transform))
  }

  /// Adds an arc of the circle of `radius` that touches both the line from the current point to
  /// `tangent1End` and the line from there to `tangent2End`, after a line to the arc's start. If
  /// the three points are in one line, or the radius is not positive, adds a line to `tangent1End`.
  package mutating func addArc(
    tangent1End corner: CGPoint, tangent2End end: CGPoint, radius: CGFloat,
    transform: CGAffineTransform = .identity
  ) {
    guard let current = currentPoint?.applying(transform.inverted()) else { return }
    let (ax, ay) = (current.x - corner.x, current.y - corner.y)
    let (bx, by) = (end.x - corner.x, end.y - corner.y)
    let lengths = (ax * ax + ay * ay).squareRoot() * (bx * bx + by * by).squareRoot()
    let cross = ax * by - ay * bx
    guard radius > 0, lengths > 0, abs(cross) > 1e-9 * lengths else {
      return addLine(to: corner.applying(transform))
    }
    let angle = atan2(abs(cross), ax * bx + ay * by)
    // From the corner to the points where the circle touches the lines, and to its centre.
    let reach = radius / tan(angle / 2)
    let a = (ax * ax + ay * ay).squareRoot()
    let touch = CGPoint(x: corner.x + ax / a * reach, y: corner.y + ay / a * reach)
    let side: CGFloat = cross > 0 ? 1 : -1
    let center = CGPoint(x: touch.x - side * ay / a * radius, y: touch.y + side * ax / a * radius)
    addArc(
      center: center, radius: radius,
      startAngle: atan2(touch.y - center.y, touch.x - center.x),
      delta: -side * (.pi - angle), transform: transform)
  }

  /// Adds SVG's elliptical arc from the current point to `end`. A radius of zero gives a line;
  /// radii too small for the distance are scaled up. `rotation` is in radians.
  package mutating func addEllipticalArc(
    to end: CGPoint, radii: CGSize, rotation: CGFloat, isLarge: Bool, isPositive: Bool
  ) {
    guard let start = currentPoint, start != end else { return }
    var (rx, ry) = (abs(radii.width), abs(radii.height))
    guard rx > 0, ry > 0 else { return addLine(to: end) }
    // Half the way between the ends, in the ellipse's own axes.
    let axes = CGAffineTransform(rotationAngle: -rotation)
    let half = CGPoint(x: (start.x - end.x) / 2, y: (start.y - end.y) / 2).applying(axes)
    let excess = (half.x / rx) * (half.x / rx) + (half.y / ry) * (half.y / ry)
    if excess > 1 { (rx, ry) = (rx * excess.squareRoot(), ry * excess.squareRoot()) }
    // Half the chord on the unit circle, and the chord's distance from the centre.
    let (x, y) = (half.x / rx, half.y / ry)
    let chord = x * x + y * y
    let distance = (max(0, 1 - chord) / chord).squareRoot() * (isLarge == isPositive ? -1 : 1)
    let (cx, cy) = (distance * y, -distance * x)
    let from = atan2(y - cy, x - cx)
    var sweep = atan2(-y - cy, -x - cx) - from
    if isPositive, sweep < 0 { sweep += 2 * .pi }
    if !isPositive, sweep > 0 { sweep -= 2 * .pi }
    let middle = CGPoint(x: (start.x + end.x) / 2, y: (start.y + end.y) / 2)
    let place = CGAffineTransform(translationX: cx, y: cy)
      .concatenating(CGAffineTransform(scaleX: rx, y: ry))
      .concatenating(CGAffineTransform(rotationAngle: rotation))
      .concatenating(CGAffineTransform(translationX: middle.x, y: middle.y))
    guard sweep.isFinite, from.isFinite else { return addLine(to: end) }
    var arc = Path()
    arc.addUnitArc(from: from, sweep: sweep, joining: false, transform: place)
    // Ends exactly at the given point, without the error of sines.
    for case .cubic(let control1, let control2, let point) in arc.elements.dropLast() {
      addCubic(control1: control1, control2: control2, end: point)
    }
    if case .cubic(let control1, let control2, _) = arc.elements.last {
      addCubic(control1: control1, control2: control2, end: end)
    }
  }
}
