import CCairo
import Foundation
import LaminaValues

extension CGContext {
  /// Paints the current path, and clears it.
  public func drawPath(using mode: CGPathDrawingMode) {
    let path = pixelPath
    beginPath()
    if let rule = mode.fillRule { fill(path, rule) }
    if mode.strokes { stroke(path) }
  }

  /// Paints the interior of the current path, and clears the path.
  public func fillPath(using rule: CGPathFillRule = .winding) {
    drawPath(using: rule == .winding ? .fill : .eoFill)
  }

  /// Paints the current path as a line, and clears the path.
  public func strokePath() { drawPath(using: .stroke) }

  /// Paints a rectangle. Like all calls that paint a shape, it clears the current path.
  public func fill(_ rect: CGRect) {
    beginPath()
    addRect(rect)
    fillPath()
  }

  /// Paints the union of rectangles.
  public func fill(_ rects: [CGRect]) {
    beginPath()
    addRects(rects.map(\.standardized))
    fillPath()
  }

  /// Paints a rectangle's outline in the current line style.
  public func stroke(_ rect: CGRect) {
    beginPath()
    addRect(rect)
    strokePath()
  }

  /// Paints a rectangle's outline with a line `width` wide, in user space.
  public func stroke(_ rect: CGRect, width: CGFloat) {
    let previous = state.lineWidth
    setLineWidth(width)
    stroke(rect)
    state.lineWidth = previous
  }

  /// Paints lines between the first and the second point, the third and the fourth, and so on. A
  /// last point without a partner is left out.
  public func strokeLineSegments(between points: [CGPoint]) {
    beginPath()
    for index in stride(from: 0, to: points.count - 1, by: 2) {
      move(to: points[index])
      addLine(to: points[index + 1])
    }
    strokePath()
  }

  /// Paints the ellipse that touches the sides of `rect`.
  public func fillEllipse(in rect: CGRect) {
    beginPath()
    addEllipse(in: rect)
    fillPath()
  }

  /// Paints the outline of the ellipse that touches the sides of `rect`.
  public func strokeEllipse(in rect: CGRect) {
    beginPath()
    addEllipse(in: rect)
    strokePath()
  }

  /// Makes a rectangle transparent, within the clip and whatever the alpha, blend mode and shadow.
  public func clear(_ rect: CGRect) {
    let saved = state
    defer { state = saved }
    (state.shadow, state.alpha, state.blendMode) = (nil, 1, .clear)
    state.fill = .color(.black)
    fill(rect)
  }

  /// Replaces the current path by the outline of its stroke.
  public func replacePathWithStrokedPath() {
    guard let path, state.lineWidth > 0 else { return beginPath() }
    var line = path
    if !state.dashLengths.isEmpty {
      line = line.copy(dashingWithPhase: state.dashPhase, lengths: state.dashLengths)
    }
    let outline = line.copy(
      strokingWithWidth: state.lineWidth, lineCap: state.lineCap, lineJoin: state.lineJoin,
      miterLimit: state.miterLimit)
    beginPath()
    addPath(outline)
  }

  // MARK: - In pixels

  func fill(_ path: Path, _ rule: CGPathFillRule) {
    guard let setSource = source(of: state.fill) else { return }
    paint(
      PaintOperation(bounds: path.drawnBounds, setSource: setSource) { cairo in
        path.append(to: cairo)
        cairo_set_fill_rule(cairo, rule.cairo)
        cairo_fill(cairo)
      })
  }

  func stroke(_ path: Path) {
    guard let setSource = source(of: state.stroke) else { return }
    let joins = max(2, state.lineJoin == .miter ? state.miterLimit : 1)
    let reach = min(state.lineWidth / 2 * userToPixels.largestScale * joins, 1e7)
    paint(
      PaintOperation(
        bounds: path.drawnBounds.insetBy(dx: -reach, dy: -reach), setSource: setSource
      ) { [self] cairo in
        path.append(to: cairo)
        if applyLineStyle(to: cairo, for: path) != nil { cairo_stroke(cairo) }
        cairo_new_path(cairo)
        cairo_identity_matrix(cairo)
      })
  }

  /// A closure that sets Cairo's source to `paint`, with the state's alpha; nil if that paints
  /// nothing.
  func source(of paint: Paint) -> ((OpaquePointer) -> Void)? {
    switch paint {
    case .color(let color):
      let (red, green, blue, alpha) = components(of: color)
      let opacity = alpha * state.alpha
      return { cairo_set_source_rgba($0, red, green, blue, opacity) }
    case .pattern(let pattern, let color): return source(of: pattern, color: color)
    }
  }
}
