import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

extension Compositor {
  /// How masksToBounds is brought about for what a layer paints inside.
  enum Clip: Equatable {
    case none
    /// The bounds are whole pixels on the screen, in the surface's coordinates.
    case scissor(PixelRect)
    /// An offscreen target is clipped by the outline when it is composited.
    case group
  }

  /// The context for what a clip cuts; groups are clipped later.
  func clipped(_ context: Context, by clip: Clip) -> Context {
    guard case .scissor(let rect) = clip else { return context }
    var clipped = context
    clipped.scissor = rect.intersection(context.scissor)
    return clipped
  }

  func clip(of row: Int, _ values: LayerValues, in context: Context) -> Clip {
    guard values.masksToBounds else { return .none }
    let isShape = evaluated.rows[row].kind == .shape
    // Contents alone are cut to the bounds, round corners too, as they are drawn.
    guard evaluated.hasSublayers(row) || isShape || values.shadow != nil else { return .none }
    guard values.outline.isRectangle,
      let rect = hardRect(values.bounds, of: row, values, within: context.region)
    else { return .group }
    return .scissor(rect)
  }

  /// The surface's pixels that a rectangle of a layer covers exactly: where its edges lie on pixel
  /// boundaries, or are hard. nil where it is turned or an edge wants coverage.
  func hardRect(
    _ rect: CGRect, of row: Int, _ values: LayerValues, within region: PixelRect
  ) -> PixelRect? {
    let projection = Projection(evaluated.rows[row].toSurface, origin: .empty)
    guard projection.isAxisAligned else { return nil }
    let box = rect.applying(projection.affine)
    let isAligned = [box.minX, box.maxX, box.minY, box.maxY].allSatisfy(Self.isWhole)
    guard isAligned || !values.allowsEdgeAntialiasing else { return nil }
    // A pixel belongs to the rectangle that its centre lies in.
    let snapped = CGRect(enclosing: [
      CGPoint(x: (box.minX - 0.5).rounded(.up), y: (box.minY - 0.5).rounded(.up)),
      CGPoint(x: (box.maxX - 0.5).rounded(.up), y: (box.maxY - 0.5).rounded(.up)),
    ])
    return PixelRect(covering: snapped, within: region)
  }

  /// Whether an edge at `v` pixels needs no coverage: a 512th of a pixel is less than 8 bits show.
  static func isWhole(_ v: CGFloat) -> Bool { abs(v - v.rounded()) < 1.0 / 512 }

  /// Whether we see the layer's front. Mirroring turns no layer's back; turning it over does.
  func isFacingUs(_ row: Int, _ values: LayerValues) -> Bool {
    let place = evaluated.rows[row]
    guard
      let quad = ProjectedQuad(
        values.bounds, through: Projection(place.toSurface, origin: .empty), antialiased: [])
    else { return true }
    return (quad.signedArea > 0) != place.isMirrored
  }

  /// How many things a layer draws, of which two or more take a group to be faded as one.
  func pieceCount(of row: Int, _ values: LayerValues) -> Int {
    var count = 0
    if let color = values.backgroundColor, color.alpha > 0 { count += 1 }
    if values.shadow != nil { count += 1 }
    if !evaluated.contents(of: evaluated.rows[row], values).isEmpty { count += 1 }
    if values.borderWidth > 0, let color = values.borderColor, color.alpha > 0 { count += 1 }
    if evaluated.rows[row].kind == .gradient, (values.gradient.colors ?? []).count > 1 {
      count += 1
    }
    if evaluated.rows[row].kind == .shape, values.shape.path != nil {
      if values.shape.fillColor != nil { count += 1 }
      if values.shape.strokeColor != nil { count += 1 }
    }
    return evaluated.hasSublayers(row) ? max(count, 0) + 2 : count
  }
}
