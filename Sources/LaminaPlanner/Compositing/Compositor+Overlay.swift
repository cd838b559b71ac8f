import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

/// What a debug overlay marks: a rectangle of a layer's space, as it lies on the surface.
struct OverlayMark {
  enum Color: CaseIterable {
    case green, yellow, red
  }

  var color: Color
  var rect: CGRect
  var toSurface: CATransform3D
  var scissor: PixelRect
  /// Of a layer that siblings in space cut.
  var piece: CutPiece?
}

extension OverlayMark.Color {
  /// Premultiplied: half of what is marked shows through.
  fileprivate var tint: SIMD4<Float> {
    switch self {
    case .green: [0, 0.5, 0, 0.5]
    case .yellow: [0.5, 0.5, 0, 0.5]
    case .red: [0.5, 0, 0, 0.5]
    }
  }
}

extension Compositor {
  private mutating func mark(
    _ rect: CGRect, of row: Int, _ color: OverlayMark.Color, in context: Context
  ) {
    marks.append(
      OverlayMark(
        color: color, rect: rect, toSurface: evaluated.rows[row].toSurface,
        scissor: visible(in: context), piece: context.piece))
  }

  /// Marks a layer that draws something itself: green where nothing shows through it, else red.
  mutating func markBlending(of row: Int, _ values: LayerValues, in context: Context) {
    guard overlay == .blended, isMarking, drawsItself(row, values) else { return }
    let isOpaque =
      !context.isBlended && context.opacity >= 1 && values.opacity >= 1
      && values.outline.isRectangle && (values.backgroundColor?.alpha ?? 0) >= 1
    mark(values.bounds, of: row, isOpaque ? .green : .red, in: context)
  }

  /// Marks what a target of its own is painted for.
  mutating func markOffscreen(_ region: PixelRect, in context: Context) {
    guard overlay == .offscreen, isMarking else { return }
    marks.append(
      OverlayMark(
        color: .yellow, rect: region.cgRect, toSurface: .identity, scissor: visible(in: context),
        piece: context.piece))
  }

  /// Marks a rasterized layer, of which the layers in it are no part.
  mutating func mark(_ bitmap: LayerBitmap, of row: Int, in context: Context) {
    guard isMarking else { return }
    var isCached = false
    if case .cached = bitmap.state { isCached = true }
    switch overlay {
    case .blended: mark(bitmap.rect, of: row, .red, in: context)
    case .cache: mark(bitmap.rect, of: row, isCached ? .green : .red, in: context)
    case .offscreen where !isCached: mark(bitmap.rect, of: row, .yellow, in: context)
    default: break
    }
  }

  /// Marks what differs from the last frame; all of it where there was none.
  mutating func markUpdates(since last: FrameRecord?, to rows: FrameRecord) {
    for change in last.map({ rows.changes(since: $0) }) ?? [evaluated.area.cgRect] {
      marks.append(
        OverlayMark(
          color: .yellow, rect: change, toSurface: .identity, scissor: evaluated.area))
    }
  }

  /// Whether there are marks that the next frame would be without.
  var flashes: Bool { overlay == .updates && !marks.isEmpty }

  /// The picture of a mask, none of whose layers is seen by itself.
  mutating func maskPicture(_ mask: Int, _ region: PixelRect) -> OffscreenImage? {
    withoutMarks { painter in painter.picture(region) { $0.paint(row: mask, in: $1) } }
  }

  mutating func withoutMarks<Result>(_ paint: (inout Compositor) -> Result) -> Result {
    let wasMarking = isMarking
    isMarking = false
    defer { isMarking = wasMarking }
    return paint(&self)
  }

  /// Draws the marks over the finished frame. One lies over those before it and hides them, but a
  /// blended layer adds to the red that is there.
  mutating func paintOverlay() {
    let area = evaluated.area
    let whole = Context(region: area, scissor: area)
    for color in OverlayMark.Color.allCases where marks.contains(where: { $0.color == color }) {
      let picture = picture(area) { painter, context in
        for mark in painter.marks {
          painter.paint(
            mark,
            blend: mark.color != color
              ? .destinationOut
              : color == .red && painter.overlay == .blended ? .sourceOver : .copy,
            in: context)
        }
      }
      if let picture { draw(picture, in: whole) }
    }
  }

  private mutating func paint(
    _ mark: OverlayMark, blend: FramePlan.Blend, in context: Context
  ) {
    var inside = context
    inside.scissor = mark.scissor
    inside.piece = mark.piece
    let projection = Projection(mark.toSurface, origin: context.region)
    guard let quad = ProjectedQuad(mark.rect, through: projection, antialiased: []) else { return }
    let tint = blend == .destinationOut ? [1, 1, 1, 1] : mark.color.tint
    add(.solid, blend: blend, quad: quad, in: inside) { _, out in out.append(tint) }
  }

  private func drawsItself(_ row: Int, _ values: LayerValues) -> Bool {
    let place = evaluated.rows[row]
    let isShape = place.kind == .shape && values.shape.path != nil
    return (values.backgroundColor?.alpha ?? 0) > 0
      || (values.borderWidth > 0 && (values.borderColor?.alpha ?? 0) > 0)
      || (isShape && (values.shape.fillColor != nil || values.shape.strokeColor != nil))
      || (place.kind == .gradient && !(values.gradient.colors ?? []).isEmpty)
      || !evaluated.contents(of: place, values).isEmpty
  }
}
