import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

extension LayerValues {
  /// Whether the layer and all below it are painted into a picture of their own, transparent at first,
  /// that comes to what is behind it as one. Then this picture is all that a filtered backdrop or a
  /// blend mode inside sees.
  ///
  /// A layer is a group where its properties do something to it as a whole: a mask, an opacity below
  /// 1 with `allowsGroupOpacity`, filters, background filters, a compositing filter,
  /// `shouldRasterize`. Clipping to bounds makes no group, whatever their corners and wherever their
  /// edges lie, and neither does a shadow, whatever casts it: what looks behind itself sees through
  /// both. What a clip has cut away is not there for it, and a shadow is that of what the layer would
  /// paint on nothing.
  func isGroup(isMasked: Bool, _ filters: LayerFilters?) -> Bool {
    isMasked || filters != nil || (opacity < 1 && allowsGroupOpacity)
  }
}

/// Layers in which something looks at what is behind them, and filtered backdrops.
extension Compositor {
  /// A clip around what is painted over a copy of what is behind it.
  struct PendingClip {
    /// Of the layer that clips.
    var row: Int
    /// Without all that is clipped.
    var behind: OffscreenImage
  }

  /// Whether a row without filters is no group, but holds something that looks behind it.
  func isOpen(_ row: Int, _ values: LayerValues) -> Bool {
    filterExtents.readsBackdrop.contains(row)
      && !values.isGroup(isMasked: evaluated.rows[row].mask >= 0, nil)
  }

  /// Paints a layer's pieces, its shadow among them, into the target itself. `context` has their
  /// opacity.
  mutating func paintOpen(
    row: Int, _ values: LayerValues, _ shadow: Shadow?, in context: Context
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
    of row: Int, _ values: LayerValues, clip: Clip, _ shadow: Shadow?, in context: Context
  ) {
    guard let shadow, shadow.isOfPicture else {
      paintPieces(of: row, values, clip: clip, shadow, in: context)
      return
    }
    paintShadowOfPicture(shadow.style, row: row, values, in: context)
    paintBody(of: row, values, clip: clip, in: context)
  }

  /// A copy of what is there where a row shows, and of what backdrops in it depend on, and whether that
  /// is the surface's.
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

  /// Puts a picture in the place of what is there, inside a layer's rounded bounds.
  private mutating func replace(
    with picture: OffscreenImage, insideOutlineOf row: Int, _ values: LayerValues,
    in context: Context
  ) {
    var hole = context
    hole.blend = .destinationOut
    var covering = values
    covering.backgroundColor = .white
    paintBackground(of: row, covering, in: hole)
    var filling = context
    filling.blend = .plus
    drawClipped(picture, of: row, values, in: filling)
  }

  // MARK: Filtered backdrops

  /// Whether what is there ends where the frame does, beyond which to the eye it goes on.
  private func paintsSurface(in context: Context) -> Bool {
    context.isOnSurface || openPasses.last?.target == .surface
  }

  /// Puts what is behind the layer, filtered, in the place of it, inside the rounded bounds.
  mutating func paintBackdrop(
    of row: Int, _ values: LayerValues, _ steps: [LayerFilters.Step], in context: Context
  ) {
    let projection = Projection(evaluated.rows[row].toSurface, origin: .empty)
    guard let quad = ProjectedQuad(values.bounds, through: projection, antialiased: .all) else {
      return
    }
    let shape = PixelRect(
      covering: quad.bounds, within: visible(in: context))
    guard !shape.isEmpty else { return }
    let reach = LayerFilters.reach(of: steps, through: projection, at: values.bounds.center)
    let part = shape.outset(by: reach).intersection(context.region)
    let repeatsEdges = paintsSurface(in: context)
    guard let target = copyOfTarget(part), let behind = clipped(target, by: context.clips),
      let filtered = filtered(
        behind, steps, of: row, values, in: shape, repeatsEdges: repeatsEdges)
    else { return }
    replace(with: filtered, insideOutlineOf: row, values, in: context)
  }

  /// What is left of what is there, once clips that are still to be applied have been.
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

  /// Paints a layer that is not all there over a copy of what is behind it, and shows that as far as
  /// the layer is there: its filtered backdrop, too, is then.
  mutating func paintOnCopy(
    _ row: Int, _ values: LayerValues, _ filters: LayerFilters, mask: Int, in context: Context
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
