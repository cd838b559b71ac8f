import Foundation
import LaminaFramePlan
import LaminaValues

/// A mark of a debug overlay: a rectangle in a layer's space, and its place on the surface.
struct OverlayMark {
  enum Color: CaseIterable {
    case green, yellow, red
  }

  var color: Color
  var rect: CGRect
  var toSurface: CATransform3D
  var scissor: PixelRect
  /// The piece to mark if siblings in three dimensions cut the layer; nil for the whole layer.
  var piece: CutPiece?
}

extension OverlayMark.Color {
  /// Premultiplied, at half opacity.
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
        color: color, rect: rect, toSurface: evaluated.toPixels[row],
        scissor: context.visible, piece: context.piece))
  }

  /// Marks a layer that draws something itself: green if nothing shows through it, otherwise red.
  mutating func markBlending(of row: Int, _ values: ValuesPointer, in context: Context) {
    guard overlay == .blended, context.isMarked, drawsItself(row, values) else { return }
    let isOpaque =
      !context.isBlended && context.faded.w >= 1 && values.pointee.opacity >= 1
      && values.outline.isRectangle && (values.pointee.backgroundColor?.alpha ?? 0) >= 1
    mark(values.pointee.bounds, of: row, isOpaque ? .green : .red, in: context)
  }

  /// Marks a region that is painted as a group.
  mutating func markGroup(_ region: PixelRect, in context: Context) {
    guard overlay == .offscreen, context.isMarked else { return }
    marks.append(
      OverlayMark(
        color: .yellow, rect: region.cgRect, toSurface: .identity, scissor: context.visible,
        piece: context.piece))
  }

  /// Marks a rasterized layer as a whole. The layers in it get no marks of their own.
  mutating func mark(_ bitmap: LayerBitmap, of row: Int, in context: Context) {
    guard context.isMarked else { return }
    let isCached = bitmap.cached != nil
    switch overlay {
    case .blended: mark(bitmap.rect, of: row, .red, in: context)
    case .cache: mark(bitmap.rect, of: row, isCached ? .green : .red, in: context)
    case .offscreen where !isCached: mark(bitmap.rect, of: row, .yellow, in: context)
    default: break
    }
  }

  /// Marks what would be painted again if there were no marks.
  mutating func mark(_ damage: Damage) {
    for rect in damage.rects {
      marks.append(
        OverlayMark(
          color: .yellow, rect: rect.cgRect, toSurface: .identity, scissor: evaluated.area))
    }
  }

  /// Whether the next frame must be redrawn to erase this frame's marks.
  var flashes: Bool { overlay == .updates && !marks.isEmpty }

  /// The image of a mask. The mask's layers are not marked, since they are not visible themselves.
  mutating func maskImage(
    _ mask: Int, _ region: PixelRect, sharesTarget: Bool = false, in context: Context
  ) -> GroupImage {
    group(region, sharesTarget: sharesTarget, in: context) { compositor, inner in
      var unmarked = inner
      unmarked.isMarked = false
      compositor.enqueue(row: mask, in: unmarked)
    }
  }

  /// Adds the marks over the finished frame. A mark hides those before it, but the red marks of
  /// blended layers add up.
  mutating func addOverlay(in whole: Context) {
    for color in OverlayMark.Color.allCases where marks.contains(where: { $0.color == color }) {
      let image = group(whole.region, in: whole) { compositor, inner in
        for mark in compositor.marks {
          compositor.add(
            mark,
            blend: mark.color != color
              ? .destinationOut
              : color == .red && compositor.overlay == .blended ? .sourceOver : .copy,
            in: inner)
        }
      }
      add(image, in: whole)
    }
  }

  private mutating func add(
    _ mark: OverlayMark, blend: FramePlan.Blend, in context: Context
  ) {
    var inside = context
    inside.scissor = mark.scissor
    inside.piece = mark.piece
    let projection = Projection(mark.toSurface)
    guard let quad = ProjectedQuad(mark.rect, through: projection, antialiased: []) else { return }
    addItems(in: inside) { drawn in
      let color =
        blend == .destinationOut ? ItemColor.white : drawn.list.color(mark.color.tint)
      drawn.list.add(Item(.solid, blend: blend, color: color), quad, within: inside.visible)
    }
  }

  private func drawsItself(_ row: Int, _ values: ValuesPointer) -> Bool {
    let place = evaluated.rows[row]
    let isShape = place.kind == .shape && values.pointee.shape.path != nil
    return (values.pointee.backgroundColor?.alpha ?? 0) > 0
      || (values.pointee.borderWidth > 0 && (values.pointee.borderColor?.alpha ?? 0) > 0)
      || (isShape
        && (values.pointee.shape.fillColor != nil || values.pointee.shape.strokeColor != nil))
      || (place.kind == .gradient && !(values.pointee.gradient.colors ?? []).isEmpty)
      || !evaluated.contents(of: place, values.pointee.contents).isEmpty
  }
}
