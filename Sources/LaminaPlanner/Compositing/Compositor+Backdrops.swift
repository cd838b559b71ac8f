import Foundation
import LaminaCommit
import LaminaValues

extension LayerValues {
  /// Whether the layer and all below it are painted into an offscreen image of their own,
  /// transparent at first, that is composited as one. Then this image is all that a filtered
  /// backdrop or a blend mode inside sees.
  ///
  /// A layer is a group if its properties affect it as a whole: a mask, an opacity below 1 with
  /// `allowsGroupOpacity`, filters, background filters, a compositing filter, `shouldRasterize`.
  /// Clipping to bounds makes no group, whatever their corners and wherever their edges lie, and
  /// neither does a shadow, whatever casts it: a layer inside that reads the backdrop sees through
  /// both. It does not see what a clip has cut away, and the shadow is the one that the layer would
  /// cast if it were painted on nothing.
  func isGroup(isMasked: Bool, _ filters: LayerFilters?) -> Bool {
    isMasked || filters != nil || (opacity < 1 && allowsGroupOpacity)
  }
}

/// Layers that contain something that reads the backdrop, and filtered backdrops.
extension Compositor {
  /// A clip still to be applied to layers that are painted over a copy of what lies behind them.
  struct PendingClip {
    /// The row of the layer that clips.
    var row: Int
    /// The copy, without the layers that are clipped.
    var behind: OffscreenImage
  }

  /// Whether a row without filters is not a group, but contains a layer that reads the backdrop.
  func isOpen(_ row: Int, _ values: ValuesPointer) -> Bool {
    filterExtents.readsBackdrop.contains(row)
      && !values.pointee.isGroup(isMasked: evaluated.rows[row].mask >= 0, nil)
  }

  /// Paints a layer's pieces, including its shadow, directly into the target. `context` includes
  /// the layer's opacity.
  mutating func paintOpen(
    row: Int, _ values: ValuesPointer, _ shadow: Shadow?, in context: Context
  ) {
    let clip = clip(of: row, values, in: context)
    guard clip == .group, mayNest else {
      paintOpenPieces(of: row, values, clip: clip, shadow, in: context)
      return
    }
    guard let (behind, isOnSurface) = copyForChange(of: row, in: context) else { return }
    markOffscreen(groupRegion(of: row, in: context), in: context)
    let painted = picture(behind.region) { painter, inner in
      painter.copy(behind, in: inner)
      var pieces = inner
      pieces.opacity = context.opacity
      pieces.clippedLaterBy = row
      pieces.isBlended = true
      pieces.isOnSurface = isOnSurface
      pieces.clips = context.clips + [PendingClip(row: row, behind: behind)]
      painter.paintOpenPieces(of: row, values, clip: .none, shadow, in: pieces)
    }
    guard let painted else { return }
    var whole = context
    whole.opacity = 1
    replace(with: painted, insideOutlineOf: row, values, in: whole)
  }

  private mutating func paintOpenPieces(
    of row: Int, _ values: ValuesPointer, clip: Clip, _ shadow: Shadow?, in context: Context
  ) {
    guard let shadow, shadow.isOfPicture else {
      paintPieces(of: row, values, clip: clip, shadow, in: context)
      return
    }
    paintShadowOfPicture(shadow.style, row: row, values, in: context)
    paintBody(of: row, values, clip: clip, in: context)
  }

  /// A copy of the target, and its `paintsSurface`; nil if the row is not visible. The copy covers
  /// the visible part of the row and the part that backdrops in it read.
  private mutating func copyForChange(
    of row: Int, in context: Context
  ) -> (behind: OffscreenImage, isOnSurface: Bool)? {
    let shown = PixelRect(
      covering: extents[row].insetBy(dx: -1, dy: -1), within: visible(in: context))
    let part = shown.outset(by: filterExtents.backdropReaches[row] ?? 0)
      .intersection(context.region)
    guard !shown.isEmpty else { return nil }
    let isOnSurface = paintsSurface(in: context)
    return copyOfTarget(part).map { ($0, isOnSurface) }
  }

  private mutating func copy(_ picture: OffscreenImage, in context: Context) {
    var copying = context
    copying.blend = .copy
    draw(picture, in: copying)
  }

  /// Replaces the target by an image, inside a layer's rounded bounds.
  private mutating func replace(
    with picture: OffscreenImage, insideOutlineOf row: Int, _ values: ValuesPointer,
    in context: Context
  ) {
    var hole = context
    hole.blend = .destinationOut
    var covering = values.pointee
    covering.backgroundColor = .white
    withUnsafePointer(to: covering) { paintBackground(of: row, $0, in: hole) }
    var filling = context
    filling.blend = .plus
    drawClipped(picture, of: row, values, in: filling)
  }

  // MARK: Filtered backdrops

  /// Whether the target's content ends at the edge of the frame. To the eye it continues there, so
  /// blurs repeat the edge pixels.
  private func paintsSurface(in context: Context) -> Bool {
    context.isOnSurface || openPasses.last?.target == .surface
  }

  /// Replaces what lies behind the layer, inside its rounded bounds, by its filtered self.
  mutating func paintBackdrop(
    of row: Int, _ values: ValuesPointer, _ steps: [LayerFilters.Step], in context: Context
  ) {
    let projection = Projection(evaluated.rows[row].toSurface, origin: .empty)
    guard let quad = ProjectedQuad(values.pointee.bounds, through: projection, antialiased: .all)
    else {
      return
    }
    let shape = PixelRect(
      covering: quad.bounds, within: visible(in: context))
    guard !shape.isEmpty else { return }
    let reach = LayerFilters.reach(of: steps, through: projection, at: values.pointee.bounds.center)
    let part = shape.outset(by: reach).intersection(context.region)
    let repeatsEdges = paintsSurface(in: context)
    guard let target = copyOfTarget(part), let behind = clipped(target, by: context.clips),
      let filtered = filtered(
        behind, steps, of: row, values, in: shape, repeatsEdges: repeatsEdges)
    else { return }
    replace(with: filtered, insideOutlineOf: row, values, in: context)
  }

  /// A copy of the target with its pending clips applied; nil if nothing is left.
  private mutating func clipped(_ target: OffscreenImage, by clips: [PendingClip])
    -> OffscreenImage?
  {
    var picture: OffscreenImage? = target
    for clip in clips.reversed() {
      guard let inside = picture else { return nil }
      let values = values(of: clip.row)
      picture = self.picture(target.region) { painter, context in
        painter.copy(clip.behind, in: context)
        painter.replace(with: inside, insideOutlineOf: clip.row, values, in: context)
      }
    }
    return picture
  }

  /// Composites a translucent or masked layer with background filters: draws backdrop and layer
  /// onto a copy of what lies behind, then blends the copy in by the layer's opacity or mask, so
  /// that the filtered backdrop fades with the layer.
  mutating func paintOnCopy(
    _ row: Int, _ values: ValuesPointer, _ filters: LayerFilters, mask: Int, in context: Context
  ) {
    guard let (behind, isOnSurface) = copyForChange(of: row, in: context) else { return }
    let painted = picture(behind.region) { painter, inner in
      painter.copy(behind, in: inner)
      var backdrop = inner
      backdrop.isOnSurface = isOnSurface
      backdrop.clips = context.clips
      painter.paintBackdrop(of: row, values, filters.backdropSteps, in: backdrop)
      painter.paintPicture(of: row, values, filters, mask: -1, in: inner)
    }
    guard let painted else { return }
    let region = groupRegion(of: row, in: context)
    var inner = context
    inner.scissor = context.scissor.intersection(region)
    if mask >= 0 {
      guard let cover = maskPicture(mask, region) else { return }
      replace(with: painted, under: cover, in: inner)
    } else {
      mix(behind, painted, in: inner)
    }
  }
}
