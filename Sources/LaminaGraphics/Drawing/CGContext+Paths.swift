import CCairo
import Foundation
import LaminaValues

extension CGContext {
  /// Begins a new path, and discards the current one.
  public func beginPath() { pixelPath = Path() }

  /// Begins a subpath at `point`.
  public func move(to point: CGPoint) { pixelPath.move(to: point.applying(userToPixels)) }

  /// Adds a line from the current point; ignored if there is none.
  public func addLine(to point: CGPoint) { pixelPath.addLine(to: point.applying(userToPixels)) }

  /// Adds a subpath of lines through `points`.
  public func addLines(between points: [CGPoint]) {
    guard let first = points.first else { return }
    move(to: first)
    for point in points.dropFirst() { addLine(to: point) }
  }

  /// Adds a quadratic curve from the current point; ignored if there is none.
  public func addQuadCurve(to end: CGPoint, control: CGPoint) {
    let transform = userToPixels
    pixelPath.addQuad(control: control.applying(transform), end: end.applying(transform))
  }

  /// Adds a cubic curve from the current point; ignored if there is none.
  public func addCurve(to end: CGPoint, control1: CGPoint, control2: CGPoint) {
    let transform = userToPixels
    pixelPath.addCubic(
      control1: control1.applying(transform), control2: control2.applying(transform),
      end: end.applying(transform))
  }

  /// Adds an arc, after a line from the current point if there is one. Angles are radians from +x
  /// toward +y; `clockwise` means toward decreasing angles, so the arc looks clockwise if y points
  /// up.
  public func addArc(
    center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool
  ) {
    pixelPath.addArc(
      center: center, radius: radius, startAngle: startAngle, endAngle: endAngle,
      clockwise: clockwise, transform: userToPixels)
  }

  /// Adds a line and an arc that rounds the corner at `tangent1End`, on the way from the current
  /// point to `tangent2End`; ignored if there is no current point.
  public func addArc(tangent1End: CGPoint, tangent2End: CGPoint, radius: CGFloat) {
    pixelPath.addArc(
      tangent1End: tangent1End, tangent2End: tangent2End, radius: radius, transform: userToPixels)
  }

  /// Adds a rectangle as a subpath.
  public func addRect(_ rect: CGRect) { pixelPath.addRect(rect, transform: userToPixels) }

  /// Adds each rectangle as a subpath.
  public func addRects(_ rects: [CGRect]) {
    for rect in rects { addRect(rect) }
  }

  /// Adds the ellipse that touches the sides of `rect`, as a subpath.
  public func addEllipse(in rect: CGRect) {
    pixelPath.addEllipse(in: rect, transform: userToPixels)
  }

  /// Adds all subpaths of `path`.
  public func addPath(_ path: CGPath) {
    pixelPath.elements += path.storage.applying(userToPixels).elements
  }

  /// Closes the current subpath with a line to its start.
  public func closePath() { pixelPath.close() }

  /// Whether the current path has no element.
  public var isPathEmpty: Bool { pixelPath.isEmpty }

  /// The point at which the next segment would start, in user space; zero if there is no path.
  public var currentPointOfPath: CGPoint {
    pixelPath.currentPoint?.applying(userToPixels.inverted()) ?? .zero
  }

  /// The smallest rectangle, in user space, around all the path's points, control points included;
  /// null if there is no path.
  public var boundingBoxOfPath: CGRect {
    pixelPath.applying(userToPixels.inverted()).controlPointBounds
  }

  /// The current path in user space; nil if it is empty.
  public var path: CGPath? {
    pixelPath.isEmpty ? nil : CGPath(pixelPath.applying(userToPixels.inverted()))
  }

  /// Whether painting the path in `mode` would cover `point`, which is in user space.
  public func pathContains(_ point: CGPoint, mode: CGPathDrawingMode) -> Bool {
    let place = point.applying(userToPixels)
    guard place.x.isFinite, place.y.isFinite else { return false }
    let cairo = preparedContext()
    pixelPath.append(to: cairo)
    defer { cairo_new_path(cairo) }
    if let rule = mode.fillRule {
      cairo_set_fill_rule(cairo, rule.cairo)
      if cairo_in_fill(cairo, place.x, place.y) != 0 { return true }
    }
    guard mode.strokes, let matrix = applyLineStyle(to: cairo, for: pixelPath)
    else { return false }
    let inUserSpace = place.applying(matrix.inverted())
    return cairo_in_stroke(cairo, inUserSpace.x, inUserSpace.y) != 0
  }

  /// Sets Cairo's line style for stroking `path`, which is in pixels, and sets and returns the
  /// matrix that the style is measured in; nil if no line can be drawn.
  func applyLineStyle(to cairo: OpaquePointer, for path: Path) -> CGAffineTransform? {
    let transform = userToPixels
    guard var matrix = transform.cairo, state.lineWidth > 0 else { return nil }
    let scale = transform.largestScale
    // Cairo's coordinates end at 8 million pixels. Dashing over more than 500,000 periods would
    // take minutes.
    let width = min(state.lineWidth, 1_000_000 / scale)
    cairo_set_line_width(cairo, width)
    cairo_set_line_cap(cairo, state.lineCap.cairo)
    cairo_set_line_join(cairo, state.lineJoin.cairo)
    cairo_set_miter_limit(cairo, max(1, state.miterLimit))
    let period = state.dashLengths.reduce(0, +)
    if period.isFinite, path.drawnLength < 500_000 * period * scale {
      cairo_set_dash(
        cairo, state.dashLengths.map { Double($0) }, Int32(clamping: state.dashLengths.count),
        state.dashPhase.truncatingRemainder(dividingBy: period * 2))
    } else {
      cairo_set_dash(cairo, nil, 0, 0)
    }
    cairo_set_matrix(cairo, &matrix)
    return transform
  }
}
