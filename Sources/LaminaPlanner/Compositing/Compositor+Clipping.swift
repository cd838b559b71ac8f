import Foundation
import LaminaValues

extension Compositor {
  /// How masksToBounds is applied to what a layer adds inside its bounds.
  enum Clip: Equatable {
    case none
    /// The bounds are whole pixels on the screen, in the surface's coordinates.
    case scissor(PixelRect)
    /// A group is clipped by the outline when it is composited.
    case group
  }

  /// The context for what lies inside a clip. Groups are clipped later.
  func clipped(_ context: Context, by clip: Clip) -> Context {
    guard case .scissor(let rect) = clip else { return context }
    var clipped = context
    clipped.scissor = rect.intersection(context.scissor)
    return clipped
  }

  func clip(of row: Int, _ values: ValuesPointer, in context: Context) -> Clip {
    guard values.pointee.masksToBounds else { return .none }
    let kind = evaluated.rows[row].kind
    let drawsOutside = kind == .shape || kind == .emitter
    // Contents alone are cut to the bounds, including round corners, when they are drawn.
    guard evaluated.hasSublayers(row) || drawsOutside || values.shadow != nil else { return .none }
    guard values.outline.isRectangle,
      let rect = hardRect(values.pointee.bounds, of: row, values, within: context.region)
    else { return .group }
    return .scissor(rect)
  }

  /// The surface's pixels that a rectangle of a layer covers exactly, because its edges lie on
  /// pixel boundaries or are not antialiased. nil if the rectangle is rotated or an edge needs
  /// coverage.
  func hardRect(
    _ rect: CGRect, of row: Int, _ values: ValuesPointer, within region: PixelRect
  ) -> PixelRect? {
    let projection = Projection(evaluated.toPixels[row])
    guard projection.isAxisAligned else { return nil }
    let box = rect.applying(projection.affine)
    let isAligned = [box.minX, box.maxX, box.minY, box.maxY].allSatisfy(LayerDrawing.isWhole)
    guard isAligned || !values.pointee.allowsEdgeAntialiasing else { return nil }
    return PixelRect(centersIn: box, within: region)
  }

  /// Number of pieces that a layer draws. Two or more need a group to fade as one.
  func pieceCount(of row: Int, _ values: ValuesPointer) -> Int {
    var count = 0
    if let color = values.pointee.backgroundColor, color.alpha > 0 { count += 1 }
    if values.shadow != nil { count += 1 }
    if !evaluated.contents(of: evaluated.rows[row], values.pointee.contents).isEmpty { count += 1 }
    if values.pointee.borderWidth > 0, let color = values.pointee.borderColor, color.alpha > 0 {
      count += 1
    }
    if evaluated.rows[row].kind == .gradient, (values.pointee.gradient.colors ?? []).count > 1 {
      count += 1
    }
    if evaluated.rows[row].kind == .shape, values.pointee.shape.path != nil {
      if values.pointee.shape.fillColor != nil { count += 1 }
      if values.pointee.shape.strokeColor != nil { count += 1 }
    }
    if particles(of: row)?.particles.isEmpty == false { count += 2 }
    return evaluated.hasSublayers(row) ? count + 2 : count
  }
}

extension RowTables {
  /// Whether a layer's front faces the viewer. Mirroring does not turn a layer's back to the
  /// viewer; turning the layer over does.
  func isFacingUs(_ row: Int, _ values: ValuesPointer) -> Bool {
    guard
      let quad = ProjectedQuad(
        values.pointee.bounds, through: Projection(at: toPixels + row), antialiased: [])
    else { return true }
    return (quad.signedArea > 0) != self[row].pointee.isMirrored
  }
}

extension PixelRect {
  /// The pixels whose centres lie in a rectangle.
  init(centersIn rect: CGRect, within region: PixelRect) {
    let snapped = CGRect(enclosing: [
      CGPoint(x: (rect.minX - 0.5).rounded(.up), y: (rect.minY - 0.5).rounded(.up)),
      CGPoint(x: (rect.maxX - 0.5).rounded(.up), y: (rect.maxY - 0.5).rounded(.up)),
    ])
    self.init(covering: snapped, within: region)
  }
}
